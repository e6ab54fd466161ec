package db_test

import (
	"fmt"
	"slices"
	"testing"

	"piyasa/db/dbtest"
	"piyasa/domain/kap"
	"piyasa/internal/attachment"
)

// A disclosure that is completed has two numbers of the feed: who follows it
// sees it at both, who resumes between them at the later one, and by its own
// number it is there once. That a back-fill completes one, or one of a back-fill is completed,
// is a number of the feed, but streams have the disclosure only once.
func TestCompletedDisclosuresInTheFeed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		with := func(index, attachments int) *kap.Record {
			r := disclosure(index, "2026-03-18T06:00:00Z", "A1")
			for n := range attachments {
				r.Attachments = append(r.Attachments, attachment.Document{Name: fmt.Sprint(n), Location: "/x"})
			}
			r.AttachmentCount = attachments
			return r
		}
		before := heads(t, s)["disclosures"]
		putDisclosures(t, s, false, with(1, 0), with(2, 0), with(3, 0), with(4, 1))
		putDisclosures(t, s, false, with(3, 2), with(4, 1))
		putDisclosures(t, s, true, with(5, 0), with(2, 1))
		putDisclosures(t, s, true, with(6, 0))
		putDisclosures(t, s, false, with(6, 1), with(1, 3))
		head := heads(t, s)["disclosures"]
		all := kap.Selection{All: true}
		numbered := func(found []*kap.Stored) (list []string) {
			for _, d := range found {
				list = append(list, fmt.Sprintf("%d:%d/%d", d.Seq-before, d.DisclosureIndex, d.AttachmentCount))
			}
			return list
		}
		for name, c := range map[string]struct {
			got  []*kap.Stored
			want []string
		}{
			"live": {must[[]*kap.Stored](t)(s.DisclosuresAfter(background, before, head, 100)),
				[]string{"1:1/3", "2:2/1", "3:3/2", "4:4/1", "5:3/2", "10:1/3"}},
			"live, a page": {must[[]*kap.Stored](t)(s.DisclosuresAfter(background, before+3, head, 2)), []string{"4:4/1", "5:3/2"}},
			"live, to a head": {must[[]*kap.Stored](t)(s.DisclosuresAfter(background, before+2, before+4, 100)),
				[]string{"3:3/2", "4:4/1"}},
			"by seq": {must[[]*kap.Stored](t)(s.Replay(background,
				kap.Replay{Of: all, BySeq: true, After: before, UpToSeq: head, Limit: 100})),
				[]string{"1:1/3", "2:2/1", "3:3/2", "4:4/1", "5:3/2", "6:5/0", "8:6/1", "10:1/3"}},
			"by seq, a page": {must[[]*kap.Stored](t)(s.Replay(background,
				kap.Replay{Of: kap.Selection{Codes: []string{"A1"}}, BySeq: true, After: before + 4, UpToSeq: head, Limit: 2})),
				[]string{"5:3/2", "6:5/0"}},
			"by seq, others": {must[[]*kap.Stored](t)(s.Replay(background,
				kap.Replay{Of: kap.Selection{Codes: []string{"B1"}}, BySeq: true, After: before, UpToSeq: head, Limit: 2})), nil},
			"in a list": {must[[]*kap.Stored](t)(s.Disclosures(background, kap.Query{Limit: 100})),
				[]string{"9:6/1", "6:5/0", "4:4/1", "5:3/2", "7:2/1", "10:1/3"}},
			"by number": {must[[]*kap.Stored](t)(s.Replay(background, kap.Replay{Of: all, UpToSeq: before + 4, Limit: 100})),
				[]string{"1:1/3", "2:2/1", "3:3/2", "4:4/1", "6:5/0", "8:6/1"}},
		} {
			if got := numbered(c.got); !slices.Equal(got, c.want) {
				t.Errorf("%s: %v, want %v", name, got, c.want)
			}
		}
	})
}

// A back-fill that is stored while a replay runs is part of it, but does not
// go ahead of live ones that are still to come.
func TestBackFillDuringAReplay(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		putDisclosures(t, s, false, disclosure(1, ""), disclosure(5, ""))
		cut := heads(t, s)["disclosures"]
		replayed := func(want ...int) {
			t.Helper()
			if got := numbersOf(must[[]*kap.Stored](t)(s.Replay(background,
				kap.Replay{Of: kap.Selection{All: true}, UpToSeq: cut, Limit: 100}))); !slices.Equal(got, want) {
				t.Errorf("replayed %v, want %v", got, want)
			}
		}
		putDisclosures(t, s, true, disclosure(3, ""), disclosure(9, ""))
		replayed(1, 3, 5, 9)
		putDisclosures(t, s, false, disclosure(7, ""))
		replayed(1, 3, 5)
	})
}
