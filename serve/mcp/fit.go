package mcp

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"piyasa/internal/problem"
)

// fit returns data as JSON of at most maxAnswer tokens. If it is too long, it first turns lists of
// objects into tables of columns and rows, then cuts lists after as many rows as fit, and then cuts
// texts. The member "cut" of the answer says what was cut, and rest says how to get it. Problem:
// too-many-values, if nothing fits.
func fit(data *node, rest string) (string, error) {
	text := data.appendTo(nil)
	if len(text) <= maxAnswer || tokens(text) <= maxAnswer { // a token has at least a byte
		return string(text), nil
	}
	tables := tabulated(data)
	if shown := tables.appendTo(nil); tokens(shown) <= maxAnswer {
		return string(shown), nil
	}
	for _, longest := range []int{0, 2_000, 500, 120} {
		if out, rows := mostRows(tables, longest, rest); rows > 0 && (rows >= fewRows || longest == 120) {
			return out, nil
		}
	}
	e := problem.New(problem.TooManyValues, "The answer has about %d tokens and cannot be cut to the %d that one may have. %s",
		tokens(text), maxAnswer, rest)
	limit := maxAnswer
	e.Members.Limit = &limit
	return "", e
}

// fewRows is how many rows an answer should have; if fewer fit, texts are cut.
const fewRows = 5

// mostRows cuts lists after as many rows as fit, and texts after longest bytes; 0: nowhere.
// rows is 0 if not even one fits.
func mostRows(data *node, longest int, rest string) (out string, rows int) {
	try := func(n int) bool {
		c := cutter{rows: n, longest: longest}
		shown := c.cut(data, "")
		cut := obj()
		if len(c.lists) > 0 {
			cut.members = append(cut.members, member{"lists", textsNode(c.lists)})
		}
		if c.texts > 0 {
			cut.members = append(cut.members, member{"texts", textNode(fmt.Sprintf("%d texts, after %d bytes", c.texts, longest))})
		}
		cut.members = append(cut.members, member{"rest", textNode(rest)})
		if shown.kind == '{' {
			shown.members = append(shown.members, member{"cut", cut})
		} else {
			shown = obj(member{"data", shown}, member{"cut", cut})
		}
		text := shown.appendTo(nil)
		if tokens(text) > maxAnswer {
			return false
		}
		out, rows = string(text), n
		return true
	}
	n := 1
	for ; n < 1<<20 && try(n); n *= 2 {
	}
	for low, high := n/2, n; low > 0 && high-low > 1; { // low fits, high does not
		if middle := (low + high) / 2; try(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return out, rows
}

// maxNamed is how many of the lists that were cut an answer names.
const maxNamed = 8

// cutter cuts lists and texts, and notes which ones it cut.
type cutter struct {
	rows, longest int
	lists         []string
	texts         int
}

func (c *cutter) cut(n *node, path string) *node {
	switch n.kind {
	case '"':
		if c.longest > 0 && len(n.text) > c.longest {
			c.texts++
			return textNode(clipped(n.text, c.longest) + "…")
		}
		return n
	case '{':
		short := &node{kind: '{', members: make([]member, len(n.members))}
		for i, m := range n.members {
			short.members[i] = member{m.name, c.cut(m.of, strings.TrimPrefix(path+"."+m.name, "."))}
		}
		return short
	case '[':
		items := n.items
		if len(items) > c.rows && !isNames(path) {
			if len(c.lists) < maxNamed {
				c.lists = append(c.lists, fmt.Sprintf("%s: the first %d of %d", strings.TrimSuffix(path, ".rows"), c.rows, len(items)))
			}
			items = items[:c.rows]
		}
		short := &node{kind: '[', items: make([]*node, len(items))}
		for i, item := range items {
			short.items[i] = c.cut(item, path+"[]")
		}
		return short
	}
	return n
}

// isNames reports whether a list at a path is the head or a row of a table.
func isNames(path string) bool {
	return strings.HasSuffix(path, ".column_names") || path == "column_names" || strings.HasSuffix(path, ".rows[]") || path == "rows[]"
}

// clipped returns the start of a text, without cutting a letter in two.
func clipped(s string, length int) string {
	for length > 0 && !utf8.RuneStart(s[length]) {
		length--
	}
	return s[:length]
}

// tabulated returns data in which each list of objects with the same members is a table.
func tabulated(n *node) *node {
	switch n.kind {
	case '{':
		short := &node{kind: '{', members: make([]member, len(n.members))}
		for i, m := range n.members {
			short.members[i] = member{m.name, tabulated(m.of)}
		}
		return short
	case '[':
		rows := listNode()
		for _, item := range n.items {
			rows.items = append(rows.items, tabulated(item))
		}
		if !alike(rows.items) {
			return rows
		}
		names := listNode()
		for _, m := range rows.items[0].members {
			names.items = append(names.items, textNode(m.name))
		}
		for i, item := range rows.items {
			row := listNode()
			for _, m := range item.members {
				row.items = append(row.items, m.of)
			}
			rows.items[i] = row
		}
		return obj(member{"column_names", names}, member{"rows", rows})
	}
	return n
}

// alike reports whether items are objects with the same members, and several.
func alike(items []*node) bool {
	if len(items) < 2 || items[0].kind != '{' || len(items[0].members) == 0 {
		return false
	}
	for _, item := range items[1:] {
		if item.kind != '{' || len(item.members) != len(items[0].members) {
			return false
		}
		for i, m := range item.members {
			if m.name != items[0].members[i].name {
				return false
			}
		}
	}
	return true
}
