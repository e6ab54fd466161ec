package market_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

// everything is a record of an instrument that states every member.
func everything(id market.ID, asset market.AssetType) *market.Instrument {
	in := record(id)
	in.AssetType = asset
	v := reflect.ValueOf(in).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); {
		case f.Type() == reflect.TypeFor[*string]():
			f.Set(reflect.ValueOf(new("x")))
		case f.Kind() == reflect.Pointer && f.Type().Elem().Kind() == reflect.Bool:
			f.Set(reflect.ValueOf(new(true)))
		case f.Kind() == reflect.Pointer && f.Type().Elem().Kind() == reflect.Int:
			f.Set(reflect.ValueOf(new(7)))
		}
	}
	in.Session, in.CoverageFrom, in.LogoURL = sessionIn("Europe/Istanbul", "10:00", "18:00"), value.MustDate("1999-01-04"), nil
	return in
}

// 2.4: what an instrument's record states that does not apply to it is null in
// the catalog. The members of every record are those that stay.
func TestMembersThatApply(t *testing.T) {
	for _, c := range []struct {
		id    market.ID
		asset market.AssetType
		stay  string
	}{
		{"bist:DMOST", market.Stock, "segment price_mechanism"},
		{"bist:DMALTF", market.ETF, "fund_code founder category underlying_index is_participation price_mechanism"},
		{"crypto:1", market.Coin, "ticker cmc_id slug"},
		{"fx:USDTRY", market.Pair, ""},
		{"index:SPX", market.WorldIndex, "region"},
		{"cmdty:XAU", market.Commodity, "unit category"},
		{"us:DMAP", market.Stock, "segment sector sector_code"},
		{"us:DMETF", market.ETF, "founder category underlying_index is_participation sector sector_code"},
		{"fund:DMF", market.FundUnit, "founder category is_participation"},
	} {
		d := newFixture()
		stored := everything(c.id, c.asset)
		before := *stored
		d.Live.PutCatalog([]*market.Instrument{stored}, nil)
		shown, err := d.Instrument(calls.Anyone(), string(c.id))
		need.NoError(t, err)
		stay := append(strings.Fields(c.stay), "source", "session", "delay", "isin,omitempty")
		v, old := reflect.ValueOf(shown).Elem(), reflect.ValueOf(stored).Elem()
		for i := range v.NumField() {
			f, name := v.Field(i), v.Type().Field(i).Tag.Get("json")
			if f.Kind() != reflect.Pointer || name == "logo_url" || name == "adjustment,omitempty" { // no members of its record
				continue
			}
			switch applies := slices.Contains(stay, name); {
			case applies && f.Pointer() != old.Field(i).Pointer():
				t.Errorf("%s %s: %s applies, and is not what came", c.id, c.asset, name)
			case !applies && !f.IsNil():
				t.Errorf("%s %s: %s does not apply, and is shown", c.id, c.asset, name)
			}
		}
		if *stored != before {
			t.Errorf("%s: the stored record was changed", c.id)
		}
	}
}

// CT-16: history starts at the record's date or the documented start of the
// market, whichever is later.
func TestCoverageFrom(t *testing.T) {
	for _, c := range []struct {
		id           market.ID
		stated, want string
	}{
		{"fx:USDTRY", "1999-01-04", "2020-01-01"},
		{"fx:USDTRY", "2021-05-06", "2021-05-06"},
		{"fx:USDTRY", "", "2020-01-01"},
		{"index:SPX", "1965-12-31", "2020-01-01"},
		{"index:SPX", "", "2020-01-01"},
		{"cmdty:XAU", "2000-08-30", "2020-01-01"},
		{"cmdty:XAU", "", "2020-01-01"},
		{"crypto:1", "2013-04-29", "2025-04-05"},
		{"crypto:1", "2025-06-01", "2025-06-01"},
		{"crypto:1", "", ""},
		{"bist:DMOST", "2019-06-03", "2019-06-03"},
		{"bist:DMOST", "", ""},
		{"us:DMAP", "", ""},
		{"fund:DMF", "", ""},
	} {
		d := newFixture()
		d.Live.PutCatalog([]*market.Instrument{record(c.id, func(in *market.Instrument) {
			if c.stated != "" {
				in.CoverageFrom = value.MustDate(c.stated)
			}
		})}, nil)
		if in, err := d.Instrument(calls.Anyone(), string(c.id)); err != nil || in.CoverageFrom.String() != c.want {
			t.Errorf("%s from %q: %v, %v, want %q", c.id, c.stated, in, err, c.want)
		}
	}
}

// 2.2: what the feed of pairs does not send is null, never 0.
func TestZerosOfPairs(t *testing.T) {
	d := filled()
	for _, id := range []market.ID{"fx:USDTRY", "bist:DMOST", "cmdty:XAU"} {
		o := full(id)
		o.PrevClose, o.Volume, o.Turnover, o.Change = dec("0"), dec("0.00"), dec("0"), dec("0")
		d.Live.PutQuotes([]*market.Observation{o})
		q, err := d.Quote(calls.Anyone(), string(id), nil)
		need.NoError(t, err)
		want := "0 0.00 0 0"
		if id.Market() == market.FX {
			want = "   0"
		}
		if got := fmt.Sprintf("%s %s %s %s", q.PrevClose, q.Volume, q.Turnover, q.Change); got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
	b := daily("fx:USDTRY", "2026-03-16T21:00:00Z", "41")
	b.Volume, b.Turnover = dec("0"), dec("0")
	s, ctx := charts(memory{b})
	series, err := s.Candles(ctx, "fx:USDTRY", market.SeriesArgs{})
	if err != nil || len(series.Bars()) != 1 || !series.Bars()[0].Volume.IsNull() || !series.Bars()[0].Turnover.IsNull() {
		t.Errorf("%+v, %v", series, err)
	}
}
