package market

import (
	"context"

	"piyasa/internal/value"
)

// History reads stored bars.
type History interface {
	// FirstBars returns the times of the first stored bars of instruments from
	// since on. It leaves out instruments without any.
	FirstBars(ctx context.Context, resolution Resolution, ids []ID, since value.Instant) (map[ID]value.Instant, error)

	// Bars returns the stored bars of each span, in the order of the spans. Each span is of
	// another instrument.
	Bars(ctx context.Context, resolution Resolution, spans []Span) ([]StoredBars, error)
}

// Span is a run of time of one instrument, both ends included.
type Span struct {
	ID          ID
	First, Last value.Instant
}

// StoredBars is the stored bars of a span.
type StoredBars struct {
	Bars []*Bar // by time

	// Settled is the moment before which bars no longer change except by corrections; Corrected
	// is the number of the last one. Newer prices change bars from Settled on. Null: no bar is
	// known to be settled.
	Settled   value.Instant
	Corrected int64
}

// BarChange is a change of the bars of an instrument, or of the days of an index
// by its code.
type BarChange struct {
	Subject    string
	Resolution Resolution
	Corrected  bool // whether settled bars changed, not only the newest
}
