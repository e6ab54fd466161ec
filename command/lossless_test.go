package command_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/kap"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// Fifty clients over every transport hang up and come back at random while
// disclosures are stored and the server is killed. First one writer stores in
// the order of the numbers, which is what resuming by number needs; then two
// writers overtake each other, which only resuming by sequence survives. Each
// client ends with exactly what it asked for.
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	ordered, overtaken, clients := 1000, 1000, 50
	if testing.Short() {
		ordered, overtaken, clients = 300, 300, 20
	}
	dbtest.Each(t, func(t *testing.T, url string) {
		key, _ := newKey(t, url, "--scopes", "kap")
		store, err := db.Open(t.Context(), url)
		need.NoError(t, err)
		defer store.Close()
		var base atomic.Pointer[string]
		server := start(t, url)
		base.Store(&server.base)

		ctx, stop := context.WithTimeout(t.Context(), 4*time.Minute)
		defer stop()
		var inOrder, all sync.WaitGroup
		for n := range clients {
			way := ways[n%len(ways)]
			f := &faithful{t: t, base: &base, key: key, way: way, random: rand.New(rand.NewPCG(uint64(n), 1)), seen: map[int]bool{}}
			f.topics = topicSets[f.random.IntN(len(topicSets))]
			f.name = fmt.Sprintf("client %d (%s, %v)", n, way.name, f.topics)
			last, done := ordered, &inOrder
			if way.bySeq {
				last, done = ordered+overtaken, &all
			}
			for i := 1; i <= last; i++ {
				if d := numbered(i); slices.ContainsFunc(d.Topics(), func(topic kap.Topic) bool {
					return slices.Contains(f.topics, string(topic))
				}) {
					f.want = append(f.want, i)
				}
			}
			done.Add(1)
			go func() {
				defer done.Done()
				f.follow(ctx)
			}()
		}
		write(t, store, rand.New(rand.NewPCG(1, 2)), upTo(1, ordered/2))
		server.stop(syscall.SIGKILL)
		write(t, store, rand.New(rand.NewPCG(1, 3)), upTo(ordered/2+1, ordered/2+100)) // nobody serves
		server = start(t, url)
		base.Store(&server.base)
		write(t, store, rand.New(rand.NewPCG(1, 4)), upTo(ordered/2+101, ordered))
		inOrder.Wait()

		var odd, even []int
		for i := ordered + 1; i <= ordered+overtaken; i++ {
			if rand.IntN(2) == 0 {
				odd = append(odd, i)
			} else {
				even = append(even, i)
			}
		}
		var writers sync.WaitGroup
		for n, numbers := range [][]int{odd, even} {
			writers.Go(func() { write(t, store, rand.New(rand.NewPCG(2, uint64(n))), numbers) })
		}
		writers.Wait()
		all.Wait()
	})
}

// topicSets are what the clients follow.
var topicSets = [][]string{{"all"}, {"type:ODA"}, {"type:FR", "type:DUY"}, {"symbol:AAA"}, {"symbol:BBB", "type:DG"},
	{"symbol:AAA", "symbol:CCC", "type:FON"}}

// numbered is the disclosure with a number: always the same.
func numbered(n int) *kap.Record {
	types := []kap.Type{kap.ODA, kap.DG, kap.FR, kap.DUY, kap.FON}
	codes := [][]string{{"AAA"}, {"BBB", "AAA"}, {}, {"CCC"}, {"DDD"}, {"EEE"}, {"BBB"}}
	return &kap.Record{Disclosure: kap.Disclosure{
		DisclosureIndex: n, Type: types[n%len(types)], Class: "X", Symbols: codes[n%len(codes)], FilerCodes: []string{},
		PublishedAt: value.MustInstant("2026-03-18T11:45:00Z"),
	}}
}

// write stores disclosures in batches of random size.
func write(t *testing.T, store *db.Store, random *rand.Rand, numbers []int) {
	for len(numbers) > 0 {
		n := min(len(numbers), 1+random.IntN(40))
		batch := &db.Batch{}
		for _, i := range numbers[:n] {
			db.Put(batch, numbered(i), new(db.Outcome))
		}
		if err := store.Store(context.WithoutCancel(t.Context()), batch); err != nil {
			t.Error(err)
			return
		}
		numbers = numbers[n:]
		time.Sleep(time.Duration(random.IntN(10)) * time.Millisecond)
	}
}

// faithful is a client that keeps its place.
type faithful struct {
	t      *testing.T
	name   string
	base   *atomic.Pointer[string]
	key    string
	way    way
	topics []string
	random *rand.Rand
	want   []int
	seen   map[int]bool
	place  int64 // number, or sequence, of the last one processed
	hangs  int
}

// follow connects again and again until nothing is missing.
func (f *faithful) follow(ctx context.Context) {
	for len(f.seen) < len(f.want) && ctx.Err() == nil {
		if err := f.connect(ctx); err != nil {
			time.Sleep(20 * time.Millisecond) // the server is down, or has just gone
		}
		f.hangs++
	}
	got := make([]int, 0, len(f.seen))
	for n := range f.seen {
		got = append(got, n)
	}
	slices.Sort(got)
	if !slices.Equal(got, f.want) {
		f.t.Errorf("%s has %d of %d after %d connections; the first it lacks: %v",
			f.name, len(got), len(f.want), f.hangs, missing(f.want, f.seen))
	}
}

func missing(want []int, seen map[int]bool) []int {
	var out []int
	for _, n := range want {
		if !seen[n] && len(out) < 5 {
			out = append(out, n)
		}
	}
	return out
}

// connect follows one connection for a random while.
func (f *faithful) connect(ctx context.Context) error {
	ctx, hangUp := context.WithCancel(ctx)
	defer hangUp()
	events, err := f.way.open(ctx, *f.base.Load(), f.key, f.topics, f.place)
	if err != nil {
		return err
	}
	patience := 1 + f.random.IntN(300)
	here := map[int]bool{}
	last := f.place
	for patience > 0 && len(f.seen) < len(f.want) {
		var e streamed
		select {
		case next, open := <-events:
			if !open {
				return fmt.Errorf("the stream ended")
			}
			e = next
		case <-bored(len(here) > 0, f.random):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
		patience--
		switch {
		case e.done && e.truncated:
			f.keep(e)
			return nil // the rest comes with the next connection
		case e.done:
			f.keep(e)
		default:
			place := int64(e.number)
			if f.way.bySeq {
				place = e.seq
			}
			if here[e.number] {
				f.t.Errorf("%s got %d twice on one connection", f.name, e.number)
			}
			if place <= last {
				f.t.Errorf("%s got %d (%d) after %d", f.name, e.number, place, last)
			}
			here[e.number], last = true, place
			f.seen[e.number], f.place = true, place
		}
	}
	return nil
}

// bored is how long a client waits for the next event before it hangs up; for
// the first one it has more patience, or a busy server would never get on.
func bored(heard bool, random *rand.Rand) <-chan time.Time {
	wait := 10 * time.Second
	if heard {
		wait = time.Duration(50+random.IntN(500)) * time.Millisecond
	}
	return time.After(wait)
}

// keep takes the place that the end of a replay names.
func (f *faithful) keep(e streamed) {
	if place := e.lastSeq; f.way.bySeq && place > f.place {
		f.place = place
	}
}

// streamed is an event of whatever transport.
type streamed struct {
	number    int
	seq       int64
	done      bool
	truncated bool
	lastSeq   int64
}

// way is a transport and how its clients resume.
type way struct {
	name  string
	bySeq bool
	open  func(ctx context.Context, base, key string, topics []string, after int64) (<-chan streamed, error)
}

var ways = []way{
	{"socket", false, openSocket("/v1/kap-feed/stream")},
	{"graphql-transport-ws by seq", true, openGraphQLSocket("afterSeq")},
	{"old socket", false, openSocket("/v1/kap/stream")},
	{"server-sent events by Last-Event-ID", true, openEvents(true)},
	{"graphql-transport-ws by number", false, openGraphQLSocket("lastSeenIndex")},
	{"server-sent events by number", false, openEvents(false)},
}

func quoted(topics []string) string { return `"` + strings.Join(topics, `","`) + `"` }
