package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/imports"
)

// prune removes unreachable declarations from gqlgen's file: its executor, if planned, and the
// costs of fields that are not in priced. What is reachable depends on the other files of the
// folder and on what NewExecutableSchema returns.
func prune(path string, priced map[string]bool, planned bool) error {
	src, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if planned {
		if src, err = withoutExecutor(src); err != nil {
			return err
		}
		if src, err = withSchemaBeside(path, src); err != nil {
			return err
		}
	}
	used, err := usedBeside(path)
	if err != nil {
		return err
	}
	p := pruning{files: token.NewFileSet(), src: src, used: used}
	if p.file, err = parser.ParseFile(p.files, path, src, parser.ParseComments); err != nil {
		return err
	}
	p.unpriced(priced)
	p.unreached()
	src, err = imports.Process(path, p.rest(), nil)
	if err != nil {
		return err
	}
	return os.WriteFile(path, src, 0o644)
}

// withoutExecutor replaces the code that runs operations, since package queryplan runs them.
func withoutExecutor(src []byte) ([]byte, error) {
	head := []byte("func (e *executableSchema) Exec(ctx context.Context) graphql.ResponseHandler {\n")
	start := bytes.Index(src, head)
	if start < 0 {
		return nil, fmt.Errorf("there is no Exec")
	}
	body := start + len(head)
	end := body + bytes.Index(src[body:], []byte("\n}\n"))
	return slices.Concat(src[:body], []byte("\treturn graphql.OneShot(graphql.ErrorResponse(ctx, \"package queryplan runs operations\"))"),
		src[end:]), nil
}

// inlined matches a file of the schema as gqlgen copies it into code that cannot embed it.
var inlined = regexp.MustCompile("(?s)(Name: \"\\.\\./)(schema\\.graphqls)(\", Input: )`(.*?)`, BuiltIn")

// withSchemaBeside writes the schema to a file beside path, and embeds that file in its place.
func withSchemaBeside(path string, src []byte) ([]byte, error) {
	found := inlined.FindSubmatch(src)
	if found == nil {
		return nil, fmt.Errorf("there is no schema")
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), string(found[2])), found[4], 0o644); err != nil {
		return nil, err
	}
	src = inlined.ReplaceAll(src, []byte("${1}${2}${3}schemaText, BuiltIn"))
	src = bytes.Replace(src, []byte("var sources"), []byte("//go:embed "+string(found[2])+"\nvar schemaText string\n\nvar sources"), 1)
	return bytes.Replace(src, []byte("import ("), []byte("import (\n\t_ \"embed\""), 1), nil
}

// usedBeside returns the names that the other files of a folder use.
func usedBeside(path string) (map[string]bool, error) {
	used := map[string]bool{}
	all, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*.go"))
	if err != nil {
		return nil, err
	}
	for _, other := range all {
		if filepath.Base(other) == filepath.Base(path) {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), other, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		namesIn(f, used)
	}
	return used, nil
}

func namesIn(n ast.Node, to map[string]bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			to[id.Name] = true
		}
		return true
	})
}

// pricedIn returns the fields, such as Query.Quotes, to which a Go file gives a cost.
func pricedIn(path string) (map[string]bool, error) {
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	priced := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if name := fieldOf(n); name != "" {
			priced[name] = true
		}
		return true
	})
	return priced, nil
}

// fieldOf returns Query.Quotes of c.Query.Quotes, for any c without a selector.
func fieldOf(n ast.Node) string {
	field, ok := n.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	object, ok := field.X.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	return object.Sel.Name + "." + field.Sel.Name
}

// pruning collects the cuts of a file.
type pruning struct {
	files *token.FileSet
	file  *ast.File
	src   []byte
	used  map[string]bool
	cuts  [][2]int // offsets
	gone  map[ast.Node]bool
}

func (p *pruning) cut(from, to token.Pos) {
	p.cuts = append(p.cuts, [2]int{p.files.Position(from).Offset, p.files.Position(to).Offset})
}

// unpriced cuts the code for costs of fields that have no cost.
func (p *pruning) unpriced(priced map[string]bool) {
	p.gone = map[ast.Node]bool{}
	for _, d := range p.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.Name == "Complexity" {
				p.cases(d, priced)
			}
		case *ast.GenDecl:
			if t, ok := d.Specs[0].(*ast.TypeSpec); ok && t.Name.Name == "ComplexityRoot" {
				p.objects(t.Type.(*ast.StructType), priced)
			}
		}
	}
}

// cases cuts the cases of Complexity for fields without a cost.
func (p *pruning) cases(f *ast.FuncDecl, priced map[string]bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		c, ok := n.(*ast.CaseClause)
		if !ok || c.List == nil {
			return true
		}
		kept := false
		ast.Inspect(c, func(n ast.Node) bool {
			kept = kept || priced[fieldOf(n)]
			return !kept
		})
		if !kept {
			p.gone[c] = true
			p.cut(c.Pos(), c.End())
		}
		return false
	})
}

// objects cuts from ComplexityRoot the fields without a cost.
func (p *pruning) objects(root *ast.StructType, priced map[string]bool) {
	for _, object := range root.Fields.List {
		fields := object.Type.(*ast.StructType).Fields.List
		left := len(fields)
		for _, f := range fields {
			if !priced[object.Names[0].Name+"."+f.Names[0].Name] {
				left--
				p.gone[f] = true
				p.cut(f.Pos(), f.End())
			}
		}
		if left == 0 {
			p.gone[object] = true
			p.cut(object.Pos(), object.End())
		}
	}
}

// unreached cuts the unreachable declarations.
func (p *pruning) unreached() {
	named := map[string][]ast.Decl{}
	for _, d := range p.file.Decls {
		for _, name := range declared(d) {
			named[name] = append(named[name], d)
		}
	}
	reached := map[ast.Decl]bool{}
	var follow func(name string)
	follow = func(name string) {
		for _, d := range named[name] {
			if reached[d] {
				continue
			}
			reached[d] = true
			ast.Inspect(d, func(n ast.Node) bool {
				if n == nil || p.gone[n] {
					return false
				}
				if id, ok := n.(*ast.Ident); ok {
					follow(id.Name)
				}
				return true
			})
		}
	}
	for _, root := range []string{"NewExecutableSchema", "Config", "Schema", "Complexity", "Exec"} {
		follow(root)
	}
	for name := range p.used {
		follow(name)
	}
	for _, d := range p.file.Decls {
		if g, ok := d.(*ast.GenDecl); reached[d] || ok && g.Tok == token.IMPORT {
			continue
		}
		from := d.Pos()
		if doc := docOf(d); doc != nil {
			from = doc.Pos()
		}
		p.cut(from, d.End())
	}
}

func docOf(d ast.Decl) *ast.CommentGroup {
	if f, ok := d.(*ast.FuncDecl); ok {
		return f.Doc
	}
	return d.(*ast.GenDecl).Doc
}

// declared returns the names that a declaration declares.
func declared(d ast.Decl) (names []string) {
	if f, ok := d.(*ast.FuncDecl); ok {
		return []string{f.Name.Name}
	}
	for _, s := range d.(*ast.GenDecl).Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			names = append(names, s.Name.Name)
		case *ast.ValueSpec:
			for _, n := range s.Names {
				names = append(names, n.Name)
			}
		}
	}
	return names
}

// rest returns the file without the cuts.
func (p *pruning) rest() []byte {
	slices.SortFunc(p.cuts, func(a, b [2]int) int { return a[0] - b[0] })
	var left bytes.Buffer
	at := 0
	for _, c := range p.cuts {
		if c[0] < at { // within an earlier cut
			continue
		}
		left.Write(p.src[at:c[0]])
		at = c[1]
	}
	left.Write(p.src[at:])
	lines := strings.Split(left.String(), "\n")
	lines = slices.DeleteFunc(lines, func(line string) bool {
		return strings.HasPrefix(line, "// region ") || strings.HasPrefix(line, "// endregion ")
	})
	return []byte(strings.Join(lines, "\n"))
}
