package fundamentals_test

import (
	"encoding/json"
	"slices"
	"testing"

	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// points are points as "date market_cap pe_ratio".
func points(h *fundamentals.ValuationHistory) []string {
	out := []string{}
	for _, p := range h.Points {
		out = append(out, p.Date.String()+" "+shown(p.MarketCap)+" "+shown(p.PeRatio))
	}
	return out
}

// remembers gives the fixture some days of bist:DMOST: zeros, holes, a
// weekend, days before the history began, the future.
func remembers(t *testing.T) *fixture {
	t.Helper()
	a := newFixture(t)
	a.hears(t,
		"bist:DMOST 2025-09-19 1 1", "bist:DMOST 2025-09-20 2 2", "bist:DMOST 2025-09-22 3 3", "bist:DMOST 2025-12-18 4 4",
		"bist:DMOST 2025-12-19 5 5",
		"bist:DMOST 2026-03-13 51500000000 0", "bist:DMOST 2026-03-14 9 9", "bist:DMOST 2026-03-16 0.0 0",
		"bist:DMOST 2026-03-17 51600000000.00 12.190", "bist:DMOST 2026-03-18 - 12.4",
		"bist:DMOST 2026-03-19 6 6", "bist:DMBNK 2026-03-17 7 7", "us:DMAP 2026-03-17 8 8")
	return a
}

// V-91, VH-01 to VH-03, G-52.
func TestValuationHistory(t *testing.T) {
	a := remembers(t)
	newest := []string{"2025-12-19 5 5", "2026-03-13 51500000000 -", "2026-03-17 51600000000.00 12.190", "2026-03-18 - 12.4"}
	for _, c := range []struct {
		name, from, to, first, last string
		want                        []string
	}{
		{"V-91", "", "", "2025-12-19", "2026-03-18", newest},
		{"all of it", "2000-01-01", "", "2000-01-01", "2026-03-18", append([]string{"2025-09-22 3 3", "2025-12-18 4 4"}, newest...)},
		{"VH-03", "2025-01-01", "2025-02-01", "2025-01-01", "2025-02-01", nil},
		{"a Saturday on which the history began", "2025-09-19", "2025-09-21", "2025-09-19", "2025-09-21", nil},
		{"a day", "2026-03-17", "2026-03-17", "2026-03-17", "2026-03-17", newest[2:3]},
		{"a day of zeros", "2026-03-16", "2026-03-16", "2026-03-16", "2026-03-16", nil},
		{"up to a day", "", "2026-03-16", "2025-12-17", "2026-03-16", append([]string{"2025-12-18 4 4"}, newest[:2]...)},
		{"up to a day long ago", "", "2025-12-18", "2025-09-20", "2025-12-18", []string{"2025-09-22 3 3", "2025-12-18 4 4"}},
		{"up to a day before all", "", "2025-09-19", "2025-06-22", "2025-09-19", nil},
		{"up to the first of all days", "", "0001-03-31", "0001-01-02", "0001-03-31", nil},
		{"what is ahead", "2026-03-18", "2026-03-19", "2026-03-18", "2026-03-19", []string{"2026-03-18 - 12.4", "2026-03-19 6 6"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var args fundamentals.ValuationHistoryArgs
			if c.from != "" {
				args.From = new(value.MustDate(c.from))
			}
			if c.to != "" {
				args.To = new(value.MustDate(c.to))
			}
			for _, currency := range []*market.Currency{nil, new(market.TRY)} {
				args.Currency = currency
				ctx, call := holder()
				h, err := a.ValuationHistory(ctx, "bist:dmost", args)
				need.NoError(t, err)
				if got := points(h); !slices.Equal(got, c.want) || h.Count != len(c.want) || h.Points == nil {
					t.Errorf("got  %q\nwant %q", got, c.want)
				}
				from := ""
				if c.last < "2025-09-20" { // before the history that is shown
					from = "2025-09-20"
				}
				if h.AvailableFrom.String() != from {
					t.Errorf("available from %q, want %q", h.AvailableFrom, from)
				}
				if h.InstrumentID != "bist:DMOST" || h.Currency != "TRY" || h.FromDate.String() != c.first || h.ToDate.String() != c.last ||
					call.Units() != 1 {
					t.Errorf("%+v for %d units", *h, call.Units())
				}
			}
		})
	}
	// A holiday is no trading day.
	a.Market.Live.PutCatalog(nil, []*market.TradingDay{{Market: market.BIST, Date: value.MustDate("2026-03-17")}})
	ctx, _ := holder()
	h, err := a.ValuationHistory(ctx, "bist:DMOST", fundamentals.ValuationHistoryArgs{From: new(value.MustDate("2026-03-17"))})
	if err != nil || !slices.Equal(points(h), []string{"2026-03-18 - 12.4"}) {
		t.Errorf("%v, %v", h, err)
	}
	text, _ := json.Marshal(h)
	if want := `{"instrument_id":"bist:DMOST","currency":"TRY","from_date":"2026-03-17","to_date":"2026-03-18","points":[{"date":"2026-03-18","market_cap":null,"pe_ratio":"12.4"}],"count":1}`; string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}

// VH-04 to VH-07.
func TestValuationHistoryRefusals(t *testing.T) {
	a := remembers(t)
	ctx, call := holder()
	inverted := fundamentals.ValuationHistoryArgs{From: new(value.MustDate("2026-03-18")), To: new(value.MustDate("2026-03-17"))}
	for _, c := range []struct {
		name, id string
		args     fundamentals.ValuationHistoryArgs
		want     problem.Kind
	}{
		{"dollars", "bist:DMOST", fundamentals.ValuationHistoryArgs{Currency: new(market.USD)}, problem.UnsupportedCurrency},
		{"euros", "bist:DMOST", fundamentals.ValuationHistoryArgs{Currency: new(market.EUR)}, problem.UnsupportedCurrency},
		{"dollars before the window", "bist:NOPE", fundamentals.ValuationHistoryArgs{Currency: new(market.USD), From: inverted.From,
			To: inverted.To}, problem.UnsupportedCurrency},
		{"inverted", "bist:DMOST", inverted, problem.InvertedWindow},
		{"inverted before unknown", "bist:NOPE", inverted, problem.InvertedWindow},
		{"from after today", "bist:DMOST", fundamentals.ValuationHistoryArgs{From: new(value.MustDate("2026-03-19"))},
			problem.InvertedWindow},
		{"an ETF", "bist:DMALTF", fundamentals.ValuationHistoryArgs{}, problem.NotFound},
		{"an alias", "bist:DMALT", fundamentals.ValuationHistoryArgs{}, problem.NotFound},
		{"us", "us:DMAP", fundamentals.ValuationHistoryArgs{}, problem.NotFound},
		{"a coin", "crypto:1", fundamentals.ValuationHistoryArgs{}, problem.NotFound},
		{"unknown", "bist:NOPE", fundamentals.ValuationHistoryArgs{}, problem.NotFound},
	} {
		_, err := a.ValuationHistory(ctx, c.id, c.args)
		refusal(t, c.name, err, c.want)
		_, err = a.ValuationHistory(stranger(), c.id, c.args)
		refusal(t, c.name+" without the scope", err, problem.MissingScope)
	}
	_ = a.db.Close()
	if _, err := a.ValuationHistory(ctx, "bist:DMOST", fundamentals.ValuationHistoryArgs{}); err == nil {
		t.Error("a store that does not answer: no error")
	}
	if call.Units() != 0 {
		t.Errorf("refusals cost %d units", call.Units())
	}
}

func TestValuationHistoryOf(t *testing.T) {
	a := remembers(t)
	var all []*market.Instrument
	for _, id := range []market.ID{"bist:DMBNK", "us:DMAP", "bist:DMOST", "bist:DMALTF", "bist:DMSIG"} {
		all = append(all, a.Market.ByID(id))
	}
	ctx, call := holder()
	args := fundamentals.ValuationHistoryArgs{From: new(value.MustDate("2026-03-17"))}
	histories, errs := a.ValuationHistoryOf(ctx, all, args)
	want := [][]string{{"2026-03-17 7 7"}, nil, {"2026-03-17 51600000000.00 12.190", "2026-03-18 - 12.4"}, nil, {}}
	for i, h := range histories {
		if (h == nil) != (want[i] == nil) || h != nil && !slices.Equal(points(h), want[i]) || errs[i] != nil {
			t.Errorf("%s: %v, %v; want %q", all[i].InstrumentID, h, errs[i], want[i])
		}
	}
	if call.Units() != 3 {
		t.Errorf("%d units, want one for each history", call.Units())
	}
	args.To = new(value.MustDate("2026-03-16"))
	_, errs = a.ValuationHistoryOf(ctx, all, args)
	for i, err := range errs {
		if want[i] != nil {
			refusal(t, "inverted", err, problem.InvertedWindow)
		}
	}
}
