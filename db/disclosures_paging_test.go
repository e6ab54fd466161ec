package db_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"piyasa/db/dbtest"
	"piyasa/domain/kap"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// listFilter is a filter as clients write it, and what lets a row through.
type listFilter struct {
	kap.Filter
	order    *value.SortOrder
	name     string
	from, to string // the bounds, resolved; empty: open
}

// filters draws every combination of parameters.
var filters = rapid.Custom(func(t *rapid.T) listFilter {
	var f listFilter
	switch rapid.IntRange(0, 3).Draw(t, "codes") {
	case 1:
		f.Symbol = new(rapid.SampledFrom([]string{"A1", "bist:a2", "fund:B1", "C1", "ZZ"}).Draw(t, "symbol"))
	case 2:
		f.Symbols = rapid.SliceOfN(rapid.SampledFrom([]string{"A1", "bist:A3", "b1", "C1", "ZZ"}), 1, 5).Draw(t, "symbols")
	}
	f.CompanyID = rapid.SampledFrom([]*string{nil, nil, new("K1"), new("K9")}).Draw(t, "company")
	f.Type = rapid.SampledFrom([]*kap.Type{nil, nil, new(kap.ODA), new(kap.FON)}).Draw(t, "type")
	f.Class = rapid.SampledFrom([]*string{nil, nil, new("ODA"), new("Özel Durum")}).Draw(t, "class")
	f.Reason = rapid.SampledFrom([]*kap.Reason{nil, nil, new(kap.Corrects)}).Draw(t, "reason")
	f.order = rapid.SampledFrom([]*value.SortOrder{nil, new(value.Desc), new(value.Asc)}).Draw(t, "order")
	bounds := map[string][2]string{
		"2026-03-18":              {"2026-03-17T21:00:00Z", "2026-03-18T20:59:59.999Z"},
		"2026-03-18T09:00":        {"2026-03-18T06:00:00Z", "2026-03-18T06:00:00Z"},
		"2026-03-18T23:59:59.999": {"2026-03-18T20:59:59.999Z", "2026-03-18T20:59:59.999Z"},
	}
	texts := []string{"", "", "2026-03-18", "2026-03-18T09:00", "2026-03-18T23:59:59.999"}
	if text := rapid.SampledFrom(texts).Draw(t, "from"); text != "" {
		f.From, f.from = mustBound(text), bounds[text][0]
	}
	if text := rapid.SampledFrom(texts).Draw(t, "to"); text != "" && (f.from == "" || f.from <= bounds[text][1]) {
		f.To, f.to = mustBound(text), bounds[text][1]
	}
	f.name = fmt.Sprint(f.whose(), encoded(f.CompanyID), encoded(f.Type), encoded(f.Class), encoded(f.Reason), f.from+" to "+f.to,
		f.ascending())
	return f
})

func mustBound(text string) *kap.Bound {
	b, err := kap.ParseBound(text)
	if err != nil {
		panic(err)
	}
	return &b
}

func (f listFilter) ascending() bool { return f.order != nil && *f.order == value.Asc }

// whose returns what f asks for: companies, and codes that belong to none; nil
// for any.
func (f listFilter) whose() map[string]bool {
	asked := f.Symbols
	if f.Symbol != nil {
		asked = []string{*f.Symbol}
	}
	if asked == nil {
		return nil
	}
	out := map[string]bool{}
	for _, text := range asked {
		switch code := strings.ToUpper(text[strings.LastIndex(text, ":")+1:]); code[0] {
		case 'A':
			out["K1"] = true
		case 'B', 'C':
			out["K2"] = true
		default:
			out[code] = true
		}
	}
	return out
}

// isOf reports whether a disclosure is of a company, or names a code of nobody.
func isOf(d *filed, whose string) bool {
	filer := encoded(d.CompanyID)
	names := func(code string) bool { return slices.Contains(d.Symbols, code) }
	switch whose {
	case "K1": // A3 is what K2 had once
		return filer == encoded(new("K1")) || names("A1") || names("A2") || names("A3") && filer != encoded(new("K2"))
	case "K2":
		return filer == encoded(new("K2")) || names("B1") || names("C1")
	}
	return names(whose)
}

// matches returns the filter, said in the plainest way.
func (f listFilter) matches(d *filed) bool {
	whose := f.whose()
	at := d.PublishedAt.String()
	padded := func(text string) string { // 06:00:00Z before 06:00:00.001Z
		if len(text) == len("2026-03-18T06:00:00Z") {
			return text[:19] + ".000Z"
		}
		return text
	}
	return (whose == nil || slices.ContainsFunc(slices.Collect(maps.Keys(whose)), func(w string) bool { return isOf(d, w) })) &&
		(f.CompanyID == nil || d.CompanyID != nil && *d.CompanyID == *f.CompanyID) &&
		(f.Type == nil || d.Type == *f.Type) && (f.Class == nil || d.Class == *f.Class) &&
		(f.Reason == nil || d.Reason != nil && *d.Reason == *f.Reason) &&
		(f.from == "" && f.to == "" || at != "") &&
		(f.from == "" || padded(at) >= padded(f.from)) && (f.to == "" || padded(at) <= padded(f.to))
}

// ask returns one page.
func (f listFilter) ask(s *kap.Service, cursor *string, limit int) (*kap.Page, error) {
	return s.Disclosures(asking(), f.Filter, f.order, cursor, &limit)
}

// A walk in pages of any size gives each disclosure that matched at its start
// exactly once and in order, whatever is stored meanwhile; what comes besides
// matches too, and nothing comes twice.
func TestPagesHoldEachMatchOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		store, empty := open(t, url), emptying(t, url)
		// more than a statement has parts
		services := []*kap.Service{disclosureService(store, 0), disclosureService(store, 0), disclosureService(store, 600)}
		rapid.Check(t, func(t *rapid.T) {
			empty(t)
			known := newFilings(t, store)
			arrive := func(atMost int) {
				records, backFill := recordsOf(t, known, atMost), rapid.Bool().Draw(t, "back-fill")
				putDisclosures(t, store, backFill, records...)
				known.put(records, backFill)
			}
			for range rapid.IntRange(1, 3).Draw(t, "batches") {
				arrive(14)
			}
			f, service := filters.Draw(t, "filter"), rapid.SampledFrom(services).Draw(t, "service")
			var want, got []int
			for _, d := range known.all(f.ascending()) {
				if f.matches(d) {
					want = append(want, d.DisclosureIndex)
				}
			}
			still := slices.Clone(want)
			var cursor *string
			for more := true; more; {
				page, err := f.ask(service, cursor, rapid.SampledFrom([]int{1, 2, 3, 5, 100}).Draw(t, "limit"))
				need.NoError(t, err)
				if page.Count != len(page.Items) {
					t.Fatalf("count %d of %d", page.Count, len(page.Items))
				}
				for _, item := range page.Items {
					same(t, "item", *item, known.byIndex[item.DisclosureIndex].Disclosure)
					if !f.matches(known.byIndex[item.DisclosureIndex]) {
						t.Fatalf("%s lists %s", f.name, encoded(item))
					}
					got = append(got, item.DisclosureIndex)
				}
				if cursor, more = page.NextCursor, page.NextCursor != nil; more && rapid.Bool().Draw(t, "arrival") {
					arrive(3)
				}
			}
			var walked []int
			for _, d := range known.all(f.ascending()) {
				if slices.Contains(got, d.DisclosureIndex) {
					walked = append(walked, d.DisclosureIndex)
				}
			}
			if !slices.Equal(got, walked) {
				t.Fatalf("%s: got %v, in order it would be %v", f.name, got, walked)
			}
			if still = slices.DeleteFunc(still, func(n int) bool { return slices.Contains(got, n) }); len(still) > 0 {
				t.Fatalf("%s: got %v, and not %v", f.name, got, still)
			}
		})
	})
}

// A cursor serves the filter and order that it was made for, in any spelling
// of them, and no other; what was altered serves nothing.
func TestCursorsOfOtherLists(t *testing.T) {
	s := open(t, "sqlite:"+t.TempDir()+"/piyasa.db")
	service := disclosureService(s, 0)
	known := newFilings(t, s)
	var records []*kap.Record
	for i := range 8 {
		r := disclosure(i+1, "2026-03-18T06:00:00Z", "A1", "B1", "C1")
		r.CompanyID, r.Reason, r.Class = new("K1"), new(kap.Corrects), "ODA"
		records = append(records, r)
	}
	putDisclosures(t, s, false, records...)
	known.put(records, false)
	rapid.Check(t, func(t *rapid.T) {
		f, other := filters.Draw(t, "filter"), filters.Draw(t, "other")
		page, err := f.ask(service, nil, 3)
		need.NoError(t, err)
		if page.NextCursor == nil {
			return
		}
		_, err = other.ask(service, page.NextCursor, 5)
		if got := problemOf(err); got == "" != (f.name == other.name) || got != "" && got != "invalid-cursor" {
			t.Errorf("the cursor of %s in %s: %v", f.name, other.name, err)
		}
	})
}

// An empty text is the same as none, for a cursor too.
func TestCursorAndEmptyFilter(t *testing.T) {
	s := open(t, "sqlite:"+t.TempDir()+"/piyasa.db")
	service := disclosureService(s, 0)
	putDisclosures(t, s, false, disclosure(1, "", "A1"), disclosure(2, "", "A1"))
	one := 1
	page, err := service.Disclosures(asking(), kap.Filter{}, nil, nil, &one)
	need.NoError(t, err)
	if next, err := service.Disclosures(asking(), kap.Filter{Class: new("")}, nil, page.NextCursor, &one); err != nil || next.Count != 1 {
		t.Errorf("an empty class: %v", err)
	}
}
