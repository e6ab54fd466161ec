package main

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"regexp"
	"strings"
	"unicode/utf8"
)

const (
	longestLine = 140 // characters, a tab counting as four
	mostMembers = 7   // of a struct literal on one line
)

// longLines returns the numbers of the lines that are too long, other than those with a raw
// string, which cannot be broken.
func longLines(text []byte) []int {
	raw := map[int]bool{}
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	for pos, kind, literal := s.Scan(); kind != token.EOF; pos, kind, literal = s.Scan() {
		if kind == token.STRING && literal[0] == '`' {
			for n := range strings.Count(literal, "\n") + 1 {
				raw[file.Line(pos)+n] = true
			}
		}
	}
	var long []int
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.ReplaceAll(strings.TrimRight(line, "\n"), "\t", "    ")
		if utf8.RuneCountInString(line) > longestLine && !raw[n] {
			long = append(long, n)
		}
	}
	return long
}

// unidiomatic matches phrases that readers of English stumble over.
var unidiomatic = regexp.MustCompile(`(?i)\b(whoever|anew|(is|are) told)\b`)

// oddComments returns the numbers of the lines whose comments are unidiomatic.
func oddComments(text []byte) []int {
	var odd []int
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", text, parser.ParseComments)
	if err != nil {
		return nil // the compiler reports it
	}
	for _, group := range file.Comments {
		for _, c := range group.List {
			if unidiomatic.MatchString(c.Text) {
				odd = append(odd, files.Position(c.Pos()).Line)
			}
		}
	}
	return odd
}

// crowdedLiterals returns the numbers of the lines with more than mostMembers members of one struct
// literal.
func crowdedLiterals(text []byte) ([]int, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", text, 0)
	if err != nil {
		return nil, err
	}
	var crowded []int
	ast.Inspect(file, func(n ast.Node) bool {
		literal, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		members := map[int]int{} // by line
		for _, e := range literal.Elts {
			if pair, ok := e.(*ast.KeyValueExpr); ok {
				if _, named := pair.Key.(*ast.Ident); named {
					members[files.Position(e.Pos()).Line]++
				}
			}
		}
		for line, n := range members {
			if n > mostMembers {
				crowded = append(crowded, line)
			}
		}
		return true
	})
	return crowded, nil
}
