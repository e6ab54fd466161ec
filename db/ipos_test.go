package db_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/ipo"
	"piyasa/domain/market"
	"piyasa/internal/attachment"
	"piyasa/internal/value"
)

func offering(id, company, asOf string) *ipo.Record {
	r := &ipo.Record{Facts: ipo.Facts{ID: id, Company: company, Currency: "TRY"}}
	if asOf != "" {
		r.AsOf = value.MustInstant(asOf)
	}
	return r
}

func TestIPOsComeBackExactly(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s, round := open(t, url), 0
		rapid.Check(t, func(t *rapid.T) {
			round++
			r := offering(fmt.Sprintf("%d %s", round, texts.Draw(t, "id")), texts.Draw(t, "company"), "")
			for _, d := range []*value.Decimal{&r.Price, &r.PriceLow, &r.PriceHigh, &r.Lots, &r.OfferSize, &r.DiscountPct,
				&r.FreeFloatPct} {
				*d = figures.Draw(t, "figure")
			}
			for _, text := range []**string{&r.Symbol, &r.LeadUnderwriter, &r.DistributionMethod, &r.UseOfProceeds} {
				*text = optional(texts).Draw(t, "text")
			}
			if rapid.Bool().Draw(t, "dated") {
				r.DemandStart, r.DemandEnd, r.FirstTradeDate, r.AsOf = dates.Draw(t, "start"), dates.Draw(t, "end"), dates.Draw(t, "first"),
					instants.Draw(t, "as_of")
				r.InstrumentID = "bist:DMOST"
			}
			for range rapid.IntRange(0, 2).Draw(t, "documents") {
				r.Documents = append(r.Documents, attachment.Document{Name: texts.Draw(t, "name"),
					ContentType: optional(texts).Draw(t, "type"), SizeBytes: optional(rapid.IntRange(0, 1<<31-1)).Draw(t, "size"),
					Location: texts.Draw(t, "location")})
			}
			before := heads(t, s)[db.FeedIPOs]
			want(t, put(t, s, r), db.Stored)
			same(t, "offerings", must[[]*ipo.Record](t)(s.IPOsAfter(background, before)), []*ipo.Record{r})
			want(t, put(t, s, r), db.Unchanged)
		})
	})
}

// The newest line about an offering stands. Of two with the same as_of, or
// without, the later one does.
func TestIPOsReplace(t *testing.T) {
	const early, late = "2026-03-16T18:00:00Z", "2026-03-17T18:00:00Z"
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		want(t, put(t, s, offering("a", "1", late), offering("a", "2", early), offering("a", "1", late), offering("b", "1", "")), db.Stored,
			db.Stale, db.Unchanged, db.Stored)
		want(t, put(t, s, offering("a", "3", early), offering("a", "3", late), offering("b", "2", late), offering("b", "3", "")), db.Stale,
			db.Stored, db.Stored, db.Stored)
		found := must[[]*ipo.Record](t)(s.IPOsAfter(background, 0))
		slices.SortFunc(found, func(a, b *ipo.Record) int { return cmp.Compare(a.ID, b.ID) })
		same(t, "offerings", found, []*ipo.Record{offering("a", "3", late), offering("b", "3", "")})
	})
}

// The first daily bar with a close from a day on, of however many shares.
func TestFirstDays(t *testing.T) {
	bar := func(id, day, price string) *market.Bar {
		b := &market.Bar{InstrumentID: market.ID(id), Resolution: market.Day, T: value.MustDate(day).TurkeyStart()}
		if price != "" {
			b.Close = value.MustDecimal(price)
		}
		return b
	}
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		early := bar("bist:A", "2026-03-03", "1")
		early.Resolution = market.FiveMinutes
		put(t, s, bar("bist:A", "2020-01-02", "1"), early, bar("bist:A", "2026-03-04", ""), bar("bist:A", "2026-03-05", "0.10"),
			bar("bist:A", "2026-03-06", "2"), bar("bist:B", "2026-03-09", "3"))
		trades, wanted := []ipo.Trade{}, []string{}
		for _, c := range []struct{ id, from, want string }{
			{"bist:A", "2026-03-03", "2026-03-05"}, {"bist:A", "2019-01-01", "2020-01-02"}, {"bist:A", "2026-03-06", "2026-03-06"},
			{"bist:A", "2026-03-07", ""},
			{"bist:B", "2026-03-03", "2026-03-09"}, {"bist:C", "2026-03-03", ""},
		} {
			trades, wanted = append(trades, ipo.Trade{Share: market.ID(c.id), From: value.MustDate(c.from)}), append(wanted, c.want)
		}
		for range 6 { // more than fit into one statement
			trades, wanted = append(trades, trades...), append(wanted, wanted...)
		}
		found := must[[]value.Instant](t)(s.FirstDays(background, trades))
		if len(found) != len(wanted) {
			t.Fatalf("%d answers to %d", len(found), len(wanted))
		}
		for i, at := range found {
			if got := value.TurkeyDay(at); at.IsNull() != (wanted[i] == "") ||
				(wanted[i] != "" && (got.String() != wanted[i] || at != got.TurkeyStart())) {
				t.Fatalf("%+v: %s, want %q", trades[i], at, wanted[i])
			}
		}
		if none := must[[]value.Instant](t)(s.FirstDays(background, nil)); len(none) != 0 {
			t.Errorf("of nothing: %v", none)
		}
	})
}
