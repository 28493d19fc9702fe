package snapshot

import "strings"

// ShortFunction returns the name of a C++ function without its parameters, template arguments, return type and
// anonymous namespaces: "at::native::empty_cuda". A node of autograd is named as PyTorch prints it: "AddmmBackward0".
// Other names stay as they are.
func ShortFunction(name string) string {
	if !strings.Contains(name, "::") && !strings.HasSuffix(name, ")") {
		return name
	}
	full := name
	name, _, _ = strings.Cut(name, " [clone ")
	name = strings.ReplaceAll(name, "(anonymous namespace)::", "")
	var short strings.Builder
	depth := 0 // of brackets that are left out
	for i := 0; i < len(name); i++ {
		if rest, ok := operator(name[i:]); ok && depth == 0 {
			short.WriteString(name[i : i+rest])
			i += rest - 1
			continue
		}
		switch c := name[i]; c {
		case '<', '(', '[':
			depth++
		case '>', ')', ']':
			depth = max(0, depth-1)
		default:
			if depth == 0 {
				short.WriteByte(c)
			}
		}
	}
	s := strings.TrimSpace(short.String())
	for _, end := range [...]string{" const", " &", " volatile"} {
		s = strings.TrimSuffix(s, end)
	}
	if !strings.Contains(s, "operator ") {
		s = s[strings.LastIndexByte(s, ' ')+1:] // the return type stands before
	}
	s = strings.TrimLeft(s, "*&")
	if node, ok := strings.CutPrefix(s, "torch::autograd::generated::"); ok {
		s, _ = strings.CutSuffix(node, "::apply")
	}
	if s == "" {
		return full
	}
	return s
}

// operator returns how long the name of an operator at the begin of a text is: its signs are no brackets.
func operator(s string) (length int, ok bool) {
	rest, ok := strings.CutPrefix(s, "operator")
	if !ok {
		return 0, false
	}
	for _, sign := range [...]string{"()", "[]", "<<=", ">>=", "<=>", "<<", ">>", "<=", ">=", "->", "<", ">"} {
		if strings.HasPrefix(rest, sign) {
			return len(s) - len(rest) + len(sign), true
		}
	}
	return 0, false
}
