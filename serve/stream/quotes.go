package stream

import (
	"sync"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// Quotes streams quotes to WebSockets and GraphQL subscriptions. An event is only the id of
// an instrument whose quote has changed: the quote is looked up when it is sent, so a slow
// reader gets the newest one.
type Quotes struct {
	hub    *Hub[market.ID]
	market *market.Service
	keys   keyWatch // of GraphQL subscriptions

	mu     sync.Mutex
	frames map[market.ID]cachedFrame
}

// quoteOrNone is the quote of an instrument, or why it has none.
type quoteOrNone struct {
	quote *market.Quote
	none  *NoQuote
}

func (s *Quotes) current(id market.ID) quoteOrNone {
	q, reason, since := s.market.Latest(id)
	if q != nil {
		return quoteOrNone{quote: q}
	}
	none := &NoQuote{InstrumentID: id, NullReason: reason, AsOf: since}
	if reason == market.UnknownID {
		none.Successor = s.market.Live.Snapshot().Catalog.RenamedTo(string(id))
	}
	return quoteOrNone{none: none}
}

// quoteState is the part of a quote whose change is sent.
type quoteState struct {
	reason string // null reason; empty if there is a quote
	asOf   value.Instant
	last   value.Decimal
}

func (p quoteOrNone) state() quoteState {
	if p.quote == nil {
		return quoteState{reason: p.none.NullReason, asOf: p.none.AsOf}
	}
	return quoteState{asOf: p.quote.AsOf, last: p.quote.Last}
}

// same reports whether p and o are equal in every member.
func (p quoteOrNone) same(o quoteOrNone) bool {
	return samePtr(p.quote, o.quote) && samePtr(p.none, o.none)
}

func samePtr[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

// cachedFrame is the frame of a quote, shared by all connections.
type cachedFrame struct {
	of    quoteOrNone
	frame *sharedFrame
}

// NewQuotes returns a stream of the quotes of m.
func NewQuotes(m *market.Service) *Quotes {
	one := func(id market.ID) []string { return []string{string(id)} }
	key := func(id market.ID) string { return string(id) }
	return &Quotes{market: m, keys: newKeyWatch(), hub: NewMergingHub(one, key), frames: map[market.ID]cachedFrame{}}
}

// Changed publishes that the quotes of instruments have changed.
func (s *Quotes) Changed(ids []market.ID) { s.hub.Publish(0, ids...) }

// CatalogChanged publishes all followed instruments: some may have left the catalog or
// returned to it.
func (s *Quotes) CatalogChanged() {
	var ids []market.ID
	for _, topic := range s.hub.Followed() {
		ids = append(ids, market.ID(topic))
	}
	s.Changed(ids)
}

// topic resolves an id in any form; the key needs the quotes scope of its market.
func (s *Quotes) topic(key *access.Key, text string) (string, bool) {
	in := s.market.Live.Snapshot().Catalog.Find(text, market.AnyForm).Instrument
	if in == nil || !key.Has(in.Market.QuotesScope()) {
		return "", false
	}
	return string(in.InstrumentID), true
}

// successors returns the new ids of instruments that had one of ids before.
func (s *Quotes) successors(ids []string) (all []*Succession) {
	catalog := s.market.Live.Snapshot().Catalog
	for _, id := range ids {
		if now := catalog.RenamedTo(id); now != nil {
			all = append(all, &Succession{id, *now})
		}
	}
	return all
}

// Channel returns the channel of the WebSocket of quotes.
func (s *Quotes) Channel() Channel[market.ID] {
	return Channel[market.ID]{
		Hub: s.hub, Scope: access.Live, Topic: s.topic, Successors: s.successors, Batches: true,
		NewEncoder: func() Encode[market.ID] {
			newer := s.newer()
			return func(id market.ID, again bool) (*sharedFrame, error) {
				p, ok := newer(id, again)
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

// newer returns a filter for one reader. The filter returns the current quote of an
// instrument; ok reports whether its state has changed since the last call, or again is set.
func (s *Quotes) newer() func(id market.ID, again bool) (p quoteOrNone, ok bool) {
	sent := map[market.ID]quoteState{}
	return func(id market.ID, again bool) (p quoteOrNone, ok bool) {
		p = s.current(id)
		state := p.state()
		if !again && sent[id] == state {
			return p, false
		}
		sent[id] = state
		return p, true
	}
}

// frame returns the frame of a quote.
func (s *Quotes) frame(id market.ID, p quoteOrNone) (*sharedFrame, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.frames[id]; known.frame != nil && known.of.same(p) {
		return known.frame, nil
	}
	var shown any = quoteFrame{"quote", p.quote}
	if p.quote == nil {
		shown = noQuoteFrame{"no_quote", p.none}
	}
	text, err := value.AppendJSON(nil, shown)
	if err != nil {
		return nil, err
	}
	frame := newSharedFrame(text)
	s.frames[id] = cachedFrame{p, frame}
	return frame, nil
}
