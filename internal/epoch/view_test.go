package epoch_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"piyasa/internal/epoch"
	"piyasa/test/fixture/need"
)

func TestPosition(t *testing.T) {
	for seq, want := range map[int64]string{1: "a:1", 10: "a:10", 111: "b:111", 120: "b:120", 1121: "c:1121", 5000: "c:5000"} {
		if got := twice.Position(feed, seq).String(); got != want {
			t.Errorf("%d: %s, want %s", seq, got, want)
		}
		if got := (epoch.Lineage)(nil).Position(feed, seq); got != (epoch.Position{Seq: seq}) {
			t.Errorf("%d without epochs: %s", seq, got)
		}
	}
}

func TestKeeps(t *testing.T) {
	for position, want := range map[string]bool{
		"0": true, "7": true, "a:10": true, "a:11": false, "b:120": true, "b:121": false, "c:1121": true, "d:7": false, "d:1121": false,
		"c:9999": true,
	} {
		p, err := epoch.ParsePosition(position)
		need.NoError(t, err)
		if twice.Keeps(feed, p) != want {
			t.Errorf("%s: %v", position, !want)
		}
		if !(epoch.Lineage)(nil).Keeps(feed, p) {
			t.Errorf("%s is lost without epochs", position)
		}
	}
}

// After any history of appends, copies and returns, also of stores that forget old
// epochs, the position of a row is kept as long as the row is.
func TestKeepsWhatIsStored(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &store{epochs: epoch.Lineage{{ID: "e0"}}}
		copies := []store{*s}
		var shown []epoch.Position
		for i := range rapid.IntRange(1, 40).Draw(t, "steps") {
			switch rapid.SampledFrom([]string{"append", "append", "append", "copy", "return", "show"}).Draw(t, "step") {
			case "append":
				s.append()
			case "copy":
				copies = append(copies, *s)
			case "return":
				*s = rapid.SampledFrom(copies).Draw(t, "copy")
				s.begin(fmt.Sprint("e", i+1), int64(i+1)<<34-s.head+rapid.Int64Range(0, 1<<20).Draw(t, "random"))
			case "show":
				if len(s.rows) > 0 {
					shown = append(shown, s.epochs.Position(feed, rapid.SampledFrom(s.rows).Draw(t, "row")))
				}
			}
		}
		forgotten := rapid.IntRange(0, len(s.epochs)-1).Draw(t, "forgotten")
		remembered := s.epochs[forgotten:]
		for _, p := range shown {
			want := slices.Contains(s.rows, p.Seq) && remembered.Has(p.Epoch)
			if got := remembered.Keeps(feed, p); got != want {
				t.Fatalf("%s: %v; rows %v of %+v", p, got, s.rows, remembered)
			}
		}
		for _, row := range s.rows { // also one from before the oldest epoch that is remembered
			if p := remembered.Position(feed, row); !remembered.Keeps(feed, p) {
				t.Fatalf("%s is not kept by %+v", p, remembered)
			}
		}
	})
}

// Every epoch counts once, however many feeds set it at once.
func TestView(t *testing.T) {
	v := new(epoch.View)
	if v.Lineage() != nil || (*epoch.View)(nil).Lineage() != nil {
		t.Error("a lineage before the first")
	}
	for n := range twice {
		var feeds sync.WaitGroup
		for range 8 {
			feeds.Go(func() { v.Set(twice[:n+1]) })
		}
		feeds.Wait()
		if v.Begun() != int64(n) || v.Lineage().Current() != twice[n].ID {
			t.Errorf("%d begun, now %s", v.Begun(), v.Lineage().Current())
		}
	}
}
