package stream

import (
	"context"
	"sync/atomic"

	"piyasa/account/access"
	"piyasa/domain/kap"
	"piyasa/internal/epoch"
	"piyasa/internal/value"
)

// DisclosureStore reads the stored disclosures that a stream sends.
type DisclosureStore interface {
	// DisclosuresAfter returns the first limit disclosures for streams numbered above
	// seq, up to and including head, in the order of their numbers.
	DisclosuresAfter(ctx context.Context, seq, head int64, limit int) ([]*kap.Stored, error)
	// Replay returns the disclosures that r selects, in its order.
	Replay(ctx context.Context, r kap.Replay) ([]*kap.Stored, error)
	// KnownDisclosures reports for each number whether its disclosure is stored.
	KnownDisclosures(ctx context.Context, numbers []int) (map[int]bool, error)
	// Look returns the last number of every feed, and the epochs.
	Look(context.Context) (epoch.Moment, error)
}

// Disclosures streams disclosures. WebSockets, GraphQL subscriptions and server-sent events all
// subscribe to its one hub. It publishes rows of the log in the order of their numbers and
// replays from the store; where a replay ends and live events begin, nothing is missing or
// sent twice.
type Disclosures struct {
	hub   *Hub[*publication]
	store DisclosureStore
	keys  keyWatch // of GraphQL subscriptions

	epochs    atomic.Pointer[epoch.Lineage] // as of the last Apply; nil before the first
	published published
	once      kap.Portion  // only for Apply
	lost      atomic.Int64 // how many disclosures were published and then lost
}

// NewDisclosures returns a stream of the disclosures in store.
func NewDisclosures(store DisclosureStore) *Disclosures {
	return &Disclosures{store: store, keys: newKeyWatch(), once: kap.Portion{Most: batch},
		hub: NewHub(func(d *publication) []string { return d.topics }, func(d *publication) int { return len(d.frame.plain) })}
}

// publication is a disclosure for the subscribers to its topics, or, for all subscribers, the
// news that the store went back. Its frame is made once for all WebSockets.
type publication struct {
	*kap.Stored
	epoch    string
	wentBack *StoreWentBack
	topics   []string
	frame    *sharedFrame
}

func newPublication(d *kap.Stored, id string) (*publication, error) {
	text, err := messageOf(d, false)
	return &publication{Stored: d, epoch: id, topics: value.Texts(d.Topics()), frame: newSharedFrame(text)}, err
}

// messageOf returns the message of a disclosure. Its data member has the same bytes live and
// replayed.
func messageOf(d *kap.Stored, replay bool) ([]byte, error) {
	return value.AppendJSON(nil, disclosureFrame{"disclosure", replay, &d.Disclosure})
}

// batch is the most disclosures that one query reads.
const batch = 200

// Apply publishes the disclosures numbered above After, up to Head. The first call
// publishes none: they were stored before the start. In a new epoch, Apply continues
// after the last published disclosure that was not lost, and announces any loss.
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
		most := s.once.Size()
		found, err := s.store.DisclosuresAfter(ctx, max(rows.After, s.hub.Position().Seq), rows.Head, most)
		if s.once.Done(err) != nil {
			return err
		}
		if len(found) > 0 {
			if err := s.publish(found, rows.Epochs.Current()); err != nil {
				return err
			}
		}
		if len(found) < most {
			s.hub.Publish(rows.Head)
			return nil
		}
	}
}

// publish publishes disclosures together.
func (s *Disclosures) publish(found []*kap.Stored, id string) error {
	all := make([]*publication, len(found))
	for i, d := range found {
		var err error
		if all[i], err = newPublication(d, id); err != nil {
			return err
		}
	}
	for _, d := range found {
		s.published.add(d)
	}
	s.hub.Publish(found[len(found)-1].Seq, all...)
	return nil
}

// Channel returns the channel of the WebSocket of disclosures.
func (s *Disclosures) Channel() Channel[*publication] {
	return Channel[*publication]{
		Hub:   s.hub,
		Scope: access.KAP,
		Topic: func(_ *access.Key, text string) (string, bool) {
			topic, ok := kap.ParseTopic(text)
			return string(topic), ok
		},
		Costs: func(d *publication) bool { return d.wentBack == nil },
		NewEncoder: func() Encode[*publication] {
			return func(d *publication, _ bool) (*sharedFrame, error) { return d.frame, nil }
		},
		Replay: func(ctx context.Context, topics []string, afterIndex, upToSeq int64, send func([][]byte) error) (int64, bool, error) {
			last := afterIndex
			selected := kap.Replay{Of: kap.Select(topics), After: afterIndex, UpToSeq: upToSeq}
			truncated, err := s.replay(ctx, selected, func(page []*kap.Stored) error {
				messages := make([][]byte, len(page))
				for i, d := range page {
					var err error
					if messages[i], err = messageOf(d, true); err != nil {
						return err
					}
				}
				if err := send(messages); err != nil {
					return err
				}
				last = int64(page[len(page)-1].DisclosureIndex)
				return nil
			})
			return last, truncated, err
		},
	}
}

// maxReplay is the most disclosures of one replay.
const maxReplay = 1000

// replay passes the disclosures that r selects to send, in its order and page by page, up to
// maxReplay; truncated reports that there are more.
func (s *Disclosures) replay(ctx context.Context, r kap.Replay, send func(page []*kap.Stored) error) (truncated bool, err error) {
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
		if len(found) > 0 {
			if err := send(found); err != nil {
				return false, err
			}
			d := found[len(found)-1]
			if r.After = int64(d.DisclosureIndex); r.BySeq {
				r.After = d.Seq
			}
		}
		if sent += len(found); !more || sent == maxReplay {
			return more, nil
		}
	}
}
