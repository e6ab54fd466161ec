package stream

import (
	"bytes"
	"encoding/json"
	"sync"

	"github.com/gorilla/websocket"

	"piyasa/access"
	"piyasa/domain/market"
	"piyasa/value"
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

// price is what there is to tell of an instrument: its quote, or why it has
// none.
type price struct {
	quote *market.Quote
	none  *NoQuote
}

func (s *Prices) price(id market.ID) price {
	q, reason, since := s.market.Latest(id)
	if q != nil {
		return price{quote: q}
	}
	return price{none: &NoQuote{InstrumentID: id, NullReason: reason, AsOf: since}}
}

// priceState is what makes a price worth telling again.
type priceState struct {
	reason string // of there being none
	asOf   value.Instant
	last   value.Decimal
}

func (p price) state() priceState {
	if p.quote == nil {
		return priceState{reason: p.none.NullReason, asOf: p.none.AsOf}
	}
	return priceState{asOf: p.quote.AsOf, last: p.quote.Last}
}

// same reports whether both are the same in every member.
func (p price) same(o price) bool {
	return samePtr(p.quote, o.quote) && samePtr(p.none, o.none)
}

func samePtr[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

// priceFrame is the frame of a price, for all who follow it.
type priceFrame struct {
	of    price
	frame *websocket.PreparedMessage
}

// NewPrices returns a stream of the quotes of m.
func NewPrices(m *market.Service) *Prices {
	one := func(id market.ID) []string { return []string{string(id)} }
	key := func(id market.ID) string { return string(id) }
	return &Prices{market: m, hub: NewMergingHub(one, key), frames: map[market.ID]priceFrame{}}
}

// Changed tells the followers of instruments that their quotes have changed.
func (s *Prices) Changed(ids []market.ID) { s.hub.Publish(0, ids...) }

// CatalogChanged lets all followers look at their instruments again: some may
// have left the catalog, or have come back.
func (s *Prices) CatalogChanged() {
	var ids []market.ID
	for _, topic := range s.hub.Followed() {
		ids = append(ids, market.ID(topic))
	}
	s.Changed(ids)
}

// topic resolves an id in any spelling; its market's quotes need a scope.
func (s *Prices) topic(key *access.Key, text string) (string, bool) {
	in, err := s.market.Live.Snapshot().Catalog.Resolve(text, market.AnyForm)
	if err != nil || !key.Has(in.Market.QuotesScope()) {
		return "", false
	}
	return string(in.InstrumentID), true
}

// Feed is what the socket of prices serves.
func (s *Prices) Channel() Channel[market.ID] {
	return Channel[market.ID]{
		Hub: s.hub, Scope: access.Live, Topic: s.topic,
		Teller: func() Tell[market.ID] {
			news := s.news()
			return func(id market.ID, again bool) (*websocket.PreparedMessage, error) {
				p, ok := news(id, again)
				if !ok {
					return nil, nil
				}
				return s.frame(id, p)
			}
		},
		Current: func(topics []string) []market.ID {
			ids := make([]market.ID, len(topics))
			for i, t := range topics {
				ids[i] = market.ID(t)
			}
			return ids
		},
	}
}

// news returns what tells one reader the current price of an instrument, if it
// is another than the one told before or is asked for again.
func (s *Prices) news() func(id market.ID, again bool) (p price, ok bool) {
	told := map[market.ID]priceState{}
	return func(id market.ID, again bool) (p price, ok bool) {
		p = s.price(id)
		state := p.state()
		if !again && told[id] == state {
			return p, false
		}
		told[id] = state
		return p, true
	}
}

// frame is the frame of a price.
func (s *Prices) frame(id market.ID, p price) (*websocket.PreparedMessage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.frames[id]; known.frame != nil && known.of.same(p) {
		return known.frame, nil
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	var shown any = quoteFrame{"quote", p.quote}
	if p.quote == nil {
		shown = noQuoteFrame{"no_quote", p.none}
	}
	if err := e.Encode(shown); err != nil {
		return nil, err
	}
	frame, err := websocket.NewPreparedMessage(websocket.TextMessage, bytes.TrimSuffix(out.Bytes(), []byte("\n")))
	s.frames[id] = priceFrame{p, frame}
	return frame, err
}
