package market_test

import (
	"testing"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

// An empty answer whose whole window lies before the history that is shown says
// from when on there is some; no other answer does.
func TestAvailableFrom(t *testing.T) {
	all := memory{
		daily("bist:DMOST", "2019-12-29T21:00:00Z", "1"), daily("bist:DMOST", "2024-02-01T21:00:00Z", "1"),
		daily("fx:USDTRY", "2010-01-04T22:00:00Z", "1"), daily("fx:USDTRY", "2020-01-01T21:00:00Z", "1"),
		daily("us:DMAP", "2021-05-06T00:00:00Z", "1"), daily("crypto:1", "2025-06-03T00:00:00Z", "1"),
	}
	s, ctx := charts(all)
	listed := func(id market.ID, from string) {
		in := record(id)
		in.CoverageFrom = value.MustDate(from)
		s.Live.PutCatalog([]*market.Instrument{in}, nil)
	}
	listed("bist:DMOST", "2019-12-01")
	listed("fx:EURTRY", "2022-03-04")
	five, two := market.FiveMinutes, market.TwoHours
	for _, c := range []struct {
		id       string
		r        *market.Resolution
		from, to string
		candles  string
		eod      string
	}{
		{"bist:DMOST", nil, "2019-01-01", "2019-11-30", "2019-12-01", "2024-01-01"},
		{"bist:DMOST", nil, "2019-12-01", "2019-12-02", "", "2024-01-01"},
		{"bist:DMOST", nil, "", "2019-12-30", "", "2024-01-01"},
		{"bist:DMOST", nil, "2024-01-01", "2024-01-05", "", ""}, // a hole
		{"bist:DMOST", nil, "", "", "", ""},
		{"bist:DMBNK", nil, "2019-01-01", "2019-11-30", "", "2024-01-01"}, // nothing is stored, and the record says nothing
		{"fx:USDTRY", nil, "2010-01-01", "2019-12-31", "2020-01-01", "2020-01-01"},
		{"fx:USDTRY", nil, "2010-01-01", "2020-01-01", "", ""},
		{"fx:EURTRY", nil, "2021-01-01", "2022-03-03", "2022-03-04", "2022-03-04"},
		{"index:SPX", nil, "", "2019-12-31", "2020-01-01", "2020-01-01"},
		{"us:DMAP", nil, "", "2021-05-05", "2021-05-06", "2021-05-06"},
		{"us:DMAP", nil, "", "2021-05-06", "", ""},
		{"crypto:1", nil, "", "2025-05-31", "2025-06-01", "2025-06-01"},
		{"crypto:1", nil, "", "2025-06-01", "", ""},
		{"crypto:1", &two, "", "2025-05-31", "2025-06-01", ""},
		{"bist:DMOST", &five, "2026-02-01", "2026-03-11", "2026-03-12", ""},
		{"bist:DMOST", &five, "2026-02-01", "2026-03-12", "", ""},
		{"index:SPX", &five, "2026-02-01", "2026-03-11", "2026-03-12", ""},
	} {
		if c.id == "bist:DMBNK" {
			s.Live.PutCatalog([]*market.Instrument{record("bist:DMBNK")}, nil)
		}
		args := market.SeriesArgs{Resolution: c.r, From: date(c.from), To: date(c.to)}
		for _, currency := range []*market.Currency{nil, to(market.TRY)} {
			args.Currency = currency
			candles, err := s.Candles(ctx, c.id, args)
			if err != nil || candles.AvailableFrom.String() != c.candles || (candles.Count > 0 && c.candles != "") {
				t.Errorf("candles of %s %s..%s: %+v, %v, want %q", c.id, c.from, c.to, candles, err, c.candles)
			}
			if c.r != nil {
				continue
			}
			eod, err := s.Eod(ctx, c.id, args)
			if err != nil || eod.AvailableFrom.String() != c.eod {
				t.Errorf("eod of %s %s..%s: %+v, %v, want %q", c.id, c.from, c.to, eod, err, c.eod)
			}
		}
	}
}
