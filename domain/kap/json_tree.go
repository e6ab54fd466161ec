package kap

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// maxDepth is how deep a document may nest to be opened; real forms nest far less.
const maxDepth = 64

var errTooDeep = errors.New("the document nests too deeply")

// node is a JSON value with its members in their order and its numbers digit
// for digit. A nil *node is a value that is missing or null.
type node struct {
	kind   jsontext.Kind
	text   string   // of a string, a number or a boolean
	names  []string // of an object's members
	values []node   // of an object's members, or a list's elements
}

// parse reads one JSON value. It rejects repeated names, since it is not clear which value
// counts.
func parse(text []byte) (*node, error) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(text))
	n, err := parseNext(dec)
	if err != nil {
		return nil, err
	}
	if _, err := dec.ReadToken(); err != io.EOF {
		return nil, errNotJSON
	}
	return &n, nil
}

func parseNext(dec *jsontext.Decoder) (n node, err error) {
	token, err := dec.ReadToken()
	if err != nil {
		return n, err
	}
	if n.kind = token.Kind(); n.kind != '{' && n.kind != '[' {
		n.text = token.String()
		return n, nil
	}
	if dec.StackDepth() > maxDepth {
		return n, errTooDeep
	}
	for end := n.kind + 2; dec.PeekKind() != end; { // in ASCII, ] and } are two characters after [ and {
		if n.kind == '{' {
			name, err := dec.ReadToken()
			if err != nil {
				return n, err
			}
			n.names = append(n.names, name.String())
		}
		value, err := parseNext(dec)
		if err != nil {
			return n, err
		}
		n.values = append(n.values, value)
	}
	_, err = dec.ReadToken()
	return n, err
}

// member returns the value of a member; nil if it is missing or null, or if n
// is not an object.
func (n *node) member(name string) *node {
	if n == nil {
		return nil
	}
	i := slices.Index(n.names, name)
	if i < 0 || n.values[i].kind == 'n' {
		return nil
	}
	return &n.values[i]
}

// only reports whether n is an object whose members, except nulls, are all among the named
// ones.
func (n *node) only(names ...string) bool {
	if n == nil || n.kind != '{' {
		return false
	}
	for i, name := range n.names {
		if n.values[i].kind != 'n' && !slices.Contains(names, name) {
			return false
		}
	}
	return true
}

// some returns the elements of a list; for anything else the value itself,
// since a list of one may come without brackets.
func (n *node) some() []node {
	switch {
	case n == nil:
		return nil
	case n.kind == '[':
		return n.values
	}
	return []node{*n}
}

// name reads a text that is not empty.
func (n *node) name() (name string, ok bool) {
	if n == nil || n.kind != '"' {
		return "", false
	}
	return n.text, n.text != ""
}

// scalar returns the text of a string, a number or a boolean as it was written.
func (n *node) scalar() (text *string, ok bool) {
	if n == nil {
		return nil, true
	}
	switch n.kind {
	case '"', '0', 't', 'f':
		return &n.text, true
	}
	return nil, false
}

// localized reads {tr?, en?}.
func (n *node) localized() (l Localized, ok bool) {
	if n == nil {
		return l, true
	}
	var trOK, enOK bool
	l.TR, trOK = n.member("tr").scalar()
	l.EN, enOK = n.member("en").scalar()
	return l, trOK && enOK && n.only("tr", "en")
}
