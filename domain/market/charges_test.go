package market_test

import (
	"testing"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/test/fixture/calls"
)

// MT-04, MT-08: a success costs one, a failure nothing.
func TestCharges(t *testing.T) {
	for _, c := range []struct {
		name string
		ask  operation
		kind problem.Kind // empty: a success
	}{
		{"a quote", quoteOf("bist:DMOST"), ""},
		{"a converted quote", quoteOf("bist:DMOST", market.USD), ""},
		{"an unknown quote", quoteOf("bist:NOPE"), problem.NotFound},
		{"a missing price", quoteOf("bist:DMBNK"), problem.NotFound},
		{"a shared ticker", quoteOf("crypto:ONE"), problem.AmbiguousTicker},
		{"a batch", quotesOf("bist:DMOST,crypto:1,fx:USDTRY,bist:NOPE"), ""},
		{"a batch of nothing known", quotesOf("bist:NOPE"), ""},
		{"an empty batch", quotesOf(""), problem.InvalidParameter},
		{"a long batch", quotesOf(hundredAndOne), problem.TooManyValues},
		{"a batch with a shared ticker", quotesOf("bist:DMOST,crypto:ONE"), problem.AmbiguousTicker},
		{"a watchlist", watchlistOf("bist:DMOST,bist:NOPE"), ""},
		{"an empty watchlist", watchlistOf(""), problem.InvalidParameter},
		{"a long watchlist", watchlistOf(hundredAndOne), problem.TooManyValues},
		{"a watchlist with a shared ticker", watchlistOf("bist:DMOST,crypto:ONE"), problem.AmbiguousTicker},
		{"an unknown record", instrumentOf("bist:NOPE"), problem.NotFound},
		{"a parse of an alias", parse("bist:DMALT"), problem.NotFound},
		{"movers", moversOf(20), ""},
		{"converted movers", moversOf(20, market.EUR), ""},
		{"movers with a bad limit", moversOf(101), problem.InvalidParameter},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx := calls.Caller(access.Scopes...)
			call := access.CallOf(ctx)
			err := c.ask(ctx, filled())
			if c.kind != "" {
				calls.WantProblem(t, err, c.kind)
			} else if err != nil {
				t.Error(err)
			}
			if want := map[bool]int64{true: 1}[c.kind == ""]; call.Units() != want {
				t.Errorf("costs %d, want %d", call.Units(), want)
			}
		})
	}
}

// Several operations of one call add up (MT-07).
func TestChargesAddUp(t *testing.T) {
	d := filled()
	ctx := calls.Caller(access.Scopes...)
	call := access.CallOf(ctx)
	for i, ask := range []operation{quoteOf("bist:DMOST"), quotesOf("bist:DMOST,crypto:1"), quoteOf("bist:NOPE"), status, listing(5)} {
		err := ask(ctx, d)
		if want := []int64{1, 2, 2, 3, 4}[i]; call.Units() != want {
			t.Errorf("after %d operations (%v): %d units, want %d", i+1, err, call.Units(), want)
		}
	}
}
