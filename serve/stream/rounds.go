package stream

import (
	"sync"
	"time"
)

// rounds checks its members periodically, with one timer for all, which runs only while
// there are members. Each member is checked within an interval after it was added, and then
// once in every interval.
type rounds[M comparable] struct {
	interval time.Duration
	check    func(M) // must neither wait nor call back

	mu      sync.Mutex
	members map[M]struct{}
	timer   *time.Timer
}

func newRounds[M comparable](interval time.Duration, check func(M)) *rounds[M] {
	return &rounds[M]{interval: interval, check: check, members: map[M]struct{}{}}
}

func (r *rounds[M]) add(m M) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.members[m] = struct{}{}
	if r.timer == nil {
		r.timer = time.AfterFunc(r.interval, r.round)
	}
}

func (r *rounds[M]) remove(m M) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.members, m)
	if len(r.members) == 0 && r.timer != nil {
		r.timer.Stop()
		r.timer = nil
	}
}

func (r *rounds[M]) round() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for m := range r.members {
		r.check(m)
	}
	if r.timer != nil {
		r.timer.Reset(r.interval)
	}
}

// keyWatch checks whether keys are still alive.
type keyWatch struct {
	rounds *rounds[*watchedKey]
}

type watchedKey struct {
	alive   func() bool
	revoked func()
	told    bool
}

func newKeyWatch() keyWatch {
	return keyWatch{newRounds(KeyRecheck, func(k *watchedKey) {
		if !k.told && !k.alive() {
			k.told = true
			go k.revoked()
		}
	})}
}

// watch calls revoked once, when alive returns false; it checks every KeyRecheck until stop is
// called.
func (w keyWatch) watch(alive func() bool, revoked func()) (stop func()) {
	k := &watchedKey{alive: alive, revoked: revoked}
	w.rounds.add(k)
	return func() { w.rounds.remove(k) }
}
