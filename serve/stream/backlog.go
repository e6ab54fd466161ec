package stream

// maxBacklog bounds the bytes of a backlog.
const maxBacklog = 16 << 20

// backlog holds the newest events of a hub, from the oldest one that did not fit into the
// queue of some subscription. So a burst may be longer than a queue without closing a client
// that reads, and its events are stored once for all queues. While no queue is full, the
// backlog is empty. The hub's lock guards it.
type backlog[E any] struct {
	events []*queued[E] // numbered without gaps
	bytes  int
	needed map[*Subscription[E]]struct{} // the subscriptions that still take events from here
}

// need records that a subscription takes its events from the backlog, beginning with a mark.
func (b *backlog[E]) need(s *Subscription[E], from Mark) {
	if s.missed == 0 {
		s.missed = from
		b.needed[s] = struct{}{}
	}
}

// add adds an event that has been offered to all subscriptions. If the backlog grows too
// long, it drops the oldest events and ends the subscriptions that still need them, as slow.
func (b *backlog[E]) add(q *queued[E]) {
	if len(b.needed) == 0 {
		return
	}
	b.events, b.bytes = append(b.events, q), b.bytes+q.size
	if b.bytes <= maxBacklog {
		return
	}
	for b.bytes > maxBacklog && len(b.events) > 1 {
		b.bytes -= b.events[0].size
		b.events[0], b.events = nil, b.events[1:]
	}
	for s := range b.needed {
		if s.missed < b.events[0].mark {
			b.leave(s)
			s.end(ErrSlow)
		}
	}
}

// leave records that a subscription takes nothing more from the backlog.
func (b *backlog[E]) leave(s *Subscription[E]) {
	s.missed = 0
	if delete(b.needed, s); len(b.needed) == 0 {
		b.events, b.bytes = nil, 0
	}
}

// from returns the events from a mark on.
func (b *backlog[E]) from(mark Mark) []*queued[E] {
	return b.events[mark-b.events[0].mark:]
}
