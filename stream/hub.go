package stream

import (
	"errors"
	"maps"
	"slices"
	"sync"
)

// Hub hands events to whoever follows one of their topics. Writers never touch
// it: a tailer publishes what was committed, in order.
type Hub[E any] struct {
	topicsOf func(E) []string
	merge    func(E) string // key of an event that a newer one replaces while it waits; nil: every event counts

	mu        sync.Mutex
	position  int64 // number of the newest event published
	events    Mark  // published so far
	followers map[string]map[*Subscription[E]]struct{}
}

// NewHub returns a hub of events whose topics are topicsOf.
func NewHub[E any](topicsOf func(E) []string) *Hub[E] {
	return &Hub[E]{topicsOf: topicsOf, followers: map[string]map[*Subscription[E]]struct{}{}}
}

// NewMergingHub returns a hub whose slow followers get only the newest event
// of each key.
func NewMergingHub[E any](topicsOf func(E) []string, key func(E) string) *Hub[E] {
	h := NewHub(topicsOf)
	h.merge = key
	return h
}

// Publish hands out events, of which the newest has the number position.
func (h *Hub[E]) Publish(position int64, events ...E) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.position = max(h.position, position)
	for _, e := range events {
		h.events++
		for _, topic := range h.topicsOf(e) {
			for s := range h.followers[topic] {
				if s.reached != h.events {
					s.reached = h.events
					s.offer(queued[E]{e, h.events})
				}
			}
		}
	}
}

// Followed are the topics that somebody follows.
func (h *Hub[E]) Followed() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Sorted(maps.Keys(h.followers))
}

// Position is the number of the newest event published.
func (h *Hub[E]) Position() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.position
}

// ErrSlow ends a subscription whose reader fell too far behind. Nothing that
// was taken from it before has a hole.
var ErrSlow = errors.New("the client reads too slowly")

// ErrClosing ends a subscription because the server goes down, once it is
// empty.
var ErrClosing = errors.New("the server is shutting down")

// queueLimit is how many events may wait for one reader.
const queueLimit = 512

// Subscription is the events of some topics, waiting for one reader.
type Subscription[E any] struct {
	hub  *Hub[E]
	wake chan struct{}

	topics  map[string]bool // guarded by hub.mu, as is reached
	reached Mark            // the last event that a topic brought here

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
}

// Mark is a moment between two events of a hub: it counts those published
// before.
type Mark int64

// Join returns a subscription without topics. onSlow, which may be nil, is
// called when its reader has fallen too far behind.
func (h *Hub[E]) Join(onSlow func()) *Subscription[E] {
	return &Subscription[E]{hub: h, wake: make(chan struct{}, 1), topics: map[string]bool{}, onSlow: onSlow}
}

// Follow adds topics and returns the number of the newest event published and
// the mark of that moment: all later events of these topics come through the
// subscription, and no earlier one.
func (s *Subscription[E]) Follow(topics []string) (position int64, now Mark) {
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

// Mark is the mark of this moment.
func (s *Subscription[E]) Mark() Mark {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	return s.hub.events
}

// Unfollow removes topics and returns those that were followed. What waits
// only because of them is dropped.
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

// drop takes out of the queue what no topic asks for; hub.mu is held.
func (s *Subscription[E]) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = slices.DeleteFunc(s.queue, func(q queued[E]) bool {
		return !slices.ContainsFunc(s.hub.topicsOf(q.event), func(topic string) bool { return s.topics[topic] })
	})
	if s.hub.merge == nil {
		return
	}
	clear(s.at)
	for i, q := range s.queue {
		s.at[s.hub.merge(q.event)] = s.taken + i
	}
}

// leave removes one topic; hub.mu is held.
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

// Topics counts the topics followed.
func (s *Subscription[E]) Topics() int {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	return len(s.topics)
}

// Leave ends the subscription; nothing comes any more.
func (s *Subscription[E]) Leave() {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	for topic := range s.topics {
		s.leave(topic)
	}
}

// offer puts an event into the queue; hub.mu is held.
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

// Wake receives when Next may have something new.
func (s *Subscription[E]) Wake() <-chan struct{} { return s.wake }

// Next takes the event that has waited longest, if it was published before the
// mark; ok is false when there is none. ended says that nothing will come any
// more: ErrSlow at once, ErrClosing after the last event.
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

// End lets the subscription come to its end: nothing is added any more, what
// waits is still handed out, and then comes ErrClosing.
func (s *Subscription[E]) End() {
	s.Leave()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended == nil {
		s.ended = ErrClosing
	}
	s.signal()
}
