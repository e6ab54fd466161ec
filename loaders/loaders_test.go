package loaders_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"piyasa/account/access"
)

func TestSiblingsAreOneBatch(t *testing.T) {
	for _, c := range []struct {
		name, document string
		batches        []int // nil: as they come, of as many quotes as there are units for
		units          int64 // one for each root field, one for each quote
	}{
		{"a watchlist of 100", `{watchlist(ids: ` + stocks(100) + `) {quote {last}}}`, []int{100}, 101},
		{"nulls ask nothing", `{watchlist(ids: ` + list("bist:S001", "bist:NOPE", "bist:S002", "foo:BAR") + `) {quote {last}}}`,
			[]int{2}, 3},
		{"one instrument in three spellings asks once", `{watchlist(ids: ` + list("crypto:1", "bist:S001", "crypto:aaa", "crypto:AAA") +
			`) {quote {last}}}`, []int{2}, 3},
		{"only nulls", `{watchlist(ids: ` + list("bist:NOPE", "bist:NOPE2") + `) {quote {last}}}`, []int{}, 1},
		{"a list of one", `{watchlist(ids: ` + list("bist:S001") + `) {quote {last}}}`, []int{1}, 2},
		{"no list at all", `{instrument(id: "bist:S001") {quote {last}}}`, []int{1}, 2},
		{"the catalog", `{instruments(market: BIST, limit: 70) {instruments {quote {last}}}}`, []int{70}, 71},
		{"an edge of an edge", `{quotes(ids: ` + stocks(5) + `) {quotes {instrument {quote {last}}}}}`, []int{5}, 6},
		{"two aliases, two currencies", `{watchlist(ids: ` + stocks(10) +
			`) {a: quote(currency: USD) {last} b: quote(currency: EUR) {last}}}`, []int{10, 10}, 21},
		{"one field written twice", `{watchlist(ids: ` + stocks(10) + `) {quote {last} quote {asOf}}}`, []int{10}, 11},
		{"two places that share instruments", `{a: watchlist(ids: ` + stocks(4) + `) {quote(currency: USD) {last}} b: watchlist(ids: ` +
			stocks(6) + `) {x: quote(currency: USD) {asOf} y: quote(currency: EUR) {asOf}}}`, nil, 14},
		{"two lists", `{a: watchlist(ids: ` + stocks(10) + `) {quote {last}} b: watchlist(ids: ` + stocks(3) +
			`) {quote {last}}}`, nil, 12},
		{"two lists that share a fragment", `{a: watchlist(ids: ` + stocks(10) + `) {...F} b: watchlist(ids: ` + stocks(3) +
			`) {...F}} fragment F on Instrument {quote {last}}`, nil, 12},
		{"two lone instruments that share a fragment",
			`{a: instrument(id: "bist:S001") {...F} b: instrument(id: "bist:S002") {...F}} fragment F on Instrument {quote {last}}`,
			[]int{1, 1}, 4},
		{"lists in a list", `{sectors {sectors {members {instrument {quote {last}}}}}}`, []int{5}, 6},
		{"two lists in a list that share a fragment",
			`{sectors {sectors {a: members(first: 1) {...F} b: members(first: 2) {...F}}}} fragment F on SectorMember {instrument {quote {last}}}`, nil, 6},
		{"a watchlist's history", `{watchlist(ids: ` + stocks(100) + `) {candles {count} eod {count}}}`, []int{100, 100}, 201},
		{"two windows", `{watchlist(ids: ` + stocks(10) + `) {candles {count} short: candles(resolution: M5) {count}}}`, []int{10, 10}, 21},
		{"the quote's history", `{quotes(ids: ` + stocks(5) + `) {quotes {instrument {eod {count}}}}}`, []int{5}, 6},
		{"an instrument without a price", `{watchlist(ids: ` + list("cmdty:RAWX", "bist:S001") + `) {quote {last}}}`, []int{2}, 2},
		{"three levels", `{watchlist(ids: ` + stocks(4) + `) {quote {instrument {quote(currency: USD) {instrument {quote {last}}}}}}}`,
			[]int{4, 4}, 9},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ask(t, newMarket(), c.document, access.Scopes...)
			if c.batches != nil && !slices.Equal(got.batches, c.batches) {
				t.Errorf("batches of %v, want %v", got.batches, c.batches)
			}
			if roots := strings.Count(c.document, "ids:") + strings.Count(c.document, "sectors {sectors"); c.batches == nil &&
				sum(got.batches) != int(c.units)-roots {
				t.Errorf("batches of %v for %d units", got.batches, c.units)
			}
			if got.waited != 0 {
				t.Errorf("a batch went out only after %v", got.waited)
			}
			if got.units != c.units {
				t.Errorf("costs %d, want %d", got.units, c.units)
			}
			if got.errors != nil {
				t.Errorf("errors at %v", got.errors)
			}
		})
	}
}

func sum(all []int) (total int) {
	for _, n := range all {
		total += n
	}
	return total
}

// A panic in a batch is the error of each sibling and ends nothing else.
func TestPanicInABatch(t *testing.T) {
	// there is no store of dividends
	got := ask(t, newMarket(), `{watchlist(ids: `+list("bist:S001", "bist:S002")+`) {symbol dividends {exDate} quote {last}}}`,
		access.Scopes...)
	if want := []string{"watchlist 0 dividends", "watchlist 1 dividends"}; !slices.Equal(got.errors, want) {
		t.Errorf("errors at %q, want %q", got.errors, want)
	}
	if last := at(t, got.data, "watchlist", 1, "quote", "last"); last != "102" {
		t.Errorf("the quote beside it: %v", last)
	}
}

// What a place knows already is not asked for again, also where some parents are new.
func TestKnownParents(t *testing.T) {
	got := ask(t, newMarket(), `{watchlist(ids: `+list("bist:S001", "cmdty:RAWX", "bist:S002")+`) {quote {instrument {quote {last}}}}}`,
		access.Scopes...)
	if !slices.Equal(got.batches, []int{3}) || got.errors != nil || got.waited != 0 {
		t.Errorf("batches of %v after %v, errors at %v", got.batches, got.waited, got.errors)
	}
	for i, want := range []any{"101", nil, "102"} {
		var last any
		if quote := at(t, got.data, "watchlist", i, "quote"); quote != nil {
			last = at(t, quote, "instrument", "quote", "last")
		}
		if last != want {
			t.Errorf("%d: %v, want %v", i, last, want)
		}
	}
}

func TestEveryParentGetsItsOwnAnswer(t *testing.T) {
	got := ask(t, newMarket(), `{watchlist(ids: `+stocks(100)+
		`) {instrumentId quote {instrumentId last} usd: quote(currency: USD) {currency last} eur: quote(currency: EUR) {currency last}}}`,
		access.Scopes...)
	for i := range 100 {
		row := at(t, got.data, "watchlist", i)
		for _, c := range []struct {
			path []any
			want string
		}{
			{[]any{"instrumentId"}, string(stock(i))},
			{[]any{"quote", "instrumentId"}, string(stock(i))},
			{[]any{"quote", "last"}, fmt.Sprint(100 + i)},
			{[]any{"usd", "currency"}, "USD"},
			{[]any{"usd", "last"}, inDollars(100 + i)},
			{[]any{"eur", "currency"}, "EUR"},
		} {
			if got := at(t, row, c.path...); got != c.want {
				t.Errorf("%d %v: %v, want %v", i, c.path, got, c.want)
			}
		}
	}
}

// An error belongs to the sibling that met it (GQ-02, CT-24).
func TestErrorsOfOneSibling(t *testing.T) {
	ids := list("bist:S001", "crypto:1", "cmdty:PALM", "bist:S002")
	for _, c := range []struct {
		name   string
		scopes []access.Scope
		errors []string
		last   []any
	}{
		{"a missing scope", []access.Scope{access.QuotesBIST, access.QuotesCmdty}, []string{"watchlist 1 quote", "watchlist 2 quote"},
			[]any{"2.525", nil, nil, "2.55"}},
		{"a missing rate", access.Scopes, []string{"watchlist 2 quote"}, []any{"2.525", "5", nil, "2.55"}},
		{"no scope at all", nil, []string{"watchlist 0 quote", "watchlist 1 quote", "watchlist 2 quote", "watchlist 3 quote"},
			[]any{nil, nil, nil, nil}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ask(t, newMarket(), `{watchlist(ids: `+ids+`) {instrumentId quote(currency: USD) {last}}}`, c.scopes...)
			if !slices.Equal(got.errors, c.errors) {
				t.Errorf("errors at %v, want %v", got.errors, c.errors)
			}
			if !slices.Equal(got.batches, []int{4}) || got.waited != 0 {
				t.Errorf("batches of %v after %v", got.batches, got.waited)
			}
			paid := int64(1)
			for i, want := range c.last {
				var last any
				if quote := at(t, got.data, "watchlist", i, "quote"); quote != nil {
					last = at(t, quote, "last")
					paid++
				}
				if last != want {
					t.Errorf("%d: %v, want %v", i, last, want)
				}
				if at(t, got.data, "watchlist", i, "instrumentId") == nil {
					t.Errorf("%d: the record is gone", i)
				}
			}
			if got.units != paid {
				t.Errorf("costs %d, want %d", got.units, paid)
			}
		})
	}
}

// inDollars is whole lira at a fortieth of a dollar.
func inDollars(lira int) string {
	return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%d.%03d", lira/40, lira%40*25), "0"), ".")
}
