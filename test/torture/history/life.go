package history

import (
	"slices"
)

// life is what one client saw, over all of its connections.
type life struct {
	*checker
	entries   []Entry
	by        string
	wanted    []*row      // what the store holds of its topics, in the order in which it comes
	delivered map[int]int // number: index of the last entry that delivered it
	unsaid    some        // delivered rows that the store lost and nobody announced yet
	unsaidOn  int         // the connection that delivered them
}

// checkLife judges the entries of one client.
func (c *checker) checkLife(entries []Entry) {
	l := &life{checker: c, entries: entries, delivered: map[int]int{}}
	var now *connection
	began := map[int]int{} // connection: index of its first entry
	for i, e := range entries {
		if e.Kind == Connect {
			if l.by == "" {
				l.by = e.By
				l.wanted = c.wanted(e)
			}
			if now != nil {
				now.end()
			}
			now = newConnection(l, e)
			began[e.Connection] = i
		}
		if now == nil || now.first.Connection != e.Connection {
			c.report(Asked, e, "%s on a connection that is not open", e.Kind)
			continue
		}
		now.take(i, e)
	}
	if now == nil {
		return
	}
	now.end()
	l.checkArrived(entries, began)
}

// wanted returns the rows that a client asked for, in the order in which they come.
// Who resumes by number is not promised rows that were stored late.
func (c *checker) wanted(connect Entry) []*row {
	var rows []*row
	for _, r := range c.bySeq {
		if (connect.By == BySeq || !r.late) && matches(connect.Topics, r.topics) {
			rows = append(rows, r)
		}
	}
	return rows
}

func matches(requested, topics []string) bool {
	return slices.ContainsFunc(requested, func(topic string) bool { return topic == "all" || slices.Contains(topics, topic) })
}

// key returns where a row stands in what the client resumes by.
func (l *life) key(r *row) int64 {
	if l.by == BySeq {
		return r.seq
	}
	return int64(r.number)
}

// checkArrived looks for what never came: over the whole life, and after each
// connect.
func (l *life) checkArrived(entries []Entry, began map[int]int) {
	first := true
	for i, e := range entries {
		after := origin(entries[i:])
		if e.Kind != Connect || after == nil || began[e.Connection] != i {
			continue
		}
		var never, before some
		for _, r := range l.wanted {
			last, came := l.delivered[r.number]
			switch {
			case l.key(r) <= after.Seq:
			case !came && first:
				never.add(r.number)
			case came && last < i:
				before.add(r.number)
			}
		}
		first = false
		if never.count > 0 {
			l.report(Reliable, Entry{Actor: e.Actor}, "never received %s", never)
		}
		if before.count > 0 {
			l.report(Resumable, e, "resumed after %s and did not receive %s", after, before)
		}
	}
}

// origin returns the position after which a client asked for everything, in the
// entries that begin with its connect: the one that it sent, or else the one at which
// the server says that its subscription began. Nil: nobody said.
func origin(entries []Entry) *Position {
	connect := entries[0]
	if connect.After != nil || connect.By == ByNumber {
		return connect.After
	}
	for _, e := range entries[1:] {
		switch {
		case e.Connection != connect.Connection:
			return nil
		case e.Kind == Subscribed:
			return e.Position
		}
	}
	return nil
}

// standing returns up to which position what the first entry states to be complete stays
// so. A gap takes back what is above its position: a store that goes back beyond the beginning
// of an epoch may number new rows below those of the epoch that is gone.
func standing(entries []Entry) int64 {
	position := entries[0].Position.Seq
	for _, e := range entries[1:] {
		if e.Kind == Gap && e.Position != nil {
			position = min(position, e.Position.Seq)
		}
	}
	return position
}

// connection is what a client sees between a connect and its end.
type connection struct {
	*life
	first    Entry
	heard    bool             // the server said anything but a close
	said     bool             // it announced a gap
	last     map[string]int64 // epoch: position of the last event
	lastKey  int64            // of the last row that the store holds
	replayed int              // number of the last replayed row, for a client that resumes by number
	seen     map[Position]bool
	numbers  map[int]bool // received since the last gap
	next     int          // index of the next row in wanted; -1: unknown
}

func newConnection(l *life, connect Entry) *connection {
	c := &connection{life: l, first: connect, last: map[string]int64{}, seen: map[Position]bool{}, numbers: map[int]bool{}, next: -1}
	if connect.After != nil {
		c.expectAfter(connect.After.Seq)
	}
	return c
}

// expectAfter says after which position the next row must be.
func (c *connection) expectAfter(position int64) {
	c.next = len(c.wanted)
	for i, r := range c.wanted {
		if c.key(r) > position {
			c.next = i
			return
		}
	}
}

// take judges an entry.
func (c *connection) take(index int, e Entry) {
	switch e.Kind {
	case Subscribed:
		c.heard = true
		if c.first.After == nil && e.Position != nil && c.by == BySeq {
			c.expectAfter(e.Position.Seq)
		}
	case Event:
		c.heard = true
		c.event(index, e)
	case ReplayDone:
		c.heard = true
		if e.Position != nil && c.by == BySeq {
			if skipped := c.skip(standing(c.entries[index:]), nil); skipped.count > 0 {
				c.report(Bookmarkable, e, "%s is said to be complete and lacks %s", e.Position, skipped)
			}
		}
		if e.Truncated { // says itself that rows are missing from here on
			c.next = -1
		}
	case Gap:
		c.said, c.unsaid = true, some{}
		c.next, c.lastKey, c.replayed = -1, 0, 0
		clear(c.last)
		clear(c.numbers)
		if e.Position != nil && c.by == BySeq {
			c.expectAfter(e.Position.Seq)
		}
	}
}

// end judges a connection that is over.
func (c *connection) end() {
	if after := c.first.After; after != nil && c.by == BySeq && after.Seq > c.top && c.heard && !c.said {
		c.report(Explicit, c.first, "resumed after %s, which nobody ever reached, and was not told", after)
	}
}

// event judges a row that was delivered.
func (c *connection) event(index int, e Entry) {
	c.delivered[e.Number] = index
	held := c.rows[e.Number]
	if held != nil && !matches(c.first.Topics, held.topics) {
		c.report(Asked, e, "received number %d, for which it did not ask", e.Number)
		return
	}
	c.checkOrder(e)
	switch {
	case held == nil:
		if c.unsaid.count == 0 {
			c.unsaidOn = e.Connection
		}
		c.unsaid.add(e.Number)
	case c.isHeld(e, held):
		c.checkAnnounced(e)
		c.checkSkipped(e, held)
	}
}

// isHeld reports whether an event is the row that the store holds, and not one with
// the same number that was lost and stored again. Where the event does not state its
// position, that is certain only for rows that were seen at one position only.
func (c *connection) isHeld(e Entry, held *row) bool {
	if e.Position != nil {
		return e.Position.Seq == held.seq
	}
	return len(c.versions[e.Number]) == 1
}

// checkOrder judges the positions of events, held or lost.
func (c *connection) checkOrder(e Entry) {
	if p := e.Position; p != nil && c.by == BySeq {
		if c.seen[*p] {
			c.report(Unique, e, "received position %s twice", p)
		} else if last, earlier := c.last[p.Epoch]; earlier && p.Seq <= last {
			c.report(Ordered, e, "received position %s after %d", p, last)
		}
		c.seen[*p] = true
		c.last[p.Epoch] = p.Seq
	} else if c.by == ByNumber {
		if c.numbers[e.Number] {
			c.report(Unique, e, "received number %d twice", e.Number)
		}
		c.numbers[e.Number] = true
	}
	if e.Replay && c.by == ByNumber {
		if e.Number <= c.replayed {
			c.report(Ordered, e, "a replay has number %d after %d", e.Number, c.replayed)
		}
		c.replayed = e.Number
	}
}

// checkAnnounced judges a row of the store that comes after rows that it lost: what is
// lost was the end of the log, so the loss must have been announced by now. Who
// resumes by number need not be told on another connection: the source still has the
// number, and it means the same.
func (c *connection) checkAnnounced(e Entry) {
	if c.unsaid.count == 0 {
		return
	}
	if c.by == BySeq || c.unsaidOn == e.Connection {
		c.report(Explicit, e, "received %s, which the store lost, and then number %d without being told", c.unsaid, e.Number)
	}
	c.unsaid = some{}
}

// checkSkipped judges whether everything before a row has come.
func (c *connection) checkSkipped(e Entry, held *row) {
	if held.late && c.by == ByNumber {
		return
	}
	key := c.key(held)
	if c.by == ByNumber && key <= c.lastKey && !c.repeated(e) {
		c.report(Ordered, e, "received number %d after %d", key, c.lastKey)
	}
	c.lastKey = max(c.lastKey, key)
	if c.next < 0 {
		c.expectAfter(key)
		return
	}
	skipped := c.skip(key, held)
	if skipped.count > 0 {
		c.report(Resumable, e, "number %d came before %s", e.Number, skipped)
	}
}

// skip goes on to the next row above a key and returns the rows in between, without
// the one that has come.
func (c *connection) skip(key int64, come *row) (skipped some) {
	for ; c.next >= 0 && c.next < len(c.wanted) && c.key(c.wanted[c.next]) <= key; c.next++ {
		if r := c.wanted[c.next]; r != come {
			skipped.add(r.number)
		}
	}
	return skipped
}

// repeated reports whether an event was judged as a duplicate already.
func (c *connection) repeated(e Entry) bool { return int64(e.Number) == c.lastKey }
