package db_test

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/kap"
	"piyasa/internal/value"
)

// lines are of any figures and texts.
var lines = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) *kap.FilingLine {
	return &kap.FilingLine{
		Code: texts.Draw(t, "code"), Label: kap.Localized{TR: optional(texts).Draw(t, "tr"), EN: optional(texts).Draw(t, "en")},
		Value: figures.Draw(t, "value"), ValueType: rapid.SampledFrom([]string{"monetary", "per_share", "non_monetary"}).Draw(t, "type"),
	}
}), 0, 5)

// anyFilings state anything under a number.
func anyFilings(index int) *rapid.Generator[*kap.FilingRecord] {
	return rapid.Custom(func(t *rapid.T) *kap.FilingRecord {
		r := &kap.FilingRecord{Symbol: texts.Draw(t, "symbol"), Filing: kap.Filing{
			DisclosureIndex: index, Year: texts.Draw(t, "year"), Period: texts.Draw(t, "period"), EndDate: dates.Draw(t, "end_date"),
			Consolidation: rapid.SampledFrom([]string{"CS", "NC"}).Draw(t, "consolidation"), Currency: texts.Draw(t, "currency"),
			Template: texts.Draw(t, "template"), Tms29Applied: rapid.Bool().Draw(t, "tms29"),
			BalanceSheet: lines.Draw(t, "balance"), IncomeStatement: lines.Draw(t, "income"), CashFlow: lines.Draw(t, "cash"),
		}}
		if r.Tms29Applied {
			r.MeasuringMonth = value.MustMonth("2025-06")
		}
		return r
	})
}

func filingsOf(t rapid.TB, s *db.Store, numbers ...int) []*kap.Filing {
	t.Helper()
	found := must[[]*kap.Filing](t)(s.Filings(background, numbers))
	slices.SortFunc(found, func(a, b *kap.Filing) int { return cmp.Compare(a.DisclosureIndex, b.DisclosureIndex) })
	return found
}

func TestFilingsComeBackExactly(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s, round := open(t, url), 0
		rapid.Check(t, func(t *rapid.T) {
			round++
			r := anyFilings(round).Draw(t, "filing")
			want(t, put(t, s, r), db.Stored)
			same(t, "filing", filingsOf(t, s, round), []*kap.Filing{&r.Filing})
			want(t, put(t, s, r), db.Unchanged)
		})
	})
}

// filing returns a filing of a company with nothing in it.
func filing(index int, symbol string) *kap.FilingRecord {
	return &kap.FilingRecord{Symbol: symbol, Filing: kap.Filing{
		DisclosureIndex: index, Year: "2025", Period: "6 Months", EndDate: value.MustDate("2025-06-30"), Consolidation: "CS",
		Currency: "TRY", Template: "industrial",
		BalanceSheet: []*kap.FilingLine{}, IncomeStatement: []*kap.FilingLine{}, CashFlow: []*kap.FilingLine{},
	}}
}

// The newer line of a number replaces the older one.
func TestFilingsReplace(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s, next := open(t, url), filing(1, "DMTEK")
		next.Tms29Applied, next.MeasuringMonth = true, value.MustMonth("2025-06")
		want(t, put(t, s, filing(1, "DMOST"), filing(2, "DMOST"), filing(1, "DMOST")), db.Stored, db.Stored, db.Unchanged)
		want(t, put(t, s, next), db.Stored)
		same(t, "filings", filingsOf(t, s, 1, 2, 3), []*kap.Filing{&next.Filing, &filing(2, "DMOST").Filing})
		if n := heads(t, s)[db.FeedFilings]; n != 3 {
			t.Errorf("the head is %d", n)
		}
	})
}

// A filing is cancelled by a disclosure that says so, whichever comes first,
// and a cancellation stands for nothing itself.
func TestFilingSummaries(t *testing.T) {
	disclosed := func(index int, reason kap.Reason, related int) *kap.Record {
		r := disclosure(index, "")
		if r.Reason = &reason; related > 0 {
			r.RelatedIndex = &related
		}
		return r
	}
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		first := disclosed(10, kap.New, 0)
		first.PublishedAt = value.MustInstant("2025-08-11T15:00:00.500Z")
		putDisclosures(t, s, true, first, disclosed(20, kap.Cancelled, 12))
		put(t, s, filing(10, "DMOST"), filing(11, "DMOSR"), filing(12, "DMOST"), filing(13, "DMOST"), filing(14, "DMBNK"),
			filing(15, "DMOST"), filing(20, "DMOST"))
		putDisclosures(t, s, true, disclosed(21, kap.Cancelled, 13), disclosed(22, kap.Corrects, 15), disclosed(23, kap.Cancelled, 99))
		found := must[[]*kap.FilingSummary](t)(s.FilingSummaries(background, under("DMOST", "DMOSR")))
		slices.SortFunc(found, func(a, b *kap.FilingSummary) int { return cmp.Compare(a.DisclosureIndex, b.DisclosureIndex) })
		var expected []*kap.FilingSummary
		for seq, index := range map[int64]int{1: 10, 2: 11, 3: 12, 4: 13, 6: 15, 7: 20} {
			head := &kap.FilingSummary{DisclosureIndex: index, Seq: seq, Year: "2025", Period: "6 Months",
				EndDate: value.MustDate("2025-06-30"), Consolidation: kap.CS, Cancelled: index == 12 || index == 13 || index == 20}
			if index == 10 {
				head.PublishedAt = first.PublishedAt
			}
			expected = append(expected, head)
		}
		slices.SortFunc(expected, func(a, b *kap.FilingSummary) int { return cmp.Compare(a.DisclosureIndex, b.DisclosureIndex) })
		same(t, "heads", found, expected)
		if found := must[[]*kap.FilingSummary](t)(s.FilingSummaries(background, under("ZZZZZ"))); len(found) != 0 {
			t.Errorf("of no company: %s", encoded(found))
		}
	})
}
