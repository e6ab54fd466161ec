package macro

import "sync/atomic"

// Live holds the current price indices and events of the calendar.
type Live struct {
	prices atomic.Pointer[Prices]
	events atomic.Pointer[Events]
}

// NewLive returns an empty Live.
func NewLive() *Live {
	l := &Live{}
	l.PutPoints(nil)
	l.PutEvents(nil)
	return l
}

// Events returns the current events.
func (l *Live) Events() *Events { return l.events.Load() }

// PutEvents replaces the events.
func (l *Live) PutEvents(all []*CalendarEvent) { l.events.Store(newEvents(all)) }

// Prices returns the current price indices.
func (l *Live) Prices() *Prices { return l.prices.Load() }

// PutPoints replaces the price indices, and the links between their bases.
func (l *Live) PutPoints(all []*Point, links ...*IndexLink) { l.prices.Store(newPrices(all, links)) }
