package db_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// anyDividends state anything about a key.
func anyDividends(id market.ID, exDate value.Date, installment *int) *rapid.Generator[*fundamentals.DividendRecord] {
	return rapid.Custom(func(t *rapid.T) *fundamentals.DividendRecord {
		r := &fundamentals.DividendRecord{
			InstrumentID: id, ExDate: exDate, Installment: installment, Currency: texts.Draw(t, "currency"),
			GrossPerShare: figures.Draw(t, "gross"), NetPerShare: figures.Draw(t, "net"),
		}
		if rapid.Bool().Draw(t, "dated") {
			r.PaymentDate = dates.Draw(t, "payment_date")
		}
		return r
	})
}

// dividend returns one without amounts; installment 0 is paid at once, and payment
// may be empty.
func dividend(id, exDate, payment string, installment int) *fundamentals.DividendRecord {
	r := &fundamentals.DividendRecord{InstrumentID: market.ID(id), ExDate: value.MustDate(exDate), Currency: "TRY"}
	if payment != "" {
		r.PaymentDate = value.MustDate(payment)
	}
	if installment > 0 {
		r.Installment = &installment
	}
	return r
}

// listing returns an instrument with nothing but what the list of dividends asks of
// it.
func listing(id market.ID, sort market.AssetType) *market.Instrument {
	return &market.Instrument{InstrumentID: id, Symbol: id.Symbol(), Name: "x", Market: id.Market(), AssetType: sort, Currency: "TRY"}
}

func dividendsOf(t rapid.TB, s *db.Store, first int, ids ...market.ID) map[market.ID][]*fundamentals.DividendRecord {
	t.Helper()
	return must[map[market.ID][]*fundamentals.DividendRecord](t)(s.Dividends(background, ids, first))
}

func TestDividendsComeBackExactly(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s, round := open(t, url), 0
		rapid.Check(t, func(t *rapid.T) {
			round++
			id := market.ID(fmt.Sprintf("bist:S%d", round))
			r := anyDividends(id, dates.Draw(t, "ex_date"), optional(rapid.IntRange(1, 100)).Draw(t, "installment")).Draw(t, "dividend")
			before := heads(t, s)[db.FeedDividends]
			want(t, put(t, s, r), db.Stored)
			same(t, "dividends", dividendsOf(t, s, 1, id)[id], []*fundamentals.DividendRecord{r})
			want(t, put(t, s, r), db.Unchanged)
			same(t, "head", heads(t, s)[db.FeedDividends], before+1)
		})
	})
}

// The installment is part of the key, and none is a number of its own.
func TestDividendsReplace(t *testing.T) {
	paid := func(r *fundamentals.DividendRecord, gross string) *fundamentals.DividendRecord {
		r.GrossPerShare = value.MustDecimal(gross)
		return r
	}
	whole := func(gross string) *fundamentals.DividendRecord {
		return paid(dividend("bist:A", "2026-04-10", "", 0), gross)
	}
	first := func(gross string) *fundamentals.DividendRecord {
		return paid(dividend("bist:A", "2026-04-10", "", 1), gross)
	}
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		want(t, put(t, s, whole("1"), first("2"), whole("1"), whole("1.0")), db.Stored, db.Stored, db.Unchanged, db.Stored)
		want(t, put(t, s, first("3"), whole("1.0"), dividend("bist:A", "2026-04-11", "", 1)), db.Stored, db.Unchanged, db.Stored)
		same(t, "dividends", dividendsOf(t, s, 9, "bist:A")["bist:A"],
			[]*fundamentals.DividendRecord{dividend("bist:A", "2026-04-11", "", 1), first("3"), whole("1.0")})
	})
}

// Of several instruments at once: each its newest, as a slow look finds them.
func TestDividendsOfSeveral(t *testing.T) {
	t.Parallel()
	ids := []market.ID{"bist:A", "bist:B", "us:A", "bist:NONE"}
	dbtest.Each(t, func(t *testing.T, url string) {
		s, all := open(t, url), map[string]*fundamentals.DividendRecord{}
		kept := fundamentals.KeepDividends(s, func() bool { return true })
		kept.Forget(heads(t, s)[db.FeedDividends])
		rapid.Check(t, func(t *rapid.T) {
			before := heads(t, s)[db.FeedDividends]
			for range rapid.IntRange(0, 5).Draw(t, "new") {
				r := dividend(string(rapid.SampledFrom(ids[:3]).Draw(t, "id")), "2026-03-18", "",
					rapid.IntRange(0, 2).Draw(t, "installment"))
				r.ExDate = r.ExDate.AddDays(rapid.IntRange(0, 5).Draw(t, "day"))
				all[fmt.Sprint(r.InstrumentID, r.ExDate, r.Number())] = r
				put(t, s, r)
			}
			asked := rapid.SliceOfDistinct(rapid.SampledFrom(ids), rapid.ID).Draw(t, "asked")
			first := rapid.IntRange(1, 12).Draw(t, "first")
			expected := map[market.ID][]*fundamentals.DividendRecord{}
			for _, r := range all {
				if slices.Contains(asked, r.InstrumentID) {
					expected[r.InstrumentID] = append(expected[r.InstrumentID], r)
				}
			}
			for id, rows := range expected {
				slices.SortFunc(rows, func(a, b *fundamentals.DividendRecord) int {
					return cmp.Or(cmp.Compare(b.ExDate.String(), a.ExDate.String()), cmp.Compare(b.Number(), a.Number()))
				})
				expected[id] = rows[:min(first, len(rows))]
			}
			same(t, "dividends", dividendsOf(t, s, first, asked...), expected)
			kept.Changed(heads(t, s)[db.FeedDividends], must[[]market.ID](t)(s.DividendsAfter(background, before)))
			same(t, "dividends in memory", must[map[market.ID][]*fundamentals.DividendRecord](t)(kept.Dividends(background, asked, first)),
				expected)
		})
	})
}

// The answer is that of a slow look at every dividend: with any filter, in
// pages of any size, with ids that collations would order otherwise, while
// instruments arrive.
func TestAnyDividendsInPages(t *testing.T) {
	sorts := map[market.ID]market.AssetType{
		"bist:A-B": market.Stock, "bist:AA": market.Stock, "bist:A.B": market.Stock, "bist:A_B": market.ETF, "bist:A0": market.Stock,
		"us:AA": market.Stock, "us:B$": market.ETF, "fund:AA": market.FundUnit, "bist:LATE": market.Stock,
	}
	ids := []market.ID{"bist:A-B", "bist:A.B", "bist:A0", "bist:AA", "bist:A_B", "bist:LATE", "fund:AA", "us:AA", "us:B$"}
	days := rapid.Custom(func(t *rapid.T) value.Date {
		return value.MustDate("2026-03-18").AddDays(rapid.IntRange(0, 6).Draw(t, "day"))
	})
	dbtest.Each(t, func(t *testing.T, url string) {
		s, all, known := open(t, url), map[string]*fundamentals.DividendRecord{}, map[market.ID]bool{}
		rapid.Check(t, func(t *rapid.T) {
			for range rapid.IntRange(0, 4).Draw(t, "new") {
				r := dividend(string(rapid.SampledFrom(ids).Draw(t, "id")), "2026-03-18", "", rapid.IntRange(0, 3).Draw(t, "installment"))
				if r.ExDate = days.Draw(t, "ex"); rapid.Bool().Draw(t, "dated") {
					r.PaymentDate = days.Draw(t, "payment")
				}
				all[fmt.Sprint(r.InstrumentID, r.ExDate, r.Number())] = r
				put(t, s, r)
			}
			if id := rapid.SampledFrom(ids).Draw(t, "instrument"); rapid.IntRange(0, 3).Draw(t, "arrives") == 0 {
				known[id] = true
				put(t, s, listing(id, sorts[id]))
			}
			q := fundamentals.DividendQuery{
				Market: rapid.SampledFrom([]market.Market{market.BIST, market.US}).Draw(t, "market"),
				DateField: rapid.SampledFrom([]fundamentals.DividendDateField{fundamentals.ByExDate,
					fundamentals.ByPaymentDate}).Draw(t, "field"),
				From: days.Draw(t, "from"), To: days.Draw(t, "to"), Today: days.Draw(t, "today"),
				Status: rapid.Ptr(rapid.SampledFrom([]fundamentals.DividendStatus{fundamentals.Upcoming, fundamentals.Paid}),
					true).Draw(t, "status"),
				Limit: rapid.IntRange(1, 7).Draw(t, "limit"),
			}
			if rapid.Bool().Draw(t, "stocks") {
				q.AssetType = new(market.Stock)
			}
			if rapid.Bool().Draw(t, "some") {
				q.Instruments = rapid.SliceOfN(rapid.SampledFrom(ids), 0, 4).Draw(t, "instruments")
			}
			expected := []*fundamentals.DividendRecord{}
			for _, r := range all {
				date, settled := r.ExDate, r.PaymentDate
				if settled.IsNull() {
					settled = r.ExDate
				}
				if q.DateField == fundamentals.ByPaymentDate {
					date = r.PaymentDate
				}
				if known[r.InstrumentID] && r.InstrumentID.Market() == q.Market &&
					(q.AssetType == nil || sorts[r.InstrumentID] == *q.AssetType) &&
					(q.Instruments == nil || slices.Contains(q.Instruments, r.InstrumentID)) &&
					!date.IsNull() && !date.Before(q.From) && !q.To.Before(date) &&
					(q.Status == nil || (*q.Status == fundamentals.Upcoming) == q.Today.Before(settled)) {
					expected = append(expected, r)
				}
			}
			slices.SortFunc(expected, func(a, b *fundamentals.DividendRecord) int {
				return comparePlaces(dividendPlace(q, a), dividendPlace(q, b))
			})
			got := []*fundamentals.DividendRecord{}
			for {
				page := must[[]*fundamentals.StoredDividend](t)(s.DividendPage(background, q))
				for _, stored := range page {
					got = append(got, &stored.DividendRecord)
				}
				if len(page) < q.Limit {
					break
				}
				q.After = new(dividendPlace(q, got[len(got)-1]))
			}
			same(t, "dividends", got, expected)
		})
	})
}

// dividendPlace returns where r stands in the list of q.
func dividendPlace(q fundamentals.DividendQuery, r *fundamentals.DividendRecord) fundamentals.DividendPlace {
	date := r.ExDate
	if q.DateField == fundamentals.ByPaymentDate {
		date = r.PaymentDate
	}
	return fundamentals.DividendPlace{Date: date, InstrumentID: r.InstrumentID, Installment: r.Number(), ExDate: r.ExDate,
		Occasion: r.Occasion()}
}

// comparePlaces orders places as the list does.
func comparePlaces(a, b fundamentals.DividendPlace) int {
	return cmp.Or(cmp.Compare(a.Date.String(), b.Date.String()), cmp.Compare(a.InstrumentID, b.InstrumentID),
		cmp.Compare(a.Installment, b.Installment), cmp.Compare(a.ExDate.String(), b.ExDate.String()), cmp.Compare(a.Occasion, b.Occasion))
}
