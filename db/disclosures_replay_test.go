package db_test

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"piyasa/db/dbtest"
	"piyasa/domain/kap"
)

// replayed returns what a replay must hold, said in the plainest way.
func (f *filings) replayed(r kap.Replay) (numbers []int) {
	var rows []*filed
	toCome := 1 << 30 // the lowest one that is news after the cut
	for _, d := range f.byIndex {
		if d.live && d.seq > r.UpToSeq {
			toCome = min(toCome, d.DisclosureIndex)
		}
	}
	for _, d := range f.byIndex {
		after := int64(d.DisclosureIndex) > r.After
		if r.BySeq {
			after = d.seq > r.After
		}
		selected := r.Of.All || slices.Contains(r.Of.Types, d.Type) ||
			slices.ContainsFunc(d.Symbols, func(s string) bool { return slices.Contains(r.Of.Codes, s) })
		if after && selected && (d.seq <= r.UpToSeq || !r.BySeq && !d.live && d.DisclosureIndex < toCome) {
			rows = append(rows, d)
		}
	}
	slices.SortFunc(rows, func(a, b *filed) int {
		if r.BySeq {
			return cmp.Compare(a.seq, b.seq)
		}
		return cmp.Compare(a.DisclosureIndex, b.DisclosureIndex)
	})
	for _, d := range rows[:min(len(rows), r.Limit)] {
		numbers = append(numbers, d.DisclosureIndex)
	}
	return numbers
}

// A replay holds what its topics select above a number of either order, up to
// a number of the feed: lower numbers that came late are in the one by the
// feed, and in the one by their own number only below its cut,
// but for back-fills, which are no news later. Of those none goes ahead of what
// is news after the cut.
func TestReplayFollowsTheReference(t *testing.T) {
	t.Parallel()
	topics := []string{"all", "type:FR", "type:ODA", "type:CA", "symbol:A1", "symbol:B1", "symbol:ZZ"}
	dbtest.Each(t, func(t *testing.T, url string) {
		s, empty := open(t, url), emptying(t, url)
		rapid.Check(t, func(t *rapid.T) {
			empty(t)
			known := newFilings(t, s)
			first := known.seq
			for range rapid.IntRange(1, 4).Draw(t, "batches") {
				records, backFill := recordsOf(t, known, 12), rapid.Bool().Draw(t, "back-fill")
				putDisclosures(t, s, backFill, records...)
				known.put(records, backFill)
			}
			for range 5 {
				r := kap.Replay{
					Of:    kap.Select(rapid.SliceOfNDistinct(rapid.SampledFrom(topics), 1, 4, rapid.ID).Draw(t, "topics")),
					BySeq: rapid.Bool().Draw(t, "by seq"), UpToSeq: rapid.Int64Range(first-1, known.seq+2).Draw(t, "up to"),
					Limit: rapid.SampledFrom([]int{1, 2, 5, 1001}).Draw(t, "limit"),
				}
				r.After = rapid.Int64Range(0, 61).Draw(t, "after")
				if r.BySeq {
					r.After = rapid.Int64Range(first-1, known.seq+1).Draw(t, "after seq")
				}
				var got []int
				for _, d := range must[[]*kap.Stored](t)(s.Replay(background, r)) {
					got = append(got, d.DisclosureIndex)
					of := known.byIndex[d.DisclosureIndex]
					same(t, "row", *d, kap.Stored{Disclosure: of.Disclosure, Seq: of.seq, Live: of.live, EffectiveAt: of.effective})
				}
				if want := known.replayed(r); !slices.Equal(got, want) {
					t.Fatalf("%+v: got %v, want %v", r, got, want)
				}
			}
		})
	})
}
