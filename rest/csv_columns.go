package rest

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"piyasa/domain/macro"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// columns writes rows of one type as lines of CSV. The name of a column is the path of its member,
// such as last or session.open; lists of objects and objects keyed by data have no column. Members
// with the tag csv:"any" have columns at the end if any row states them, lists of objects as JSON.
type columns struct {
	names []string
	cells []cell
}

// cell writes one member of a row: its JSON without the quotes; null is empty.
type cell struct {
	index []int
	write func(b []byte, v reflect.Value) []byte
	ifAny bool // only if a row states it

	figure bool // whether it is a decimal
}

// columnsOf derives the columns of a row's type.
func columnsOf(row reflect.Type) *columns {
	c, all := &columns{}, &columns{}
	all.add(row, "", nil, false)
	for _, ifAny := range []bool{false, true} { // optional columns come last
		for i, cell := range all.cells {
			if cell.ifAny == ifAny {
				c.names, c.cells = append(c.names, all.names[i]), append(c.cells, cell)
			}
		}
	}
	return c
}

// add adds the members of a struct; path is that of its parents.
func (c *columns) add(row reflect.Type, path string, above []int, ifAny bool) {
	for i := range plain(row).NumField() {
		f, index := plain(row).Field(i), append(append([]int{}, above...), i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		ifAny := ifAny || f.Tag.Get("csv") == "any"
		switch t := plain(f.Type); {
		case f.Anonymous && name == "":
			c.add(t, path, index, ifAny)
		case name == "" || name == "-" || f.Tag.Get("csv") == "-": // no column: the lines that clients know keep theirs
		case writerOf(t) != nil:
			c.names = append(c.names, path+name)
			c.cells = append(c.cells, cell{index, writerOf(t), ifAny, isFigure(t)})
		case t.Kind() == reflect.Struct:
			c.add(t, path+name+".", index, ifAny)
		case ifAny:
			c.names = append(c.names, path+name)
			c.cells = append(c.cells, cell{index, appendList, true, false})
		}
	}
}

// isFigure reports whether members of a type are decimals.
func isFigure(t reflect.Type) bool {
	return t == reflect.TypeFor[value.Decimal]() || t == reflect.TypeFor[macro.Number]()
}

// figures returns the names of the columns that hold decimals.
func (c *columns) figures() (names []string) {
	for i, cell := range c.cells {
		if cell.figure {
			names = append(names, c.names[i])
		}
	}
	return names
}

// appendLines appends the header line and one line for each row of a slice.
func (c *columns) appendLines(b []byte, rows reflect.Value) []byte {
	c = c.statedIn(rows)
	b = append(append(b, strings.Join(c.names, ",")...), '\n')
	for i := range rows.Len() {
		row := rows.Index(i)
		for j, cell := range c.cells {
			if j > 0 {
				b = append(b, ',')
			}
			if v, ok := member(row, cell.index); ok {
				b = cell.write(b, v)
			}
		}
		b = append(b, '\n')
	}
	return b
}

// statedIn returns the columns for these rows: without the optional ones that no row states.
func (c *columns) statedIn(rows reflect.Value) *columns {
	stated := &columns{}
	for i, cell := range c.cells {
		use := !cell.ifAny
		for n := 0; !use && n < rows.Len(); n++ {
			v, ok := member(rows.Index(n), cell.index)
			use = ok && len(cell.write(nil, v)) > 0
		}
		if use {
			stated.names, stated.cells = append(stated.names, c.names[i]), append(stated.cells, cell)
		}
	}
	return stated
}

// appendList appends a list of objects as JSON; an empty one is an empty field.
func appendList(b []byte, list reflect.Value) []byte {
	if list.Len() == 0 {
		return b
	}
	text, _ := value.AppendJSON(nil, list.Interface()) // our types never fail
	return appendText(b, string(text))
}

// member returns a member of a row; ok is false if it or a parent is nil.
func member(v reflect.Value, index []int) (_ reflect.Value, ok bool) {
	for i := 0; ; i++ {
		for v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return v, false
			}
			v = v.Elem()
		}
		if i == len(index) {
			return v, true
		}
		v = v.Field(index[i])
	}
}

// exact are the types whose text we generate: no spreadsheet takes it for a formula, and negative
// figures must stay figures.
var exact = map[reflect.Type]bool{
	reflect.TypeFor[value.Decimal](): true, reflect.TypeFor[value.Instant](): true, reflect.TypeFor[value.Date](): true,
	reflect.TypeFor[value.Month](): true, reflect.TypeFor[market.ID](): true,
}

// writerOf returns the function that writes a member of a type; nil: it has no column.
func writerOf(t reflect.Type) func([]byte, reflect.Value) []byte {
	switch {
	case exact[t]:
		return func(b []byte, v reflect.Value) []byte { return append(b, v.Interface().(fmt.Stringer).String()...) }
	case t == reflect.TypeFor[macro.Number]():
		return func(b []byte, v reflect.Value) []byte { return append(b, v.String()...) }
	}
	switch t.Kind() {
	case reflect.String:
		return func(b []byte, v reflect.Value) []byte { return appendText(b, v.String()) }
	case reflect.Int, reflect.Int64:
		return func(b []byte, v reflect.Value) []byte { return strconv.AppendInt(b, v.Int(), 10) }
	case reflect.Bool:
		return func(b []byte, v reflect.Value) []byte { return strconv.AppendBool(b, v.Bool()) }
	case reflect.Slice:
		if t.Elem().Kind() == reflect.String { // codes, which contain no spaces
			return func(b []byte, v reflect.Value) []byte {
				words := make([]string, v.Len())
				for i := range words {
					words[i] = v.Index(i).String()
				}
				return appendText(b, strings.Join(words, " "))
			}
		}
	}
	return nil
}
