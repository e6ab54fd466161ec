package epoch_test

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"piyasa/internal/epoch"
	"piyasa/test/fixture/need"
)

const feed = "rows"

func ended(last int64) map[string]int64 { return map[string]int64{feed: last} }

// twice is a store that went back twice: to 10, and then to 120.
var twice = epoch.Lineage{{ID: "a"}, {ID: "b", Ended: ended(10), Skip: 100}, {ID: "c", Ended: ended(120), Skip: 1000}}

func TestResolve(t *testing.T) {
	m := epoch.Moment{Epochs: twice, Heads: ended(1125)}
	for _, test := range []struct {
		position string
		from     int64
		want     epoch.Verdict
	}{
		{"0", 0, epoch.Known},
		{"nobody:0", 0, epoch.Known},
		{"7", 7, epoch.Known},
		{"a:7", 7, epoch.Known},
		{"a:10", 10, epoch.Known},
		{"b:7", 7, epoch.Known}, // the newest row of an epoch may be older than the epoch
		{"c:7", 7, epoch.Known},
		{"11", 10, epoch.Lost},
		{"a:11", 10, epoch.Lost},
		{"109", 10, epoch.Lost},
		{"110", 110, epoch.Known}, // where an epoch begins
		{"b:110", 110, epoch.Known},
		{"a:110", 10, epoch.Lost},
		{"120", 120, epoch.Known},
		{"121", 120, epoch.Lost},
		{"b:1119", 120, epoch.Lost},
		{"b:1121", 120, epoch.Lost},
		{"1125", 1125, epoch.Known},
		{"c:1125", 1125, epoch.Known},
		{"1126", 0, epoch.Ahead},
		{"c:1126", 1125, epoch.Ahead},
		{"d:5", 0, epoch.Unknown},
		{"d:1126", 0, epoch.Unknown},
	} {
		p, err := epoch.ParsePosition(test.position)
		need.NoError(t, err)
		if from, v := m.Resolve(feed, p); from != test.from || v != test.want {
			t.Errorf("%s: %d, %d; want %d, %d", test.position, from, v, test.from, test.want)
		}
	}
	forgotten := epoch.Moment{Epochs: twice[1:], Heads: ended(1125)}
	if _, v := forgotten.Resolve(feed, epoch.Position{Seq: 7}); v != epoch.Unknown {
		t.Errorf("a position from before the first epoch is %d", v)
	}
	if from, v := forgotten.Resolve(feed, epoch.Position{Epoch: "b", Seq: 7}); from != 7 || v != epoch.Known {
		t.Errorf("a row from before the first epoch is %d, %d in a later one", from, v)
	}
	if _, v := forgotten.Resolve(feed, epoch.Position{Epoch: "c", Seq: 11}); v != epoch.Unknown {
		t.Errorf("a number that nothing had before the first epoch is %d", v)
	}
	without := epoch.Moment{Heads: ended(5)}
	if from, v := without.Resolve(feed, epoch.Position{Seq: 6}); from != 0 || v != epoch.Ahead {
		t.Errorf("without epochs: %d, %d", from, v)
	}
}

func TestShared(t *testing.T) {
	restored := append(twice[:1:1], epoch.Epoch{ID: "d", Ended: ended(8), Skip: 100})
	for name, test := range map[string]struct {
		one, other epoch.Lineage
		want       int64
	}{
		"the same":              {twice, twice, math.MaxInt64},
		"one epoch more":        {twice[:2], twice, 120},
		"two epochs more":       {twice[:1], twice, 10},
		"both went on":          {twice, restored, 8},
		"nothing in common":     {twice[1:], restored[1:], 0},
		"an epoch that is past": {twice[:1], restored, 8},
		"none":                  {nil, twice, 0},
	} {
		if got, back := test.one.Shared(test.other, feed), test.other.Shared(test.one, feed); got != test.want || back != got {
			t.Errorf("%s: %d and %d, want %d", name, got, back, test.want)
		}
	}
}

func TestPositions(t *testing.T) {
	for _, text := range []string{"0", "7", "a:7", "4k2mq7xw3hzta:9223372036854775807"} {
		p, err := epoch.ParsePosition(text)
		if err != nil || p.String() != text {
			t.Errorf("%s: %v, %v", text, p, err)
		}
	}
	for _, text := range []string{"", ":", "a:", ":7", "a:b", "A:7", "a:-1", "-1", "+1", "a:+1", "7:7:7", "1.5", " 7",
		"9223372036854775808", "ä:7"} {
		if p, err := epoch.ParsePosition(text); err == nil {
			t.Errorf("%q is %v", text, p)
		}
	}
}

func FuzzParsePosition(f *testing.F) {
	f.Add("a:7")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := epoch.ParsePosition(text)
		if err != nil {
			return
		}
		if again, err := epoch.ParsePosition(p.String()); err != nil || again != p {
			t.Errorf("%q: %v, then %v, %v", text, p, again, err)
		}
	})
}

func TestEmpty(t *testing.T) {
	for want, m := range map[bool]epoch.Moment{
		true:  {Epochs: epoch.Lineage{{ID: "a"}, {ID: "b", Ended: ended(0), Skip: 100}}, Heads: ended(100)},
		false: {Epochs: twice, Heads: ended(1110)},
	} {
		if m.Empty(feed, "other") != want && m.Empty(feed) != want {
			t.Errorf("%+v", m)
		}
	}
}

// store is the plainest store that can go back: its rows, each with the number that it
// got, and a copy to which it may return.
type store struct {
	epochs epoch.Lineage
	rows   []int64
	head   int64
}

func (s store) moment() epoch.Moment { return epoch.Moment{Epochs: s.epochs, Heads: ended(s.head)} }

func (s *store) append() {
	s.head++
	s.rows = append(s.rows[:len(s.rows):len(s.rows)], s.head)
}

// begin begins an epoch from what the store holds.
func (s *store) begin(id string, skip int64) {
	s.epochs = append(s.epochs[:len(s.epochs):len(s.epochs)], epoch.Epoch{ID: id, Ended: ended(s.head), Skip: skip})
	s.head += skip
}

// After any history of appends, copies and returns, a client that resumes from any
// position that it ever had gets every row of the store that it has not seen, and is
// told when it has seen one that the store does not hold.
func TestResumesMissNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &store{epochs: epoch.Lineage{{ID: "e0"}}}
		copies := []store{*s}
		type had struct {
			at   epoch.Position
			seen []int64
		}
		var clients []had
		for i := range rapid.IntRange(1, 40).Draw(t, "steps") {
			switch rapid.SampledFrom([]string{"append", "append", "append", "copy", "return", "client", "doubt"}).Draw(t, "step") {
			case "append":
				s.append()
			case "copy":
				copies = append(copies, *s)
			case "return":
				*s = rapid.SampledFrom(copies).Draw(t, "copy")
				s.begin(fmt.Sprint("e", i+1), int64(i+1)<<34-s.head+rapid.Int64Range(0, 1<<20).Draw(t, "random"))
			case "doubt":
				s.begin(fmt.Sprint("e", i+1), int64(i+1)<<34-s.head+rapid.Int64Range(0, 1<<20).Draw(t, "random"))
			case "client":
				clients = append(clients, had{epoch.Position{Epoch: s.epochs.Current(), Seq: s.head}, s.rows})
			}
		}
		held := map[int64]bool{}
		for _, row := range s.rows {
			held[row] = true
		}
		for _, c := range clients {
			from, v := s.moment().Resolve(feed, c.at)
			gone := false
			for _, row := range c.seen {
				gone = gone || !held[row]
			}
			switch {
			case v == epoch.Ahead:
				t.Fatalf("%s is ahead of %+v", c.at, s)
			case gone && v == epoch.Known:
				t.Fatalf("%s has lost rows and is not told: %+v", c.at, s)
			case v == epoch.Known && from != c.at.Seq:
				t.Fatalf("%s resumes from %d", c.at, from)
			}
			seen := map[int64]bool{}
			for _, row := range c.seen {
				seen[row] = true
			}
			bare, verdict := s.moment().Resolve(feed, epoch.Position{Seq: c.at.Seq})
			for _, row := range s.rows {
				if !seen[row] && (row <= from || verdict != epoch.Ahead && verdict != epoch.Unknown && row <= bare) {
					t.Fatalf("%s resumes from %d, or %d by number, and misses %d: %+v", c.at, from, bare, row, s)
				}
			}
		}
	})
}
