package db_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/kap"
	"piyasa/internal/attachment"
	"piyasa/internal/value"
)

// someOrigin is a code, with or without others who have had it, or a company.
var someOrigin = rapid.SampledFrom(append(under(fewCodes...), kap.Origin{Code: "A1", Not: []string{"K1"}},
	kap.Origin{Code: "B1", Not: []string{"K1", "K2"}}, kap.Origin{CompanyID: "K1"}, kap.Origin{CompanyID: "K9"}))

// What is read together is what is read one by one.
func TestDisclosuresReadTogether(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, url string) {
		s, empty := open(t, url), emptying(t, url)
		rapid.Check(t, func(t *rapid.T) {
			empty(t)
			known := newFilings(t, s)
			for range rapid.IntRange(1, 3).Draw(t, "batches") {
				records := recordsOf(t, known, 20)
				for _, r := range records {
					if rapid.Bool().Draw(t, "has parts") {
						r.Attachments = []attachment.Document{{Name: fmt.Sprint(r.DisclosureIndex), Location: "/x"}}
						r.Body = &kap.Content{SourceFormat: "html", FileType: "x", Content: []byte(fmt.Sprintf(`"%d"`, r.DisclosureIndex))}
					}
				}
				known.put(records, false)
				putDisclosures(t, s, false, records...)
			}
			of := rapid.SliceOfN(rapid.SliceOfN(someOrigin, 0, 3), 0, 5).Draw(t, "origins of each")
			first := rapid.IntRange(1, 8).Draw(t, "first")
			together := must[[][]*kap.Stored](t)(s.NewestDisclosures(background, of, first))
			for i, origins := range of {
				var alone []*kap.Stored
				if len(origins) > 0 {
					alone = must[[]*kap.Stored](t)(s.Disclosures(background, kap.Query{Of: &kap.Reach{Origins: origins}, Limit: first}))
				}
				if len(together[i])+len(alone) > 0 && !reflect.DeepEqual(together[i], alone) {
					t.Fatalf("newest %d of %v: %v, alone %v", first, origins, numbersOf(together[i]), numbersOf(alone))
				}
			}
			numbers := rapid.SliceOfN(rapid.IntRange(1, 60), 0, 30).Draw(t, "numbers")
			rows := must[map[int]*kap.Stored](t)(s.DisclosuresByNumber(background, numbers))
			records := must[map[int]*kap.Record](t)(s.DisclosureRecords(background, numbers))
			contents := must[map[int]*kap.Content](t)(s.Contents(background, numbers))
			for _, n := range numbers {
				want := known.byIndex[n]
				if want == nil {
					if rows[n] != nil || records[n] != nil || contents[n] != nil {
						t.Fatalf("%d is not stored", n)
					}
					continue
				}
				same(t, "row", &rows[n].Disclosure, &want.Disclosure)
				same(t, "content", contents[n], want.Body)
				without := *want.Record
				without.Seq = rows[n].Seq
				if without.Body != nil {
					without.Body = &kap.Content{SourceFormat: want.Body.SourceFormat, FileType: want.Body.FileType}
				}
				same(t, "record", records[n], &without)
			}
		})
	})
}

// Codes that do not fit into one statement take another.
func TestNewestOfManyCodes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		const companies = 500
		var of [][]kap.Origin
		var records []*kap.Record
		for i := range companies {
			a, b := fmt.Sprintf("A%03d", i), fmt.Sprintf("B%03d", i)
			of = append(of, under(a, b))
			for n, symbols := range [][]string{{a}, {a, b}, {b}} {
				records = append(records, disclosure(10*i+n+1, fmt.Sprintf("2026-03-%02dT06:00:00Z", 10+n), symbols...))
			}
		}
		putDisclosures(t, s, false, records...)
		newest := must[[][]*kap.Stored](t)(s.NewestDisclosures(background, of, 2))
		for i := range companies {
			if got, want := numbersOf(newest[i]), []int{10*i + 3, 10*i + 2}; !slices.Equal(got, want) {
				t.Fatalf("company %d: %v, want %v", i, got, want)
			}
		}
	})
}

// A range of time selects none without a time of publication, however many stand between
// those that have one.
func TestRangesOfTimePassOverTheUndated(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		n := 6000
		if testing.Short() {
			n = 1200
		}
		var records []*kap.Record
		var dated []int
		for i := 1; i <= n; i++ {
			at := ""
			if i == 1 || i == 2 || i == n/2 || i == n {
				at = fmt.Sprintf("2026-03-%02dT06:00:00Z", 1+i*20/n)
				dated = append(dated, i)
			}
			records = append(records, disclosure(i, at, "A1"))
			if i%2 == 0 {
				records[i-1].CompanyID = new("K1")
			}
		}
		putDisclosures(t, s, false, records...)
		for name, q := range map[string]kap.Query{
			"all":       {},
			"a type":    {Type: new(kap.ODA)},
			"a code":    {Of: &kap.Reach{Origins: under("A1")}},
			"a company": {Of: &kap.Reach{Origins: append(under("A1"), kap.Origin{CompanyID: "K1"})}},
			"many":      {Of: &kap.Reach{Origins: append(under(codes(120)...), kap.Origin{Code: "A1"})}},
		} {
			for limit := 1; limit <= len(dated)+1; limit++ {
				for _, ascending := range []bool{true, false} {
					q.From, q.Limit, q.Ascending = value.MustInstant("2026-01-01T00:00:00Z"), limit, ascending
					want := slices.Clone(dated)
					if !ascending {
						slices.Reverse(want)
					}
					want = want[:min(limit, len(want))]
					if got := numbersOf(must[[]*kap.Stored](t)(s.Disclosures(background, q))); !slices.Equal(got, want) {
						t.Errorf("%s, %d, ascending %t: %v, want %v", name, limit, ascending, got, want)
					}
				}
			}
		}
	})
}

func numbersOf(found []*kap.Stored) (numbers []int) {
	for _, d := range found {
		numbers = append(numbers, d.DisclosureIndex)
	}
	return numbers
}

var _ kap.Store = (*db.Store)(nil)
