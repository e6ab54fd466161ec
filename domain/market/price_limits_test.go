package market_test

import (
	"strings"
	"testing"

	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

// limits are those of a day of DMOST.
func limits(date, up, down string) *market.PriceLimits {
	return &market.PriceLimits{InstrumentID: "bist:DMOST", Date: value.MustDate(date), LimitUp: value.MustDecimal(up),
		LimitDown: value.MustDecimal(down)}
}

// A quote that states no limits has those of its own day in Turkey, converted like prices.
func TestPriceLimitsOfItsDay(t *testing.T) {
	d := newFixture()
	d.Live.PutCatalog([]*market.Instrument{record("bist:DMOST"), record("fx:USDTRY")}, nil)
	quote := func(asOf string, edit func(*market.Observation)) string {
		o := &market.Observation{InstrumentID: "bist:DMOST", AsOf: value.MustInstant(asOf), Last: value.MustDecimal("300")}
		edit(o)
		d.Live.PutQuotes([]*market.Observation{o, {InstrumentID: "fx:USDTRY", AsOf: d.now, Last: value.MustDecimal("40")}})
		q, err := d.Quote(calls.Anyone(), "bist:DMOST", nil)
		need.NoError(t, err)
		return q.LimitUp.String() + " " + q.LimitDown.String()
	}
	plain := func(*market.Observation) {}
	const early, late = "2026-03-17T21:00:00Z", "2026-03-18T20:59:59Z" // the first and the last second of the 18th
	if got := quote(early, plain); got != " " {
		t.Errorf("without limits: %q", got)
	}
	d.Live.PutPriceLimits([]*market.PriceLimits{limits("2026-03-18", "330.00", "270"), limits("2026-03-19", "340", "280")})
	for _, at := range []string{early, late} {
		if got := quote(at, plain); got != "330.00 270" {
			t.Errorf("at %s: %q", at, got)
		}
	}
	if got := quote("2026-03-17T20:59:59Z", plain); got != " " {
		t.Errorf("of the day before: %q", got)
	}
	if got := quote(late, func(o *market.Observation) { o.LimitUp = value.MustDecimal("331") }); got != "331 " {
		t.Errorf("with one of its own: %q", got)
	}
	quote(late, plain)
	usd := market.Currency("USD")
	if q, err := d.Quote(calls.Anyone(), "bist:DMOST", &usd); err != nil || q.LimitUp.String() != "8.25" || q.LimitDown.String() != "6.75" {
		t.Errorf("in dollars: %+v, %v", q, err)
	}
	d.Live.PutPriceLimits([]*market.PriceLimits{limits("2026-03-18", "329", "271")})
	if got := quote(late, plain); got != "329 271" {
		t.Errorf("replaced: %q", got)
	}
	d.Live.PutCatalog([]*market.Instrument{record("bist:DMOST", func(in *market.Instrument) { in.Currency = "USD" })}, nil)
	if got := quote(late, plain); got != " " {
		t.Errorf("traded in dollars: %q", got)
	}
	d.Live.PutCatalog([]*market.Instrument{record("bist:DMOST")}, nil)
	d.Live.SetPriceLimits([]*market.PriceLimits{limits("2026-03-19", "340", "280")})
	if got := quote(late, plain); got != " " {
		t.Errorf("withdrawn: %q", got)
	}
}

// What is kept in memory is bounded, and the same in whatever portions it came.
func TestPriceLimitsAreBounded(t *testing.T) {
	first, d := value.MustDate("2026-03-01"), newFixture()
	d.Live.PutPriceLimits([]*market.PriceLimits{limits("2199-12-31", "2", "1")}) // a mistake hides no other day
	d.Live.PutCatalog([]*market.Instrument{record("bist:DMOST")}, nil)
	for i := range market.LimitDays + 1 {
		d.Live.PutPriceLimits([]*market.PriceLimits{limits(first.AddDays(i).String(), "2", "1")})
	}
	for day, want := range map[int]string{0: "", 1: "", 2: "2"} {
		d.Live.PutQuotes([]*market.Observation{{InstrumentID: "bist:DMOST", AsOf: first.AddDays(day).TurkeyStart(),
			Last: value.MustDecimal("1")}})
		if q, err := d.Quote(calls.Anyone(), "bist:DMOST", nil); err != nil || q.LimitUp.String() != want {
			t.Errorf("day %d: %+v, %v", day, q, err)
		}
	}
}

func TestPriceLimitsThatCannotBe(t *testing.T) {
	us := limits("2026-03-18", "2", "1")
	us.InstrumentID = "us:AAPL"
	for want, l := range map[string]*market.PriceLimits{
		"":              limits("2026-03-18", "1", "1"),
		"instrument_id": us,
		"date":          limits("0001-01-15", "2", "1"),
		"limit_down":    limits("2026-03-18", "1", "0"),
		"limit_up":      limits("2026-03-18", "1", "1.01"),
	} {
		if err := l.Validate(); (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want+" ") &&
			!strings.HasPrefix(err.Error(), want+":") {
			t.Errorf("%s: %v", want, err)
		}
	}
}
