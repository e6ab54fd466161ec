package db_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

const (
	t1 = "2026-03-18T11:45:00Z"
	t2 = "2026-03-18T11:45:00.001Z"
	t3 = "2026-03-18T12:00:00Z"
)

// The rules of the contract's kind quote, one batch for each step.
func TestQuoteSteps(t *testing.T) {
	const id = market.ID("bist:THYAO")
	withdrawn := &market.Observation{InstrumentID: id, AsOf: value.MustInstant(t3)}
	steps := []struct {
		name   string
		put    *market.Observation
		want   db.Result
		quote  string // the price, or none
		number int64  // of the quote
		kept   string // observations, in order
	}{
		{"the first", price(id, t2, "10.50"), db.Stored, "10.50", 1, "10.50"},
		{"the same again", price(id, t2, "10.50"), db.Unchanged, "10.50", 1, "10.50"},
		{"other digits of one value", price(id, t2, "10.5"), db.Stored, "10.5", 2, "10.5"},
		{"a revision", price(id, t2, "10.6"), db.Stored, "10.6", 3, "10.6"},
		{"an older one", price(id, t1, "9"), db.Stale, "10.6", 3, "9 10.6"},
		{"another of the older moment", price(id, t1, "9.1"), db.Stale, "10.6", 3, "9.1 10.6"},
		{"a newer one without a price", withdrawn, db.Stored, "", 4, "9.1 10.6 "},
		{"the withdrawal again", withdrawn, db.Unchanged, "", 4, "9.1 10.6 "},
		{"late under a withdrawn one", price(id, t2, "10.7"), db.Stale, "", 4, "9.1 10.7 "},
		{"a price for the withdrawn moment", price(id, t3, "11"), db.Stored, "11", 5, "9.1 10.7 11"},
	}
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		for _, step := range steps {
			want(t, put(t, s, step.put), step.want)
			head := heads(t, s)[db.FeedQuotes]
			if quote := quotesAfter(t, s, head-1); head != step.number || len(quote) != 1 || quote[0].Last.String() != step.quote {
				t.Errorf("%s: number %d of %s, want number %d of the price %q", step.name, head, encoded(quote), step.number, step.quote)
			}
			kept := ""
			for i, o := range observations(t, s, id) {
				if i > 0 {
					kept += " "
				}
				kept += o.Last.String()
			}
			if kept != step.kept {
				t.Errorf("%s: kept %q, want %q", step.name, kept, step.kept)
			}
		}
	})
}

// One batch goes line by line; a quote takes one number, for its last state.
func TestQuotesInOneBatch(t *testing.T) {
	const a, b = market.ID("bist:A"), market.ID("crypto:1")
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		want(t, put(t, s,
			price(a, t2, "1"), price(a, t1, "2"), price(b, t1, "3"), price(a, t2, "1"), price(a, t2, "4"),
			price(a, t3, "5"), price(a, t2, "6"), price(a, t1, "7"), price(b, t1, "3.0"),
		), db.Stored, db.Stale, db.Stored, db.Unchanged, db.Stored, db.Stored, db.Stale, db.Stale, db.Stored)
		same(t, "quotes in the order of their first move",
			quotesAfter(t, s, 0), []*market.Observation{price(a, t3, "5"), price(b, t1, "3.0")})
		same(t, "observations", observations(t, s, a), []*market.Observation{price(a, t1, "7"), price(a, t2, "6"), price(a, t3, "5")})
		headsAre(t, s, 0, 0, 2)
		want(t, put(t, s, price(b, t1, "3.0")), db.Unchanged)
		want(t, put(t, s), []db.Result{}...)
		if head := heads(t, s)[db.FeedQuotes]; head != 2 {
			t.Errorf("nothing changed and the head moved to %d", head)
		}
	})
}

// More rows than one statement takes.
func TestLargeBatch(t *testing.T) {
	const n = 1203
	var records []any
	for i := range n {
		records = append(records, price(market.ID(fmt.Sprintf("bist:S%d", i)), t1, "1"), stock(fmt.Sprintf("S%d", i)))
	}
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		want(t, put(t, s, records...), slices.Repeat([]db.Result{db.Stored}, 2*n)...)
		want(t, put(t, s, records...), slices.Repeat([]db.Result{db.Unchanged}, 2*n)...)
		headsAre(t, s, n, 0, n)
		if got := len(quotesAfter(t, s, 3)); got != n-3 {
			t.Errorf("%d quotes after number 3 of %d", got, n)
		}
	})
}

// Whatever comes, in whatever batches: the store does what the contract says
// line by line.
func TestQuotesFollowTheModel(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, url string) {
		s, round := open(t, url), 0
		rapid.Check(t, func(t *rapid.T) {
			round++
			m := model{quotes: map[market.ID]*market.Observation{}, kept: map[market.ID]map[value.Instant]*market.Observation{}}
			for _, lines := range rapid.SliceOfN(rapid.SliceOfN(fewObservations(round), 1, 12), 1, 4).Draw(t, "batches") {
				before := heads(t, s)[db.FeedQuotes]
				var records []any
				var results []db.Result
				moved := map[market.ID]bool{}
				for _, o := range lines {
					result := m.take(o)
					if records, results = append(records, o), append(results, result); result == db.Stored {
						moved[o.InstrumentID] = true
					}
				}
				want(t, put(t, s, records...), results...)
				got := map[market.ID]bool{}
				for _, o := range quotesAfter(t, s, before) {
					got[o.InstrumentID] = true
					same(t, "quote", o, m.quotes[o.InstrumentID])
				}
				same(t, "moved quotes", got, moved)
				if head := heads(t, s)[db.FeedQuotes]; head != before+int64(len(moved)) {
					t.Errorf("the head went from %d to %d for %d quotes", before, head, len(moved))
				}
			}
			for id, kept := range m.kept {
				byTime := slices.SortedFunc(maps.Values(kept), func(a, b *market.Observation) int {
					return a.AsOf.Time().Compare(b.AsOf.Time())
				})
				same(t, "observations", observations(t, s, id), byTime)
			}
		})
	})
}

// fewObservations often fall together: two instruments, four moments, three
// prices, of which one is none.
func fewObservations(round int) *rapid.Generator[*market.Observation] {
	return rapid.Custom(func(t *rapid.T) *market.Observation {
		return &market.Observation{
			InstrumentID: market.ID(fmt.Sprintf("bist:S%d.%d", round, rapid.IntRange(0, 1).Draw(t, "instrument"))),
			AsOf:         value.MustInstant(t1).Add(time.Duration(rapid.IntRange(0, 3).Draw(t, "moment")) * time.Millisecond),
			Last:         rapid.SampledFrom([]value.Decimal{{}, value.MustDecimal("1"), value.MustDecimal("1.0")}).Draw(t, "last"),
		}
	})
}

// model is the contract in its plainest form.
type model struct {
	quotes map[market.ID]*market.Observation
	kept   map[market.ID]map[value.Instant]*market.Observation
}

func (m model) take(o *market.Observation) db.Result {
	q := m.quotes[o.InstrumentID]
	if old := m.kept[o.InstrumentID][o.AsOf]; old != nil && *old == *o {
		return db.Unchanged
	}
	if m.kept[o.InstrumentID] == nil {
		m.kept[o.InstrumentID] = map[value.Instant]*market.Observation{}
	}
	m.kept[o.InstrumentID][o.AsOf] = o
	if q != nil && o.AsOf.Before(q.AsOf) {
		return db.Stale
	}
	m.quotes[o.InstrumentID] = o
	return db.Stored
}
