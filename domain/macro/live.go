package macro

import "sync/atomic"

// Live holds the price indices and the events of the calendar as they are
// known now.
type Live struct {
	prices atomic.Pointer[Prices]
	events atomic.Pointer[Events]
}

// NewLive returns a Live that knows nothing.
func NewLive() *Live {
	l := &Live{}
	l.PutPoints(nil)
	l.PutEvents(nil)
	return l
}

// Events are the events known now.
func (l *Live) Events() *Events { return l.events.Load() }

// PutEvents replaces the events.
func (l *Live) PutEvents(all []*CalendarEvent) { l.events.Store(newEvents(all)) }

// Prices are the price indices known now.
func (l *Live) Prices() *Prices { return l.prices.Load() }

// PutPoints replaces the price indices.
func (l *Live) PutPoints(all []*Point) { l.prices.Store(newPrices(all)) }
