package access

import (
	"context"
	"time"
)

// lease is a server's part of a bucket that the store keeps for all servers.
type lease struct {
	hand     float64       // tokens that may be taken here
	owed     float64       // tokens that were taken here without being in hand
	used     time.Time     // when tokens were last taken
	answered time.Time     // when the store last answered
	asking   chan struct{} // closed when the store has answered; nil: no request is under way
}

// take takes n tokens, and returns how many of them were not in hand.
func (l *lease) take(n float64, now time.Time) (missing float64) {
	l.used = now
	l.hand -= n
	if l.hand >= 0 {
		return 0
	}
	missing = -l.hand
	if missing <= tokenNoise {
		missing = 0
	}
	l.hand, l.owed = 0, l.owed+missing
	return missing
}

// Timeouts of leases.
const (
	leaseTimeout = 500 * time.Millisecond // for the store to answer
	leaseIdle    = time.Second            // without use, after which tokens in hand are given back
	leaseAgain   = time.Second            // how long an empty bucket is assumed to stay empty
)

// leased reports whether servers share the bucket. b may be nil.
func (b *bucket) leased() bool { return b != nil && b.lease != nil }

// leaseSize returns the most tokens that a server has in hand, unless one request needs more.
func (b *bucket) leaseSize() float64 { return max(1, float64(int(b.size/50))) }

// need is how many tokens of a bucket a request must have in hand.
type need struct {
	of     *bucket // nil: none
	tokens float64
}

// mostAsked is how often one request may ask the store: others may take the tokens that come.
const mostAsked = 10

// obtain asks the store for tokens that are not in hand, if the store may have them. The
// caller must hold g.mu; obtain unlocks it while it waits.
func (g *Gate) obtain(ctx context.Context, needs ...need) {
	for range mostAsked {
		var answered chan struct{}
		for _, n := range needs {
			if n.of.leased() && !n.of.has(n.tokens) {
				if !n.of.mayHave(n.tokens, time.Now()) {
					return
				}
				answered = g.ask(n.of, n.tokens)
				break
			}
		}
		if answered == nil {
			for _, n := range needs {
				g.askAhead(n.of, n.tokens)
			}
			return
		}
		g.mu.Unlock()
		select {
		case <-answered:
		case <-ctx.Done():
		}
		g.mu.Lock()
		if ctx.Err() != nil {
			return
		}
	}
}

// mayHave reports whether the store may have the tokens missing to n: because the known level
// is enough, or because the store was not asked for leaseAgain and other servers may have
// given back unused tokens.
func (b *bucket) mayHave(n float64, now time.Time) bool {
	b.fill(now)
	return n <= b.size && (b.tokens()+tokenNoise >= n || now.Sub(b.lease.answered) >= leaseAgain)
}

// askAhead asks for more tokens before a request has to wait for them.
func (g *Gate) askAhead(b *bucket, taken float64) {
	if !b.leased() || b.lease.asking != nil {
		return
	}
	if size := b.leaseSize(); size > 1 && b.lease.hand-taken < size/2 && b.level >= 1 {
		g.ask(b, 0)
	}
}

// ask starts a request to the store for n tokens in hand, unless one is under way. The channel
// is closed when the store has answered.
func (g *Gate) ask(b *bucket, n float64) chan struct{} {
	l := b.lease
	if l.asking == nil {
		l.asking = make(chan struct{})
		missing := max(0, n-l.hand)
		a := g.askFor(b)
		a.Need, a.Want = missing, max(missing, b.leaseSize())
		go g.askStore(b, l, a)
	}
	return l.asking
}

// askFor returns the request to the store for a bucket. It includes the tokens owed, which are
// then settled here.
func (g *Gate) askFor(b *bucket) Ask {
	a := Ask{Bucket: b.name, Size: b.size, PerSec: b.perSec, Owed: b.lease.owed}
	b.lease.owed = 0
	return a
}

// askStore asks the store, and closes l.asking.
func (g *Gate) askStore(b *bucket, l *lease, a Ask) {
	ctx, cancel := context.WithTimeout(context.Background(), leaseTimeout)
	defer cancel()
	grants, err := g.shared.store.LeaseTokens(ctx, []Ask{a})
	g.mu.Lock()
	defer g.mu.Unlock()
	close(l.asking)
	l.asking = nil
	switch {
	case err == nil:
		g.granted(b, l, grants[0])
	case b.lease == l:
		l.owed += a.Owed
		g.cut() // Sharing logs it if it lasts
	default:
		b.taken += a.Owed
	}
}

// granted puts what the store granted in hand.
func (g *Gate) granted(b *bucket, l *lease, grant Grant) {
	now := time.Now()
	if l == nil || b.lease != l { // the bucket is not shared any more
		b.fill(now)
		b.take(-grant.Tokens, now)
		return
	}
	l.answered = now
	if l.hand += grant.Tokens; grant.Tokens > 0 {
		l.used = now // the request that asked for them will use them shortly
	}
	b.level, b.at = grant.Left-l.owed, now
}
