package main

import (
	"go/ast"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestSizes holds files, lines, functions and folders to limits of their size, exported names to comments that begin
// with them, and packages to names that say something. A function may be longer if its comment says
// "longer than 80 lines" and why.
func TestSizes(t *testing.T) {
	found := map[string][]string{}
	add := func(kind, where string) { found[kind] = append(found[kind], where) }
	folders := map[string]int{}
	for _, f := range sourceFiles(t) {
		if slices.Contains(strings.Fields("util utils common helpers misc types core base shared"), f.tree.Name.Name) {
			t.Errorf("%s: package %s says nothing by its name", f.path, f.tree.Name.Name)
		}
		if len(f.lines) > 400 {
			add("file over 400 lines", f.path+": "+strconv.Itoa(len(f.lines)))
		}
		for i, line := range f.lines {
			if utf8.RuneCountInString(line)+3*strings.Count(line, "\t") > 120 {
				add("line over 120 columns", f.path+":"+strconv.Itoa(i+1))
			}
		}
		test := strings.HasSuffix(f.path, "_test.go")
		if !test {
			folders[path.Dir(f.path)]++
		}
		for _, d := range f.tree.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				lines := f.set.Position(fn.End()).Line - f.set.Position(fn.Pos()).Line + 1
				if lines > 80 && !strings.Contains(strings.Join(strings.Fields(fn.Doc.Text()), " "),
					"longer than 80 lines") {
					add("function over 80 lines", f.path+": "+fn.Name.Name+" "+strconv.Itoa(lines))
				}
			}
			if !test && f.tree.Name.Name != "main" {
				for _, name := range unnamed(d) {
					add("comment without the name", f.path+": "+name)
				}
			}
		}
	}
	for folder, n := range folders {
		if n > 16 { // about fifteen
			add("folder over 16 files", folder+": "+strconv.Itoa(n))
		}
	}
	for kind, where := range found {
		t.Errorf("%s: %d\n%s", kind, len(where), strings.Join(where[:min(len(where), 30)], "\n"))
	}
}

// unnamed returns the exported names of a declaration whose comment does not begin with them. The comment of a group
// stands for all of them.
func unnamed(d ast.Decl) []string {
	var names []string
	check := func(name *ast.Ident, doc string) {
		doc = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(doc, "A "), "An "), "The ")
		rest, ok := strings.CutPrefix(doc, name.Name)
		if name.IsExported() && (!ok || rest != "" && (rest[0] == '_' || rest[0] >= 'a' && rest[0] <= 'z')) {
			names = append(names, name.Name)
		}
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		receiver := d.Name
		if d.Recv != nil {
			ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool { // the first name in *T or T[P]
				id, ok := n.(*ast.Ident)
				if ok {
					receiver = id
				}
				return !ok
			})
		}
		if receiver.IsExported() {
			check(d.Name, d.Doc.Text())
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if d.Lparen == 0 || spec.Doc != nil || d.Doc == nil {
					check(spec.Name, spec.Doc.Text()+d.Doc.Text())
				}
			case *ast.ValueSpec:
				if len(d.Specs) == 1 && len(spec.Names) == 1 {
					check(spec.Names[0], d.Doc.Text())
				} else if spec.Names[0].IsExported() && spec.Doc.Text()+spec.Comment.Text()+d.Doc.Text() == "" {
					names = append(names, spec.Names[0].Name)
				}
			}
		}
	}
	return names
}
