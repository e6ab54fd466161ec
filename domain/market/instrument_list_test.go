package market_test

import (
	"fmt"
	"slices"
	"testing"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

// listed are the ids of the rows that pass a filter.
func listed(t *testing.T, d *fixture, f market.InstrumentFilter, limit *int) []string {
	t.Helper()
	list, err := d.Instruments(calls.Anyone(), f, limit)
	need.NoError(t, err)
	if list.Count != len(list.Instruments) {
		t.Errorf("count %d of %d rows", list.Count, len(list.Instruments))
	}
	return ids(list.Instruments)
}

// G-34: by market name, then symbol; coins by number.
func TestListingOrder(t *testing.T) {
	d := filled()
	d.Live.PutCatalog([]*market.Instrument{record("crypto:10"), record("crypto:9"), record("bist:A1CAP"), record("bist:ACSEL"),
		record("bist:A.B")}, nil)
	want := []string{
		"bist:A.B", "bist:A1CAP", "bist:ACSEL", "bist:DMALTF", "bist:DMBNK", "bist:DMOST",
		"cmdty:PALM", "cmdty:RAWX", "cmdty:XAU",
		"crypto:1", "crypto:2", "crypto:9", "crypto:10", "crypto:90001", "crypto:90002",
		"fund:DMF", "fund:DMX",
		"fx:EURTRY", "fx:EURUSD", "fx:USDMYR", "fx:USDTRY",
		"index:SPX",
		"us:DMAP", "us:DMX",
	}
	if got := listed(t, d, market.InstrumentFilter{}, nil); !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestListingFilters(t *testing.T) {
	d := filled()
	d.Live.PutCatalog([]*market.Instrument{
		record("bist:SISE", named("TÜRKİYE ŞİŞE VE CAM FABRİKALARI")), record("bist:ISCTR", named("Türkiye İş Bankası")),
		record("bist:KAGIT", named("Kâğıt Ilıca")),
		record("crypto:3", named("Istanbul"), coin("IST", "ıstanbul-coin")),
	}, nil)
	for _, c := range []struct {
		name   string
		market market.Market
		asset  string
		search string
		want   []string
	}{
		{"a market", market.FX, "", "", []string{"fx:EURTRY", "fx:EURUSD", "fx:USDMYR", "fx:USDTRY"}},
		{"a type", "", "ETF", "", []string{"bist:DMALTF"}},
		{"a type in lower case", "", "etf", "", []string{"bist:DMALTF"}},
		{"half a type", "", "ET", "", nil},
		{"more than a type", "", "ETFS", "", nil},
		{"a type in two markets", "", "stock", "dm", []string{"bist:DMBNK", "bist:DMOST", "us:DMAP", "us:DMX"}},
		{"market and type together", market.US, "STOCK", "", []string{"us:DMAP", "us:DMX"}},
		{"market and type apart", market.Crypto, "STOCK", "", nil},
		{"part of a symbol", "", "", "dmal", []string{"bist:DMALTF"}},
		{"part of a name", "", "", "otomotiv", []string{"bist:DMOST"}},
		{"part of a coin's name", market.Crypto, "", "bit", []string{"crypto:1"}},
		{"a slug", "", "", "one-coin", []string{"crypto:90002"}},
		{"a ticker", market.Crypto, "", "btc", []string{"crypto:1"}},
		{"a coin's number", market.Crypto, "", "9000", []string{"crypto:90001", "crypto:90002"}},
		{"nothing", "", "", "no such thing", nil},
		{"no match over two members", "", "", "DMOSTDemo", nil},
		{"no match of the id", "", "", "bist:", nil},
		{"a special letter of patterns", "", "", "S&P", []string{"index:SPX"}},
		{"a pattern", "", "", ".*", nil},

		{"plain for Turkish", "", "", "altin", []string{"bist:DMALTF"}},
		{"Turkish for Turkish", "", "", "ALTIN", []string{"bist:DMALTF"}},
		{"dotless for dotted", "", "", "yatırım", []string{"bist:DMALTF"}},
		{"capital dotted", "", "", "YATIRIM FONU", []string{"bist:DMALTF"}},
		{"the word of many signs", "", "", "şişe", []string{"bist:SISE"}},
		{"the same, plain", "", "", "sise ve", []string{"bist:SISE"}},
		{"the same, capital", "", "", "ŞİŞE", []string{"bist:SISE"}},
		{"u and i", "", "", "TURKIYE", []string{"bist:ISCTR", "bist:SISE"}},
		{"g and a", "", "", "kagit", []string{"bist:KAGIT"}},
		{"capital I", "", "", "ILICA", []string{"bist:KAGIT"}},
		{"signs that are not there", "", "", "ÇĞÖ", nil},
		{"sign for plain", "", "", "bıtcoın", []string{"crypto:1"}},
		{"a slug with a dotless i", "", "", "istanbul-coin", []string{"crypto:3"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := market.InstrumentFilter{}
			if c.market != "" {
				f.Market = &c.market
			}
			if c.asset != "" {
				f.AssetType = &c.asset
			}
			if c.search != "" {
				f.Search = &c.search
			}
			if got := listed(t, d, f, nil); !slices.Equal(got, append([]string{}, c.want...)) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
	empty := ""
	if got := listed(t, d, market.InstrumentFilter{AssetType: &empty, Search: &empty}, nil); len(got) != d.Live.Snapshot().Catalog.Len() {
		t.Errorf("empty text narrows to %v", got)
	}
}

func TestListingLimit(t *testing.T) {
	d := newFixture()
	var many []*market.Instrument
	for i := range 5003 {
		many = append(many, record(market.ID(fmt.Sprintf("bist:S%04d", i))))
	}
	d.Live.PutCatalog(many, nil)
	for _, c := range []struct {
		limit *int
		rows  int
	}{{nil, 50}, {new(1), 1}, {new(50), 50}, {new(100), 100}, {new(5000), 5000}} {
		if got := listed(t, d, market.InstrumentFilter{}, c.limit); len(got) != c.rows || got[0] != "bist:S0000" {
			t.Errorf("%d rows, want %d", len(got), c.rows)
		}
	}
	for _, limit := range []int{0, -1, 5001, 1 << 40, -1 << 40} {
		ctx := calls.Caller()
		call := access.CallOf(ctx)
		_, err := d.Instruments(ctx, market.InstrumentFilter{}, &limit)
		e := calls.WantProblem(t, err, problem.InvalidParameter)
		if e.Members.Parameter != "limit" || *e.Members.Value != fmt.Sprint(limit) || call.Units() != 0 {
			t.Errorf("%d: %+v, %d units", limit, e.Members, call.Units())
		}
	}
}

// CT-22: the sizes are those of the whole catalog.
func TestMarketSizes(t *testing.T) {
	d := filled()
	want := []market.MarketSize{
		{Market: market.BIST, Size: 3}, {Market: market.Crypto, Size: 4}, {Market: market.FX, Size: 4}, {Market: market.Index, Size: 1},
		{Market: market.Cmdty, Size: 3}, {Market: market.US, Size: 2}, {Market: market.Fund, Size: 2},
	}
	for _, f := range []market.InstrumentFilter{{}, {Market: new(market.FX)}, {Search: new("no such thing")}} {
		list, err := d.Instruments(calls.Anyone(), f, new(2))
		if err != nil || !slices.Equal(list.MarketSizes, want) {
			t.Errorf("%+v: %v, %v", f, list.MarketSizes, err)
		}
	}
	empty := newFixture()
	list, err := empty.Instruments(calls.Anyone(), market.InstrumentFilter{}, nil)
	if err != nil || list.Instruments == nil || list.Count != 0 || len(list.MarketSizes) != 0 {
		t.Errorf("an empty catalog lists %+v, %v", list, err)
	}
}
