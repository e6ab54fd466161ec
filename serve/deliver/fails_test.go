package deliver_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"piyasa/db"
	"piyasa/serve/deliver"
)

// forgetful is a sink that does not acknowledge what it has taken at first.
type forgetful struct {
	taken  []string
	failed bool
}

func (f *forgetful) Deliver(_ context.Context, b *deliver.Batch) error {
	for i := range b.Changes {
		f.taken = append(f.taken, b.ID(&b.Changes[i]))
	}
	return nil
}

func (f *forgetful) Commit(context.Context, *deliver.State, bool) error {
	if !f.failed {
		f.failed = true
		return errors.New("there is no room")
	}
	return nil
}

func (*forgetful) Resume(context.Context, *deliver.State) error                 { return nil }
func (*forgetful) WentBack(context.Context, deliver.Back, *deliver.State) error { return nil }
func (*forgetful) Check(context.Context) error                                  { return nil }
func (*forgetful) Close() error                                                 { return nil }

// What a sink has taken and not acknowledged comes again.
func TestFailedCommitComesAgain(t *testing.T) {
	t.Parallel()
	w, sink := newWorld(t), new(forgetful)
	w.put(w.disclosure("A"), bar("A", 1, 1), bar("A", 2, 1))
	config := &deliver.Config{Sinks: []deliver.Named{{Name: "forgetful", Sink: sink, Plan: deliver.Plan{Timeout: time.Minute, Most: 10},
		Reach: deliver.Reach{Kinds: []string{"disclosure", "bar"}}, Feeds: []string{db.FeedBars, db.FeedDisclosures}}}}
	d := deliver.Deliverer{Config: config, Log: w.store, Holder: "one", Now: time.Now}
	if o := d.Once(t.Context())[0]; o.Err == nil {
		t.Fatal("the commit succeeds")
	}
	first := sink.taken
	sink.taken = nil
	if o := d.Once(t.Context())[0]; o.Err != nil {
		t.Fatal(o.Err)
	}
	if len(first) != 3 || !slices.Equal(first, sink.taken) {
		t.Errorf("first %v, then %v", first, sink.taken)
	}
	if distinct := slices.Compact(slices.Sorted(slices.Values(first))); len(distinct) != len(first) {
		t.Errorf("ids are used twice: %v", first)
	}
}
