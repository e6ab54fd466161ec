package access

import (
	"errors"
	"slices"
	"strconv"

	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// PageArgs select a part of a list: the First rows after a cursor, or the Last rows before
// one. A nil member means the default, or no bound.
type PageArgs struct {
	First, Last   *int
	After, Before *string
}

// PageInfo states where in a list a part lies.
type PageInfo struct {
	HasNextPage, HasPreviousPage bool
	StartCursor, EndCursor       *string // of the first and last row; nil: there are no rows
}

// check returns how many rows are asked for, and the cursor that they follow, or, read
// backward, precede. Problems: invalid-parameter, conflicting-parameters.
func (a PageArgs) check(limit value.Limit) (rows int, backward bool, cursor *string, err error) {
	switch {
	case a.First != nil && a.Last != nil:
		return 0, false, nil, problem.New(problem.ConflictingParameters, "Give first with after, or last with before, not both.")
	case a.After != nil && a.Before != nil, a.After != nil && a.Last != nil, a.Before != nil && a.First != nil:
		return 0, false, nil, problem.New(problem.ConflictingParameters, "after goes with first, and before with last.")
	}
	name, count := "first", a.First
	if a.Last != nil || a.Before != nil {
		name, count, backward = "last", a.Last, true
	}
	cursor = a.After
	if backward {
		cursor = a.Before
	}
	if count == nil {
		return limit.Default, backward, cursor, nil
	}
	rows, err = limit.Of(count)
	if err != nil {
		err = limit.Refuse(name, strconv.Itoa(*count))
	}
	return rows, backward, cursor, err
}

// CheckFor checks the arguments before a list is read, and returns their problem, if any.
func (a PageArgs) CheckFor(p Pages, limit value.Limit) error {
	_, backward, cursor, err := a.check(limit)
	if err == nil {
		_, err = startPart(p, backward, cursor)
	}
	return err
}

// startPart is Start with problems that name the argument of a connection.
func startPart(p Pages, backward bool, cursor *string) (Walk, error) {
	walk, err := p.Start(cursor)
	refused, is := errors.AsType[*problem.Error](err)
	if !is {
		return walk, err
	}
	name := "after"
	if backward {
		name = "before"
	}
	if refused.Kind == problem.InvalidCursor {
		refused.Detail = name + " must be a cursor of this list with the same filters and order."
	}
	return walk, refused.About(name, *cursor)
}

// Connected returns a part of a list in its order, with the cursor of each row and the place
// of the part. read returns up to rows rows after a key, or before it if backward, the nearest
// first; an empty key means the end from which to read. at returns the key and the number of a
// row. The cursors are those of Pages, so they stay valid when rows come or go. Problems:
// invalid-parameter, conflicting-parameters, and those of Start and read.
func Connected[T any](p Pages, a PageArgs, limit value.Limit, read func(key string, backward bool, rows int) ([]T, error),
	at func(T) (key string, seq int64)) (rows []T, cursors []string, info *PageInfo, err error) {
	n, backward, cursor, err := a.check(limit)
	if err != nil {
		return nil, nil, nil, err
	}
	walk, err := startPart(p, backward, cursor)
	if err != nil {
		return nil, nil, nil, err
	}
	found, err := read(walk.Key, backward, n+1) // one more, to know whether there are more
	if err != nil {
		return nil, nil, nil, err
	}
	more := len(found) > n
	found = found[:min(n, len(found))]
	info = &PageInfo{HasNextPage: more, HasPreviousPage: walk.Key != ""}
	if backward {
		slices.Reverse(found)
		info.HasNextPage, info.HasPreviousPage = walk.Key != "", more
	}
	cursors = cursorsOf(walk, found, at)
	if len(cursors) > 0 {
		info.StartCursor, info.EndCursor = &cursors[0], &cursors[len(cursors)-1]
	}
	return found, cursors, info, nil
}

// cursorsOf returns the cursor of each row. All state the highest number seen, including these
// rows.
func cursorsOf[T any](w Walk, rows []T, at func(T) (key string, seq int64)) []string {
	keys, highest := make([]string, len(rows)), w.seen.Seq
	for i, row := range rows {
		var seq int64
		keys[i], seq = at(row)
		highest = max(highest, seq)
	}
	p := w.pages
	if highest > w.seen.Seq {
		w.seen = p.Epochs.Lineage().Position(p.List, highest)
	}
	for i, key := range keys {
		keys[i] = p.Signer.Cursor(w.seen.String()+" "+key, p.marked(), p.Query)
	}
	return keys
}
