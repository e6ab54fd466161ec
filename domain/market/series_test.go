package market_test

import (
	"context"
	"reflect"
	"testing"

	"piyasa/access"
	"piyasa/domain/market"
	"piyasa/value"
)

// counting is a history that counts its reads of anything.
type counting struct {
	market.History
	reads int
}

// Bars implements market.History.
func (c *counting) Bars(ctx context.Context, r market.Resolution, spans []market.Span) ([][]*market.Bar, error) {
	if len(spans) > 0 {
		c.reads++
	}
	return c.History.Bars(ctx, r, spans)
}

// FirstBars implements market.History.
func (c *counting) FirstBars(ctx context.Context, r market.Resolution, ids []market.ID, since value.Instant) (map[market.ID]value.Instant, error) {
	c.reads++
	return c.History.FirstBars(ctx, r, ids, since)
}

// aFewDays is some history of every market, with holes in the pairs.
func aFewDays() memory {
	short := func(b market.Bar, r market.Resolution) market.Bar {
		b.Resolution = r
		return b
	}
	return memory{
		daily("bist:DMOST", "2026-03-15T21:00:00Z", "300.00"), daily("bist:DMOST", "2026-03-16T21:00:00Z", "301.00"), daily("bist:DMOST", "2026-03-17T21:00:00Z", "305.25"),
		daily("us:DMAP", "2026-03-16T00:00:00Z", "214.10"), daily("us:DMAP", "2026-03-17T00:00:00Z", "215"),
		daily("index:SPX", "2026-03-16T00:00:00Z", "5700"), daily("cmdty:PALM", "2026-03-16T00:00:00Z", "4125"), daily("cmdty:TEA", "2026-03-16T00:00:00Z", "2"),
		daily("crypto:1", "2026-03-16T00:00:00Z", "68000"), daily("crypto:2", "2026-03-17T00:00:00Z", "0.05"),
		daily("fx:USDTRY", "2026-03-15T21:00:00Z", "41.10"), daily("fx:EURTRY", "2026-03-16T21:00:00Z", "44.70"), daily("fx:USDMYR", "2026-03-15T21:00:00Z", "4.40"),
		short(daily("bist:DMOST", "2026-03-17T07:00:00Z", "304"), market.FiveMinutes), short(daily("fx:USDTRY", "2026-03-17T06:30:00Z", "41.15"), market.FiveMinutes),
		short(daily("index:SPX", "2026-03-17T14:00:00Z", "5710"), market.FiveMinutes), short(daily("cmdty:PALM", "2026-03-17T07:00:00Z", "4130"), market.FiveMinutes),
	}
}

// A batch gives each instrument what it gets alone, problems included, with as
// many statements as one.
func TestABatchIsItsInstruments(t *testing.T) {
	history := &counting{History: aFewDays()}
	s, ctx := charts(history)
	var ids []string
	var instruments []*market.Instrument
	for _, id := range []market.ID{"crypto:1", "bist:DMOST", "us:DMAP", "cmdty:TEA", "index:SPX", "fx:EURTRY", "cmdty:PALM", "crypto:2", "fx:USDTRY"} {
		ids, instruments = append(ids, string(id)), append(instruments, s.ByID(id))
	}
	five, two := market.FiveMinutes, market.TwoHours
	for _, c := range []struct {
		args  market.SeriesArgs
		reads int
	}{
		{market.SeriesArgs{}, 1},
		{market.SeriesArgs{From: date("2026-03-17")}, 1},
		{market.SeriesArgs{Currency: to(market.TRY)}, 2},
		{market.SeriesArgs{Currency: to(market.USD), To: date("2026-03-17")}, 2},
		{market.SeriesArgs{Currency: to(market.EUR)}, 2},
		{market.SeriesArgs{Resolution: &five}, 1},
		{market.SeriesArgs{Resolution: &five, Currency: to(market.USD)}, 3},
		{market.SeriesArgs{Resolution: &two, Currency: to(market.TRY)}, 3},
		{market.SeriesArgs{From: date("2026-03-17"), To: date("2026-03-16")}, 0},
	} {
		history.reads = 0
		got, errs := s.CandlesOf(ctx, instruments, c.args)
		if history.reads > c.reads {
			t.Errorf("%+v: %d statements, want %d", c.args, history.reads, c.reads)
		}
		eod, eodErrs := s.EodOf(ctx, instruments, c.args)
		for i, id := range ids {
			want, err := s.Candles(ctx, id, c.args)
			if !reflect.DeepEqual(got[i], want) || kindOf(errs[i]) != kindOf(err) {
				t.Errorf("%s %+v: %+v, %v; alone %+v, %v", id, c.args, got[i], errs[i], want, err)
			}
			wantEod, err := s.Eod(ctx, id, c.args)
			if !reflect.DeepEqual(eod[i], wantEod) || kindOf(eodErrs[i]) != kindOf(err) {
				t.Errorf("eod of %s %+v: %+v, %v; alone %+v, %v", id, c.args, eod[i], eodErrs[i], wantEod, err)
			}
		}
	}
}

// What each series costs is charged once it is there.
func TestCostOfABatch(t *testing.T) {
	s, _ := charts(aFewDays())
	instruments := []*market.Instrument{s.ByID("bist:DMOST"), s.ByID("cmdty:TEA"), s.ByID("us:DMAP")}
	ctx, call := with(access.History)
	if _, errs := s.CandlesOf(ctx, instruments, market.SeriesArgs{Currency: to(market.EUR)}); kindOf(errs[1]) != "fx-rate-unavailable" || call.Units() != 2 {
		t.Errorf("%v: %d units", errs, call.Units())
	}
	ctx, call = with(access.QuotesBIST)
	if series, errs := s.CandlesOf(ctx, instruments, market.SeriesArgs{}); kindOf(errs[2]) != "missing-scope" || series[2] != nil || call.Units() != 0 {
		t.Errorf("%v: %d units", errs, call.Units())
	}
}

// The root takes ids as the batch of quotes does, and refuses all or nothing.
func TestCandlesBatch(t *testing.T) {
	s, _ := charts(aFewDays())
	five, two := market.FiveMinutes, market.TwoHours
	for _, c := range []struct {
		ids  []string
		args market.SeriesArgs
		want string // the ids of the series, the misses, or the problem
	}{
		{[]string{"us:dmap", "bist:NOPE", "bist:DMOST", "us:DMAP", "bist:NOPE"}, market.SeriesArgs{}, "us:DMAP bist:DMOST !bist:NOPE"},
		{[]string{"foo:BAR"}, market.SeriesArgs{}, "!foo:BAR"},
		{nil, market.SeriesArgs{}, "invalid-parameter"},
		{make([]string, 21), market.SeriesArgs{}, "too-many-values"},
		{make([]string, 20), market.SeriesArgs{}, "!"},
		{[]string{"bist:DMOST", "us:NOPE"}, market.SeriesArgs{Resolution: &five}, "unsupported-resolution"},
		{[]string{"bist:DMOST", "us:DMAP"}, market.SeriesArgs{Resolution: &five, From: date("2026-03-02"), To: date("2026-03-01")}, "unsupported-resolution"},
		{[]string{"bist:NOPE", "us:DMAP"}, market.SeriesArgs{From: date("2026-03-02"), To: date("2026-03-01")}, "inverted-window"},
		{[]string{"crypto:1"}, market.SeriesArgs{Resolution: &two, From: date("2025-01-01")}, "window-too-long"},
		{[]string{"bist:DMOST", "cmdty:TEA"}, market.SeriesArgs{Currency: to(market.EUR)}, "fx-rate-unavailable"},
	} {
		ctx, call := with(access.History)
		batch, err := s.CandlesBatch(ctx, c.ids, c.args)
		got, units := kindOf(err), int64(0)
		if err == nil {
			for _, series := range batch.Series {
				got += " " + string(series.InstrumentID)
			}
			for _, n := range batch.NotFound {
				got += " !" + n.ID
			}
			got, units = got[1:], int64(batch.Count)
		}
		if got != c.want || call.Units() != units {
			t.Errorf("%q %+v: %s for %d units, want %s", c.ids, c.args, got, call.Units(), c.want)
		}
	}
}

// What is not shown is not used either: neither a 5m bar from before the kept
// week, nor a day from before the documented start.
func TestRatesAreOfWhatIsShown(t *testing.T) {
	bar := func(id market.ID, r market.Resolution, at, closing string) market.Bar {
		b := daily(id, at, closing)
		b.Resolution = r
		return b
	}
	s, ctx := charts(memory{
		bar("crypto:1", market.TwoHours, "2026-03-11T01:00:00Z", "100"), bar("crypto:1", market.TwoHours, "2026-03-12T01:00:00Z", "100"),
		bar("fx:USDTRY", market.FiveMinutes, "2026-03-11T00:55:00Z", "40"), bar("fx:USDTRY", market.FiveMinutes, "2026-03-12T00:55:00Z", "41"),
		daily("fx:USDTRY", "2026-03-10T21:00:00Z", "40.50"),
	})
	two := market.TwoHours
	series, err := s.Candles(ctx, "crypto:1", market.SeriesArgs{Resolution: &two, From: date("2026-03-11"), Currency: to(market.TRY)})
	if err != nil || len(series.Bars) != 2 || series.Bars[0].FxRate.String() != "40.5" || series.Bars[1].FxRate.String() != "41" {
		t.Errorf("%+v, %v", series, err)
	}
}
