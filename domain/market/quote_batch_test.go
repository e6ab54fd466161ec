package market_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

// quoted are the ids and what is not found of a batch, as one line.
func quoted(b *market.QuoteBatch) string {
	var line []string
	for _, q := range b.Quotes {
		line = append(line, string(q.InstrumentID))
	}
	for _, n := range b.NotFound {
		line = append(line, n.ID+"="+n.Reason)
	}
	return strings.Join(line, " ")
}

func TestBatch(t *testing.T) {
	for _, c := range []struct{ name, ids, want string }{
		{"mixed markets (BQ-01)", "bist:DMOST,crypto:1,fx:USDTRY", "bist:DMOST crypto:1 fx:USDTRY"},
		{"the order of the request", "fx:USDTRY,crypto:1,bist:DMOST", "fx:USDTRY crypto:1 bist:DMOST"},
		{"aliases (BQ-05, V-125)", "bist:DMALT,bist:DMALT.F,bist:DMALTF", "bist:DMALTF"},
		{"one instrument in two forms (BQ-07)", "crypto:BTC,bist:DMOST,crypto:1", "crypto:1 bist:DMOST"},
		{"twice the same", "bist:DMOST,bist:DMOST", "bist:DMOST"},
		{"what is not there (BQ-08)", "bist:NOPE,cmdty:RAWX,bist:DMOST", "bist:DMOST bist:NOPE=unknown_id cmdty:RAWX=no_honest_value"},
		{"never priced", "bist:DMBNK,us:DMX,cmdty:COAL", "bist:DMBNK=not_priced us:DMX=not_priced cmdty:COAL=no_honest_value"},
		{"nothing known", "bist:NOPE,foo:BAR,DMOST", "bist:NOPE=unknown_id foo:BAR=unknown_id DMOST=unknown_id"},
		{"as written, each writing once", "bist:nope,bist:NOPE,bist:nope", "bist:nope=unknown_id bist:NOPE=unknown_id"},
		{"the twin of an ETF", "fund:DMA,bist:DMALTF", "bist:DMALTF fund:DMA=unknown_id"},
		{"an empty id", ",bist:DMOST", "bist:DMOST =unknown_id"},
		{"another case (BQ-07)", "bist:dmost,crypto:btc", "bist:DMOST crypto:1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := filled()
			d.Live.PutCatalog([]*market.Instrument{record("cmdty:COAL")}, nil)
			b, err := d.Quotes(calls.Anyone(), strings.Split(c.ids, ","), nil)
			need.NoError(t, err)
			if got := quoted(b); got != c.want || b.Count != len(b.Quotes) || b.Quotes == nil || b.NotFound == nil {
				t.Errorf("got  %s (%d)\nwant %s", got, b.Count, c.want)
			}
		})
	}
}

// BQ-02, BQ-03: ids are counted as written.
func TestBatchSize(t *testing.T) {
	d := filled()
	hundred := slices.Repeat([]string{"bist:DMOST"}, 100)
	if b, err := d.Quotes(calls.Anyone(), hundred, nil); err != nil || quoted(b) != "bist:DMOST" {
		t.Errorf("100 ids: %v", err)
	}
	if w, err := d.Watchlist(calls.Anyone(), hundred); err != nil || len(w) != 100 {
		t.Errorf("a watchlist of 100: %v", err)
	}
	for name, ask := range map[string]func(ids []string) error{
		"batch":     func(ids []string) error { _, err := d.Quotes(calls.Anyone(), ids, nil); return err },
		"watchlist": func(ids []string) error { _, err := d.Watchlist(calls.Anyone(), ids); return err },
	} {
		e := calls.WantProblem(t, ask(append(hundred, "bist:DMOST")), problem.TooManyValues)
		if e.Members.Parameter != "ids" || e.Members.Limit == nil || *e.Members.Limit != 100 || e.Kind.Status() != 422 {
			t.Errorf("%s of 101: %+v", name, e.Members)
		}
		for _, none := range [][]string{nil, {}} {
			if e := calls.WantProblem(t, ask(none), problem.InvalidParameter); e.Members.Parameter != "ids" || e.Kind.Status() != 422 {
				t.Errorf("%s of none: %+v", name, e.Members)
			}
		}
	}
}

// BQ-09: every shared ticker is named, with all its coins.
func TestSharedTickersRefuseTheWhole(t *testing.T) {
	d := filled()
	d.Live.PutCatalog([]*market.Instrument{record("crypto:7", coin("RIF", "a")), record("crypto:70", coin("rif", "b"))}, nil)
	ids := []string{"bist:DMOST", "crypto:one", "bist:NOPE", "crypto:RIF", "crypto:ONE"}
	_, batch := d.Quotes(calls.Anyone(), ids, nil)
	_, watchlist := d.Watchlist(calls.Anyone(), ids)
	for name, err := range map[string]error{"batch": batch, "watchlist": watchlist} {
		e := calls.WantProblem(t, err, problem.AmbiguousTicker)
		if want := []string{"crypto:90001", "crypto:90002", "crypto:7", "crypto:70"}; !slices.Equal(e.Members.Candidates, want) {
			t.Errorf("%s: candidates %v", name, e.Members.Candidates)
		}
		if strings.Count(e.Detail, "ONE") != 1 || strings.Count(e.Detail, "RIF") != 1 {
			t.Errorf("%s: the detail reads %q", name, e.Detail)
		}
	}
}

// BQ-10, BQ-11: each row converts at its own rate; one missing rate refuses
// the whole, but only where a row needs it.
func TestBatchInACurrency(t *testing.T) {
	eur := market.EUR
	d := filled()
	b, err := d.Quotes(calls.Anyone(), []string{"bist:DMOST", "crypto:1", "index:SPX"}, &eur)
	if err != nil || len(b.Quotes) != 3 {
		t.Fatal(err)
	}
	for i, want := range []struct{ currency, rate string }{{"EUR", "0.0223114680946"}, {"EUR", "0.920386562356"}, {"USD", ""}} {
		if q := b.Quotes[i]; q.Currency != want.currency || q.FxRate.String() != want.rate {
			t.Errorf("%s: %s at %s", q.InstrumentID, q.Currency, q.FxRate)
		}
	}
	d.Live.PutQuotes([]*market.Observation{seen("fx:EURTRY", "", "2026-03-18T11:50:00Z"), seen("fx:EURUSD", "", "2026-03-18T11:50:00Z")})
	ctx := calls.Caller(access.Scopes...)
	call := access.CallOf(ctx)
	_, err = d.Quotes(ctx, []string{"index:SPX", "bist:DMOST"}, &eur)
	if e := calls.WantProblem(t, err, problem.FXRateUnavailable); e.Kind.Status() != 503 || call.Units() != 0 {
		t.Errorf("status %d for %d units", e.Kind.Status(), call.Units())
	}
	if b, err := d.Quotes(calls.Anyone(), []string{"index:SPX", "bist:NOPE", "cmdty:RAWX"}, &eur); err != nil || b.Count != 1 {
		t.Errorf("a batch that needs no rate: %v", err)
	}
}

// CT-24: the relation checks the scope of each record and charges each quote.
func TestQuotesOf(t *testing.T) {
	d := filled()
	records, err := d.Watchlist(calls.Anyone(), []string{"bist:DMOST", "crypto:1", "cmdty:PALM", "bist:DMBNK", "index:SPX", "cmdty:RAWX",
		"bist:DMOST"})
	need.NoError(t, err)
	kinds := func(errs []error) string {
		line := make([]string, len(errs))
		for i, err := range errs {
			if line[i] = "-"; err != nil {
				line[i] = string(problem.From(err).Kind)
			}
		}
		return strings.Join(line, " ")
	}
	ask := func(ctx context.Context, currency ...market.Currency) (string, string) {
		quotes, errs := d.QuotesOf(ctx, records, one(currency))
		line := make([]string, len(quotes))
		for i, q := range quotes {
			if line[i] = "-"; q != nil {
				line[i] = q.Last.String()
			}
		}
		return strings.Join(line, " "), kinds(errs)
	}
	for _, c := range []struct {
		name         string
		key          []access.Scope
		currency     []market.Currency
		prices, errs string
		units        int64
	}{
		{"every scope", access.Scopes, nil, "305.25 68250.12 4125 - 5712.35 - 305.25", "- - - - - - -", 5},
		{"in dollars", access.Scopes, []market.Currency{market.USD}, "7.4 68250.12 937.5 - 5712.35 - 7.4", "- - - - - - -", 5},
		{"two scopes", []access.Scope{"quotes:bist", "quotes:index"}, nil, "305.25 - - - 5712.35 - 305.25",
			"- missing-scope missing-scope - - missing-scope -", 3},
		{"no scope", nil, nil, "- - - - - - -", strings.TrimSpace(strings.Repeat("missing-scope ", 7)), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx := calls.Caller(c.key...)
			call := access.CallOf(ctx)
			if prices, errs := ask(ctx, c.currency...); prices != c.prices || errs != c.errs || call.Units() != c.units {
				t.Errorf("got %s, %s for %d units", prices, errs, call.Units())
			}
		})
	}

	d.Live.PutQuotes([]*market.Observation{seen("fx:USDMYR", "", "2026-03-18T11:50:00Z")})
	ctx := calls.Caller(access.Scopes...)
	call := access.CallOf(ctx)
	if prices, errs := ask(ctx, market.USD); prices != "7.4 68250.12 - - 5712.35 - 7.4" || errs != "- - fx-rate-unavailable - - - -" ||
		call.Units() != 4 {
		t.Errorf("without a rate: %s, %s for %d units", prices, errs, call.Units())
	}
	if quotes, errs := d.QuotesOf(ctx, nil, nil); len(quotes) != 0 || len(errs) != 0 {
		t.Errorf("of none: %v, %v", quotes, errs)
	}
}

// A batch is one picture: what arrives meanwhile belongs to the next one.
func TestBatchIsOneMoment(t *testing.T) {
	d := filled()
	asked := 0
	d.Service.Now = func() value.Instant { // is asked for every conversion
		asked++
		d.Live.PutQuotes([]*market.Observation{seen("fx:USDTRY", "50", "2026-03-18T11:59:00Z"),
			seen("bist:DMALTF", "99", "2026-03-18T11:59:00Z")})
		return now
	}
	usd := market.USD
	b, err := d.Quotes(calls.Anyone(), []string{"bist:DMOST", "bist:DMALTF"}, &usd)
	if err != nil || asked == 0 || b.Quotes[0].FxRate != b.Quotes[1].FxRate || b.Quotes[1].Last.String() != "0.99878788" {
		t.Errorf("%v: %v and %v", err, figures(b.Quotes[0]), figures(b.Quotes[1]))
	}
}
