package stream

import (
	"errors"
	"slices"
	"sync"

	"piyasa/epoch"
)

// ErrSlow ends a subscription whose queue is full; the events delivered so far are
// complete.
var ErrSlow = errors.New("the client reads too slowly")

// ErrClosing ends a subscription when the server shuts down, once its queue is
// empty.
var ErrClosing = errors.New("the server is shutting down")

// queueLimit bounds the queue of a subscription.
const queueLimit = 512

// Subscription queues the events of some topics for one reader.
type Subscription[E any] struct {
	hub  *Hub[E]
	wake chan struct{}

	topics  map[string]bool // guarded by hub.mu, as is reached
	reached Mark            // the last event queued here: one of several topics is queued once

	mu     sync.Mutex
	queue  []queued[E]
	taken  int            // events that have left the queue
	at     map[string]int // place of a merged event, counted from the first ever
	ended  error
	onSlow func()
}

// queued is an event that waits.
type queued[E any] struct {
	event E
	mark  Mark // of its publishing
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
	for _, topic := range topics {
		s.topics[topic] = true
		if s.hub.followers[topic] == nil {
			s.hub.followers[topic] = map[*Subscription[E]]struct{}{}
		}
		s.hub.followers[topic][s] = struct{}{}
	}
	return s.hub.position, s.hub.events
}

// Mark returns the mark of this moment.
func (s *Subscription[E]) Mark() Mark {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	return s.hub.events
}

// Reached returns the position of the last event published, and the mark of this
// moment.
func (s *Subscription[E]) Reached() (epoch.Position, Mark) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	return s.hub.position, s.hub.events
}

// Unfollow removes topics and returns those that were followed. It drops queued
// events of no other topic.
func (s *Subscription[E]) Unfollow(topics []string) (removed []string) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	for _, topic := range topics {
		if s.topics[topic] {
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
	s.queue = slices.DeleteFunc(s.queue, func(q queued[E]) bool {
		return !q.toAll && !slices.ContainsFunc(s.hub.topicsOf(q.event), func(topic string) bool { return s.topics[topic] })
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
	return s.topics[topic]
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
func (s *Subscription[E]) offer(q queued[E]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ended != nil:
		return
	case s.hub.merge != nil:
		key := s.hub.merge(q.event)
		if n, waits := s.at[key]; waits {
			s.queue[n-s.taken].event = q.event
			return
		}
		if s.at == nil {
			s.at = map[string]int{}
		}
		s.at[key] = s.taken + len(s.queue)
	case len(s.queue) == queueLimit:
		s.ended, s.queue = ErrSlow, nil
		if s.onSlow != nil {
			go s.onSlow()
		}
		s.signal()
		return
	}
	s.queue = append(s.queue, q)
	s.signal()
}

func (s *Subscription[E]) signal() {
	select {
	case s.wake <- struct{}{}:
	default: // a wake-up is waiting already
	}
}

// Wake receives when Next may return something new.
func (s *Subscription[E]) Wake() <-chan struct{} { return s.wake }

// Next returns and removes the oldest queued event, if it was published before the
// mark; ok is false when there is none. ended is why no more will come: ErrSlow at
// once, ErrClosing after the last event.
func (s *Subscription[E]) Next(before Mark) (e E, ok bool, ended error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case len(s.queue) == 0:
		return e, false, s.ended
	case s.queue[0].mark > before:
		return e, false, nil
	}
	e, s.queue = s.queue[0].event, s.queue[1:]
	s.taken++
	if s.hub.merge != nil {
		delete(s.at, s.hub.merge(e))
	}
	return e, true, nil
}

// End stops new events; Next returns the queued ones and then ErrClosing.
func (s *Subscription[E]) End() {
	s.Leave()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended == nil {
		s.ended = ErrClosing
	}
	s.signal()
}
