package access

import (
	"strings"

	"piyasa/internal/epoch"
	"piyasa/internal/problem"
)

// Pages makes and reads the cursors of one list. They are bound to the list and to Query, the
// text of everything that decides which rows the list holds and in which order.
type Pages struct {
	Signer Signer
	Epochs *epoch.View // of the store; nil: not known
	List   string      // also the name of the feed that numbers its rows
	Query  string
}

// Walk is the state of a walk over pages: Start reads it from a cursor, Cut moves it on.
type Walk struct {
	Key   string // of the row after which the page begins; empty for the first page
	pages Pages
	seen  epoch.Position // the highest number of a row shown so far
}

// Start returns the walk that a cursor continues; nil begins one. Problems: invalid-cursor;
// position-gone if the store has lost rows that the walk has shown.
func (p Pages) Start(cursor *string) (Walk, error) {
	w := Walk{pages: p}
	if cursor == nil {
		return w, nil
	}
	text, err := p.Signer.Key(*cursor, p.marked(), p.Query)
	if err != nil { // cursors of older versions state no position
		w.Key, err = p.Signer.Key(*cursor, p.List, p.Query)
		return w, err
	}
	seen, key, _ := strings.Cut(text, " ")
	w.Key = key
	if w.seen, err = epoch.ParsePosition(seen); err != nil {
		return w, err
	}
	if !p.Epochs.Lineage().Keeps(p.List, w.seen) {
		e := problem.New(problem.PositionGone,
			"The store went back, and rows of earlier pages may be gone. Begin again at the first page, without a cursor.")
		return w, e.About("cursor", *cursor)
	}
	return w, nil
}

// marked returns the name that cursors with a position are signed for.
func (p Pages) marked() string { return p.List + " up to a position" }

// Cut returns the first limit rows of found, and the cursor of the next page, or nil if found
// has no more rows: a page must read at least one row more than it shows. at returns the key
// of a row, after which the walk continues, and its number.
func Cut[T any](w Walk, found []T, limit int, at func(T) (key string, seq int64)) (rows []T, next *string) {
	if len(found) <= limit {
		return found, nil
	}
	last, highest := "", w.seen.Seq
	for _, row := range found[:limit] {
		var seq int64
		last, seq = at(row)
		highest = max(highest, seq)
	}
	p := w.pages
	if highest > w.seen.Seq {
		w.seen = p.Epochs.Lineage().Position(p.List, highest)
	}
	return found[:limit], new(p.Signer.Cursor(w.seen.String()+" "+last, p.marked(), p.Query))
}
