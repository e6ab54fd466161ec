package deliver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"piyasa/db"
	"piyasa/domain/kap"
	"piyasa/internal/epoch"
	"piyasa/internal/value"
	"piyasa/serve/deliver"
	"piyasa/test/fixture/need"
)

// memory is a log in memory, of disclosures.
type memory struct {
	sync.Mutex
	changes []db.Change
	epochs  epoch.Lineage
	state   json.RawMessage                     // of the only sink
	keeps   int                                 // how often a state was to be kept
	lost    func(n int) (taken bool, err error) // says of the n-th time whether it fails, and whether the store has taken it
}

// disclosures returns changes of disclosures with these numbers.
func disclosures(numbers ...int64) (changes []db.Change) {
	for _, n := range numbers {
		r := &kap.Record{Disclosure: kap.Disclosure{DisclosureIndex: int(n), Type: kap.ODA, Class: "ODA", Symbols: []string{"THYAO"},
			FilerCodes: []string{}, PublishedAt: value.MustInstant("2026-03-18T06:00:00Z")}}
		changes = append(changes, db.Change{Kind: "disclosure", Number: n, Record: r, Key: []db.Member{
			{Name: "disclosure_index", Value: fmt.Sprint(n)},
		}})
	}
	return changes
}

func (l *memory) Look(context.Context) (epoch.Moment, error) {
	l.Lock()
	defer l.Unlock()
	m := epoch.Moment{Epochs: l.epochs, Heads: map[string]int64{}}
	if n := len(l.changes); n > 0 {
		m.Heads[db.FeedDisclosures] = l.changes[n-1].Number
	}
	return m, nil
}

func (l *memory) Changes(_ context.Context, _ string, from db.Cursor, head int64, limit int) (found []db.Change, _ db.Cursor, _ error) {
	l.Lock()
	defer l.Unlock()
	for _, c := range l.changes {
		if c.Number > from.Number && c.Number <= head {
			found = append(found, c)
		}
		if len(found) == limit {
			return found, db.Cursor{Number: c.Number}, nil
		}
	}
	return found, db.Cursor{Number: head}, nil
}

func (l *memory) PollInterval() time.Duration { return time.Second }

func (l *memory) ClaimSink(context.Context, string, string, time.Duration) (json.RawMessage, bool, error) {
	l.Lock()
	defer l.Unlock()
	return l.state, true, nil
}

func (l *memory) ReleaseSink(context.Context, string, string) error { return nil }

func (l *memory) KeepSink(_ context.Context, _, _ string, state json.RawMessage) error {
	l.Lock()
	defer l.Unlock()
	l.keeps++
	if l.lost != nil {
		if taken, err := l.lost(l.keeps); err != nil {
			if taken {
				l.state = state
			}
			return err
		}
	}
	l.state = state
	return nil
}

// known returns the state of the sink.
func (l *memory) known(t *testing.T) (s deliver.State) {
	t.Helper()
	need.NoError(t, json.Unmarshal(l.state, &s))
	return s
}

// deliverer delivers sinks of a log.
func deliverer(l deliver.Log, sinks ...deliver.Named) *deliver.Deliverer {
	return &deliver.Deliverer{Config: &deliver.Config{Sinks: sinks}, Log: l, Holder: "test", Now: time.Now}
}

// scripted is a sink that answers as its test says.
type scripted struct{ deliver func(*deliver.Batch) error }

func (s scripted) Deliver(_ context.Context, b *deliver.Batch) error          { return s.deliver(b) }
func (scripted) Commit(context.Context, *deliver.State, bool) error           { return nil }
func (scripted) Resume(context.Context, *deliver.State) error                 { return nil }
func (scripted) WentBack(context.Context, deliver.Back, *deliver.State) error { return nil }
func (scripted) Check(context.Context) error                                  { return nil }
func (scripted) Close() error                                                 { return nil }

func named(sink deliver.Sink, plan deliver.Plan) deliver.Named {
	return deliver.Named{Name: "hook", Sink: sink, Plan: plan, Reach: deliver.Reach{Kinds: []string{"disclosure"}},
		Feeds: []string{db.FeedDisclosures}}
}
