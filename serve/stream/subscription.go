package stream

import (
	"errors"
	"maps"
	"slices"
	"sync"

	"piyasa/internal/epoch"
)

// ErrSlow ends a subscription whose queue is too long; no event is missing among those
// delivered so far.
var ErrSlow = errors.New("the client reads too slowly")

// ErrClosing ends a subscription when the server shuts down, once its queue is
// empty.
var ErrClosing = errors.New("the server is shutting down")

// maxQueued bounds the bytes of the events in the queue of a subscription. Events that do
// not fit wait in the hub's backlog.
const maxQueued = 1 << 20

// Subscription queues the events of some topics for one reader. Hub.Join makes it, Follow and
// Unfollow set its topics, and Next returns its events.
type Subscription[E any] struct {
	hub    *Hub[E]
	notify func(ended error) // or:
	wake   chan struct{}

	// Guarded by hub.mu:
	topics  map[string]Mark // with the mark since when each is followed
	over    map[string]Mark // the topics when End was called
	until   Mark            // the mark of that End
	reached Mark            // the last event offered: one with several topics is queued once
	missed  Mark            // the first event that waits in the backlog; 0: none

	mu    sync.Mutex
	queue []*queued[E]
	few   [4]*queued[E]  // the first memory of a queue
	bytes int            // of the events in the queue
	more  bool           // whether the backlog has events to put after the queue
	taken int            // events that have left the queue
	at    map[string]int // places of merged events by key, counted from the first event ever
	ended error
}

// queued is a published event. All queues share it and do not change it.
type queued[E any] struct {
	event E
	mark  Mark // of its publishing
	size  int
	toAll bool // also to subscriptions that do not follow its topics
}

// Mark is a moment between two events of a hub: the count of those published
// before.
type Mark int64

// Follow adds topics and returns the position of the last event published, and its mark: the
// subscription receives all later events of these topics, and no earlier one.
func (s *Subscription[E]) Follow(topics []string) (position epoch.Position, now Mark) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	if s.topics == nil {
		s.topics = make(map[string]Mark, len(topics))
	}
	for _, topic := range topics {
		if !s.follows(topic) {
			s.topics[topic] = s.hub.mark()
		}
		if s.hub.followers[topic] == nil {
			s.hub.followers[topic] = map[*Subscription[E]]struct{}{}
		}
		s.hub.followers[topic][s] = struct{}{}
	}
	return s.hub.position, s.hub.mark()
}

// Mark returns the current mark.
func (s *Subscription[E]) Mark() Mark { return s.hub.mark() }

// Reached returns the position of the last event published, and the current mark.
func (s *Subscription[E]) Reached() (epoch.Position, Mark) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	return s.hub.position, s.hub.mark()
}

// Unfollow removes topics and returns those that were followed. It drops queued events that
// have no followed topic any more.
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

// drop removes the events without a followed topic from the queue; hub.mu is locked.
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

// follows is Follows for callers that have locked hub.mu.
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
	s.leaveAll()
	s.hub.backlog.leave(s)
}

// leaveAll removes all topics; hub.mu is locked.
func (s *Subscription[E]) leaveAll() {
	for topic := range s.topics {
		s.leave(topic)
	}
}

// offer queues an event, or reports that it has to wait in the backlog; hub.mu is locked.
func (s *Subscription[E]) offer(q *queued[E]) (waits bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ended != nil:
		return false
	case s.hub.merge != nil:
		key := s.hub.merge(q.event)
		if n, waits := s.at[key]; waits { // the newer event replaces the older one
			place := &s.queue[n-s.taken]
			*place = &queued[E]{event: q.event, mark: (*place).mark, toAll: q.toAll}
			return false
		}
		if s.at == nil {
			s.at = map[string]int{}
		}
		s.at[key] = s.taken + len(s.queue)
	case s.more || !s.fits(q): // Next takes it from the backlog
		s.more = true
		s.signal(nil)
		return true
	}
	s.add(q)
	s.signal(nil)
	return false
}

// fits reports whether an event fits into the queue; s.mu is locked.
func (s *Subscription[E]) fits(q *queued[E]) bool {
	return len(s.queue) == 0 || s.bytes+q.size <= maxQueued
}

// add queues an event; s.mu is locked.
func (s *Subscription[E]) add(q *queued[E]) {
	if len(s.queue) == 0 {
		s.queue = s.few[:0]
	}
	s.queue = append(s.queue, q)
	s.bytes += q.size
}

// refill fills the empty queue from the backlog.
func (s *Subscription[E]) refill() {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.missed == 0 || len(s.queue) > 0 { // the subscription has ended, or another call was faster
		return
	}
	for _, q := range s.hub.backlog.from(s.missed) {
		if !s.wants(q) {
			continue
		}
		if !s.fits(q) {
			s.missed = q.mark
			return
		}
		s.add(q)
	}
	s.more = false
	s.hub.backlog.leave(s)
}

// wants reports whether an event of the backlog is for this subscription; hub.mu is
// locked.
func (s *Subscription[E]) wants(q *queued[E]) bool {
	topics := s.topics
	if s.over != nil {
		if q.mark > s.until {
			return false
		}
		topics = s.over
	}
	return q.toAll || slices.ContainsFunc(s.hub.topicsOf(q.event), func(topic string) bool {
		since, follows := topics[topic]
		return follows && q.mark > since
	})
}

// end ends the subscription at once; hub.mu is locked.
func (s *Subscription[E]) end(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended == nil || s.ended == ErrClosing {
		s.ended, s.queue, s.bytes, s.more = why, nil, 0, false
		s.signal(why)
	}
}

func (s *Subscription[E]) signal(ended error) {
	if s.notify != nil {
		s.notify(ended)
		return
	}
	select {
	case s.wake <- struct{}{}:
	default: // a wake-up is already pending
	}
}

// Wake receives when Next may return something new; nil if Join was given a function.
func (s *Subscription[E]) Wake() <-chan struct{} { return s.wake }

// Pending returns how many events are in the queue.
func (s *Subscription[E]) Pending() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.queue)
}

// Waiting returns how many events wait in the queue and in the backlog, at most most.
func (s *Subscription[E]) Waiting(most int) int {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	waiting := s.Pending()
	if s.missed == 0 {
		return min(waiting, most)
	}
	for _, q := range s.hub.backlog.from(s.missed) {
		if waiting >= most {
			return most
		}
		if s.wants(q) {
			waiting++
		}
	}
	return waiting
}

// Next returns and removes the oldest queued event published before the mark; ok is false if
// there is none. ended is the reason if no more will come: ErrSlow at once, ErrClosing after
// the last event.
func (s *Subscription[E]) Next(before Mark) (e E, ok bool, ended error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 && s.more {
		s.mu.Unlock() // the hub's lock comes first
		s.refill()
		s.mu.Lock()
	}
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
		s.queue = nil // so that a long queue is freed
	}
	return q.event, true, nil
}

// End stops new events; Next returns the queued ones and then ErrClosing.
func (s *Subscription[E]) End() {
	s.hub.mu.Lock()
	if s.over == nil {
		s.over, s.until = maps.Clone(s.topics), s.hub.mark()
	}
	s.leaveAll()
	s.hub.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended == nil {
		s.ended = ErrClosing
	}
	s.signal(nil)
}
