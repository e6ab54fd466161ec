package stream

import (
	"bytes"
	"encoding/json"
	"sync"

	"github.com/gorilla/websocket"

	"piyasa/access"
	"piyasa/domain/market"
)

// Prices streams quotes. An event is only the id of an instrument whose quote
// has changed: the quote is looked up when it is sent, so a slow reader gets
// the newest.
type Prices struct {
	hub    *Hub[market.ID]
	market *market.Service

	mu     sync.Mutex
	frames map[market.ID]priceFrame
}

// priceFrame is the frame of a quote, for all who follow it.
type priceFrame struct {
	of    priceState
	frame *websocket.PreparedMessage
}

// priceState is what makes a quote worth another frame.
type priceState struct {
	asOf market.Instant
	last market.Decimal
}

func stateOf(q *market.Quote) priceState { return priceState{q.AsOf, q.Last} }

// NewPrices returns a stream of the quotes of m.
func NewPrices(m *market.Service) *Prices {
	one := func(id market.ID) []string { return []string{string(id)} }
	key := func(id market.ID) string { return string(id) }
	return &Prices{market: m, hub: NewMergingHub(one, key), frames: map[market.ID]priceFrame{}}
}

// Changed tells the followers of instruments that their quotes have changed.
func (s *Prices) Changed(ids []market.ID) { s.hub.Publish(0, ids...) }

// topic resolves an id in any spelling; its market's quotes need a scope.
func (s *Prices) topic(key *access.Key, text string) (string, bool) {
	in, err := s.market.Live.Snapshot().Catalog.Resolve(text, market.AnySpelling)
	if err != nil || !key.Has(in.Market.QuotesScope()) {
		return "", false
	}
	return string(in.InstrumentID), true
}

// Feed is what the socket of prices serves.
func (s *Prices) Feed() Feed[market.ID] {
	return Feed[market.ID]{
		Hub: s.hub, Scope: access.Live, Topic: s.topic, Frame: s.frame, Fresh: s.fresh,
		Current: func(topics []string) []market.ID {
			ids := make([]market.ID, len(topics))
			for i, t := range topics {
				ids[i] = market.ID(t)
			}
			return ids
		},
	}
}

// fresh returns a reader's memory: whether the quote of an instrument is
// another than the one it said yes to before.
func (s *Prices) fresh() func(market.ID) bool {
	sent := map[market.ID]priceState{}
	return func(id market.ID) bool {
		q := s.market.Latest(id)
		if q == nil || sent[id] == stateOf(q) {
			return false
		}
		sent[id] = stateOf(q)
		return true
	}
}

// frame is the frame of the current quote; nil when there is no price.
func (s *Prices) frame(id market.ID) (*websocket.PreparedMessage, error) {
	q := s.market.Latest(id)
	if q == nil {
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.frames[id]; known.frame != nil && known.of == stateOf(q) {
		return known.frame, nil
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(quoteFrame{"quote", q}); err != nil {
		return nil, err
	}
	frame, err := websocket.NewPreparedMessage(websocket.TextMessage, bytes.TrimSuffix(out.Bytes(), []byte("\n")))
	s.frames[id] = priceFrame{stateOf(q), frame}
	return frame, err
}
