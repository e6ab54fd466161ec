package db_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/kap"
)

// listed returns the disclosures of a store in the order of lists.
func listed(t rapid.TB, s *db.Store, q kap.Query) (numbers []int) {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = 1000
	}
	for _, d := range must[[]*kap.Stored](t)(s.Disclosures(background, q)) {
		numbers = append(numbers, d.DisclosureIndex)
	}
	return numbers
}

// A disclosure without a time stands after the nearest lower number that has
// one, of its own batch too, whatever the order of the lines; where it stands
// is fixed then.
func TestPlaceWithoutATime(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		batches [][]*kap.Record
		want    []int // oldest first
	}{
		"after its predecessor": {[][]*kap.Record{{disclosure(6, "2026-03-18T06:30:00Z"), disclosure(7, ""),
			disclosure(8, "2026-03-18T07:00:00Z")}}, []int{6, 7, 8}},
		"descending in one batch": {[][]*kap.Record{{disclosure(8, "2026-03-18T07:00:00Z"), disclosure(7, ""),
			disclosure(6, "2026-03-18T06:30:00Z"), disclosure(5, "2026-03-18T09:00:00Z")}}, []int{6, 7, 8, 5}},
		"several in a row": {[][]*kap.Record{{disclosure(9, ""), disclosure(8, ""), disclosure(7, ""),
			disclosure(6, "2026-03-18T06:30:00Z"), disclosure(20, "2026-03-18T06:29:59.999Z")}}, []int{20, 6, 7, 8, 9}},
		"nearest of both": {[][]*kap.Record{{disclosure(2, "2026-03-18T02:00:00Z"), disclosure(6, "2026-03-18T06:00:00Z")},
			{disclosure(4, "2026-03-18T04:00:00Z"), disclosure(5, ""), disclosure(7, ""), disclosure(3, "")}}, []int{2, 3, 4, 5, 6, 7}},
		"before everything": {[][]*kap.Record{{disclosure(7, "")}, {disclosure(6, "2026-03-18T06:00:00Z")},
			{disclosure(8, "")}}, []int{7, 6, 8}},
		"fixed when stored": {[][]*kap.Record{{disclosure(1, "2026-03-18T01:00:00Z")}, {disclosure(5, "")},
			{disclosure(4, "2026-03-18T04:00:00Z"), disclosure(5, "")}, {disclosure(6, "2026-03-18T02:00:00Z")}}, []int{1, 5, 6, 4}},
		"after the first number": {[][]*kap.Record{{disclosure(0, "2026-03-18T06:00:00Z")}, {disclosure(1, "")},
			{disclosure(2, "2026-03-18T05:00:00Z")}}, []int{2, 0, 1}},
		"the greatest number": {[][]*kap.Record{{disclosure(1<<53, "2026-03-18T06:00:00.001Z"), disclosure(1<<53-1, "")},
			{disclosure(3, "2026-03-18T06:00:00.001Z")}}, []int{1<<53 - 1, 3, 1 << 53}},
		"a refused one is no neighbour": {[][]*kap.Record{{disclosure(1, "2026-03-18T01:00:00Z"), disclosure(1, "2026-03-18T09:00:00Z"),
			disclosure(2, "")}, {disclosure(3, "2026-03-18T02:00:00Z")}}, []int{1, 2, 3}},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, url string) {
				s := open(t, url)
				for _, batch := range c.batches {
					putDisclosures(t, s, false, batch...)
				}
				if got := listed(t, s, kap.Query{Ascending: true}); !slices.Equal(got, c.want) {
					t.Errorf("oldest first %v, want %v", got, c.want)
				}
				slices.Reverse(c.want)
				defer slices.Reverse(c.want)
				if got := listed(t, s, kap.Query{}); !slices.Equal(got, c.want) {
					t.Errorf("newest first %v, want %v", got, c.want)
				}
			})
		})
	}
}

// Numbers of the feed go up by one in the order of the lines; lines that store
// nothing new take none. Back-fills have numbers and are not for streams.
func TestNumbersOfDisclosures(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		body := disclosure(30, "2026-03-18T06:00:00Z")
		lateParts["body"](body)
		out := putDisclosures(t, s, false, disclosure(30, "2026-03-18T06:00:00Z"), disclosure(10, ""),
			disclosure(30, "2026-03-18T06:00:01Z"), disclosure(10, ""), body, disclosure(20, ""))
		want(t, out, db.Stored, db.Stored, db.Refused, db.Unchanged, db.Stored, db.Stored)
		putDisclosures(t, s, true, disclosure(40, ""), disclosure(5, ""))
		putDisclosures(t, s, false, disclosure(5, ""), disclosure(50, ""))
		spell := func(found []*kap.Stored, err error) (out string) {
			t.Helper()
			for _, d := range must[[]*kap.Stored](t)(found, err) {
				out += fmt.Sprintf("%d:%d ", d.Seq, d.DisclosureIndex)
			}
			return out
		}
		same(t, "live", spell(s.DisclosuresAfter(background, 0, 100, 100)), "1:30 2:10 3:20 6:50 ")
		same(t, "live, a part", spell(s.DisclosuresAfter(background, 1, 5, 100)), "2:10 3:20 ")
		same(t, "live, the first two", spell(s.DisclosuresAfter(background, 0, 100, 2)), "1:30 2:10 ")
		all := kap.Replay{Of: kap.Selection{All: true}, BySeq: true, UpToSeq: 100, Limit: 100}
		same(t, "replay", spell(s.Replay(background, all)), "1:30 2:10 3:20 4:40 5:5 6:50 ")
		same(t, "head", heads(t, s)[db.FeedDisclosures], 6)
		if got := listed(t, s, kap.Query{}); len(got) != 6 {
			t.Errorf("listed %v", got)
		}
	})
}

// Writers of several processes: numbers have no gap, whichever process stores a
// disclosure first is the only one, and everybody else's is unchanged.
func TestWritersOfTheSameDisclosures(t *testing.T) {
	const each = 40
	dbtest.Each(t, func(t *testing.T, url string) {
		first := open(t, url)
		outcomes := make([][]db.Outcome, 4)
		done := make(chan struct{})
		for w := range outcomes {
			s := open(t, url)
			go func() {
				defer func() { done <- struct{}{} }()
				for n := range each {
					number := n + 1
					if w%2 == 1 {
						number = each - n
					}
					b, out := new(db.Batch), make([]db.Outcome, 1)
					db.Put(b, disclosure(number, ""), &out[0])
					if err := s.Store(background, b); err != nil {
						t.Error(err)
						return
					}
					outcomes[w] = append(outcomes[w], out[0])
				}
			}()
		}
		for range outcomes {
			<-done
		}
		stored := 0
		for _, out := range slices.Concat(outcomes...) {
			if out.Result == db.Stored {
				stored++
			} else if out.Result != db.Unchanged {
				t.Errorf("outcome %+v", out)
			}
		}
		found := must[[]*kap.Stored](t)(first.DisclosuresAfter(background, 0, 1<<40, 1000))
		for i, d := range found {
			if d.Seq != int64(i+1) {
				t.Fatalf("number %d at place %d", d.Seq, i+1)
			}
		}
		if stored != each || len(found) != each {
			t.Errorf("stored %d times, %d rows, want %d", stored, len(found), each)
		}
	})
}
