package files

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"piyasa/collect"
)

// mapping makes records of rows. It refuses nothing: what a cell cannot be stays as it came,
// and ingest says what is wrong with it.
type mapping struct {
	settings
	constants []map[string]any // of each record
}

func newMapping(s settings) (mapping, error) {
	m := mapping{settings: s}
	for _, t := range s.Records {
		values := map[string]any{}
		for name, of := range t.Members {
			if len(of.Value) > 0 {
				v, err := exactly(of.Value)
				if err != nil {
					return m, fmt.Errorf("%q: %w", name, err)
				}
				values[name] = v
			}
		}
		m.constants = append(m.constants, values)
	}
	return m, nil
}

// each returns how many records a row makes.
func (m mapping) each() int { return max(1, len(m.Records)) }

// records returns the records of rows.
func (m mapping) records(c chunk) []collect.Record {
	places := map[string]int{}
	for i, column := range c.Header {
		places[column] = i
	}
	all := make([]collect.Record, 0, len(c.Rows)*m.each())
	for _, row := range c.Rows {
		if len(m.Records) == 0 {
			all = append(all, lineOf(row[0]))
			continue
		}
		cell := func(column string) (string, bool) {
			i, ok := places[column]
			if !ok || i >= len(row) {
				return "", false
			}
			return row[i], true
		}
		if m.Format == "ndjson" {
			cell = cellsOf(row[0])
		}
		for i := range m.Records {
			all = append(all, m.record(i, cell))
		}
	}
	return all
}

// record returns a record of a row whose cells cell returns.
func (m mapping) record(i int, cell func(column string) (string, bool)) collect.Record {
	r := collect.Record{Kind: m.Records[i].Record, Fields: map[string]any{}}
	for name, of := range m.Records[i].Members {
		if v, ok := m.constants[i][name]; ok {
			r.Fields[name] = v
			continue
		}
		text, ok := cell(of.Column)
		text = strings.TrimSpace(text)
		if !ok || text == "" || slices.Contains(m.Empty, text) {
			continue
		}
		switch {
		case of.Decimal:
			r.Fields[name] = of.Prefix + m.decimal(text)
		case of.Integer:
			if v, err := exactly([]byte(m.decimal(text))); err == nil {
				r.Fields[name] = v
			} else {
				r.Fields[name] = text
			}
		case of.Time:
			r.Fields[name] = m.moment(text)
		case of.Date:
			r.Fields[name] = m.day(text)
		default:
			r.Fields[name] = of.Prefix + text
		}
	}
	return r
}

// decimal returns a cell with a point, and without what is between thousands.
func (m mapping) decimal(cell string) string {
	if m.Thousands != "" {
		cell = strings.ReplaceAll(cell, m.Thousands, "")
	}
	if m.Decimal == "," {
		if strings.Contains(cell, ".") {
			return cell + " (a decimal comma is expected)" // no decimal, so ingest refuses it
		}
		cell = strings.Replace(cell, ",", ".", 1)
	}
	return cell
}

// invalidLine is what a line is called that is no JSON object; ingest refuses it.
const invalidLine = "(the line is not one JSON object)"

// lineOf returns the record that a line of JSON is.
func lineOf(line string) collect.Record {
	v, err := exactly([]byte(line))
	fields, ok := v.(map[string]any)
	if err != nil || !ok {
		return collect.Record{Kind: invalidLine, Fields: map[string]any{}}
	}
	kind, _ := fields["record"].(string)
	delete(fields, "record")
	return collect.Record{Kind: kind, Fields: fields}
}

// cellsOf returns the members of a line of JSON as cells: numbers digit for digit, and what
// is null as nothing.
func cellsOf(line string) func(string) (string, bool) {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal([]byte(line), &fields) // without members, the record lacks what it must have
	return func(column string) (string, bool) {
		raw, ok := fields[column]
		if !ok || string(raw) == "null" {
			return "", false
		}
		var text string
		if json.Unmarshal(raw, &text) == nil {
			return text, true
		}
		return string(raw), true
	}
}

// exactly reads one JSON value, whose numbers keep their digits.
func exactly(text []byte) (v any, err error) {
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	if err = in.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := in.Token(); err != io.EOF {
		return nil, fmt.Errorf("must be one JSON value; got %q", text)
	}
	return v, nil
}
