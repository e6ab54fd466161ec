package rest

import (
	"context"
	"net/http"
	"reflect"
)

// table is a body that can also be written as rows, from data in memory.
type table interface {
	json() [][]byte // in pieces, which other answers may share
	csv() []byte
	missing() []string // ids without an answer, for which there are no rows
}

// rowSize is about how many bytes of text a row has.
const rowSize = 160

// asTable makes a route also answer with rows: those that of finds in its body, in the columns of
// their type.
func asTable[B, R any](of func(*B) []R, r Route) Route {
	if _, tabled := reflect.Zero(r.params).Interface().(formatted); !tabled || r.Body != reflect.TypeFor[B]() {
		panic("rest: " + r.Pattern + " is no such table")
	}
	columns, missing, next, prepare := columnsOf(reflect.TypeFor[R]()), missingIn(r.Body), nextIn(r.Body), r.Prepare
	r.Columns, r.figures = columns.names, columns.figures()
	r.Prepare = func(req *http.Request, accepted string) Prepared {
		p := prepare(req, accepted)
		answer := p.Answer
		p.Answer = func(ctx context.Context) (*Answer, error) {
			a, err := answer(ctx)
			if err != nil {
				return nil, err
			}
			body := a.Body.(*B)
			if a.Media == CSV {
				rows := of(body)
				a.Media, a.Missing, a.Next = tableMedia, missing(reflect.ValueOf(body).Elem()), next(reflect.ValueOf(body).Elem())
				a.Body = [][]byte{columns.appendLines(make([]byte, 0, rowSize*(1+len(rows))), reflect.ValueOf(rows))}
			}
			return a, nil
		}
		return p
	}
	return r
}

// missingIn returns a function that finds the ids without a row in a body.
func missingIn(body reflect.Type) func(reflect.Value) []string {
	for _, name := range []string{"NotFound", "UnresolvedSymbols"} {
		if f, ok := body.FieldByName(name); ok && f.Type == reflect.TypeFor[[]string]() {
			return func(v reflect.Value) []string { return v.FieldByIndex(f.Index).Interface().([]string) }
		}
	}
	return func(reflect.Value) []string { return nil }
}

// nextIn returns a function that finds the cursor of the next page in a body.
func nextIn(body reflect.Type) func(reflect.Value) string {
	f, ok := body.FieldByName("NextCursor")
	return func(v reflect.Value) string {
		if !ok || v.FieldByIndex(f.Index).IsNil() {
			return ""
		}
		return v.FieldByIndex(f.Index).Elem().String()
	}
}

// itself returns the only row of a table with one object.
func itself[B any](b *B) []*B { return []*B{b} }

// lines makes the rows of a table from the elements of a list.
func lines[E, R any](list []E, row func(E) R) []R {
	rows := make([]R, len(list))
	for i, e := range list {
		rows[i] = row(e)
	}
	return rows
}
