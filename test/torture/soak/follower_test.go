package soak

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync/atomic"
	"time"

	"piyasa/test/torture/world"
)

// patience is how long a client waits for what should come soon.
const patience = 30 * time.Second

// key is what clients of one sort share.
type key struct {
	id, secret string
	received   atomic.Int64 // disclosures, as often as they came
	units      atomic.Int64 // that answers said they cost
}

// follower follows disclosures over one transport. It hangs up after a while, reads what
// was on its way, and comes back with its last position. So it knows of every frame that
// the server sent, and needs every disclosure of its topics once and in order.
type follower struct {
	world  *soaked
	name   string
	way    *way
	key    *key
	topics []string
	random *rand.Rand

	last     int    // number
	position string // of it
	taken    int
	reached  atomic.Int64 // last, for others
}

// run follows until ctx ends.
func (f *follower) run(ctx context.Context) {
	for ctx.Err() == nil {
		backoff := 100 * time.Millisecond
		switch err := f.follow(ctx); {
		case err == nil:
			f.world.hangUps.Add(1)
		case errors.Is(err, errUnexpected), errors.Is(err, os.ErrDeadlineExceeded):
			f.world.fault("%s: %v", f.name, err)
		default: // no database, or no room
			f.world.cuts.Add(1)
			backoff = 2 * time.Second
		}
		select {
		case <-ctx.Done():
		case <-time.After(backoff/2 + time.Duration(f.random.Int64N(int64(backoff)))):
		}
	}
}

// follow follows one connection until the client has hung up, which is no error, and the
// server has ended.
func (f *follower) follow(ctx context.Context) error {
	life := f.world.life/2 + time.Duration(f.random.Int64N(int64(f.world.life)))
	limit, cancel := context.WithTimeout(context.Background(), life+patience)
	defer cancel()
	c, err := f.way.open(limit, f)
	if err != nil {
		return err
	}
	defer c.close()
	var gone atomic.Bool
	hangUp := func() {
		if !gone.Swap(true) {
			c.hangUp()
		}
	}
	defer time.AfterFunc(life, hangUp).Stop()
	defer context.AfterFunc(ctx, hangUp)()
	for complete := true; ; {
		m, err := c.next()
		switch {
		case errors.Is(err, errUnexpected), errors.Is(err, os.ErrDeadlineExceeded):
			return err
		case err != nil && gone.Load():
			return nil
		case err != nil:
			return err
		}
		if m.number > 0 {
			f.key.received.Add(1)
		}
		if m.incomplete { // what follows comes again with the next connection
			complete = false
			go hangUp()
		}
		if complete {
			f.take(m)
		}
	}
}

// take notes a message, which must be the next one.
func (f *follower) take(m message) {
	if m.number > 0 {
		if want := f.next(f.last); m.number != want {
			f.world.fault("%s got %d after %d, want %d", f.name, m.number, f.last, want)
		}
		f.last, f.taken = m.number, f.taken+1
		f.reached.Store(int64(m.number))
	}
	if m.position != "" {
		f.position = m.position
	}
}

// next returns the number after one that concerns the follower.
func (f *follower) next(number int) int {
	for number++; !world.Concerns(number, f.topics); number++ {
	}
	return number
}

// newFollower returns the nth follower.
func newFollower(w *soaked, n int) *follower {
	way := ways[n%len(ways)]
	topics := [][]string{{"all"}, {"type:ODA"}, {"all"}, {"symbol:BBB", "type:DG"}, {"symbol:AAA"}}[n%5]
	return &follower{
		world: w, name: fmt.Sprintf("follower %d (%s, %v)", n, way.name, topics), way: way, key: w.keys[way], topics: topics,
		random: rand.New(rand.NewPCG(w.seed, uint64(n))), position: "0",
	}
}
