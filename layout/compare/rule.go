package compare

// A Rule is how a group of one timeline was found again in the other.
type Rule uint8

// The rules, the surest first.
const (
	SameName Rule = iota
	OtherRoot
	MovedLine
	RenamedFunction
	RenamedFile
	OwnStack
	FunctionStack
	InOrder
	New
	Gone
)

var rules = [...][2]string{
	SameName:  {"same name", "both have this name, to the letter"},
	OtherRoot: {"other root", "the same function of the same module, below another folder"},
	MovedLine: {"moved line", "the same function of the same module; the line has another number, found by what it " +
		"calls and allocates and by the order of lines"},
	RenamedFunction: {"renamed function", "a function of another name in the same place of the file, with the same " +
		"callers, callees or sizes"},
	RenamedFile:   {"renamed file", "a file of another name with most of its functions"},
	OwnStack:      {"own code of the stack", "the same lines of own code call; frames of frameworks differ"},
	FunctionStack: {"functions of the stack", "the same functions of own code call, from other lines"},
	InOrder:       {"order", "names differ in numbers alone; the n-th of one is taken for the n-th of the other"},
	New:           {"new", "only B has it"},
	Gone:          {"gone", "only A has it"},
}

// String is the rule as tables and JSON have it: "moved line".
func (r Rule) String() string { return rules[r][0] }

// Explain says in a sentence what matched.
func (r Rule) Explain() string { return rules[r][1] }
