package demo

import (
	"bytes"
	"encoding/json"
	"math/big"
	"sync"
	"testing"
	"time"

	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

var madeRecords sync.Map // of moments

// recordsAt are all records of a moment, which many tests look at.
func recordsAt(at value.Instant) []byte {
	made, _ := madeRecords.LoadOrStore(at, sync.OnceValue(func() []byte { return New(fixed(at)).Records() }))
	return made.(func() []byte)()
}

// recordsOf are the records of a kind among record lines.
func recordsOf[T any](t *testing.T, kind string, lines []byte) []*T {
	t.Helper()
	var all []*T
	for line := range bytes.Lines(lines) {
		if !bytes.HasPrefix(line, []byte(`{"record":"`+kind+`"`)) {
			continue
		}
		record := new(T)
		if err := json.Unmarshal(line, record); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		all = append(all, record)
	}
	return all
}

type barLine struct {
	InstrumentID market.ID `json:"instrument_id"`
	market.Bar
}

func TestHistoryFitsTheQuotes(t *testing.T) {
	for _, at := range []string{"2026-03-18T12:00:00.250Z", "2026-10-31T23:30:00Z"} {
		lines := recordsAt(value.MustInstant(at))
		bars := map[market.ID][]*barLine{} // newest first
		for _, b := range recordsOf[barLine](t, "bar", lines) {
			bars[b.InstrumentID] = append(bars[b.InstrumentID], b)
		}
		for _, q := range quotesOf(t, lines) {
			past := bars[q.InstrumentID]
			if q.Last.IsNull() != (len(past) == 0) {
				t.Errorf("%s: last %s and %d bars", q.InstrumentID, q.Last, len(past))
			}
			if !q.PrevClose.IsNull() {
				before := past[0]
				if own := closesItsDay(q); own != (q.AsOf.Sub(before.T) < 24*time.Hour) {
					t.Errorf("%s: as of %s, and the newest bar is of %s", q.InstrumentID, q.AsOf, before.T)
				} else if own {
					before = past[1]
					checkClosing(t, past[0], q)
				}
				if before.Close != q.PrevClose {
					t.Errorf("%s: closed at %s, and the quote counts from %s", q.InstrumentID, before.Close, q.PrevClose)
				}
			}
			checkPast(t, past, q.AsOf)
		}
	}
}

// closesItsDay tells whether a quote is the last of a day whose bar the recorder
// does not make.
func closesItsDay(q *market.Observation) bool {
	at := q.AsOf.Time()
	switch q.InstrumentID.Market() {
	case market.BIST, market.Fund:
		at = at.In(location(istanbul))
		return at.Hour() == 18 || at.Month() == time.October && at.Day() == 28 && at.Hour() == 13
	case market.US:
		return at.In(location("America/New_York")).Hour() == 16
	}
	return false
}

// checkClosing holds the bar of a quote's day against the quote.
func checkClosing(t *testing.T, b *barLine, q *market.Observation) {
	t.Helper()
	if b.Close != q.Last || b.Volume != q.Volume || b.Turnover != q.Turnover || b.High != q.High || b.Low != q.Low ||
		(!b.Open.IsNull() && b.Open != q.Open) {
		t.Errorf("%s: the day %+v and its last quote %+v", q.InstrumentID, b.Bar, *q)
	}
}

// checkPast holds the bars of one instrument, newest first, against the rules
// of its market.
func checkPast(t *testing.T, past []*barLine, before value.Instant) {
	t.Helper()
	leaps := map[market.ID]*big.Rat{splitShare: big.NewRat(1, splitNew), otherUnit: new(big.Rat).Inv(poundsOfTon.Rat())}
	for i, b := range past {
		wrong := func(what string) { t.Helper(); t.Errorf("%s: %s: %+v", b.InstrumentID, what, b.Bar) }
		m := b.InstrumentID.Market()
		if !b.T.Before(before) || before.Sub(b.T) < 24*time.Hour && i > 0 {
			wrong("not of a day before")
		}
		before = b.T
		noon := b.T.Time().Add(12 * time.Hour)
		weekend := noon.Weekday() == time.Saturday || noon.Weekday() == time.Sunday
		if weekend && m != market.Crypto && m != market.FX {
			wrong("of a weekend")
		}
		if holiday := noon.Month() == time.April && noon.Day() == 23; holiday && (m == market.BIST || m == market.Fund) {
			wrong("of a holiday")
		}
		if b.Open.IsNull() != (m == market.BIST || m == market.Fund) ||
			b.Turnover.IsNull() == (m == market.Crypto || m == market.BIST || m == market.US) {
			wrong("states what its market does not, or the reverse")
		}
		last := number(t, b.Close)
		if !b.High.IsNull() && (number(t, b.High).Cmp(last) < 0 || number(t, b.Low).Cmp(last) > 0 || number(t, b.Low).Sign() <= 0) {
			wrong("closed outside its range")
		}
		if i > 0 {
			move := new(big.Rat).Quo(number(t, past[i-1].Close), last)
			if leap := leaps[b.InstrumentID]; leap != nil && move.Cmp(big.NewRat(1, 2)) < 0 {
				move.Quo(move, leap)
				delete(leaps, b.InstrumentID) // once
			}
			if move.Cmp(big.NewRat(9, 10)) < 0 || move.Cmp(big.NewRat(11, 10)) > 0 {
				wrong("leaps to " + past[i-1].Close.String())
			}
		}
	}
	if n := len(past); n > 0 && (n < 245 || n > historyDays) {
		t.Errorf("%s: %d bars", past[0].InstrumentID, n)
	}
}

func TestDisclosuresOfEverySort(t *testing.T) {
	now := session
	s := New(func() value.Instant { return now })
	past := s.newsroom.past
	if len(past) != pastDisclosures {
		t.Errorf("%d disclosures", len(past))
	}
	var live []*kap.Record
	for range 3600 {
		now = now.Add(time.Second)
		live = append(live, recordsOf[kap.Record](t, "disclosure", s.turn())...)
	}
	if n := len(live); n < 45 || n > 90 {
		t.Errorf("%d new ones in an hour", n)
	}
	for name, all := range map[string][]*kap.Record{"past": past, "live": live} {
		types, marketWide, bodies, corrections := map[kap.Type]int{}, 0, 0, 0
		for i, r := range all {
			types[r.Type]++
			if len(r.Symbols) == 0 {
				marketWide++
			}
			if r.Body != nil {
				bodies++
			}
			if i > 0 && (r.DisclosureIndex != all[i-1].DisclosureIndex+1 || !all[i-1].PublishedAt.Before(r.PublishedAt)) {
				t.Errorf("%d at %s follows %d at %s", r.DisclosureIndex, r.PublishedAt, all[i-1].DisclosureIndex, all[i-1].PublishedAt)
			}
			if r.RelatedIndex == nil {
				continue
			}
			corrections++
			if *r.Reason != kap.Corrects || *r.RelatedIndex >= r.DisclosureIndex {
				t.Errorf("%d corrects %d", r.DisclosureIndex, *r.RelatedIndex)
			}
		}
		if marketWide == 0 || bodies == 0 || corrections == 0 || types[kap.ODA] == 0 || types[kap.DG] == 0 || types[kap.CA] == 0 ||
			types[kap.DUY] == 0 || types[kap.FON] == 0 {
			t.Errorf("%s: %v, %d market-wide, %d with a body, %d corrections", name, types, marketWide, bodies, corrections)
		}
		if (types[kap.FR] == 1) != (name == "past") {
			t.Errorf("%s: %d financial reports", name, types[kap.FR])
		}
	}
	if !past[len(past)-1].PublishedAt.Before(session) || session.Sub(past[0].PublishedAt) > 40*24*time.Hour {
		t.Errorf("from %s to %s", past[0].PublishedAt, past[len(past)-1].PublishedAt)
	}
}
