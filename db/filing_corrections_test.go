package db_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"piyasa/account/access"
	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/kap"
	"piyasa/domain/macro"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

// reported is what a test has stored of corrections.
type reported struct {
	disclosures map[int]*kap.Record
	filings     map[int]*kap.FilingRecord
}

// changes returns what a disclosure changes without cancelling it, or 0.
func (r reported) changes(index int) int {
	d := r.disclosures[index]
	if d == nil || d.RelatedIndex == nil || d.Reason != nil && *d.Reason == kap.Cancelled {
		return 0
	}
	return *d.RelatedIndex
}

// filing returns the nearest filing that a disclosure changes, or 0.
func (r reported) filing(index int) int {
	at := r.changes(index)
	for range 20 {
		if r.filings[at] != nil {
			return at
		}
		at = r.changes(at)
	}
	return 0
}

// versions returns the numbers of a filing and of everything that corrections join with it.
func (r reported) versions(index int) map[int]bool {
	all := map[int]bool{index: true}
	for n := 0; n < len(all); {
		n = len(all)
		for other := range r.filings {
			if earlier := r.filing(other); earlier > 0 && (all[other] || all[earlier]) {
				all[other], all[earlier] = true, true
			}
		}
	}
	return all
}

func (r reported) cancelled(index int) bool {
	for n, d := range r.disclosures {
		if d.Reason != nil && *d.Reason == kap.Cancelled && (n == index || d.RelatedIndex != nil && *d.RelatedIndex == index) {
			return true
		}
	}
	return false
}

// listed returns which filing stands for each period, by end date and length.
func (r reported) listed(of kap.Consolidation, lengths map[string]int) []int {
	best := map[[2]string]int{}
	rank := func(index int) int {
		own := kap.Consolidation(r.filings[index].Consolidation)
		preferred := map[kap.Consolidation]kap.Consolidation{kap.Consolidated: kap.CS, kap.Solo: kap.NC}[of]
		switch {
		case own == of || own == preferred:
			return 2
		case preferred != "":
			return 1
		}
		return 0
	}
	for index, f := range r.filings {
		stands := !r.cancelled(index) && rank(index) > 0
		for other := range r.versions(index) {
			stands = stands && (other <= index || r.cancelled(other))
		}
		period := [2]string{f.EndDate.String(), fmt.Sprintf("%02d", lengths[f.Period])}
		if b := best[period]; stands && (b == 0 || cmp.Or(cmp.Compare(rank(index), rank(b)), cmp.Compare(index, b)) > 0) {
			best[period] = index
		}
	}
	periods := slices.SortedFunc(maps.Keys(best), func(a, b [2]string) int {
		return cmp.Or(cmp.Compare(b[0], a[0]), cmp.Compare(b[1], a[1]))
	})
	list := []int{}
	for _, p := range periods {
		list = append(list, best[p])
	}
	return list
}

// Chains of corrections and cancellations of any periods and consolidations, over disclosures
// with and without filings, in any order: at each moment, one version of a filing stands.
func TestAnyCorrectionsOfFilings(t *testing.T) {
	lengths := map[string]int{"3 Aylık": 3, "6 Aylık": 6, "6 Months": 6, "9 AYLIK": 9, "Yıllık": 12, "12 months": 12, "Annual": 12}
	labels := slices.Sorted(maps.Keys(lengths))
	dbtest.Each(t, func(t *testing.T, url string) {
		s, round := open(t, url), 0
		service := &kap.Service{Store: s, Live: kap.NewLive(), Inflation: macro.NewLive(), Signer: access.Signer{Secret: []byte("secret")}}
		rapid.Check(t, func(t *rapid.T) {
			round++
			code, first := fmt.Sprintf("C%d", round), round*100
			r := reported{map[int]*kap.Record{}, map[int]*kap.FilingRecord{}}
			var records []any
			for i := range rapid.IntRange(1, 7).Draw(t, "disclosures") {
				index := first + i
				if rapid.IntRange(0, 5).Draw(t, "disclosed") > 0 {
					d := disclosure(index, "", code)
					reasons := []kap.Reason{"", kap.New, kap.Update, kap.Corrects, kap.Corrects, kap.Cancelled}
					if reason := rapid.SampledFrom(reasons).Draw(t, "reason"); reason != "" {
						d.Reason = &reason
					}
					if related := rapid.IntRange(-2, 8).Draw(t, "related"); related >= 0 {
						d.RelatedIndex = new(first + related)
					}
					d.Normalize()
					records = append(records, d)
				}
				if rapid.IntRange(0, 4).Draw(t, "filed") > 0 {
					f := filing(index, code)
					f.Period = rapid.SampledFrom(labels).Draw(t, "period")
					f.EndDate = value.MustDate(rapid.SampledFrom([]string{"2025-06-30", "2025-12-31"}).Draw(t, "end"))
					f.Consolidation = rapid.SampledFrom([]string{"CS", "NC"}).Draw(t, "consolidation")
					records = append(records, f)
				}
			}
			check := func() {
				of := rapid.SampledFrom([]kap.Consolidation{kap.Consolidated, kap.Solo, kap.CS, kap.NC}).Draw(t, "of")
				page, err := service.Filings(calls.Caller(access.KAP), code, kap.FilingArgs{Consolidation: &of}, nil, new(12))
				if len(r.filings) == 0 {
					return
				}
				need.NoError(t, err)
				got := []int{}
				for _, f := range page.Items {
					got = append(got, f.DisclosureIndex)
				}
				if want := r.listed(of, lengths); !slices.Equal(got, want) {
					t.Fatalf("%s: %v, want %v", of, got, want)
				}
			}
			for _, record := range rapid.Permutation(records).Draw(t, "order") {
				put(t, s, record)
				switch record := record.(type) {
				case *kap.Record:
					r.disclosures[record.DisclosureIndex] = record
				case *kap.FilingRecord:
					r.filings[record.DisclosureIndex] = record
				}
				check()
			}
			for _, index := range slices.Sorted(maps.Keys(r.filings)) {
				if rapid.IntRange(0, 3).Draw(t, "withdrawn") > 0 {
					continue
				}
				b, out := new(db.Batch), db.Outcome{}
				db.Withdraw(b, r.filings[index], &out)
				need.NoError(t, s.Store(background, b))
				delete(r.filings, index)
				check()
			}
		})
	})
}
