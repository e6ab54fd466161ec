package db_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// G-09, G-10: what is stored comes back digit for digit, from both tables that
// keep it.
func TestObservationsComeBackExactly(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, url string) {
		s, round := open(t, url), 0
		rapid.Check(t, func(t *rapid.T) {
			round++
			id := market.ID(fmt.Sprintf("bist:S%d", round))
			o, before := anyObservations(id).Draw(t, "observation"), heads(t, s)[db.FeedQuotes]
			want(t, put(t, s, o), db.Stored)
			quote := *o
			quote.LeaveOut()
			same(t, "quote", quotesAfter(t, s, before), []*market.Observation{&quote})
			same(t, "observations", observations(t, s, id), []*market.Observation{o})
			want(t, put(t, s, o), db.Unchanged) // what came back is what was put in
		})
	})
}

func TestHardDecimalsAndInstantsComeBack(t *testing.T) {
	figures := []string{
		"0", "0.0", "0.000000000000000000000000000000", "-0.01", "-0.10", "305.20", "305.2", "100", "1000000", "1.0",
		"0.1", "0.30000000000000004", "9007199254740993", "123456789012345678.901234567800",
		"999999999999999999999999999999", "0.000000000000000000000000000001", "-999999999999999.999999999999999",
	}
	moments := []string{
		"1800-01-01T00:00:00Z", "1883-11-18T17:00:00.001Z", "1899-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z",
		"1970-01-01T00:00:00Z", "1970-01-01T00:00:00.001Z", "2000-02-29T12:00:00Z", "2016-12-31T23:59:59Z",
		"2026-03-29T01:00:00.120Z", "2038-01-19T03:14:08Z", "2200-12-31T23:59:59.999Z",
	}
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		for i, text := range figures {
			id := market.ID(fmt.Sprintf("bist:D%d", i))
			put(t, s, price(id, "2026-03-18T11:45:00Z", text))
			if got := observations(t, s, id)[0].Last.String(); got != text {
				t.Errorf("decimal %s came back as %s", text, got)
			}
		}
		for i, text := range moments {
			id := market.ID(fmt.Sprintf("bist:I%d", i))
			put(t, s, price(id, text, "1"))
			if got := observations(t, s, id)[0].AsOf.String(); got != text {
				t.Errorf("instant %s came back as %s", text, got)
			}
		}
		for _, o := range quotesAfter(t, s, 0) {
			stated := observations(t, s, o.InstrumentID)[0]
			stated.LeaveOut()
			same(t, "the quote", o, stated)
		}
	})
}

func TestInstrumentsComeBackExactly(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, url string) {
		s, round := open(t, url), 0
		rapid.Check(t, func(t *rapid.T) {
			round++
			in := anyInstruments(market.ID(fmt.Sprintf("bist:S%d", round))).Draw(t, "instrument")
			before := heads(t, s)[db.FeedCatalog]
			want(t, put(t, s, in), db.Stored)
			same(t, "instrument", instrumentsAfter(t, s, before), []*market.Instrument{in})
			want(t, put(t, s, in), db.Unchanged)
		})
	})
}

func instrumentsAfter(t rapid.TB, s *db.Store, seq int64) []*market.Instrument {
	t.Helper()
	return must[[]*market.Instrument](t)(s.InstrumentsAfter(background, seq))
}

// fullInstrument states every member.
func fullInstrument() *market.Instrument {
	return &market.Instrument{
		InstrumentID: "crypto:1", Symbol: "1", Ticker: new("BTC"), Name: "Bıtcoİn Şğüçö", Market: market.Crypto,
		AssetType: market.Coin, Currency: "USD", Source: new("borsa"),
		Session: &market.Session{Timezone: "Europe/Istanbul", Open: new(market.ClockTime("10:00")), Close: new(market.ClockTime("18:00")),
			AlwaysOpen: true},
		Delay: new(900), CoverageFrom: value.MustDate("2010-07-13"), Sector: new("Gıda, İçecek"),
		SectorCode: new("gida-icecek"), PriceMechanism: new("çağrı"), FundCode: new("GMŞ"), Founder: new("Demo Portföy"),
		Category: new("Altın"), UnderlyingIndex: new("XU030"), IsParticipation: new(false), Segment: new("YILDIZ"),
		Unit: new("ons"), Region: new("TR"), CmcID: new(1), Slug: new("bitcoin"), ISIN: new("US0378331005"),
	}
}

// CT-02: every member, and none of the optional ones.
func TestInstrumentWithAllAndWithNothing(t *testing.T) {
	full := fullInstrument()
	for i, v := 0, reflect.ValueOf(*full); i < v.NumField(); i++ {
		if f := v.Type().Field(i); f.IsExported() && f.Tag.Get("record") != "-" && f.Tag.Get("bun") != "-" && v.Field(i).IsZero() {
			t.Fatalf("this test does not set %s", f.Name)
		}
	}
	bare := stock("CIPLAK")
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		want(t, put(t, s, full, bare), db.Stored, db.Stored)
		same(t, "instruments", instrumentsAfter(t, s, 0), []*market.Instrument{full, bare})
		same(t, "after the first", instrumentsAfter(t, s, 1), []*market.Instrument{bare})
		want(t, put(t, s, fullInstrument(), stock("CIPLAK")), db.Unchanged, db.Unchanged)
	})
}

// Sectors and indices keep their members in the order stated, empty lists and
// null apart.
func TestMembershipsComeBackExactly(t *testing.T) {
	sectors := []*market.Sector{
		{Code: "a-bos", Name: "Boş", Members: []market.ID{}, Successors: []string{}},
		{Code: "b-gida", Name: "Gıda, İçecek", NameEn: new("Food, \"Drink\""), Members: []market.ID{"bist:ULKER", "us:KO", "bist:AEFES"}},
		{Code: "c-eski", Name: "Eski", Members: []market.ID{}, Successors: []string{"b-gida", "a-bos"}},
	}
	indices := []*market.BistIndex{
		{Code: "XU030", Name: "BIST 30", Verified: true, SyncedAt: value.MustInstant("2025-10-15T15:00:00.120Z"),
			Members: []market.IndexMember{
				{Symbol: "THYAO", Sector: new("Transportation & <Storage>")}, {Symbol: "AKBNK"}, {Symbol: "ĞÜŞİÖÇ", Sector: new("ığüşöç")},
			}},
		{Code: "XYENI", Name: "Yeni", Verified: false, SyncedAt: value.MustInstant("1999-12-31T21:59:59Z"),
			Members: []market.IndexMember{}},
	}
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		want(t, put(t, s, sectors[2], sectors[0], sectors[1], indices[1], indices[0]), slices.Repeat([]db.Result{db.Stored}, 5)...)
		same(t, "sectors by code", must[[]*market.Sector](t)(s.Sectors(background)), sectors)
		same(t, "indices by code", must[[]*market.BistIndex](t)(s.Indices(background)), indices)
		want(t, put(t, s, sectors[0], sectors[1], sectors[2], indices[0], indices[1]), slices.Repeat([]db.Result{db.Unchanged}, 5)...)
	})
}
