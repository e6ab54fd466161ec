package db_test

import (
	"testing"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

func coin(slug *string) *market.Instrument {
	return &market.Instrument{
		InstrumentID: "crypto:2", Symbol: "2", Ticker: new("LTC"), Name: "Litecoin", Market: market.Crypto,
		AssetType: market.Coin, Currency: "USD", CmcID: new(2), Slug: slug,
	}
}

// A coin keeps its number whatever else of it changes, and a slug that it gives up is free.
func TestCoinIsRenamed(t *testing.T) {
	other := coin(new("litecoin"))
	other.InstrumentID, other.Symbol, other.CmcID = "crypto:3", "3", new(3)
	renamed := coin(new("dogecoin"))
	renamed.Name, renamed.Ticker = "Litecoin Classic", new("LTCC")
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		want(t, put(t, s, coin(nil), coin(new("litecoin")), coin(new("litecoin")), coin(new("Litecoin")), renamed, other),
			db.Stored, db.Stored, db.Unchanged, db.Stored, db.Stored, db.Stored)
		same(t, "stored", instrumentsAfter(t, s, 0), []*market.Instrument{renamed, other})
	})
}

// Slugs are for coins; elsewhere they may change.
func TestOtherSlugsMayChange(t *testing.T) {
	first, second := stock("THYAO"), stock("THYAO")
	first.Slug, second.Slug = new("a"), new("b")
	dbtest.Each(t, func(t *testing.T, url string) {
		want(t, put(t, open(t, url), first, second), db.Stored, db.Stored)
	})
}

// A changed instrument replaces the whole of the old one, members that became
// null included, and takes a new number.
func TestInstrumentIsReplaced(t *testing.T) {
	rich := stock("THYAO")
	rich.Sector, rich.Delay, rich.CoverageFrom = new("Ulaştırma"), new(900), value.MustDate("2019-06-03")
	rich.Session = &market.Session{Timezone: "Europe/Istanbul", Open: new(market.ClockTime("10:00"))}
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		want(t, put(t, s, rich, stock("AKBNK")), db.Stored, db.Stored)
		want(t, put(t, s, stock("THYAO")), db.Stored)
		same(t, "in the order of the last change", instrumentsAfter(t, s, 0), []*market.Instrument{stock("AKBNK"), stock("THYAO")})
		same(t, "after the first two", instrumentsAfter(t, s, 2), []*market.Instrument{stock("THYAO")})
		// There and back within one batch: both lines count, the last stays.
		want(t, put(t, s, rich, stock("THYAO")), db.Stored, db.Stored)
		want(t, put(t, s, stock("THYAO")), db.Unchanged)
	})
}

// The membership of a sector and of an index is replaced as a whole.
func TestMembershipIsReplaced(t *testing.T) {
	sector := func(members ...market.ID) *market.Sector {
		return &market.Sector{Code: "gida", Name: "Gıda", Members: members}
	}
	index := func(verified bool, members ...market.IndexMember) *market.BistIndex {
		return &market.BistIndex{Code: "XU030", Name: "BIST 30", Verified: verified, SyncedAt: value.MustInstant(t1), Members: members}
	}
	a, b := market.IndexMember{Symbol: "A"}, market.IndexMember{Symbol: "B"}
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		want(t, put(t, s, sector("bist:A", "bist:B"), index(true, a, b)), db.Stored, db.Stored)
		want(t, put(t, s, sector("bist:B", "bist:A"), index(true, b, a)), db.Stored, db.Stored) // the order counts
		want(t, put(t, s, sector("bist:C"), index(false, b)), db.Stored, db.Stored)
		want(t, put(t, s, sector("bist:C"), index(false, b)), db.Unchanged, db.Unchanged)
		same(t, "sectors", must[[]*market.Sector](t)(s.Sectors(background)), []*market.Sector{sector("bist:C")})
		same(t, "indices, unverified ones too", must[[]*market.BistIndex](t)(s.Indices(background)), []*market.BistIndex{index(false, b)})
		if head := heads(t, s)[db.FeedCatalog]; head != 6 {
			t.Errorf("head %d after six changes", head)
		}
	})
}

// G-36: holidays and half days, by market and date.
func TestTradingDays(t *testing.T) {
	day := func(m market.Market, date string, hours ...market.ClockTime) *market.TradingDay {
		d := &market.TradingDay{Market: m, Date: value.MustDate(date)}
		if len(hours) > 0 {
			d.Open, d.Close = &hours[0], &hours[1]
		}
		return d
	}
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		days := []*market.TradingDay{
			day(market.BIST, "2026-03-19", "10:00", "12:40"), day(market.BIST, "2026-03-20"),
			day(market.US, "2026-03-20", "09:30", "13:00"),
			day(market.BIST, "1999-12-31"), day(market.BIST, "2200-02-28"),
		}
		want(t, put(t, s, days[0], days[1], days[2], days[3], days[4]), db.Stored, db.Stored, db.Stored, db.Stored, db.Stored)
		want(t, put(t, s, days[4], days[2], days[1]), db.Unchanged, db.Unchanged, db.Unchanged)
		same(t, "days", tradingDaysAfter(t, s, 0), days)
		reopened := day(market.BIST, "2026-03-20", "10:00", "13:00")
		want(t, put(t, s, reopened), db.Stored)
		same(t, "the change", tradingDaysAfter(t, s, 5), []*market.TradingDay{reopened})
		same(t, "the other market of that day", tradingDaysAfter(t, s, 2)[0], days[2])
	})
}

func tradingDaysAfter(t *testing.T, s *db.Store, seq int64) []*market.TradingDay {
	t.Helper()
	return must[[]*market.TradingDay](t)(s.TradingDaysAfter(background, seq))
}

// A batch that fails at its last table leaves no trace in the first: no row,
// no number, no wake-up.
func TestBatchIsAllOrNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s, raw := open(t, url), dbtest.Raw(t, url)
		rename := func(from, to string) {
			t.Helper()
			if _, err := raw.Exec("ALTER TABLE " + from + " RENAME TO " + to); err != nil {
				t.Fatal(err)
			}
		}
		records := []any{stock("THYAO"), &market.Sector{Code: "s", Name: "S", Members: []market.ID{}}, price("bist:THYAO", t1, "1")}
		rename("observations", "elsewhere")
		b, _ := batch(t, records...)
		if err := s.Store(t.Context(), b); err == nil {
			t.Fatal("stored without a table")
		}
		rename("elsewhere", "observations")
		if got := instrumentsAfter(t, s, 0); len(got) > 0 {
			t.Errorf("instruments stayed: %s", encoded(got))
		}
		if got := quotesAfter(t, s, 0); len(got) > 0 {
			t.Errorf("quotes stayed: %s", encoded(got))
		}
		headsAre(t, s, 0, 0, 0)
		select {
		case <-s.Wake():
			t.Error("woken for nothing")
		default:
		}
		want(t, put(t, s, records...), db.Stored, db.Stored, db.Stored)
	})
}
