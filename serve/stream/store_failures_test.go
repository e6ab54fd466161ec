package stream_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"piyasa/account/access"
	"piyasa/domain/kap"
	"piyasa/internal/epoch"
	"piyasa/serve/stream"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

// brokenDisclosures is a store of which every read fails.
type brokenDisclosures struct{ err error }

// DisclosuresAfter implements stream.DisclosureStore.
func (b brokenDisclosures) DisclosuresAfter(context.Context, int64, int64, int) ([]*kap.Stored, error) {
	return nil, b.err
}

// KnownDisclosures implements stream.DisclosureStore.
func (b brokenDisclosures) KnownDisclosures(context.Context, []int) (map[int]bool, error) {
	return nil, b.err
}

// Look implements stream.DisclosureStore.
func (b brokenDisclosures) Look(context.Context) (epoch.Moment, error) {
	return epoch.Moment{}, b.err
}

// Replay implements stream.DisclosureStore.
func (b brokenDisclosures) Replay(context.Context, kap.Replay) ([]*kap.Stored, error) {
	return nil, b.err
}

// A failing read ends a stream with its error, which shows nothing of the cause,
// and the tailer gets the cause to try again.
func TestStoreFailures(t *testing.T) {
	cause := errors.New("dial postgres://piyasa:hunter2@db: connection refused")
	d := stream.NewDisclosures(brokenDisclosures{cause})
	_ = d.Apply(t.Context(), stream.Rows{}) // the start publishes nothing
	if err := d.Apply(t.Context(), stream.Rows{Head: 1}); !errors.Is(err, cause) {
		t.Errorf("the tailer is told %v", err)
	}
	events, err := d.Stream(calls.Anyone(), func(*access.Key) bool { return true }, []string{"all"}, stream.Resume{AfterSeq: new(int64(0))})
	need.NoError(t, err)
	var said []string
	for e := range events {
		if failed, ok := e.(*stream.StreamError); ok {
			said = append(said, failed.Code+" "+failed.Message)
		} else {
			said = append(said, fmt.Sprintf("%T", e))
		}
	}
	if got := strings.Join(said,
		"; "); got != "*stream.Subscribed; SERVER_ERROR The replay failed; subscribe again from the last event processed." {
		t.Error(got)
	}
}

// slowLink is a store behind a connection over which no more than three disclosures come
// within the deadline of a read.
type slowLink struct {
	brokenDisclosures
	most int64 // how many came at once
}

// DisclosuresAfter implements stream.DisclosureStore.
func (s *slowLink) DisclosuresAfter(_ context.Context, seq, head int64, limit int) (found []*kap.Stored, err error) {
	for n := seq + 1; n <= head && len(found) < limit; n++ {
		if found = append(found, &kap.Stored{Disclosure: kap.Disclosure{DisclosureIndex: int(n)}, Seq: n}); len(found) > 3 {
			return nil, context.DeadlineExceeded
		}
	}
	s.most = max(s.most, int64(len(found)))
	return found, nil
}

// Disclosures that are too large to be read together come a few at a time.
func TestDisclosuresOverASlowLink(t *testing.T) {
	link := new(slowLink)
	d := stream.NewDisclosures(link)
	need.NoError(t, d.Apply(t.Context(), stream.Rows{}))
	failed := 0
	for d.Apply(t.Context(), stream.Rows{Head: 500}) != nil {
		if failed++; failed > 20 {
			t.Fatal("they never come")
		}
	}
	if link.most != 3 {
		t.Errorf("%d came at once", link.most)
	}
	if err := d.Apply(t.Context(), stream.Rows{After: 500, Head: 503}); err != nil {
		t.Error(err)
	}
}
