package coverage

import (
	"context"
	"time"

	"piyasa/domain/macro"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// Count is what is stored of one kind: of a subject, of a market or of all.
type Count struct {
	Kind    string
	Market  market.Market // empty: of none
	Subject string        // an id of an instrument, a code, …; empty: of all together
	Series  string        // the resolution of bars; else empty
	Records int

	// The first and the last day or moment, as the records have them; null: they have none.
	First, Last     value.Date
	FirstAt, LastAt value.Instant
	Newest          value.Instant // if it is another time than LastAt
}

// Jump is a pair of daily bars of an instrument or an index that follow each other and are
// more than a day apart, in days since 1970.
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
	Holes       [][2]int // numbers that no disclosure has, from the one after which was asked
}

// Store is what is counted; each call ends within a deadline of its own.
type Store interface {
	// CountWhole counts the kinds that have few records, and the quotes that CountSubjects does
	// not know: those that are older than the observations that are kept.
	CountWhole(ctx context.Context) ([]Count, error)
	// CountedBySubject names the kinds that are counted subject by subject.
	CountedBySubject() []string
	// Subjects returns the next subjects of a kind after one, at most limit.
	Subjects(ctx context.Context, kind, after string, limit int) ([]string, error)
	// CountSubjects counts the records of some subjects of a kind.
	CountSubjects(ctx context.Context, kind string, subjects []string) ([]Count, error)
	// Jumps returns where daily bars are more than a day apart, of some subjects of the kind
	// bar or index_bar; without weekends, not from a Friday to the Monday after.
	Jumps(ctx context.Context, kind string, subjects []string, weekends bool) ([]Jump, error)
	// PriceJumps returns where daily closes of instruments move by more than a tenth.
	PriceJumps(ctx context.Context, ids []market.ID) ([]market.PriceJump, error)
	// DisclosureNumbers returns the next disclosures after a number, at most limit.
	DisclosureNumbers(ctx context.Context, after, limit int) (Numbers, error)
	// CancelledNumbers returns which numbers in a range disclosures cancel, ascending, at
	// most limit.
	CancelledNumbers(ctx context.Context, first, last, limit int) ([]int, error)
	// InflationPoints returns all months of all price indices.
	InflationPoints(ctx context.Context) ([]*macro.Point, error)
}
