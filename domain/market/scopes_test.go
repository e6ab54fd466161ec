package market_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/test/fixture/calls"
)

// AU-08, SP-01 to SP-14: a missing scope comes before everything else, and all
// missing ones are named, in the order of the ids.
func TestMissingScopes(t *testing.T) {
	for _, c := range []struct {
		name    string
		ask     operation
		key     []access.Scope
		missing []string
	}{
		{"a quote", quoteOf("bist:DMOST"), calls.Without("quotes:bist"), []string{"quotes:bist"}},
		{"a coin (Q-26)", quoteOf("crypto:1"), calls.Without("quotes:crypto"), []string{"quotes:crypto"}},
		{"a pair", quoteOf("fx:USDTRY"), calls.Without("fx"), []string{"fx"}},
		{"an index", quoteOf("index:SPX"), calls.Without("quotes:index"), []string{"quotes:index"}},
		{"a commodity", quoteOf("cmdty:XAU"), calls.Without("quotes:cmdty"), []string{"quotes:cmdty"}},
		{"a US stock (Q-27)", quoteOf("us:DMAP"), calls.Without("quotes:us"), []string{"quotes:us"}},
		{"a fund", quoteOf("fund:DMF"), calls.Without("quotes:fund"), []string{"quotes:fund"}},
		{"no scope at all", quoteOf("bist:DMOST"), nil, []string{"quotes:bist"}},
		{"a scope of no meaning", quoteOf("bist:DMOST"), []access.Scope{"quotes", "quotes:*", "all", "quotes:BIST"},
			[]string{"quotes:bist"}},
		{"before existence", quoteOf("bist:NOPE"), calls.Without("quotes:bist"), []string{"quotes:bist"}},
		{"before a shared ticker", quoteOf("crypto:ONE"), nil, []string{"quotes:crypto"}},
		{"before a missing price", quoteOf("cmdty:RAWX"), nil, []string{"quotes:cmdty"}},
		{"before a missing rate", quoteOf("cmdty:PALM", market.EUR), calls.Without("quotes:cmdty"), []string{"quotes:cmdty"}},
		{"a conversion needs the price only", quoteOf("bist:DMOST", market.USD), calls.Without("quotes:bist", "fx"),
			[]string{"quotes:bist"}},

		{"a batch (BQ-04)", quotesOf("bist:DMOST,crypto:1,bist:DMBNK"), calls.Without("quotes:crypto"), []string{"quotes:crypto"}},
		{"a batch names all, each once", quotesOf("us:DMAP,bist:DMOST,crypto:1,us:DMX,fund:DMF,crypto:2"), []access.Scope{"quotes:bist"},
			[]string{"quotes:us", "quotes:crypto", "quotes:fund"}},
		{"a batch of unknown ids", quotesOf("crypto:NOSUCH,foo:BAR,bist:NOPE"), nil, []string{"quotes:crypto", "quotes:bist"}},
		{"a batch that is too long", quotesOf(hundredAndOne), calls.Without("quotes:crypto"), []string{"quotes:crypto"}},
		{"a batch with a shared ticker", quotesOf("crypto:ONE,bist:DMOST"), calls.Without("quotes:bist"), []string{"quotes:bist"}},

		{"movers (MV-02)", moversOf(20), calls.Without("quotes:bist"), []string{"quotes:bist"}},
		{"movers with a bad limit", moversOf(0), calls.Without("quotes:bist"), []string{"quotes:bist"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx := calls.Caller(c.key...)
			call := access.CallOf(ctx)
			call.SetParameterError(problem.Parameter("limit", "x", "a whole number"))
			e := calls.WantProblem(t, c.ask(ctx, filled()), problem.MissingScope)
			if !slices.Equal(e.Members.MissingScopes, c.missing) {
				t.Errorf("missing %v, want %v", e.Members.MissingScopes, c.missing)
			}
			for _, scope := range c.missing {
				if !strings.Contains(e.Detail, scope) {
					t.Errorf("the detail reads %q", e.Detail)
				}
			}
			if call.Units() != 0 {
				t.Errorf("costs %d", call.Units())
			}
		})
	}
}

// The mistake that the transport found comes after the scope and before all
// that the service itself finds.
func TestPendingMistake(t *testing.T) {
	for name, ask := range map[string]operation{
		"a quote": quoteOf("bist:DMOST"), "an unknown quote": quoteOf("bist:NOPE"), "an unknown market": quoteOf("foo:BAR"),
		"a shared ticker": quoteOf("crypto:ONE"), "a missing rate": quoteOf("cmdty:PALM", market.EUR),
		"a batch": quotesOf("bist:DMOST"), "an empty batch": quotesOf(""), "a long batch": quotesOf(hundredAndOne),
		"a watchlist": watchlistOf("bist:DMOST"), "an empty watchlist": watchlistOf(""), "a record": instrumentOf("bist:DMOST"),
		"an unknown record": instrumentOf("bist:NOPE"), "a parse": parse("crypto:ONE"),
		"the catalog": listing(5), "the catalog with another mistake": listing(0), "movers": moversOf(5),
		"movers with another mistake": moversOf(0), "the status": status,
	} {
		t.Run(name, func(t *testing.T) {
			mistake := problem.New(problem.UnsupportedCurrency, "currency must be one of TRY, USD, EUR.")
			ctx := calls.Caller(access.Scopes...)
			call := access.CallOf(ctx)
			call.SetParameterError(mistake)
			if err := ask(ctx, filled()); !errors.Is(err, mistake) || call.Units() != 0 {
				t.Errorf("got %v for %d units", err, call.Units())
			}
		})
	}
}

// SP-14, CT-03, MS-01: these need a key and no scope.
func TestAnyKey(t *testing.T) {
	for name, ask := range map[string]operation{
		"a record": instrumentOf("bist:DMOST"), "a parse": parse("crypto:btc"), "the catalog": listing(5),
		"a watchlist": watchlistOf("bist:DMOST,crypto:1"), "the status": status,
	} {
		ctx := calls.Caller()
		call := access.CallOf(ctx)
		if err := ask(ctx, filled()); err != nil || call.Units() != 1 {
			t.Errorf("%s: %v for %d units", name, err, call.Units())
		}
	}
	// Unknown markets need none either: they are not found.
	ctx := calls.Caller()
	calls.WantProblem(t, quoteOf("foo:BAR")(ctx, filled()), problem.NotFound)
	if err := quotesOf("foo:BAR,DMOST")(ctx, filled()); err != nil {
		t.Error(err)
	}
}

func TestNoKey(t *testing.T) {
	for name, ask := range map[string]operation{
		"a quote": quoteOf("bist:DMOST"), "a batch": quotesOf("bist:DMOST"), "a watchlist": watchlistOf("bist:DMOST"),
		"a record": instrumentOf("bist:DMOST"),
		"a parse":  parse("bist:DMOST"), "the catalog": listing(5), "movers": moversOf(5), "the status": status,
	} {
		if err := ask(context.Background(), filled()); problem.From(err).Kind != problem.Unauthenticated {
			t.Errorf("%s: %v", name, err)
		}
	}
}
