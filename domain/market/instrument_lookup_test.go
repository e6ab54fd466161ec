package market_test

import (
	"slices"
	"testing"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/test/fixture/calls"
)

func TestWatchlist(t *testing.T) {
	ctx := calls.Caller() // any key
	call := access.CallOf(ctx)
	got, err := filled().Watchlist(ctx, []string{"crypto:btc", "bist:NOPE", "bist:DMALT", "foo:BAR", "fund:DMA", "crypto:1", "bist:DMBNK"})
	if want := []string{"crypto:1", "-", "bist:DMALTF", "-", "-", "crypto:1", "bist:DMBNK"}; err != nil || !slices.Equal(ids(got), want) {
		t.Errorf("got %v, %v", ids(got), err)
	}
	if call.Units() != 1 {
		t.Errorf("costs %d", call.Units())
	}
}

func TestByID(t *testing.T) {
	d := filled()
	for id, found := range map[market.ID]bool{"bist:DMOST": true, "crypto:1": true, "bist:DMALT": false, "bist:dmost": false,
		"crypto:BTC": false, "fund:DMA": false, "": false} {
		if in := d.ByID(id); (in != nil) != found || found && in.InstrumentID != id {
			t.Errorf("%s: %v", id, in)
		}
	}
}

func TestParsedID(t *testing.T) {
	d := filled()
	btc := "BTC"
	for _, want := range []market.ParsedID{
		{Input: "crypto:btc", InstrumentID: "crypto:1", Market: market.Crypto, Symbol: "1", Ticker: &btc, AssetType: market.Coin},
		{Input: "bist:dmost", InstrumentID: "bist:DMOST", Market: market.BIST, Symbol: "DMOST", AssetType: market.Stock},
		{Input: "bist:DMALTF", InstrumentID: "bist:DMALTF", Market: market.BIST, Symbol: "DMALTF", AssetType: market.ETF},
		{Input: "us:DMX", InstrumentID: "us:DMX", Market: market.US, Symbol: "DMX", AssetType: market.Stock},
		{Input: "fund:DMX", InstrumentID: "fund:DMX", Market: market.Fund, Symbol: "DMX", AssetType: market.FundUnit},
	} {
		got, err := d.ParseID(calls.Anyone(), want.Input)
		if err != nil {
			t.Errorf("%s: %v", want.Input, err)
			continue
		}
		if (got.Ticker == nil) != (want.Ticker == nil) || got.Ticker != nil && *got.Ticker != *want.Ticker {
			t.Errorf("%s: ticker %v", want.Input, got.Ticker)
		}
		if got.Ticker = want.Ticker; *got != want {
			t.Errorf("%s: %+v", want.Input, got)
		}
	}
}

func TestOfCodes(t *testing.T) {
	live := market.NewLive()
	var catalog []*market.Instrument
	for _, id := range []market.ID{"bist:AAA", "fund:AAA", "bist:BBB", "fund:CCC", "us:DDD"} {
		catalog = append(catalog, &market.Instrument{InstrumentID: id, Symbol: id.Symbol(), Market: id.Market()})
	}
	live.PutCatalog(catalog, nil)
	s := &market.Service{Live: live}
	for _, c := range []struct {
		codes []string
		first *int
		want  []market.ID
	}{
		{[]string{"CCC", "AAA", "DDD", "NOPE", "BBB"}, nil, []market.ID{"fund:CCC", "bist:AAA", "bist:BBB"}},
		{[]string{"AAA", "AAA", "BBB"}, new(2), []market.ID{"bist:AAA", "bist:BBB"}},
		{[]string{"BBB", "AAA"}, new(1), []market.ID{"bist:BBB"}},
		{nil, new(100), []market.ID{}},
	} {
		found, err := s.OfCodes(c.codes, c.first)
		var ids []market.ID
		for _, in := range found {
			ids = append(ids, in.InstrumentID)
		}
		if err != nil || !slices.Equal(ids, c.want) || found == nil {
			t.Errorf("%v: %v, %v; want %v", c.codes, ids, err, c.want)
		}
	}
	for _, first := range []int{0, 101} {
		if _, err := s.OfCodes([]string{"AAA"}, &first); calls.KindOf(err) != "invalid-parameter" {
			t.Errorf("first %d: %v", first, err)
		}
	}
}
