package stream

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/gorilla/websocket"

	"piyasa/access"
	"piyasa/domain/kap"
	"piyasa/epoch"
	"piyasa/value"
)

// DisclosureStore is where disclosures are read from.
type DisclosureStore interface {
	// DisclosuresAfter returns the first limit disclosures for streams that are
	// numbered above seq, up to and including head, in the order of their numbers.
	DisclosuresAfter(ctx context.Context, seq, head int64, limit int) ([]*kap.Stored, error)
	// Replay returns the disclosures that r selects, in its order.
	Replay(ctx context.Context, r kap.Replay) ([]*kap.Stored, error)
	// KnownDisclosures says which of the numbers are stored.
	KnownDisclosures(ctx context.Context, numbers []int) (map[int]bool, error)
	// Look returns the last number of every feed, and the epochs.
	Look(context.Context) (epoch.Moment, error)
}

// Disclosures streams disclosures: every transport gets them from its hub.
type Disclosures struct {
	hub   *Hub[*publication]
	store DisclosureStore

	epochs    atomic.Pointer[epoch.Lineage] // as of the last Apply; nil before the first
	published published
	lost      atomic.Int64 // how many disclosures were published and then lost
}

// NewDisclosures returns a stream of the disclosures in store.
func NewDisclosures(store DisclosureStore) *Disclosures {
	return &Disclosures{store: store, hub: NewHub(func(d *publication) []string { return d.topics })}
}

// publication is a disclosure for all subscribers to its topics, or the news that the
// store went back, for all; encoded at most once.
type publication struct {
	*kap.Stored
	epoch    string
	wentBack *StoreWentBack
	topics   []string
	frame    func() (*websocket.PreparedMessage, error)
}

func newPublication(d *kap.Stored, id string) *publication {
	return &publication{Stored: d, epoch: id, topics: texts(d.Topics()), frame: once(func() ([]byte, error) { return frameOf(d, false) })}
}

// once returns a function that encodes a frame at its first call.
func once(encode func() ([]byte, error)) func() (*websocket.PreparedMessage, error) {
	return sync.OnceValues(func() (*websocket.PreparedMessage, error) {
		text, err := encode()
		if err != nil {
			return nil, err
		}
		return websocket.NewPreparedMessage(websocket.TextMessage, text)
	})
}

func texts(topics []kap.Topic) []string {
	out := make([]string, len(topics))
	for i, t := range topics {
		out[i] = string(t)
	}
	return out
}

// frameOf returns the frame of a disclosure; data is the same, byte for byte, live
// and replayed.
func frameOf(d *kap.Stored, replay bool) ([]byte, error) {
	return value.AppendJSON(nil, disclosureFrame{"disclosure", replay, &d.Disclosure})
}

// batch is how many disclosures are read at once.
const batch = 200

// Apply publishes the disclosures numbered above After, up to Head. The first call
// publishes none: they were stored before the start. In a new epoch, Apply goes on
// from where the old one was lost, if anything published was, and tells everyone.
func (s *Disclosures) Apply(ctx context.Context, rows Rows) error {
	last := s.epochs.Load()
	switch {
	case last == nil:
		s.hub.Enter(epoch.Position{Epoch: rows.Epochs.Current(), Seq: rows.Head})
	case last.Current() != rows.Epochs.Current():
		if err := s.enter(ctx, rows); err != nil {
			return err
		}
	}
	s.epochs.Store(&rows.Epochs)
	if last == nil {
		return nil
	}
	for {
		found, err := s.store.DisclosuresAfter(ctx, max(rows.After, s.hub.Position().Seq), rows.Head, batch)
		if err != nil {
			return err
		}
		for _, d := range found {
			s.published.add(d)
			s.hub.Publish(d.Seq, newPublication(d, rows.Epochs.Current()))
		}
		if len(found) < batch {
			s.hub.Publish(rows.Head)
			return nil
		}
	}
}

// Channel returns what the WebSocket of disclosures serves.
func (s *Disclosures) Channel() Channel[*publication] {
	return Channel[*publication]{
		Hub:   s.hub,
		Scope: access.KAP,
		Topic: func(_ *access.Key, text string) (string, bool) {
			topic, ok := kap.ParseTopic(text)
			return string(topic), ok
		},
		NewEncoder: func() Encode[*publication] {
			return func(d *publication, _ bool) (*websocket.PreparedMessage, error) { return d.frame() }
		},
		Replay: func(ctx context.Context, topics []string, after, upTo int64, send func([]byte) error) (int64, bool, error) {
			last := after
			truncated, err := s.replay(ctx, kap.Replay{Of: kap.Select(topics), After: after, UpTo: upTo}, func(d *kap.Stored) error {
				frame, err := frameOf(d, true)
				if err != nil {
					return err
				}
				if err := send(frame); err != nil {
					return err
				}
				last = int64(d.DisclosureIndex)
				return nil
			})
			return last, truncated, err
		},
	}
}

// maxReplay is how many disclosures one replay repeats.
const maxReplay = 1000

// replay passes what r selects to send, in its order, up to maxReplay; truncated
// reports that there is more.
func (s *Disclosures) replay(ctx context.Context, r kap.Replay, send func(*kap.Stored) error) (truncated bool, err error) {
	for sent := 0; ; {
		r.Limit = min(batch, maxReplay-sent) + 1 // one more, to know whether there is one
		found, err := s.store.Replay(ctx, r)
		if err != nil {
			return false, err
		}
		more := len(found) == r.Limit
		if more {
			found = found[:len(found)-1]
		}
		for _, d := range found {
			if err := send(d); err != nil {
				return false, err
			}
			if r.After = int64(d.DisclosureIndex); r.BySeq {
				r.After = d.Seq
			}
		}
		if sent += len(found); !more || sent == maxReplay {
			return more, nil
		}
	}
}
