package coverage

import (
	"context"
	"time"

	"piyasa/domain/macro"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// Count is the number of stored records of one kind: for a subject, a market or in total.
type Count struct {
	Kind    string
	Market  market.Market // empty: no market
	Subject string        // an id of an instrument, a code, …; empty: all together
	Series  string        // the resolution of bars; otherwise empty
	Records int

	// The first and the last day or moment in the records; null: they have none.
	First, Last     value.Date
	FirstAt, LastAt value.Instant
	Newest          value.Instant // if it differs from LastAt
}

// Jump is a pair of consecutive daily bars of an instrument or an index that are more than a
// day apart, in days since 1970.
type Jump struct {
	Subject       string
	Before, After int
}

// IsWeekend reports whether only a weekend lies between the two.
func (j Jump) IsWeekend() bool {
	return j.After-j.Before == 3 && dayOf(j.Before).Weekday() == time.Friday
}

// Numbers are some disclosures in the order of their numbers.
type Numbers struct {
	Count       int
	First, Last int      // 0: there are no more
	Holes       [][2]int // numbers without a disclosure, after the requested one
}

// Store counts records; each call has its own deadline.
type Store interface {
	// CountWhole counts the kinds with few records, and the quotes that CountSubjects does not
	// count: those older than the kept observations.
	CountWhole(ctx context.Context) ([]Count, error)
	// CountedBySubject names the kinds to count subject by subject.
	CountedBySubject() []string
	// Subjects returns the next subjects of a kind after one, at most limit.
	Subjects(ctx context.Context, kind, after string, limit int) ([]string, error)
	// CountSubjects counts the records of some subjects of a kind.
	CountSubjects(ctx context.Context, kind string, subjects []string) ([]Count, error)
	// Jumps returns where daily bars of some subjects of the kind bar or index_bar are more
	// than a day apart. With weekends false, it omits those from a Friday to the following
	// Monday.
	Jumps(ctx context.Context, kind string, subjects []string, weekends bool) ([]Jump, error)
	// PriceJumps returns where daily closes of instruments move by more than a tenth.
	PriceJumps(ctx context.Context, ids []market.ID) ([]market.PriceJump, error)
	// DisclosureNumbers returns the next disclosures after a number, at most limit.
	DisclosureNumbers(ctx context.Context, after, limit int) (Numbers, error)
	// CancelledNumbers returns the numbers in a range that disclosures cancel, ascending, at
	// most limit.
	CancelledNumbers(ctx context.Context, first, last, limit int) ([]int, error)
	// InflationPoints returns all months of all price indices.
	InflationPoints(ctx context.Context) ([]*macro.Point, error)
}
