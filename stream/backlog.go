package stream

// maxBacklog bounds the bytes of a backlog.
const maxBacklog = 16 << 20

// backlog holds the newest events of a hub while there are subscriptions whose queues had
// no place for some of them, from the first of those on. So a burst that is longer than a
// queue ends nobody who reads, and takes memory once, not in each queue. Its hub's lock
// guards it.
type backlog[E any] struct {
	events []*queued[E] // numbered without gaps
	bytes  int
	needed map[*Subscription[E]]struct{} // those that take events from here
}

// need notes that a subscription will take what it follows from here, from a mark on.
func (b *backlog[E]) need(s *Subscription[E], from Mark) {
	if s.missed == 0 {
		s.missed = from
		b.needed[s] = struct{}{}
	}
}

// add adds an event that has been offered to all, and ends as slow whoever needs what has
// no place here any more.
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

// leave notes that a subscription takes nothing from here any more.
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
