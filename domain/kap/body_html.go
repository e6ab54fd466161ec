package kap

import (
	"encoding/json"
	"errors"
)

var errNotHTML = errors.New("the content is not {tr, en} with a document as text in each")

// openHTML reads {tr?, en?}, each a document as text.
func openHTML(content json.RawMessage) (*Localized, error) {
	doc, err := parse(content)
	if err != nil {
		return nil, err
	}
	for i := range doc.values {
		if kind := doc.values[i].kind; kind != '"' && kind != 'n' {
			return nil, errNotHTML
		}
	}
	html, ok := doc.localized()
	if !ok {
		return nil, errNotHTML
	}
	return &html, nil
}
