package files

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"piyasa/collect"
)

// mapping makes records from rows. It rejects nothing: an invalid cell stays as it is, and
// ingest reports it.
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
		if m.Format == "ndjson" {
			if err := checkLine(row[0]); err != nil {
				r := collect.Record{Kind: fmt.Sprintf("(the line is not one JSON object: %v)", err), Fields: map[string]any{}}
				all = append(all, slices.Repeat([]collect.Record{r}, m.each())...) // ingest rejects them
				continue
			}
		}
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

// record returns a record of a row; cell returns the row's cells.
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

// decimal returns a cell with a decimal point and without thousands separators. If these are in
// other places, such as 12.5 with a decimal comma, the meaning is not clear: the cell stays,
// and ingest rejects it.
func (m mapping) decimal(cell string) string {
	mark := cmp.Or(m.Decimal, ".")
	whole, fraction, _ := strings.Cut(cell, mark)
	if m.Thousands != "" && strings.Contains(whole, m.Thousands) {
		groups := strings.Split(strings.TrimLeft(whole, "+-"), m.Thousands)
		for i, g := range groups {
			if len(g) != 3 && (i > 0 || len(g) == 0 || len(g) > 3) {
				return fmt.Sprintf("%s (%q is not between thousands)", cell, m.Thousands)
			}
		}
		whole = strings.ReplaceAll(whole, m.Thousands, "")
	}
	if mark == "," && strings.Contains(whole+fraction, ".") {
		return cell + " (a decimal comma is expected)"
	}
	if !strings.Contains(cell, mark) {
		return whole
	}
	return whole + "." + fraction
}

// checkLine returns the fault of a line that must be a JSON object.
func checkLine(line string) error {
	if !strings.HasPrefix(line, "{") {
		return errors.New("it does not begin with {")
	}
	return collect.CheckJSON([]byte(line))
}

// lineOf returns the record in a line of JSON.
func lineOf(line string) collect.Record {
	v, _ := exactly([]byte(line)) // the line has been checked
	fields := v.(map[string]any)
	kind, _ := fields["record"].(string)
	delete(fields, "record")
	return collect.Record{Kind: kind, Fields: fields}
}

// cellsOf returns the members of a line of JSON as cells: numbers digit for digit, and null as
// no cell.
func cellsOf(line string) func(string) (string, bool) {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal([]byte(line), &fields) // the line has been checked
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

// exactly reads one JSON value and keeps the digits of its numbers.
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
