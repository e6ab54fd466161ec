package stream_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"piyasa/access"
	"piyasa/domain/kap"
	"piyasa/epoch"
	"piyasa/fixture/calls"
	"piyasa/stream"
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
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for e := range events {
		if failed, ok := e.(*stream.StreamError); ok {
			said = append(said, failed.Code+" "+failed.Message)
		} else {
			said = append(said, fmt.Sprintf("%T", e))
		}
	}
	if got := strings.Join(said, "; "); got != "*stream.Subscribed; SERVER_ERROR The replay failed; subscribe again from the last event processed." {
		t.Error(got)
	}
}
