package market_test

import (
	"reflect"
	"testing"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/test/fixture/calls"
)

// A batch gives each instrument what it gets alone, problems included, with as
// many statements as one.
func TestABatchIsItsInstruments(t *testing.T) {
	history := &counting{History: aFewDays()}
	s, ctx := charts(history)
	var ids []string
	var instruments []*market.Instrument
	for _, id := range []market.ID{"crypto:1", "bist:DMOST", "us:DMAP", "cmdty:TEA", "index:SPX", "fx:EURTRY", "cmdty:PALM", "crypto:2",
		"fx:USDTRY"} {
		ids, instruments = append(ids, string(id)), append(instruments, s.ByID(id))
	}
	five, two := market.FiveMinutes, market.TwoHours
	for _, c := range []struct {
		args  market.SeriesArgs
		reads int
	}{
		{market.SeriesArgs{}, 1},
		{market.SeriesArgs{From: date("2026-03-17")}, 1},
		{market.SeriesArgs{Currency: to(market.TRY)}, 3},
		{market.SeriesArgs{Currency: to(market.USD), To: date("2026-03-17")}, 3},
		{market.SeriesArgs{Currency: to(market.EUR)}, 3},
		{market.SeriesArgs{Resolution: &five}, 1},
		{market.SeriesArgs{Resolution: &five, Currency: to(market.USD)}, 4},
		{market.SeriesArgs{Resolution: &two, Currency: to(market.TRY)}, 4},
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
			if !reflect.DeepEqual(got[i], want) || calls.KindOf(errs[i]) != calls.KindOf(err) {
				t.Errorf("%s %+v: %+v, %v; alone %+v, %v", id, c.args, got[i], errs[i], want, err)
			}
			wantEod, err := s.Eod(ctx, id, c.args)
			if !reflect.DeepEqual(eod[i], wantEod) || calls.KindOf(eodErrs[i]) != calls.KindOf(err) {
				t.Errorf("eod of %s %+v: %+v, %v; alone %+v, %v", id, c.args, eod[i], eodErrs[i], wantEod, err)
			}
		}
	}
}

// What each series costs is charged once it is there.
func TestCostOfABatch(t *testing.T) {
	s, _ := charts(aFewDays())
	instruments := []*market.Instrument{s.ByID("bist:DMOST"), s.ByID("cmdty:TEA"), s.ByID("us:DMAP")}
	ctx := calls.Caller(access.History)
	call := access.CallOf(ctx)
	if _, errs := s.CandlesOf(ctx, instruments,
		market.SeriesArgs{Currency: to(market.EUR)}); calls.KindOf(errs[1]) != "fx-rate-unavailable" || call.Units() != 2 {
		t.Errorf("%v: %d units", errs, call.Units())
	}
	ctx = calls.Caller(access.QuotesBIST)
	call = access.CallOf(ctx)
	if series, errs := s.CandlesOf(ctx, instruments, market.SeriesArgs{}); calls.KindOf(errs[2]) != "missing-scope" || series[2] != nil ||
		call.Units() != 0 {
		t.Errorf("%v: %d units", errs, call.Units())
	}
}
