package fundamentals_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// V-55, G-51, BV-02 to BV-04, BV-06, BV-09.
func TestValuations(t *testing.T) {
	a := newFixture(t)
	a.company(t, "52500000000 12.4")
	a.hears(t, "bist:DMBNK 2026-03-18 214560000000 8.1", "us:DMAP 2026-03-18 3000 9")
	for _, c := range []struct {
		name, ids, found, missing string
		units                     int64
	}{
		{"V-55", "bist:DMBNK,bist:DMOST,crypto:1,bist:DMOST,bist:DMALTF,bist:NOPE", "bist:DMBNK bist:DMOST",
			"crypto:1 market_not_supported, bist:DMALTF etf_not_covered, bist:NOPE unknown_id", 5},
		{"in other letters", "bist:dmost,bist:DMOST", "bist:DMOST", "", 1},
		{"an alias, a stock of the US, and no market", "bist:DMALT,us:DMAP,DMOST,us:NOPE", "",
			"bist:DMALT unknown_id, us:DMAP market_not_supported, DMOST unknown_id, us:NOPE market_not_supported", 4},
		{"nothing is known", "bist:DMSIG,bist:DMOST,bist:DMSIG", "bist:DMOST", "bist:DMSIG no_coverage", 2},
		{"the same that is not served", "crypto:1,crypto:1,bist:NOPE,bist:NOPE,bist:DMALTF,bist:dmaltf", "",
			"crypto:1 market_not_supported, bist:NOPE unknown_id, bist:DMALTF etf_not_covered", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, call := holder()
			batch, err := a.Valuations(ctx, strings.Split(c.ids, ","), nil)
			need.NoError(t, err)
			found, missing := []string{}, []string{}
			for _, v := range batch.Valuations {
				found = append(found, string(v.InstrumentID))
				if single := a.value(t, string(v.InstrumentID)); !slices.Equal(metrics(v), metrics(single)) { // BV-10
					t.Errorf("%s differs from the single answer", v.InstrumentID)
				}
			}
			for _, n := range batch.NotFound {
				missing = append(missing, n.ID+" "+n.Reason)
			}
			if strings.Join(found, " ") != c.found || strings.Join(missing, ", ") != c.missing || call.Units() != c.units ||
				batch.Valuations == nil || batch.NotFound == nil {
				t.Errorf("found %q, missing %q for %d units; want %q, %q, %d", found, missing, call.Units(), c.found, c.missing, c.units)
			}
		})
	}
}

// BV-05, BV-07, BV-08.
func TestValuationsTogether(t *testing.T) {
	a := newFixture(t)
	a.company(t, "52500000000 12.4")
	a.hears(t, "bist:DMBNK 2026-03-18 214560000000 8.1")
	many := make([]string, 101)
	for i := range many {
		many[i] = fmt.Sprintf("bist:N%d", i)
	}
	ctx, call := holder()
	for n, want := range map[int]problem.Kind{0: problem.InvalidParameter, 101: problem.TooManyValues} {
		_, err := a.Valuations(ctx, many[:n], nil)
		refusal(t, fmt.Sprint(n, " ids"), err, want)
		_, err = a.Valuations(stranger(), many[:n], nil)
		refusal(t, "without the scope", err, problem.MissingScope)
	}
	if batch, err := a.Valuations(ctx, many[:100], nil); err != nil || len(batch.NotFound) != 100 || call.Units() != 100 {
		t.Errorf("%v, %v for %d units", batch, err, call.Units())
	}
	batch, err := a.Valuations(ctx, []string{"bist:DMOST", "bist:DMBNK"}, new(market.EUR))
	if err != nil || len(batch.Valuations) != 2 || batch.Valuations[0].FxRate != batch.Valuations[1].FxRate ||
		batch.Valuations[0].FxAsOf != batch.Valuations[1].FxAsOf || batch.Valuations[0].FxRate.String() != "0.0223114680946" {
		t.Fatalf("%+v, %v", batch, err)
	}
	a.now = value.MustInstant("2026-03-18T15:00:00Z")
	units := call.Units()
	_, err = a.Valuations(ctx, []string{"bist:NOPE", "bist:DMOST"}, new(market.USD))
	refusal(t, "no fresh rate", err, problem.FXRateUnavailable)
	_ = a.db.Close()
	if _, err := a.Valuations(ctx, []string{"bist:DMOST"}, nil); err == nil {
		t.Error("a store that does not answer: no error")
	}
	if call.Units() != units {
		t.Errorf("refusals cost %d units", call.Units()-units)
	}
}

// Of many instruments at once, each converted from its own money.
func TestValuationsOf(t *testing.T) {
	a := newFixture(t)
	a.company(t, "52500000000 12.4")
	a.hears(t, "us:DMAP 2026-03-18 3000 9")
	var all []*market.Instrument
	for _, id := range []market.ID{"us:DMAP", "crypto:1", "bist:DMALTF", "bist:DMOST", "bist:DMSIG", "bist:DMOST"} {
		all = append(all, a.Market.ByID(id))
	}
	ctx, call := holder()
	values, errs := a.ValuationsOf(ctx, all, new(market.TRY))
	want := []string{"123750 at 41.25", "nil", "nil", "52500000000 at -", "nil", "52500000000 at -"}
	for i, v := range values {
		got := "nil"
		if v != nil {
			got = v.MarketCap.Value.String() + " at " + shown(v.FxRate)
		}
		if got != want[i] || errs[i] != nil {
			t.Errorf("%s: %s, %v; want %s", all[i].InstrumentID, got, errs[i], want[i])
		}
	}
	if call.Units() != 3 {
		t.Errorf("%d units, want one for each valuation", call.Units())
	}
	a.now = value.MustInstant("2026-03-18T15:00:00Z") // when no rate is fresh
	values, errs = a.ValuationsOf(ctx, all, new(market.TRY))
	for i, v := range values {
		foreign := all[i].InstrumentID == "us:DMAP"
		if (v == nil) != (want[i] == "nil" || foreign) || (errs[i] != nil) != foreign {
			t.Errorf("%s without a rate: %v, %v", all[i].InstrumentID, v, errs[i])
		}
	}
	refusal(t, "what a missing rate concerns", errs[0], problem.FXRateUnavailable)
	if call.Units() != 5 {
		t.Errorf("%d units, want two more", call.Units())
	}
	_, errs = a.ValuationsOf(stranger(), all, nil)
	for _, err := range errs {
		refusal(t, "without the scope", err, problem.MissingScope)
	}
}
