package market_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

// V-56 to V-59: whole quotes.
func TestConvertedQuotes(t *testing.T) {
	for _, c := range []struct {
		vector string
		id     market.ID
		target market.Currency
		asOf   string // of the rate
		want   map[string]string
	}{
		{"V-56", "bist:DMOST", market.USD, "2026-03-18T11:44:30Z", map[string]string{
			"last": "7.4", "prev_close": "7.27272727", "change": "0.12727273", "change_pct": "1.75", "open": "7.2969697",
			"high": "7.43636364", "low": "7.26060606",
			"bid": "7.4", "ask": "7.40606061", "volume": "4050000", "turnover": "29928918.56", "limit_up": "8", "limit_down": "6.54545455",
			"fx_rate": "0.0242424242424",
		}},
		{"V-57", "bist:DMOST", market.EUR, "2026-03-18T11:44:20Z", map[string]string{
			"last": "6.81057564", "prev_close": "6.69344043", "change": "0.11713521", "change_pct": "1.75", "open": "6.7157519",
			"high": "6.84404284", "low": "6.68228469",
			"bid": "6.81057564", "ask": "6.8161535", "volume": "4050000", "turnover": "27545022.1", "limit_up": "7.36278447",
			"limit_down": "6.02409639", "fx_rate": "0.0223114680946",
		}},
		{"V-58", "crypto:1", market.TRY, "2026-03-18T11:44:30Z", map[string]string{
			"last": "2815317.45", "change": "-51557.55", "change_pct": "-1.798388", "turnover": "1289062500020.63",
			"market_cap": "55738425925467.45", "fx_rate": "41.25",
		}},
		{"V-59", "crypto:1", market.EUR, "2026-03-18T11:44:10Z", map[string]string{
			"last": "62816.49332718", "change": "-1150.37275656", "change_pct": "-1.798388", "turnover": "28762080074.09",
			"market_cap": "1243658138876.98", "fx_rate": "0.920386562356",
		}},
	} {
		t.Run(c.vector, func(t *testing.T) {
			d := filled()
			plain, err := d.Quote(calls.Anyone(), string(c.id), nil)
			need.NoError(t, err)
			before := figures(plain)
			ctx := calls.Caller(c.id.Market().QuotesScope()) // the scope fx is not needed
			q, err := d.Quote(ctx, string(c.id), &c.target)
			need.NoError(t, err)
			if got := figures(q); !maps.Equal(got, c.want) {
				t.Errorf("got  %v\nwant %v", got, c.want)
			}
			if q.Currency != string(c.target) || q.FxAsOf != value.MustInstant(c.asOf) {
				t.Errorf("in %s at the rate of %s", q.Currency, q.FxAsOf)
			}
			// CV-20: nothing else moves, and the stored quote stays as it was.
			if q.AsOf != plain.AsOf || q.DataDelaySeconds != plain.DataDelaySeconds || q.InstrumentID != plain.InstrumentID ||
				q.Symbol != plain.Symbol {
				t.Errorf("moved: %+v", q)
			}
			if again, err := d.Quote(calls.Anyone(), string(c.id), nil); err != nil || !maps.Equal(figures(again), before) ||
				again.Currency != plain.Currency {
				t.Errorf("unconverted it is now %v, %v", figures(again), err)
			}
		})
	}
}

// V-60 to V-65: one price.
func TestConvertedPrice(t *testing.T) {
	for _, c := range []struct {
		name, id, last string
		target         market.Currency
		want           string
		currency, rate string
		asOf           string
	}{
		{"V-60", "crypto:2", "0.0000123456789", market.TRY, "0.00050925925", "TRY", "41.25", "2026-03-18T11:44:30Z"},
		{"V-61", "fx:EURUSD", "1.0865", market.TRY, "44.818125", "TRY", "41.25", "2026-03-18T11:44:30Z"},
		{"V-62", "fx:USDTRY", "41.25", market.USD, "1", "USD", "0.0242424242424", "2026-03-18T11:44:30Z"},
		{"V-63", "bist:DMOST", "305.25", market.TRY, "305.25", "TRY", "", ""},
		{"V-63 in dollars", "crypto:1", "68250.12", market.USD, "68250.12", "USD", "", ""},
		{"V-64", "cmdty:PALM", "4125", market.EUR, "862.86240221", "EUR", "0.209178764172", "2026-03-18T11:40:00Z"},
		{"V-64 in one step", "cmdty:PALM", "4125", market.USD, "937.5", "USD", "0.227272727273", "2026-03-18T11:40:00Z"},
		{"V-65", "index:SPX", "5712.35", market.TRY, "5712.35", "USD", "", ""},
		{"an index in its own currency", "index:SPX", "5712.35", market.USD, "5712.35", "USD", "", ""},
		{"CV-12 keeps the digits", "cmdty:XAU", "2990.10", market.USD, "2990.10", "USD", "", ""},
		{"CV-10: trailing zeros go", "bist:DMOST", "82.50", market.USD, "2", "USD", "0.0242424242424", "2026-03-18T11:44:30Z"},
		{"CV-10: 8 significant digits", "crypto:2", "0.0000000243902444", market.TRY, "0.0000010060976", "TRY", "41.25",
			"2026-03-18T11:44:30Z"},
		{"CV-10: 8 significant digits make 1", "crypto:2", "0.0242424242424", market.TRY, "1", "TRY", "41.25", "2026-03-18T11:44:30Z"},
		{"CV-10: 8 decimals from 1 upwards", "crypto:2", "123456789012.123456789", market.TRY, "5092592546750.09259255", "TRY", "41.25",
			"2026-03-18T11:44:30Z"},
		{"zero", "bist:DMOST", "0.00", market.USD, "0", "USD", "0.0242424242424", "2026-03-18T11:44:30Z"},
		{"below zero (oil did it)", "cmdty:XAU", "-37.63", market.TRY, "-1552.2375", "TRY", "41.25", "2026-03-18T11:44:30Z"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := filled()
			if c.id[:3] != "fx:" {
				d.Live.PutQuotes([]*market.Observation{seen(market.ID(c.id), c.last, "2026-03-18T11:45:00Z")})
			}
			q, err := d.Quote(calls.Anyone(), c.id, &c.target)
			need.NoError(t, err)
			if q.Last.String() != c.want || q.Currency != c.currency || q.FxRate.String() != c.rate || q.FxAsOf.String() != c.asOf {
				t.Errorf("%s %s at %s of %s", q.Last, q.Currency, q.FxRate, q.FxAsOf)
			}
		})
	}
}

// Ties go away from zero, in prices of both kinds and in amounts.
func TestTies(t *testing.T) {
	d := filled()
	d.Live.PutQuotes([]*market.Observation{seen("fx:USDTRY", "0.5", "2026-03-18T11:59:00Z")})
	try := market.TRY
	for price, want := range map[string]string{
		"2.00000001": "1.00000001", "2.00000003": "1.00000002", "-2.00000001": "-1.00000001", "2": "1", "1.99999998": "0.99999999",
		"1.99999999":  "1",
		"0.246913579": "0.12345679", "0.0024691357": "0.0012345679", "-0.24691357": "-0.12345679",
		"0.00000000000000000001": "0.000000000000000000005",
	} {
		o := seen("crypto:2", price, "2026-03-18T11:59:00Z")
		d.Live.PutQuotes([]*market.Observation{o})
		if q, err := d.Quote(calls.Anyone(), "crypto:2", &try); err != nil || q.Last.String() != want {
			t.Errorf("half of %s: %v, %v, want %s", price, q, err, want)
		}
	}
	for amount, want := range map[string]string{"0.01": "0.01", "0.03": "0.02", "-0.01": "-0.01", "0.009": "0", "-0.009": "0",
		"100.00": "50", "1.11": "0.56"} {
		o := seen("crypto:2", "1", "2026-03-18T11:59:00Z")
		o.Turnover, o.MarketCap = dec(amount), dec(amount)
		d.Live.PutQuotes([]*market.Observation{o})
		if q, err := d.Quote(calls.Anyone(), "crypto:2", &try); err != nil || q.Turnover.String() != want || q.MarketCap.String() != want {
			t.Errorf("half of %s: %v, %v, want %s", amount, figures(q), err, want)
		}
	}
}

// CV-11: direct pair, inverse pair, two steps over the dollar, two over the lira.
func TestPaths(t *testing.T) {
	const at, older = "2026-03-18T11:50:00Z", "2026-03-18T11:20:00Z"
	for _, c := range []struct {
		name   string
		pairs  []string // pair=rate, newest observation at
		old    string   // the pair of them that is older
		from   string
		target market.Currency
		rate   string // empty: none
		asOf   string
	}{
		{"direct", []string{"GBPUSD=1.25", "USDGBP=0.9", "GBPTRY=50", "USDTRY=40"}, "", "GBP", market.USD, "1.25", at},
		{"inverse", []string{"USDGBP=0.8", "GBPTRY=50", "USDTRY=41"}, "", "GBP", market.USD, "1.25", at},
		{"over the dollar", []string{"GBPUSD=1.25", "EURUSD=1.25", "GBPTRY=50", "EURTRY=60"}, "", "GBP", market.EUR, "1", at},
		{"over the dollar, both ways round", []string{"USDJPY=160", "USDEUR=0.8"}, "", "JPY", market.EUR, "0.005", at},
		{"over the lira", []string{"GBPTRY=50", "EURTRY=40"}, "", "GBP", market.EUR, "1.25", at},
		{"over the lira to the dollar", []string{"GBPTRY=50", "USDTRY=40"}, "", "GBP", market.USD, "1.25", at},
		{"over the dollar to the lira", []string{"GBPUSD=1.25", "USDTRY=40"}, "", "GBP", market.TRY, "50", at},
		{"from the lira over the dollar", []string{"USDTRY=40", "EURUSD=1.25"}, "", "TRY", market.EUR, "0.02", at},
		{"from the dollar over the lira", []string{"USDTRY=40", "EURTRY=50"}, "", "USD", market.EUR, "0.8", at},
		{"half a way over the dollar, a whole over the lira", []string{"GBPUSD=1.25", "GBPTRY=50", "EURTRY=40"}, "", "GBP",
			market.EUR, "1.25", at},
		{"the first step is older", []string{"GBPUSD=1.25", "EURUSD=1.25"}, "GBPUSD", "GBP", market.EUR, "1", older},
		{"the second step is older", []string{"GBPUSD=1.25", "EURUSD=1.25"}, "EURUSD", "GBP", market.EUR, "1", older},
		{"no three steps", []string{"GBPJPY=190", "USDJPY=150", "EURUSD=1.25"}, "", "GBP", market.EUR, "", ""},
		{"no step over the euro", []string{"EURGBP=0.8", "EURUSD=1.25"}, "", "GBP", market.USD, "", ""},
		{"nothing", nil, "", "GBP", market.USD, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newFixture()
			d.Live.PutCatalog([]*market.Instrument{record("cmdty:TEA", in(c.from))}, nil)
			for _, p := range c.pairs {
				id := market.ID("fx:" + p[:6])
				when := at
				if c.old == p[:6] {
					when = older
				}
				d.Live.PutCatalog([]*market.Instrument{record(id)}, nil)
				d.Live.PutQuotes([]*market.Observation{seen(id, p[7:], when)})
			}
			d.Live.PutQuotes([]*market.Observation{seen("cmdty:TEA", "1", at)})
			q, err := d.Quote(calls.Anyone(), "cmdty:TEA", &c.target)
			if c.rate == "" {
				p := calls.WantProblem(t, err, problem.FXRateUnavailable)
				if !strings.Contains(p.Detail, " in the last 1 hour,") {
					t.Errorf("refused with %q", p.Detail)
				}
				return
			}
			need.NoError(t, err)
			if q.FxRate.String() != c.rate || q.FxAsOf != value.MustInstant(c.asOf) || q.Last.String() != c.rate {
				t.Errorf("%s at %s of %s", q.Last, q.FxRate, q.FxAsOf)
			}
		})
	}
}

// A rate has 12 significant digits and is rounded once: rounding each of two
// steps would give 0.111111111112.
func TestRateIsRoundedOnce(t *testing.T) {
	for _, c := range []struct{ from, pair, rate, euro, want string }{
		{"GBP", "USDGBP", "1.5", "6", "0.111111111111"},
		{"IRR", "USDIRR", "1150000.5", "1", "0.00000086956483932"},
		{"QQQ", "USDQQQ", "0.0000031", "0.7", "460829.493088"},
		{"QQQ", "QQQUSD", "123456789.98765", "1", "123456789.988"},
		{"QQQ", "QQQUSD", "123456789987654.5", "1", "123456789988000"},
	} {
		d := newFixture()
		d.Live.PutCatalog([]*market.Instrument{record("cmdty:TEA", in(c.from)), record(market.ID("fx:" + c.pair)),
			record("fx:EURUSD")}, nil)
		d.Live.PutQuotes([]*market.Observation{seen("cmdty:TEA", "1", today), seen(market.ID("fx:"+c.pair), c.rate, today),
			seen("fx:EURUSD", c.euro, today)})
		if q, err := d.Quote(calls.Anyone(), "cmdty:TEA", new(market.EUR)); err != nil || q.FxRate.String() != c.want {
			t.Errorf("%s: %v, %v, want %s", c.pair, q, err, c.want)
		}
	}
}

// V-68, CV-16, CV-17, G-25: an old rate is a missing one, and another path
// stands in where there is one.
func TestAgeOfARate(t *testing.T) {
	for _, c := range []struct {
		name, at string
		want     string // empty: 503
	}{
		{"now", "2026-03-18T12:00:00Z", "0.025"},
		{"60 minutes ago", "2026-03-18T11:00:00Z", "0.025"},
		{"60 minutes and a thousandth", "2026-03-18T10:59:59.999Z", ""},
		{"60 minutes and a second", "2026-03-18T10:59:59Z", ""},
		{"61 minutes ago", "2026-03-18T10:59:00Z", ""},
		{"2 hours ago", "2026-03-18T10:00:00Z", ""},
		{"a second ahead of our clock", "2026-03-18T12:00:01Z", "0.025"},
		{"of a replay's future", "2026-03-18T13:00:01Z", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newFixture()
			d.Live.PutCatalog([]*market.Instrument{record("bist:DMOST"), record("fx:USDTRY"), record("fx:EURTRY"),
				record("fx:EURUSD")}, nil)
			d.Live.PutQuotes([]*market.Observation{seen("bist:DMOST", "1", "2026-03-17T12:00:00Z"), seen("fx:USDTRY", "40", c.at)})
			usd := market.USD
			ctx := calls.Caller(access.Scopes...)
			call := access.CallOf(ctx)
			q, err := d.Quote(ctx, "bist:DMOST", &usd)
			if c.want != "" {
				if err != nil || q.FxRate.String() != c.want || q.FxAsOf.String() != c.at {
					t.Errorf("%v, %v", q, err)
				}
				return
			}
			if e := calls.WantProblem(t, err, problem.FXRateUnavailable); e.Kind.Status() != 503 || call.Units() != 0 {
				t.Errorf("status %d for %d units", e.Kind.Status(), call.Units())
			}
			// Only the conversion fails.
			if _, err := d.Quote(calls.Anyone(), "bist:DMOST", nil); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestUnusableRates(t *testing.T) {
	usd := market.USD
	for name, pair := range map[string]*market.Observation{
		"withdrawn":  seen("fx:USDTRY", "", "2026-03-18T11:59:00Z"),
		"zero":       seen("fx:USDTRY", "0.00", "2026-03-18T11:59:00Z"),
		"negative":   seen("fx:USDTRY", "-41", "2026-03-18T11:59:00Z"),
		"no record":  seen("fx:TRYUSD", "0.025", "2026-03-18T11:59:00Z"), // stored and invisible until the record comes
		"no pair":    seen("cmdty:USDTRY", "41", "2026-03-18T11:59:00Z"),
		"never seen": nil,
	} {
		d := newFixture()
		d.Live.PutCatalog([]*market.Instrument{record("bist:DMOST"), record("fx:USDTRY"), record("cmdty:USDTRY")}, nil)
		d.Live.PutQuotes([]*market.Observation{seen("bist:DMOST", "1", "2026-03-18T11:45:00Z")})
		if pair != nil {
			d.Live.PutQuotes([]*market.Observation{pair})
		}
		if q, err := d.Quote(calls.Anyone(), "bist:DMOST", &usd); problem.From(err).Kind != problem.FXRateUnavailable {
			t.Errorf("%s: %v, %v", name, q, err)
		}
	}
}

// A stale direct pair gives way to a fresh path.
func TestStalePairGivesWay(t *testing.T) {
	d := filled()
	d.Live.PutCatalog([]*market.Instrument{record("fx:TRYUSD")}, nil)
	d.Live.PutQuotes([]*market.Observation{seen("fx:TRYUSD", "0.02", "2026-03-18T10:00:00Z"),
		seen("fx:EURTRY", "44.82", "2026-03-18T10:00:00Z")})
	// 1/41.25; 1/41.25/1.0865
	for target, want := range map[market.Currency]string{market.USD: "0.0242424242424", market.EUR: "0.0223124015117"} {
		q, err := d.Quote(calls.Anyone(), "bist:DMOST", &target)
		if err != nil || q.FxRate.String() != want {
			t.Errorf("%s: %v, %v, want %s", target, q, err, want)
		}
	}
}

// The age limit is configuration.
func TestConfiguredAge(t *testing.T) {
	d := filled()
	usd := market.USD
	for age, ok := range map[time.Duration]bool{930 * time.Second: true, 929 * time.Second: false, 24 * time.Hour: true, 0: false} {
		d.FXMaxAge = age
		if _, err := d.Quote(calls.Anyone(), "bist:DMOST", &usd); (err == nil) != ok {
			t.Errorf("%s: %v", age, err)
		}
	}
}

// A rate of a source that publishes once a day is current until the next one is due.
func TestDailyRate(t *testing.T) {
	d := filled()
	daily := seen("fx:USDTRY", "41.25", "2026-03-17T12:30:00Z")
	daily.CurrentUntil = value.MustInstant("2026-03-18T13:00:00Z")
	d.Live.PutQuotes([]*market.Observation{daily})
	usd := market.USD
	for now, ok := range map[string]bool{"2026-03-17T12:29:59Z": true, "2026-03-18T12:59:59Z": true, "2026-03-18T13:00:00Z": false,
		"2026-03-17T11:00:00Z": false} {
		d.now = value.MustInstant(now)
		if _, err := d.Quote(calls.Anyone(), "bist:DMOST", &usd); (err == nil) != ok {
			t.Errorf("%s: %v", now, err)
		}
	}
}
