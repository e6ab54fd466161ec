// Package bulk writes files of records: all records of a kind in a range, or those that have
// changed, as Parquet, CSV or the JSON lines that ingest reads.
package bulk

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"piyasa/db"
	"piyasa/domain/market"
	"piyasa/ingest"
	"piyasa/internal/value"
)

// columnType is the type of the values of a column.
type columnType int

const (
	textColumn columnType = iota // text, or JSON where the value is not a scalar
	decimalColumn
	instantColumn
	dateColumn
	wholeColumn
	boolColumn
	bytesColumn
)

// column is a column of a kind of record: a member, with the values that lines state.
type column struct {
	ingest.Member
	is     columnType
	scalar bool // not JSON
	word   bool // has few different values, or ids that many rows share
}

// envelope names the first columns of every file: the number of the change in its feed; the key of
// the record, null for a withdrawal of all records with the values that it states; whether the
// change is a withdrawal; when it was recorded, null where that is not kept.
var envelope = []string{"number", "key", "withdrawn", "known_from"}

var textType = reflect.TypeFor[encoding.TextUnmarshaler]()

// layout holds the columns of a kind of record, and those by which files are divided.
type layout struct {
	columns         []column
	id, market, day *column // nil: the kind has none
}

// layoutOf returns the layout of a kind. The error says which kinds there are.
func layoutOf(kind string) (*layout, error) {
	if l, ok := layouts.Load(kind); ok {
		return l.(*layout), nil
	}
	members := ingest.Members(kind)
	if members == nil || db.FeedOf(kind) == "" {
		return nil, fmt.Errorf("must be one of %s; got %q", strings.Join(db.FollowedKinds(), ", "), kind)
	}
	l := &layout{columns: make([]column, len(members))}
	for i, m := range members {
		if slices.Contains(envelope, m.Name) {
			return nil, fmt.Errorf("the member %s of %s has the name of a column of every file", m.Name, kind)
		}
		is, scalar := typeOf(m.Type)
		c := &l.columns[i]
		*c = column{m, is, scalar, is == textColumn && scalar && (m.Type != reflect.TypeFor[string]() || isCode(m.Name))}
		switch m.Name {
		case "instrument_id":
			l.id = c
		case "market":
			l.market = c
		case dayMembers[kind]:
			l.day = c
		}
	}
	layouts.Store(kind, l)
	return l, nil
}

// layouts keeps the layouts of kinds, by their names.
var layouts sync.Map

// isCode reports whether the member is a code rather than text for people.
func isCode(name string) bool {
	return name == "currency" || name == "symbol" || strings.HasSuffix(name, "code")
}

func typeOf(t reflect.Type) (is columnType, scalar bool) {
	switch t {
	case reflect.TypeFor[value.Decimal]():
		return decimalColumn, true
	case reflect.TypeFor[value.Instant]():
		return instantColumn, true
	case reflect.TypeFor[value.Date]():
		return dateColumn, true
	case reflect.TypeFor[market.PNG]():
		return bytesColumn, true
	}
	switch t.Kind() {
	case reflect.Bool:
		return boolColumn, true
	case reflect.Int, reflect.Int64:
		return wholeColumn, true
	case reflect.String:
		return textColumn, true
	}
	return textColumn, reflect.PointerTo(t).Implements(textType)
}

// text returns a value as CSV writes it, and Parquet in its text columns.
func (c *column) text(v reflect.Value) (string, error) {
	switch {
	case v.Kind() == reflect.String:
		return v.String(), nil
	case c.scalar && c.is != boolColumn && c.is != wholeColumn && c.is != bytesColumn:
		return fmt.Sprint(v.Interface()), nil
	}
	text, err := ingest.AppendJSON(nil, v)
	return strings.Trim(string(text), `"`), err
}

// keyOf returns the key of a change's record as one text; ok is false if the change is of several
// records.
func keyOf(c *db.Change) (key string, ok bool) {
	words := make([]string, len(c.Key))
	for i, m := range c.Key {
		words[i] = m.Value
	}
	return strings.Join(words, "|"), !c.Moved
}

// cellOf returns the value of a change in a column, from its record or from the key that it
// withdraws. Without a value, ok is false.
func (c *column) cellOf(change *db.Change) (v reflect.Value, ok bool, err error) {
	if change.Record != nil {
		v, ok = c.Of(change.Record)
		return v, ok, nil
	}
	for _, m := range change.Members() {
		if m.Name != c.Name {
			continue
		}
		v, err := parsed(c.Type, m.Value)
		return v, err == nil, err
	}
	return v, false, nil
}

// parsed returns the value of a type from the text of a key.
func parsed(t reflect.Type, text string) (reflect.Value, error) {
	v := reflect.New(t)
	if u, ok := v.Interface().(encoding.TextUnmarshaler); ok && text != "" {
		return v.Elem(), u.UnmarshalText([]byte(text))
	}
	switch t.Kind() {
	case reflect.String:
		v.Elem().SetString(text)
	case reflect.Int, reflect.Int64:
		var n int64
		if _, err := fmt.Sscan(text, &n); err != nil {
			return v.Elem(), err
		}
		v.Elem().SetInt(n)
	}
	return v.Elem(), nil
}
