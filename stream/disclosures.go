package stream

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"

	"github.com/gorilla/websocket"

	"piyasa/access"
	"piyasa/domain/kap"
)

// DisclosureStore is where disclosures are read from.
type DisclosureStore interface {
	// DisclosuresAfter are the first limit disclosures for streams that were
	// stored after seq, up to and including head, in the order of storing.
	DisclosuresAfter(ctx context.Context, seq, head int64, limit int) ([]*kap.Stored, error)
	// Replay are the disclosures that r selects, in its order.
	Replay(ctx context.Context, r kap.Replay) ([]*kap.Stored, error)
}

// Disclosures streams disclosures: every transport gets them from its hub.
type Disclosures struct {
	hub     *Hub[*disclosed]
	store   DisclosureStore
	started bool // whether the end of what was stored before is known
}

// NewDisclosures returns a stream of the disclosures in store.
func NewDisclosures(store DisclosureStore) *Disclosures {
	return &Disclosures{store: store, hub: NewHub(func(d *disclosed) []string { return d.topics })}
}

// disclosed is a disclosure on its way to its followers, encoded at most once.
type disclosed struct {
	*kap.Stored
	topics []string
	frame  func() (*websocket.PreparedMessage, error)
}

func newDisclosed(d *kap.Stored) *disclosed {
	return &disclosed{d, texts(d.Topics()), sync.OnceValues(func() (*websocket.PreparedMessage, error) {
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

// frameOf is the frame of a disclosure; data is the same, byte for byte, live
// and replayed.
func frameOf(d *kap.Stored, replay bool) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err := e.Encode(disclosureFrame{"disclosure", replay, &d.Disclosure})
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

// batch is how many disclosures are read at once.
const batch = 200

// Apply publishes what was stored after the number after, up to head. What was
// stored before the first call is nobody's news.
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
			s.hub.Publish(d.Seq, newDisclosed(d))
		}
		if len(found) < batch {
			s.hub.Publish(head)
			return nil
		}
	}
}

// Feed is what the socket of disclosures serves.
func (s *Disclosures) Channel() Channel[*disclosed] {
	return Channel[*disclosed]{
		Hub:   s.hub,
		Scope: access.KAP,
		Topic: func(_ *access.Key, text string) (string, bool) {
			topic, ok := kap.ParseTopic(text)
			return string(topic), ok
		},
		Teller: func() Tell[*disclosed] {
			return func(d *disclosed, _ bool) (*websocket.PreparedMessage, error) { return d.frame() }
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

// replay hands what r selects to send, in its order, up to maxReplay;
// truncated says that there is more.
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
