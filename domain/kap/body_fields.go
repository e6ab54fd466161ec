package kap

import (
	"bytes"
	"errors"
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// families open the known structures; ok is false for any other document.
var families = []func(doc *node, container string) (fields []*Field, ok bool){openPlain, openReports}

// openFields opens a body into fields, in document order. A document that no
// family accepts as a whole is unsupported: it is never opened in part.
func openFields(c *Content) ([]*Field, FieldsStatus, error) {
	text, err := c.document()
	if err != nil {
		return nil, "", err
	}
	if doc, err := parse(text); err == nil {
		for _, open := range families {
			if fields, ok := open(doc, c.SourceFormat); ok {
				return fields, FieldsOK, nil
			}
		}
	}
	return []*Field{}, FieldsUnsupported, nil
}

var errNotJSON = errors.New("the content is not JSON")

// document returns the JSON of the content; in a container of structures, the
// content may also be a string that holds JSON. Repeated names are accepted.
func (c *Content) document() (jsontext.Value, error) {
	doc := jsontext.Value(c.Content)
	if !doc.IsValid(jsontext.AllowDuplicateNames(true)) {
		return nil, errNotJSON
	}
	if doc.Kind() != '"' || c.SourceFormat == htmlDocument {
		return doc, nil
	}
	text, err := jsontext.AppendUnquote(nil, bytes.TrimSpace(doc))
	if doc = text; err != nil || !doc.IsValid(jsontext.AllowDuplicateNames(true)) {
		return nil, errNotJSON
	}
	return doc, nil
}

// openPlain opens a list of fields; in a presentation, of fields and tables.
func openPlain(doc *node, container string) ([]*Field, bool) {
	if doc.kind != '[' {
		return nil, false
	}
	fields := make([]*Field, 0, len(doc.values))
	for i := range doc.values {
		n := &doc.values[i]
		if container == presentation && n.member("table") != nil {
			cells, ok := openTable(n)
			if !ok {
				return nil, false
			}
			fields = append(fields, cells...)
			continue
		}
		f, ok := openField(n, container == flatData)
		if !ok {
			return nil, false
		}
		fields = append(fields, f)
	}
	return fields, true
}

// openField opens {key, label, value} and, if the field states its position
// itself, {group?, row?}.
func openField(n *node, placed bool) (*Field, bool) {
	known := []string{"key", "label", "value", "group", "row"}
	if !placed {
		known = known[:3]
	}
	f, ok := &Field{}, false
	if f.Key, ok = n.member("key").name(); !ok || !n.only(known...) {
		return nil, false
	}
	if f.Label, ok = n.member("label").localized(); !ok {
		return nil, false
	}
	if f.Value, ok = n.member("value").localized(); !ok {
		return nil, false
	}
	if group := n.member("group"); group != nil {
		name, ok := group.name()
		if !ok {
			return nil, false
		}
		f.Group = &name
	}
	if row := n.member("row"); row != nil {
		number, err := strconv.Atoi(row.text)
		if row.kind != '0' || err != nil || number < 0 || number > math.MaxInt32 {
			return nil, false
		}
		f.Row = &number
	}
	return f, true
}

// openTable opens {table, rows: [[field, …], …]}.
func openTable(n *node) ([]*Field, bool) {
	table, ok := n.member("table").name()
	rows := n.member("rows")
	if !ok || rows == nil || rows.kind != '[' || !n.only("table", "rows") {
		return nil, false
	}
	var fields []*Field
	for number := range rows.values {
		row := &rows.values[number]
		if row.kind != '[' {
			return nil, false
		}
		for i := range row.values {
			cell, ok := openField(&row.values[i], false)
			if !ok {
				return nil, false
			}
			cell.Group, cell.Row = &table, &number
			fields = append(fields, cell)
		}
	}
	return fields, true
}
