package mcp

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// node is JSON whose members keep their order and whose numbers keep their digits.
type node struct {
	kind    byte // '{', '[', '"', or another kind for a value in scalar
	text    string
	scalar  []byte
	members []member
	items   []*node
}

type member struct {
	name string
	of   *node
}

// parse reads JSON.
func parse(text []byte) (*node, error) {
	d := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true))
	return parseNext(d)
}

func parseNext(d *jsontext.Decoder) (*node, error) {
	token, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	n := &node{kind: byte(token.Kind())}
	switch n.kind {
	case '{':
		for d.PeekKind() != '}' {
			name, err := d.ReadToken()
			if err != nil {
				return nil, err
			}
			m := member{name: name.String()}
			if m.of, err = parseNext(d); err != nil {
				return nil, err
			}
			n.members = append(n.members, m)
		}
		_, err = d.ReadToken()
	case '[':
		for d.PeekKind() != ']' {
			item, err := parseNext(d)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, item)
		}
		_, err = d.ReadToken()
	case '"':
		n.text = token.String()
	case '0':
		n.scalar = []byte(token.String())
	default:
		n.scalar = []byte(token.Kind().String())
	}
	return n, err
}

// obj returns an object of the members whose values are not null.
func obj(members ...member) *node {
	n := &node{kind: '{'}
	for _, m := range members {
		if m.of != nil {
			n.members = append(n.members, m)
		}
	}
	return n
}

func textNode(s string) *node { return &node{kind: '"', text: s} }

func wholeNode(n int) *node { return &node{kind: '0', scalar: strconv.AppendInt(nil, int64(n), 10)} }

func listNode(items ...*node) *node { return &node{kind: '[', items: items} }

func textsNode(all []string) *node {
	n := listNode()
	for _, s := range all {
		n.items = append(n.items, textNode(s))
	}
	return n
}

// get returns the member at a path of names, or nil.
func (n *node) get(names ...string) *node {
	for _, name := range names {
		if n == nil {
			return nil
		}
		var found *node
		for _, m := range n.members {
			if m.name == name {
				found = m.of
			}
		}
		n = found
	}
	return n
}

// isNull reports whether n is nil or null.
func (n *node) isNull() bool { return n == nil || string(n.scalar) == "null" }

// string returns the text at n; empty if it is none.
func (n *node) string() string {
	if n == nil {
		return ""
	}
	return n.text
}

// appendTo appends n as JSON without white space.
func (n *node) appendTo(b []byte) []byte {
	switch n.kind {
	case '{':
		b = append(b, '{')
		for i, m := range n.members {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendText(b, m.name), ':')
			b = m.of.appendTo(b)
		}
		return append(b, '}')
	case '[':
		b = append(b, '[')
		for i, item := range n.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.appendTo(b)
		}
		return append(b, ']')
	case '"':
		return appendText(b, n.text)
	}
	return append(b, n.scalar...)
}

func appendText(b []byte, s string) []byte {
	b, err := jsontext.AppendQuote(b, s)
	if err != nil { // not UTF-8, which our JSON is
		encoded, _ := json.Marshal(s)
		return append(b, encoded...)
	}
	return b
}

func (n *node) json() string { return string(n.appendTo(nil)) }
