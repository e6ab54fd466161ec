package stream_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"piyasa/account/access"
	"piyasa/domain/kap"
	"piyasa/internal/epoch"
	"piyasa/internal/problem"
	"piyasa/serve/stream"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

// said writes an event of a stream in short.
func said(e stream.DisclosureStreamEvent) string {
	at := func(position *string) string {
		if position == nil {
			return ""
		}
		return " @" + *position
	}
	switch e := e.(type) {
	case *stream.Subscribed:
		return "subscribed" + at(e.Position())
	case *stream.DisclosureEvent:
		return fmt.Sprintf("%d #%d%s", e.Data.DisclosureIndex, e.Seq, at(e.Position()))
	case *stream.ReplayDone:
		return fmt.Sprintf("done %d%s", e.LastSeq, at(e.Position()))
	case *stream.StoreWentBack:
		return fmt.Sprintf("went back %v @%s", e.Lost, e.Position())
	default:
		return fmt.Sprintf("%T", e)
	}
}

// hearing is a GraphQL stream of everything.
type hearing struct {
	*testing.T
	events <-chan stream.DisclosureStreamEvent
}

func (b *bubble) follow(resume stream.Resume) (hearing, error) {
	ctx, stop := context.WithCancel(calls.Anyone())
	b.t.Cleanup(stop)
	events, err := b.disclosures.Stream(ctx, func(*access.Key) bool { return true }, []string{"all"}, resume)
	return hearing{b.t, events}, err
}

func (h hearing) hears(want ...string) {
	h.Helper()
	for _, w := range want {
		select {
		case e := <-h.events:
			if got := said(e); got != w {
				h.Fatalf("hears %q, want %q", got, w)
			}
		case <-time.After(time.Minute):
			h.Fatalf("hears nothing, want %q", w)
		}
	}
}

// goBack returns the store to its first kept rows, and to the epoch that it was in when
// it had them, and begins a new epoch that skips numbers.
func (b *bubble) goBack(id string, kept int, skip int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stored = b.stored[:kept:kept]
	for n := len(b.began); n > 0 && b.began[n-1].rows > kept; n-- {
		b.began, b.epochs = b.began[:n-1], b.epochs[:n]
	}
	b.base = 0
	if n := len(b.began); n > 0 {
		b.base = b.began[n-1].base
	}
	head := b.head()
	b.base = head + skip - int64(kept)
	b.began = append(b.began, began{kept, b.base})
	b.epochs = append(b.epochs[:len(b.epochs):len(b.epochs)], epoch.Epoch{ID: id, Ended: map[string]int64{"disclosures": head}, Skip: skip})
}

// began is how many rows there were when an epoch after the first began, and the base
// of its numbers.
type began struct {
	rows int
	base int64
}

// told writes a problem in short.
func told(err error) string {
	p := problem.From(err)
	return fmt.Sprintf("%s %d %s", p.Kind, p.Kind.Status(), p.Detail)
}

// Everyone who listens when the store loses rows learns which, and gets what is stored
// afterwards; everyone who comes back with a position that was lost learns of it, and
// gets all of that, too.
func TestStoreGoesBack(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		b.epochs = epoch.Lineage{{ID: "old"}}
		b.publish(0)
		c := b.join()
		h, _ := b.follow(stream.Resume{})
		h.hears("subscribed")
		b.publish(5)
		c.hears("L1", "L2", "L3", "L4", "L5")
		h.hears("1 #1 @old:1", "2 #2 @old:2", "3 #3 @old:3", "4 #4 @old:4", "5 #5 @old:5")

		b.goBack("new", 2, 100)
		b.publish(0)
		c.hears("error store_went_back lost [3 4 5]")
		h.hears("went back [3 4 5] @new:2")
		if b.disclosures.Lost() != 3 {
			t.Errorf("%d are counted", b.disclosures.Lost())
		}
		b.publish(2) // the source numbers on where it was
		c.hears("L3", "L4")
		h.hears("3 #103 @new:103", "4 #104 @new:104")

		for _, resume := range []stream.Resume{{AfterSeq: new(int64(5))}, {After: new("old:5")}, {After: new("5")}} {
			late, err := b.follow(resume)
			need.NoError(t, err)
			late.hears("subscribed", "went back [] @new:2", "3 #103 @new:103", "4 #104 @new:104", "done 104 @new:104")
		}
		for _, resume := range []stream.Resume{{AfterSeq: new(int64(2))}, {After: new("old:2")}, {After: new("new:2")}} {
			known, err := b.follow(resume)
			need.NoError(t, err)
			known.hears("subscribed", "3 #103 @new:103", "4 #104 @new:104", "done 104 @new:104")
		}

		b.goBack("newest", 4, 1000) // nothing is lost: nobody hears of it
		b.publish(1)
		c.hears("L5")
		h.hears("5 #1105 @newest:1105")
	})
}

// Who resumes learns of rows that are lost between the question where it stands and the
// moment from which it follows.
func TestStoreGoesBackDuringAResume(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		b.epochs = epoch.Lineage{{ID: "old"}}
		b.publish(4)
		b.mu.Lock()
		// another server has told of it
		b.stored = append(b.stored, &kap.Stored{Disclosure: kap.Disclosure{DisclosureIndex: 5, Type: kap.ODA}, Seq: 5})
		b.looked = func() {
			b.goBack("new", 2, 100)
			b.publish(0)
		}
		b.mu.Unlock()
		h, err := b.follow(stream.Resume{After: new("old:5")})
		need.NoError(t, err)
		h.hears("subscribed", "went back [] @new:2", "done 102 @new:102")
	})
}

// A position that the store cannot place is refused with where to go on, after a wait
// for other servers' rows; if they come, nothing is sent twice.
func TestPositionsThatCannotBe(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		b.epochs = epoch.Lineage{{ID: "old"}}
		b.publish(0)
		b.publish(3)
		for text, want := range map[string]string{
			"4": "position-ahead 409 The position 4 is above the last number stored: the store went back, or the position is of another " +
				"one. Fetch what you need from the list, then resume from old:0.",
			"old:4": "position-ahead 409 The position old:4 is above the last number stored: the store went back, or the position is of " +
				"another one. Fetch what you need from the list, then resume from old:3.",
			"new:2": "position-gone 410 The position new:2 is of an epoch that this store does not know: it was restored from a copy, or " +
				"replaced by another. Fetch what you need from the list, then resume from old:0.",
		} {
			began := time.Now()
			_, err := b.follow(stream.Resume{After: &text})
			if got := told(err); got != want {
				t.Errorf("%s: %s", text, got)
			}
			lasted(t, "the refusal of "+text, began, 2*time.Second, 3*time.Second)
		}
		go func() {
			time.Sleep(time.Second)
			b.mu.Lock()
			b.stored = append(b.stored, &kap.Stored{Disclosure: kap.Disclosure{DisclosureIndex: 4, Type: kap.ODA}, Seq: 4, Live: true})
			b.mu.Unlock()
		}()
		h, err := b.follow(stream.Resume{After: new("old:4")}) // another server has sent it already
		need.NoError(t, err)
		h.hears("subscribed", "done 4 @old:4")
		b.publish(1)
		h.hears("5 #5 @old:5")
	})
}

// Only one way to resume may be given, and each is checked.
func TestResumeArguments(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		for want, resume := range map[string]stream.Resume{
			"conflicting-parameters 400": {AfterSeq: new(int64(1)), After: new("1")},
			"invalid-parameter 422":      {After: new("old:")},
		} {
			if _, err := b.follow(resume); !strings.HasPrefix(told(err), want) {
				t.Errorf("%s: %v", want, err)
			}
		}
	})
}
