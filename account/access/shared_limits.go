package access

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"time"
)

// sharing is how a gate shares its buckets with those of other servers.
type sharing struct {
	store  SharedStore
	others int  // other servers on this server's store
	leases bool // whether buckets have leases
	cut    bool // whether the store failed, so that each server keeps to its share
}

// parts returns into how many parts buckets are split among servers that are cut off.
func (s *sharing) parts() float64 {
	if s.cut {
		return float64(1 + s.others)
	}
	return 1
}

// Sharing lets the gates of the servers on one store share the buckets of keys: Join enters a
// server, and Run looks for others. A server that is alone asks the store only for other
// servers. A server that cannot reach the store continues with its share of what was left.
type Sharing struct {
	gate     *Gate
	store    SharedStore
	self     Server
	seen     time.Time // when this server last announced itself to the store
	counted  time.Time // when the store was last asked for other servers
	reported bool      // whether the log says that the store cannot be reached
}

// NewSharing returns the sharing of a gate under a name that no other server has.
func NewSharing(gate *Gate, store SharedStore, id string) *Sharing {
	gate.mu.Lock()
	defer gate.mu.Unlock()
	gate.shared.store = store
	return &Sharing{gate: gate, store: store, self: thisProcess(id)}
}

// Join enters the server, and waits, for at most joinPatience, until the servers that believed
// to be alone know of it.
func (s *Sharing) Join(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, joinPatience)
	defer cancel()
	others, err := s.join(ctx)
	tick := time.NewTicker(lookEvery / 5)
	defer tick.Stop()
	for err == nil && slices.ContainsFunc(others, func(g Server) bool { return !g.Shares }) {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			others, err = s.others(ctx)
		}
	}
}

// join enters the server and begins to share if there are others.
func (s *Sharing) join(ctx context.Context) ([]Server, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	others, err := s.store.JoinServers(ctx, s.self)
	if err != nil {
		s.failed(err)
		return nil, err
	}
	s.seen = time.Now()
	others = s.alive(ctx, others)
	if len(others) > 0 {
		s.gate.shareWith(len(others))
		s.company(len(others))
	}
	return others, nil
}

// Run looks for other servers until ctx ends, and then gives back the tokens in hand.
func (s *Sharing) Run(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			s.leave(context.WithoutCancel(ctx))
			return
		case <-tick.C:
			if err := s.look(ctx); err != nil && ctx.Err() == nil {
				s.failed(err)
			}
			s.gate.forget(time.Now())
		}
	}
}

// leave gives back all tokens and removes the server from the store.
func (s *Sharing) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	if asks := s.gate.returned(time.Now(), true); len(asks) > 0 {
		if _, err := s.store.LeaseTokens(ctx, asks); err != nil {
			return // the store drops this server after ServerGone
		}
	}
	_ = s.store.LeaveServers(ctx, s.self.ID)
}

// look finds the other servers, and begins, continues or ends sharing accordingly.
func (s *Sharing) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	var unseen error
	if time.Since(s.seen) >= seeEvery {
		s.self.Shares = s.gate.sharing().leases
		if unseen = s.store.SeeServer(ctx, s.self); unseen == nil {
			s.seen = time.Now()
		}
	}
	was := s.gate.sharing()
	pause := lookEvery*time.Duration(was.others/crowd) - lookEvery/2 // the more servers, the less often each looks for the others
	if unseen == nil && was.leases && time.Since(s.counted) < pause {
		return s.giveBack(ctx)
	}
	others, err := s.others(ctx)
	if s.counted = time.Now(); err != nil || unseen != nil {
		s.gate.cutOff(len(others))
		return errors.Join(unseen, err)
	}
	switch was = s.gate.sharing(); {
	case len(others) > 0 && !was.leases:
		if err := s.share(ctx, len(others)); err != nil {
			return err
		}
		s.company(len(others))
	case len(others) > 0:
		s.gate.shareWith(len(others))
		return s.giveBack(ctx)
	case was.leases || was.cut:
		return s.part(ctx)
	}
	return nil
}

// company logs that there are other servers.
func (s *Sharing) company(others int) {
	slog.Info("other servers use this database, too; they share the limits of keys", "others", others)
	s.reported = false
}

// failed continues with this server's share, and logs that once.
func (s *Sharing) failed(err error) {
	s.gate.cutOff(0)
	if servers, cut := s.gate.Shared(); cut && !s.reported {
		s.reported = true
		slog.Warn("the database cannot be asked for the limits of keys that servers share; this one goes on with its share",
			"servers", servers, "error", err)
	}
}

// others returns the other servers that are alive.
func (s *Sharing) others(ctx context.Context) ([]Server, error) {
	others, err := s.store.OtherServers(ctx, s.self.ID)
	return s.alive(ctx, others), err
}

// alive removes the servers of this machine whose process has ended.
func (s *Sharing) alive(ctx context.Context, all []Server) []Server {
	return slices.DeleteFunc(all, func(g Server) bool {
		gone := g.Machine != "" && g.Machine == s.self.Machine && !running(g.PID)
		if gone {
			_ = s.store.LeaveServers(ctx, g.ID) // on an error the store drops it after ServerGone
		}
		return gone
	})
}

// share reports the tokens taken here to the store, and shares from then on.
func (s *Sharing) share(ctx context.Context, others int) error {
	asks := s.gate.taken()
	if err := s.store.ShareBuckets(ctx, s.self.ID, asks); err != nil {
		s.gate.untold(asks)
		s.gate.cutOff(others)
		return err
	}
	s.gate.shareWith(others)
	return nil
}

// giveBack returns unused leases to the store, and reports what is owed.
func (s *Sharing) giveBack(ctx context.Context) error {
	asks := s.gate.returned(time.Now(), false)
	if len(asks) == 0 {
		return nil
	}
	grants, err := s.store.LeaseTokens(ctx, asks)
	if err != nil {
		s.gate.untold(asks)
		return err
	}
	s.gate.told(asks, grants)
	return nil
}

// part ends the sharing if there are no other servers.
func (s *Sharing) part(ctx context.Context) error {
	asks := s.gate.returned(time.Now(), true)
	grants, alone, err := s.store.PartFromBuckets(ctx, s.self.ID, asks)
	if err != nil {
		s.gate.untold(asks)
		return err
	}
	if s.gate.told(asks, grants); !alone {
		return nil
	}
	s.gate.alone()
	s.reported = false
	slog.Info("no other server uses this database any more")
	return nil
}

// sharing returns the current state of sharing.
func (g *Gate) sharing() sharing {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.shared
}

// Shared returns how many servers share the buckets of keys, and whether this one is cut off
// from the store and keeps to its share.
func (g *Gate) Shared() (servers int, cutOff bool) {
	s := g.sharing()
	return 1 + s.others, s.cut
}

// shareWith gives every bucket a lease that owes the tokens taken since the call of taken.
func (g *Gate) shareWith(others int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shared.leases {
		g.shared.others = others
		return
	}
	g.whole()
	g.shared.leases, g.shared.others = true, others
	for _, b := range g.buckets {
		b.lease = &lease{owed: b.taken}
		b.taken = 0
	}
}

// taken returns the used tokens of buckets without leases that the store does not know of or,
// if this server was alone until now, all missing tokens.
func (g *Gate) taken() (asks []Ask) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	for _, b := range g.sorted() {
		owed := b.taken
		if b.fill(now); !g.shared.cut {
			owed = b.size - b.level
		}
		if b.taken = 0; owed != 0 {
			asks = append(asks, Ask{Bucket: b.name, Size: b.size * g.shared.parts(), PerSec: b.perSec * g.shared.parts(), Owed: owed})
		}
	}
	return asks
}

// untold undoes a call of taken or returned whose asks did not reach the store.
func (g *Gate) untold(asks []Ask) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, a := range asks {
		switch b := g.buckets[a.Bucket]; {
		case b.leased():
			b.lease.owed += a.Owed
		case b != nil:
			b.taken += a.Owed
		}
	}
}

// told records the store's answer to the request of returned.
func (g *Gate) told(asks []Ask, grants []Grant) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, a := range asks {
		if b := g.buckets[a.Bucket]; b != nil {
			g.granted(b, b.lease, grants[i])
		}
	}
}

// returned takes from hand the tokens unused for leaseIdle, or all if every is set, and lists
// them with the tokens owed.
func (g *Gate) returned(now time.Time, every bool) (asks []Ask) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, b := range g.sorted() {
		l := b.lease
		if l == nil {
			continue
		}
		if every || now.Sub(l.used) >= leaseIdle {
			b.level += l.hand
			l.owed, l.hand = l.owed-l.hand, 0
		}
		if every || l.owed != 0 {
			asks = append(asks, g.askFor(b))
		}
	}
	return asks
}

// cutOff gives every bucket this server's share of what was left, among others other servers.
// It ignores a smaller number than before.
func (g *Gate) cutOff(others int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shared.others = max(g.shared.others, others)
	g.cut()
}

// cut is cutOff; g.mu is locked.
func (g *Gate) cut() {
	if g.shared.cut || g.shared.others == 0 {
		return
	}
	g.shared.leases, g.shared.cut = false, true
	n, now := g.shared.parts(), time.Now()
	for _, b := range g.buckets {
		b.fill(now)
		if l := b.lease; l != nil {
			b.taken, b.level, b.lease = l.owed-l.hand, b.level/n+l.hand, nil
		} else {
			b.taken, b.level = b.size-b.level, b.level/n
		}
		b.resize(b.size/n, b.perSec/n, now)
	}
}

// alone ends all leases and moves their tokens into the buckets.
func (g *Gate) alone() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, b := range g.buckets {
		if l := b.lease; l != nil {
			b.level, b.lease = min(b.size, b.level+l.hand), nil // the tokens owed are already off the level
		}
	}
	g.whole()
	g.shared.leases, g.shared.others = false, 0
}

// whole ends the shares: buckets get back the sizes of their plans. g.mu is locked.
func (g *Gate) whole() {
	n, now := g.shared.parts(), time.Now()
	g.shared.cut = false
	for _, b := range g.buckets {
		b.resize(b.size*n, b.perSec*n, now)
	}
}

// sorted returns the buckets in the order in which all servers ask for them.
func (g *Gate) sorted() []*bucket {
	return slices.SortedFunc(maps.Values(g.buckets), func(a, b *bucket) int { return a.name.compare(b.name) })
}
