package access

import "sync"

// Held is something of which a plan limits how many a key may have open at once.
type Held int

// What keys hold.
const (
	Connections   Held = iota // of streams, on any transport
	Subscriptions             // GraphQL operations that stream
)

// limit returns how many a plan allows; 0: any number.
func (h Held) limit(p Plan) int {
	if h == Connections {
		return p.Connections
	}
	return p.Streams
}

// holding is what one key holds.
type holding struct {
	key  string
	what Held
}

// Hold counts one more for the key until release is called. If the plan allows no more, ok is
// false. limit is how many the plan allows.
func (g *Gate) Hold(key *Key, what Held) (release func(), limit int, ok bool) {
	limit = what.limit(g.Plan(key))
	h := holding{key.ID, what}
	g.mu.Lock()
	defer g.mu.Unlock()
	if limit > 0 && g.held[h] >= limit {
		return nil, limit, false
	}
	g.held[h]++
	return sync.OnceFunc(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.held[h]--; g.held[h] == 0 {
			delete(g.held, h)
		}
	}), limit, true
}
