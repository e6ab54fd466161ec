package stream

import (
	"errors"
	"slices"
	"sync"

	"piyasa/epoch"
)

// ErrSlow ends a subscription for which too much waits; the events delivered so far are
// complete.
var ErrSlow = errors.New("the client reads too slowly")

// ErrClosing ends a subscription when the server shuts down, once its queue is
// empty.
var ErrClosing = errors.New("the server is shutting down")

// maxQueued bounds the bytes that wait in the queue of a subscription. They are shared:
// an event counts in every queue, and takes memory once.
const maxQueued = 4 << 20

// Subscription queues the events of some topics for one reader.
type Subscription[E any] struct {
	hub    *Hub[E]
	notify func(ended error) // or:
	wake   chan struct{}

	topics  map[string]struct{} // guarded by hub.mu, as is reached
	reached Mark                // the last event queued here: one of several topics is queued once

	mu    sync.Mutex
	queue []*queued[E]
	few   [4]*queued[E]  // where a queue begins
	bytes int            // in the queue
	taken int            // events that have left the queue
	at    map[string]int // place of a merged event, counted from the first ever
	ended error
}

// queued is an event that waits. It is shared by all queues, and does not change in them.
type queued[E any] struct {
	event E
	mark  Mark // of its publishing
	size  int
	toAll bool // whatever is followed
}

// Mark is a moment between two events of a hub: the count of those published
// before.
type Mark int64

// Follow adds topics and returns the position of the last event published and the
// mark of that moment: the subscription gets all later events of these topics, and
// no earlier one.
func (s *Subscription[E]) Follow(topics []string) (position epoch.Position, now Mark) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	if s.topics == nil {
		s.topics = make(map[string]struct{}, len(topics))
	}
	for _, topic := range topics {
		s.topics[topic] = struct{}{}
		if s.hub.followers[topic] == nil {
			s.hub.followers[topic] = map[*Subscription[E]]struct{}{}
		}
		s.hub.followers[topic][s] = struct{}{}
	}
	return s.hub.position, s.hub.mark()
}

// Mark returns the mark of this moment.
func (s *Subscription[E]) Mark() Mark { return s.hub.mark() }

// Reached returns the position of the last event published, and the mark of this
// moment.
func (s *Subscription[E]) Reached() (epoch.Position, Mark) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	return s.hub.position, s.hub.mark()
}

// Unfollow removes topics and returns those that were followed. It drops queued
// events of no other topic.
func (s *Subscription[E]) Unfollow(topics []string) (removed []string) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	for _, topic := range topics {
		if s.follows(topic) {
			s.leave(topic)
			removed = append(removed, topic)
		}
	}
	if len(removed) > 0 {
		s.drop()
	}
	return removed
}

// drop removes events of no followed topic from the queue; hub.mu is locked.
func (s *Subscription[E]) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = slices.DeleteFunc(s.queue, func(q *queued[E]) bool {
		gone := !q.toAll && !slices.ContainsFunc(s.hub.topicsOf(q.event), s.follows)
		if gone {
			s.bytes -= q.size
		}
		return gone
	})
	if s.hub.merge == nil {
		return
	}
	clear(s.at)
	for i, q := range s.queue {
		s.at[s.hub.merge(q.event)] = s.taken + i
	}
}

// leave removes one topic; hub.mu is locked.
func (s *Subscription[E]) leave(topic string) {
	delete(s.topics, topic)
	delete(s.hub.followers[topic], s)
	if len(s.hub.followers[topic]) == 0 {
		delete(s.hub.followers, topic)
	}
}

// Follows reports whether topic is followed.
func (s *Subscription[E]) Follows(topic string) bool {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	return s.follows(topic)
}

// follows does the same; hub.mu is locked.
func (s *Subscription[E]) follows(topic string) bool {
	_, is := s.topics[topic]
	return is
}

// Topics returns how many topics are followed.
func (s *Subscription[E]) Topics() int {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	return len(s.topics)
}

// Leave removes all topics: no new events are queued.
func (s *Subscription[E]) Leave() {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	for topic := range s.topics {
		s.leave(topic)
	}
}

// offer queues an event; hub.mu is locked.
func (s *Subscription[E]) offer(q *queued[E]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ended != nil:
		return
	case s.hub.merge != nil:
		key := s.hub.merge(q.event)
		if n, waits := s.at[key]; waits { // it takes the place of the older one
			place := &s.queue[n-s.taken]
			*place = &queued[E]{event: q.event, mark: (*place).mark, toAll: q.toAll}
			return
		}
		if s.at == nil {
			s.at = map[string]int{}
		}
		s.at[key] = s.taken + len(s.queue)
	case len(s.queue) > 0 && s.bytes+q.size > maxQueued:
		s.ended, s.queue = ErrSlow, nil
		s.signal(ErrSlow)
		return
	}
	if len(s.queue) == 0 {
		s.queue = s.few[:0]
	}
	s.queue = append(s.queue, q)
	s.bytes += q.size
	s.signal(nil)
}

func (s *Subscription[E]) signal(ended error) {
	if s.notify != nil {
		s.notify(ended)
		return
	}
	select {
	case s.wake <- struct{}{}:
	default: // a wake-up is waiting already
	}
}

// Wake receives when Next may return something new; nil if Join was given a function.
func (s *Subscription[E]) Wake() <-chan struct{} { return s.wake }

// Pending returns how many events wait.
func (s *Subscription[E]) Pending() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.queue)
}

// Next returns and removes the oldest queued event, if it was published before the
// mark; ok is false when there is none. ended is why no more will come: ErrSlow at
// once, ErrClosing after the last event.
func (s *Subscription[E]) Next(before Mark) (e E, ok bool, ended error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		return e, false, s.ended
	}
	q := s.queue[0]
	if q.mark > before {
		return e, false, nil
	}
	s.queue[0], s.queue = nil, s.queue[1:]
	s.bytes -= q.size
	s.taken++
	if s.hub.merge != nil {
		delete(s.at, s.hub.merge(q.event))
	}
	if len(s.queue) == 0 {
		s.queue = nil // a long one is let go
	}
	return q.event, true, nil
}

// End stops new events; Next returns the queued ones and then ErrClosing.
func (s *Subscription[E]) End() {
	s.Leave()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended == nil {
		s.ended = ErrClosing
	}
	s.signal(nil)
}
