package stream_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"piyasa/domain/kap"
)

// What comes during a replay follows directly on its end, before the next
// command is answered, however many commands wait.
func TestHeldEventsGoBeforeTheNextCommand(t *testing.T) {
	for n := range 5 { // no matter of luck
		t.Run(fmt.Sprint(n), testHeldEvents)
	}
}

func testHeldEvents(t *testing.T) {
	s := newSocketFixture(t, filing(1, kap.ODA), filing(2, kap.FR))
	held := make(chan struct{})
	s.replayed = sync.OnceFunc(func() { <-held })
	c, witness := s.join(), s.join()
	witness.say(`{"action":"subscribe","ids":["all"]}`)
	witness.hears("subscribed [all] []")
	c.say(`{"action":"subscribe","ids":["type:ODA"],"last_seen_index":0}`)
	c.hears("subscribed [type:ODA] []")
	c.say(`{"action":"subscribe","ids":["type:FR"],"last_seen_index":0}`, `{"action":"unsubscribe","ids":["type:DG"]}`,
		`{"action":"subscribe","ids":["type:DG"],"last_seen_index":3}`)
	s.put(false, filing(3, kap.ODA), filing(4, kap.FR), filing(5, kap.DG), filing(6, kap.ODA))
	witness.hears("L3", "L4", "L5", "L6")
	close(held)
	c.hears("R1", "replay_done 1 false", "L3", "L6",
		"subscribed [type:FR] []", "R2", "R4", "replay_done 4 false", "unsubscribed []", "subscribed [type:DG] []", "R5",
		"replay_done 5 false")
	s.put(false, filing(7, kap.ODA), filing(8, kap.DG))
	c.hears("L7", "L8")
}

// Nothing of a topic comes after its unsubscribed, however much of it waited;
// what another topic asks for still does.
func TestNothingComesAfterUnsubscribed(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		c := b.dial()
		c.say(`{"action":"auth","api_key":"` + listener + `"}`)
		c.hears("auth_ok pro")
		c.say(`{"action":"subscribe","ids":["type:ODA","symbol:A1"]}`)
		c.hears("subscribed [type:ODA symbol:A1] []")
		b.put(filing(0, kap.ODA)) // which nobody reads yet, so that the rest waits
		synctest.Wait()
		for n := range 300 {
			b.put(filing(0, kap.ODA, []string{"A1", "B1"}[n%2]), filing(0, kap.DG, "A1"))
			if n == 100 {
				go func() { _ = c.WriteMessage(1, []byte(`{"action":"unsubscribe","ids":["type:ODA"]}`)) }()
			}
			if n%3 == 0 {
				c.hear()
			}
		}
		gone, last := false, 0
		for !gone || last != 601 {
			frame := c.hear()
			switch {
			case frame == "unsubscribed [type:ODA]":
				gone = true
			case strings.HasPrefix(frame, "L"):
				_, _ = fmt.Sscanf(frame, "L%d", &last)
				if d := b.stored[last-1]; gone && !slices.Contains(d.Symbols, "A1") {
					t.Fatalf("%s, of type %s and %v, after unsubscribed", frame, d.Type, d.Symbols)
				}
			default:
				t.Fatal(frame)
			}
		}
	})
}

// Clients send many commands at once, read with pauses, and are cut off
// anywhere, while disclosures are stored. Each keeps the highest number
// received, except while a replay is not done, and resumes from it: at no
// moment is anything below that number missing, live ones come in the order of
// storing, and nothing of a topic comes after its unsubscribed.
func TestAnyConversation(t *testing.T) {
	for seed := range uint64(60) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			inBubble(t, func(t *testing.T, b *bubble) {
				random := rand.New(rand.NewPCG(seed, 0))
				all := someFilings(random, []int{40, 400, 2500}[random.IntN(3)])
				var working sync.WaitGroup
				for n := range uint64(1 + random.IntN(3)) {
					talker := newTalker(t, b, rand.New(rand.NewPCG(seed, 1+n)), all)
					working.Go(talker.talk)
				}
				for rest := all; len(rest) > 0; {
					n := min(len(rest), 1+random.IntN(150))
					b.put(rest[:n]...)
					rest = rest[n:]
					time.Sleep(time.Duration(random.IntN(3000)) * time.Millisecond)
				}
				working.Wait()
			})
		})
	}
}

// someFilings are n disclosures, numbered from 1.
func someFilings(random *rand.Rand, n int) []*kap.Record {
	types := []kap.Type{kap.ODA, kap.FR, kap.DG, kap.DUY, kap.CA, kap.FON}
	all := make([]*kap.Record, n)
	for i := range all {
		all[i] = filing(i+1, types[random.IntN(len(types))], fmt.Sprint("S", random.IntN(4)))
	}
	return all
}

// talker is a client and what it must have.
type talker struct {
	t      *testing.T
	bubble *bubble
	random *rand.Rand
	groups [][]string // topics that it never leaves, by message
	guest  string     // a topic that it comes to and leaves
	all    []*kap.Record

	place int          // nothing is missing up to this number
	lacks map[int]bool // what matches and has not been received
}

func newTalker(t *testing.T, b *bubble, random *rand.Rand, all []*kap.Record) *talker {
	topics := []string{"type:ODA", "type:FR", "type:DG", "symbol:S0", "symbol:S1", "symbol:S2"}
	random.Shuffle(len(topics), func(i, j int) { topics[i], topics[j] = topics[j], topics[i] })
	k := &talker{t: t, bubble: b, random: random, guest: topics[0], all: all, lacks: map[int]bool{}}
	for topics = topics[1 : 2+random.IntN(4)]; len(topics) > 0; {
		n := 1 + random.IntN(len(topics))
		k.groups, topics = append(k.groups, topics[:n]), topics[n:]
	}
	for _, d := range all {
		if k.follows(d) {
			k.lacks[d.DisclosureIndex] = true
		}
	}
	return k
}

// follows reports whether a disclosure matches topics that are never left.
func (k *talker) follows(d *kap.Record) bool {
	return slices.ContainsFunc(k.groups, func(topics []string) bool { return matches(d, topics...) })
}

func matches(d *kap.Record, topics ...string) bool {
	return slices.ContainsFunc(topics, func(topic string) bool {
		return topic == "type:"+string(d.Type) || slices.Contains(d.Symbols, strings.TrimPrefix(topic, "symbol:"))
	})
}

// talk connects again and again until nothing is missing.
func (k *talker) talk() {
	for connections := 0; len(k.lacks) > 0; connections++ {
		if connections > 2000 || k.t.Failed() {
			k.t.Errorf("%d are lacking, the place is %d", len(k.lacks), k.place)
			return
		}
		k.connect()
	}
}

func subscribe(topics []string, after int) string {
	return fmt.Sprintf(`{"action":"subscribe","ids":["%s"],"last_seen_index":%d}`, strings.Join(topics, `","`), after)
}

// connect talks on one connection until it is cut.
func (k *talker) connect() {
	c := k.bubble.dial()
	commands := make(chan string, 100)
	hungUp := make(chan struct{})
	var saying sync.WaitGroup
	saying.Go(func() {
		for {
			select {
			case text := <-commands:
				if c.WriteMessage(1, []byte(text)) != nil {
					return
				}
			case <-hungUp:
				return
			}
		}
	})
	defer saying.Wait()
	defer func() { _ = c.Close() }()
	defer close(hungUp)

	commands <- `{"action":"auth","api_key":"` + listener + `"}`
	for _, topics := range k.groups {
		commands <- subscribe(topics, k.place)
		for k.random.IntN(3) == 0 {
			commands <- []string{`{"action":"ping"}`, `{"action":"unsubscribe","ids":["` + k.guest + `"]}`,
				`{"action":"subscribe","ids":["` + k.guest + `"]}`}[k.random.IntN(3)]
		}
	}
	var (
		asked     = slices.Clone(k.groups) // whose replay is to come
		replaying []string                 // topics
		guest     = k.random.IntN(2) == 0
		highest   = k.place
		lastLive  = 0
		cut       = 1 + k.random.IntN(2*len(k.all)+20)
	)
	for range cut {
		if k.random.IntN(40) == 0 {
			time.Sleep(time.Duration(k.random.IntN(8000)) * time.Millisecond)
		}
		if k.random.IntN(25) == 0 {
			select {
			case commands <- []string{`{"action":"ping"}`, `{"action":"unsubscribe","ids":["` + k.guest + `"]}`,
				`{"action":"subscribe","ids":["` + k.guest + `"]}`}[k.random.IntN(3)]:
			default:
			}
		}
		_ = c.SetReadDeadline(time.Now().Add(time.Minute)) // the writer never pauses so long
		frame := c.hear()
		var number int
		if strings.HasPrefix(frame, "L") || strings.HasPrefix(frame, "R") {
			_, _ = fmt.Sscanf(frame[1:], "%d", &number)
			d := k.all[number-1]
			if !k.follows(d) && !(guest && matches(d, k.guest)) {
				k.t.Errorf("%s, which no topic asks for", frame)
			}
			delete(k.lacks, number)
			highest = max(highest, number)
		}
		switch word, _, _ := strings.Cut(frame, " "); {
		case strings.HasPrefix(frame, "L"):
			if number <= lastLive || replaying != nil {
				k.t.Errorf("%s after L%d, replaying %v", frame, lastLive, replaying)
			}
			lastLive = number
		case strings.HasPrefix(frame, "R"):
			if replaying == nil {
				k.t.Errorf("%s without a replay", frame)
			}
		case word == "subscribed" && !strings.Contains(frame, k.guest):
			replaying = asked[0]
		case word == "subscribed":
			guest = true
		case word == "unsubscribed":
			guest = false
		case word == "replay_done":
			var last int
			var truncated bool
			_, _ = fmt.Sscanf(frame, "replay_done %d %t", &last, &truncated)
			if asked = asked[1:]; truncated {
				commands <- subscribe(replaying, last)
				asked = append(asked, replaying)
			}
			replaying = nil
		case word == "auth_ok" || word == "pong":
		case frame == "close 4429 slow_consumer":
			return
		default:
			k.t.Errorf("heard %s; %d are lacking, the place is %d", frame, len(k.lacks), k.place)
			return
		}
		if len(asked) == 0 {
			k.advance(highest)
		}
		if k.t.Failed() || len(k.lacks) == 0 {
			return
		}
	}
}

// advance moves the place on, below which nothing may be missing.
func (k *talker) advance(to int) {
	for ; k.place < to; k.place++ {
		if k.lacks[k.place+1] {
			k.t.Errorf("%d is missing below %d", k.place+1, to)
			return
		}
	}
}
