package stream

import (
	"context"
	"sync"

	"github.com/gorilla/websocket"

	"piyasa/access"
	"piyasa/domain/kap"
	"piyasa/value"
)

// DisclosureStore is where disclosures are read from.
type DisclosureStore interface {
	// DisclosuresAfter returns the first limit disclosures for streams that are
	// numbered above seq, up to and including head, in the order of their numbers.
	DisclosuresAfter(ctx context.Context, seq, head int64, limit int) ([]*kap.Stored, error)
	// Replay returns the disclosures that r selects, in its order.
	Replay(ctx context.Context, r kap.Replay) ([]*kap.Stored, error)
}

// Disclosures streams disclosures: every transport gets them from its hub.
type Disclosures struct {
	hub     *Hub[*publication]
	store   DisclosureStore
	started bool // whether the first Apply has come
}

// NewDisclosures returns a stream of the disclosures in store.
func NewDisclosures(store DisclosureStore) *Disclosures {
	return &Disclosures{store: store, hub: NewHub(func(d *publication) []string { return d.topics })}
}

// publication is a disclosure for all subscribers to its topics, encoded at most once.
type publication struct {
	*kap.Stored
	topics []string
	frame  func() (*websocket.PreparedMessage, error)
}

func newPublication(d *kap.Stored) *publication {
	return &publication{d, texts(d.Topics()), sync.OnceValues(func() (*websocket.PreparedMessage, error) {
		text, err := frameOf(d, false)
		if err != nil {
			return nil, err
		}
		return websocket.NewPreparedMessage(websocket.TextMessage, text)
	})}
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

// Apply publishes the disclosures numbered above after, up to head. The first call
// publishes none: they were stored before the start.
func (s *Disclosures) Apply(ctx context.Context, after, head int64) error {
	if !s.started {
		s.hub.Publish(head)
		s.started = true
		return nil
	}
	for {
		found, err := s.store.DisclosuresAfter(ctx, max(after, s.hub.Position()), head, batch)
		if err != nil {
			return err
		}
		for _, d := range found {
			s.hub.Publish(d.Seq, newPublication(d))
		}
		if len(found) < batch {
			s.hub.Publish(head)
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
