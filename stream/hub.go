package stream

import (
	"maps"
	"slices"
	"sync"

	"piyasa/epoch"
)

// Hub distributes events to subscriptions by topic. The tailer publishes them in
// the order of commits.
type Hub[E any] struct {
	topicsOf func(E) []string
	merge    func(E) string // key of an event that a newer one replaces in the queue; nil: all events are kept

	mu        sync.Mutex
	position  epoch.Position // of the newest event published
	events    Mark           // published so far
	followers map[string]map[*Subscription[E]]struct{}
}

// NewHub returns a hub of events; topicsOf returns the topics of one.
func NewHub[E any](topicsOf func(E) []string) *Hub[E] {
	return &Hub[E]{topicsOf: topicsOf, followers: map[string]map[*Subscription[E]]struct{}{}}
}

// NewMergingHub returns a hub whose slow subscribers get only the newest event of
// each key.
func NewMergingHub[E any](topicsOf func(E) []string, key func(E) string) *Hub[E] {
	h := NewHub(topicsOf)
	h.merge = key
	return h
}

// Publish distributes events, of which the last has the number seq.
func (h *Hub[E]) Publish(seq int64, events ...E) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.position.Seq = max(h.position.Seq, seq)
	for _, e := range events {
		h.events++
		for _, topic := range h.topicsOf(e) {
			h.offer(topic, queued[E]{event: e, mark: h.events})
		}
	}
}

// Enter goes on from a position, which may be a lower one of a new epoch. It sends
// events to all subscriptions, whatever they follow.
func (h *Hub[E]) Enter(p epoch.Position, events ...E) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.position = p
	for _, e := range events {
		h.events++
		for topic := range h.followers {
			h.offer(topic, queued[E]{event: e, mark: h.events, toAll: true})
		}
	}
}

// offer queues an event for the followers of a topic; h.mu is locked.
func (h *Hub[E]) offer(topic string, q queued[E]) {
	for s := range h.followers[topic] {
		if s.reached != q.mark {
			s.reached = q.mark
			s.offer(q)
		}
	}
}

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

// Join returns a subscription without topics. onSlow, which may be nil, is called
// when its queue is full.
func (h *Hub[E]) Join(onSlow func()) *Subscription[E] {
	return &Subscription[E]{hub: h, wake: make(chan struct{}, 1), topics: map[string]bool{}, onSlow: onSlow}
}
