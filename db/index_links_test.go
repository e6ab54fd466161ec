package db_test

import (
	"cmp"
	"database/sql"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/macro"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// link is a link between bases of producer prices.
func link(from, to, factor string) *macro.IndexLink {
	return &macro.IndexLink{SeriesID: macro.YIUFE, FromBase: from, ToBase: to, Factor: value.MustDecimal(factor)}
}

func linksOf(t rapid.TB, s *db.Store) []*macro.IndexLink {
	t.Helper()
	found := must[[]*macro.IndexLink](t)(s.IndexLinks(background))
	slices.SortFunc(found, func(a, b *macro.IndexLink) int {
		return cmp.Or(cmp.Compare(a.SeriesID, b.SeriesID), cmp.Compare(a.FromBase, b.FromBase), cmp.Compare(a.ToBase, b.ToBase))
	})
	return found
}

// Another factor replaces a link, in whatever words its bases are stated; what would close a
// circle or contradict points is refused, also within one batch.
func TestIndexLinks(t *testing.T) {
	noted := func(month, level, unit string) *macro.Point {
		p := point(macro.YIUFE, month, level)
		p.Unit = &unit
		return p
	}
	full := link("2003 = 100 TL", "(2025=100)", "100")
	full.Divisor, full.Month, full.Source = value.MustDecimal("4321.50"), value.MustMonth("2025-12"), new("TÜİK")
	plain := full.Plain()
	other := link("2003=100", "2025=100", "7")
	other.SeriesID = macro.TUFE
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		want(t, put(t, s, link("2003=100", "2025=100", "0.023"), full, other, link("2003=100", "2025=100", "43")),
			db.Stored, db.Stored, db.Stored, db.Stored)
		want(t, put(t, s, full), db.Stored)
		want(t, put(t, s, noted("2025-09", "4500", "2003=100"), noted("2025-12", "104", "2025 = 100")), db.Stored, db.Stored)
		want(t, put(t, s, full), db.Unchanged)
		same(t, "links", linksOf(t, s), []*macro.IndexLink{other, plain})
		out := put(t, s, link("2003=100", "2025=100", "43"), link("2025=100", "2003=100", "43.2"), link("2025=100", "2030=100", "2"),
			link("2030=100", "2003=100", "2"))
		want(t, out, db.Refused, db.Refused, db.Stored, db.Refused)
		for i, member := range map[int]string{0: "factor", 1: "to_base", 3: "to_base"} {
			if got := refusedMember(t, out[i]); got != member {
				t.Errorf("line %d: %q was refused, want %q", i, got, member)
			}
		}
		if !strings.Contains(out[0].Why.Must, "4500 of 2025-09 (2003=100) would be about 193500 in 2025=100") {
			t.Error(out[0].Why.Must)
		}
		want(t, withdraw(t, s, link("2003=100,0", "2025=100", "1")), db.Stored)
		want(t, withdraw(t, s, link("2003=100", "2025=100", "1")), db.Unchanged)
		want(t, put(t, s, link("2025=100", "2003=100", "43.2")), db.Stored)
		same(t, "links", linksOf(t, s), []*macro.IndexLink{other, link("2025=100", "2003=100", "43.2"), link("2025=100", "2030=100", "2")})
	})
}

// A point that contradicts a link is refused as the link would be after it; a stored
// contradiction is found.
func TestPointsContradictLinks(t *testing.T) {
	noted := func(month, level, unit string) *macro.Point {
		p := point(macro.YIUFE, month, level)
		p.Unit = &unit
		return p
	}
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		want(t, put(t, s, noted("2025-06", "4300", "2003=100"), link("2003=100", "2025=100", "1")), db.Stored, db.Stored)
		out := put(t, s, noted("2025-12", "104", "2025 = 100"), noted("2025-07", "4310", "2003=100"), noted("2025-11", "4800", "2025=100"))
		want(t, out, db.Refused, db.Stored, db.Stored)
		if got := refusedMember(t, out[0]); got != "value" {
			t.Error(got)
		}
		if !strings.Contains(out[0].Why.Must, "2003=100 to 2025=100 (times 1)") {
			t.Error(out[0].Why.Must)
		}
		want(t, withdraw(t, s, link("2003=100", "2025=100", "1")), db.Stored)
		want(t, put(t, s, noted("2025-11", "103", "2025=100")), db.Stored)
		want(t, put(t, s, link("2003=100", "2025=100", "0.0239")), db.Stored)
		found := func() (all []db.Finding) {
			must[db.Verified](t)(db.Verify(background, url, func(f db.Finding) { all = append(all, f) }))
			return all
		}
		if all := found(); len(all) > 0 {
			t.Error(all)
		}
		raw := dbtest.Raw(t, url)
		must[sql.Result](t)(raw.ExecContext(background, "UPDATE index_links SET factor = '1'"))
		if all := found(); len(all) != 1 || !strings.Contains(all[0].Problem, "links contradict") {
			t.Error(all)
		}
	})
}

// Whatever links come and go, they form no circle, and both stores keep every digit.
func TestAnyIndexLinks(t *testing.T) {
	bases := []string{"2003=100", "2015 = 100", "2025=100", "2030=100 TL", "2035=100"}
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		rapid.Check(t, func(t *rapid.T) {
			l := link(rapid.SampledFrom(bases).Draw(t, "from"), rapid.SampledFrom(bases).Draw(t, "to"),
				rapid.SampledFrom([]string{"0.10", "2", "12345678901234567890.12345678901234567890"}).Draw(t, "factor"))
			if l.Validate() != nil {
				return
			}
			if rapid.IntRange(0, 3).Draw(t, "withdrawn") == 0 {
				b, out := new(db.Batch), db.Outcome{}
				db.Withdraw(b, l, &out)
				need.NoError(t, s.Store(background, b))
			} else {
				put(t, s, l)
			}
			links := linksOf(t, s)
			group := map[string]string{}
			find := func(base string) string {
				for group[base] != "" {
					base = group[base]
				}
				return base
			}
			for _, l := range links {
				a, b := find(l.FromBase), find(l.ToBase)
				if a == b || macro.Base(l.FromBase) != l.FromBase {
					t.Fatalf("a circle, or other words: %s", encoded(links))
				}
				group[a] = b
			}
		})
	})
}
