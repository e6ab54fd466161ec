package stream

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"piyasa/internal/epoch"
)

// Hub distributes events to subscriptions by topic. The tailer publishes the events in the
// order of commits; readers subscribe with Join.
type Hub[E any] struct {
	topicsOf func(E) []string
	sizeOf   func(E) int    // bytes that an event counts against maxQueued
	merge    func(E) string // a queued event is replaced by a newer one with its key; nil: all are kept
	events   atomic.Int64   // published so far and in the queues, as a Mark

	mu        sync.Mutex
	position  epoch.Position // of the newest event published
	followers map[string]map[*Subscription[E]]struct{}
	backlog   backlog[E]
}

// NewHub returns a hub of events; topicsOf returns the topics of an event, sizeOf its size in
// bytes.
func NewHub[E any](topicsOf func(E) []string, sizeOf func(E) int) *Hub[E] {
	return &Hub[E]{
		topicsOf: topicsOf, sizeOf: sizeOf, followers: map[string]map[*Subscription[E]]struct{}{},
		backlog: backlog[E]{needed: map[*Subscription[E]]struct{}{}},
	}
}

// NewMergingHub returns a hub whose slow subscribers receive only the newest event of each
// key.
func NewMergingHub[E any](topicsOf func(E) []string, key func(E) string) *Hub[E] {
	h := NewHub(topicsOf, func(E) int { return 0 }) // a queue holds no more events than there are topics
	h.merge = key
	return h
}

// Publish distributes events; seq is the number of the last one.
func (h *Hub[E]) Publish(seq int64, events ...E) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.position.Seq = max(h.position.Seq, seq)
	h.publish(events, func(q *queued[E]) {
		for _, topic := range h.topicsOf(q.event) {
			h.offer(topic, q)
		}
	})
}

// Enter continues from a position, which may be a lower one of a new epoch. It sends events
// to all subscriptions, whatever topics they follow.
func (h *Hub[E]) Enter(p epoch.Position, events ...E) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.position = p
	h.publish(events, func(q *queued[E]) {
		q.toAll = true
		for topic := range h.followers {
			h.offer(topic, q)
		}
	})
}

// publish numbers events and passes each to offer; h.mu is locked.
func (h *Hub[E]) publish(events []E, offer func(*queued[E])) {
	mark := Mark(h.events.Load())
	for _, e := range events {
		mark++
		q := &queued[E]{event: e, mark: mark, size: h.sizeOf(e)}
		offer(q)
		h.backlog.add(q)
	}
	h.events.Store(int64(mark))
}

// offer queues an event for the followers of a topic; h.mu is locked.
func (h *Hub[E]) offer(topic string, q *queued[E]) {
	for s := range h.followers[topic] {
		if s.reached != q.mark {
			s.reached = q.mark
			if s.offer(q) {
				h.backlog.need(s, q.mark)
			}
		}
	}
}

// mark returns the current mark.
func (h *Hub[E]) mark() Mark { return Mark(h.events.Load()) }

// Followed returns the topics that have subscriptions.
func (h *Hub[E]) Followed() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Sorted(maps.Keys(h.followers))
}

// Position returns the position of the last event published.
func (h *Hub[E]) Position() epoch.Position {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.position
}

// Join returns a subscription without topics. notify, which may be nil, is called when Next
// may return something new, with ErrSlow if the subscription ends because its queue is too
// long. It must neither block nor call back.
func (h *Hub[E]) Join(notify func(ended error)) *Subscription[E] {
	s := &Subscription[E]{hub: h, notify: notify}
	if notify == nil {
		s.wake = make(chan struct{}, 1)
	}
	return s
}
