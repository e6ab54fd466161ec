package stream_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"piyasa/account/access"
	"piyasa/domain/kap"
	"piyasa/internal/epoch"
	"piyasa/internal/problem"
	"piyasa/serve/stream"
	"piyasa/test/fixture/calls"
)

// Wake implements stream.Log: followers poll.
func (b *bubble) Wake() <-chan struct{} { return nil }

// PollInterval implements stream.Log.
func (b *bubble) PollInterval() time.Duration { return 100 * time.Millisecond }

// store stores n disclosures and leaves it to a tailer to find them.
func (b *bubble) store(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for range n {
		b.stored = append(b.stored, &kap.Stored{
			Disclosure: kap.Disclosure{DisclosureIndex: len(b.stored) + 1, Type: kap.ODA, Summary: &kap.Localized{}}, Seq: b.head() +
				1, Live: true,
		})
	}
}

// reader is a client over its whole life: it follows everything, is cut off, and
// resumes where it was.
type reader struct {
	b       *bubble
	way     string // how it resumes: "after", "afterSeq" or "lastSeenIndex"
	stop    func()
	ended   chan struct{}
	last    string // position
	lastSeq int64
	seen    int // the highest disclosure

	from     epoch.Position // where it began
	got      map[int64]int  // disclosure by seq
	previous int64          // seq on this connection
	told     int            // how often the store went back
	wrong    string
}

// connect follows everything, from where the reader is.
func (r *reader) connect() {
	resume := stream.Resume{}
	switch {
	case r.last == "": // nothing yet
	case r.way == "after":
		resume.After = new(r.last)
	case r.way == "afterSeq":
		resume.AfterSeq = new(r.lastSeq)
	default:
		resume.LastSeenIndex = new(r.seen)
	}
	ctx, stop := context.WithCancel(calls.Anyone())
	r.stop, r.ended, r.previous = stop, make(chan struct{}), 0
	go func() {
		defer close(r.ended)
		events, err := r.b.disclosures.Stream(ctx, func(*access.Key) bool { return true }, []string{"all"}, resume)
		if ctx.Err() != nil {
			return
		}
		if err != nil { // a position that the store does not know
			p := problem.From(err)
			from, wrong := epoch.ParsePosition(p.Members.ResumeFrom)
			if wrong != nil {
				r.wrong = fmt.Sprintf("%s is refused at %s: %v", r.way, r.last, err)
				return
			}
			r.told, r.last, r.lastSeq = r.told+1, from.String(), from.Seq
			events, err = r.b.disclosures.Stream(ctx, func(*access.Key) bool { return true }, []string{"all"},
				stream.Resume{After: &r.last})
			if err != nil {
				if ctx.Err() == nil {
					r.wrong = fmt.Sprintf("is refused again: %v", err)
				}
				return
			}
		}
		for e := range events {
			r.take(e)
		}
	}()
}

func (r *reader) take(e stream.DisclosureStreamEvent) {
	at := func(position *string) {
		if position != nil {
			p, _ := epoch.ParsePosition(*position)
			r.last, r.lastSeq = *position, p.Seq
			if r.from.Epoch == "" {
				r.from = p
			}
		}
	}
	switch e := e.(type) {
	case *stream.Subscribed:
		at(e.Position())
	case *stream.ReplayDone:
		if e.Truncated {
			r.wrong = "a replay is truncated"
		}
		at(e.Position())
	case *stream.StoreWentBack:
		r.told++
		r.previous = 0 // an epoch that went back beyond an earlier one may have lower numbers
		at(new(e.Position()))
	case *stream.DisclosureEvent:
		if !e.Replay && e.Seq <= r.previous {
			r.wrong = fmt.Sprintf("%d comes after %d", e.Seq, r.previous)
		}
		if !e.Replay {
			r.previous = e.Seq
		}
		r.got[e.Seq] = e.Data.DisclosureIndex
		r.seen = max(r.seen, e.Data.DisclosureIndex)
		at(e.Position())
	default:
		r.wrong = said(e)
	}
}

// cut ends the connection.
func (r *reader) cut() {
	r.stop()
	<-r.ended
}

// Over thousands of histories, in which the store grows and goes back while clients come,
// are cut off and resume in every way, each client has in the end every disclosure that
// is stored and that is newer than its beginning, and was told if it has one that is not
// stored.
func TestHistories(t *testing.T) {
	histories := 3000
	if testing.Short() {
		histories = 100
	}
	for seed := range uint64(histories) {
		inBubble(t, func(t *testing.T, b *bubble) { history(t, b, seed) })
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func history(t *testing.T, b *bubble, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 0))
	b.epochs = epoch.Lineage{{ID: "e0"}}
	b.disclosures = stream.NewDisclosures(b) // nothing has been applied to it
	tailer := stream.NewTailer(b, map[string]stream.Apply{"disclosures": b.disclosures.Apply})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tailer.Run(ctx)
	}()
	<-tailer.CaughtUp()
	var readers []*reader
	for step := range 30 {
		switch random.IntN(8) {
		case 0, 1, 2:
			b.store(1 + random.IntN(3))
		case 3:
			b.mu.Lock()
			kept := max(0, len(b.stored)-random.IntN(4))
			b.mu.Unlock()
			b.goBack(fmt.Sprint("e", step+1), kept, 1<<32+random.Int64N(1<<32))
		case 4:
			r := &reader{b: b, way: []string{"after", "afterSeq", "lastSeenIndex"}[random.IntN(3)], got: map[int64]int{}}
			r.connect()
			readers = append(readers, r)
		case 5:
			if len(readers) > 0 {
				r := readers[random.IntN(len(readers))]
				r.cut()
				if random.IntN(2) == 0 {
					time.Sleep(time.Duration(random.IntN(400)) * time.Millisecond)
				}
				r.connect()
			}
		default:
			time.Sleep(time.Duration(random.IntN(250)) * time.Millisecond)
		}
	}
	time.Sleep(10 * time.Second)
	synctest.Wait()
	for _, r := range readers {
		r.cut()
		check(t, b, r)
	}
	stop()
	<-ended
}

// check compares what a reader has with what is stored.
func check(t *testing.T, b *bubble, r *reader) {
	stored, numbers := map[int64]bool{}, slices.Collect(maps.Values(r.got))
	for _, d := range b.stored {
		stored[d.Seq] = true
		_, got := r.got[d.Seq]
		if r.way == "lastSeenIndex" {
			got = slices.Contains(numbers, d.DisclosureIndex)
		}
		if !got && d.Seq > r.from.Seq && r.from.Epoch != "" {
			t.Errorf("%s began at %s and misses %d (%d); it has %v", r.way, r.from, d.Seq, d.DisclosureIndex, r.got)
		}
	}
	for seq := range r.got {
		if !stored[seq] && r.told == 0 && r.way != "lastSeenIndex" {
			t.Errorf("%s has %d, which is not stored, and was not told", r.way, seq)
		}
	}
	if r.wrong != "" {
		t.Error(r.wrong)
	}
}
