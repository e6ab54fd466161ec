package stream_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"piyasa/internal/epoch"
	"piyasa/serve/stream"
	"piyasa/test/fixture"
)

// event is a numbered event of some topics; of a merging hub, of a key.
type event struct {
	number int64
	topics []string
	key    string
}

func topicsOfEvent(e event) []string { return e.topics }

// How many events a queue holds (1 MiB), and the backlog (16 MiB).
const (
	waiting = 4
	behind  = 64
)

func sizeOfEvent(event) int { return 1 << 20 / waiting }

// listening is what one subscription must be like.
type listening struct {
	*stream.Subscription[event]
	topics map[string]int64 // since which event each is followed
	queue  []event          // all that wait,
	placed int              // of which the first so many are in the subscription's own queue
	missed int64            // the first of the others when they were looked at last
	ended  error
}

func (l *listening) follows(topic string) bool {
	_, is := l.topics[topic]
	return is
}

// offer returns what a hub does with an event, said in the plainest way.
func (l *listening) offer(e event, merging bool) {
	defer func() {
		if l.missed != 0 && e.number-l.missed+1 > behind {
			l.ended, l.queue, l.placed, l.missed = stream.ErrSlow, nil, 0, 0
		}
	}()
	if l.ended != nil || !slices.ContainsFunc(e.topics, l.follows) {
		return
	}
	at := slices.IndexFunc(l.queue, func(old event) bool { return old.key == e.key })
	switch {
	case merging && at >= 0:
		l.queue[at] = e
		return
	case !merging && l.missed == 0 && l.placed == waiting:
		l.missed = e.number
	}
	if l.queue = append(l.queue, e); l.missed == 0 {
		l.placed++
	}
}

// refill moves waiting events to the subscription's own queue when that is empty.
func (l *listening) refill() {
	if l.placed > 0 || l.missed == 0 {
		return
	}
	l.missed = 0
	if l.placed = min(waiting, len(l.queue)); l.placed < len(l.queue) {
		l.missed = l.queue[l.placed].number
	}
}

// next checks that the subscription hands out what the model does.
func (l *listening) next(t *rapid.T) {
	e, ok, ended := l.Next(l.Mark())
	l.refill()
	switch {
	case l.ended == stream.ErrSlow || l.ended != nil && len(l.queue) == 0:
		if ok || ended != l.ended {
			t.Fatalf("%v %v %v, want the end %v", e, ok, ended, l.ended)
		}
	case len(l.queue) == 0:
		if ok || ended != nil {
			t.Fatalf("%v %v %v, want nothing", e, ok, ended)
		}
	default:
		if !ok || ended != nil || e.number != l.queue[0].number {
			t.Fatalf("%v %v %v, want %v", e, ok, ended, l.queue[0])
		}
		l.queue = l.queue[1:]
		l.placed--
	}
}

var hubTopics = []string{"a", "b", "c", "d"}

// Whatever is followed, left, published and read in whatever order, each
// subscription holds the events of its topics since it follows them, each
// once and in order, but for those that no topic asks for any more; it ends as
// slow when more than the backlog holds came since its queue was full, and a merging
// one keeps the newest of each key in the place of the first.
func TestHubFollowsTheModel(t *testing.T) {
	for name, merging := range map[string]bool{"every event": false, "merging": true} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				hub := stream.NewHub(topicsOfEvent, sizeOfEvent)
				if merging {
					hub = stream.NewMergingHub(topicsOfEvent, func(e event) string { return e.key })
				}
				var all []*listening
				number := int64(0)
				some := rapid.SliceOfNDistinct(rapid.SampledFrom(hubTopics), 1, 3, rapid.ID)
				one := func() *listening { return all[rapid.IntRange(0, len(all)-1).Draw(t, "who")] }
				for range 3 {
					all = append(all, &listening{Subscription: hub.Join(nil), topics: map[string]int64{}})
				}
				t.Repeat(map[string]func(*rapid.T){
					"follow": func(t *rapid.T) {
						l := one()
						if l.ended != nil {
							return
						}
						topics := some.Draw(t, "topics")
						if got, _ := l.Follow(topics); got.Seq != number {
							t.Fatalf("position %d, want %d", got.Seq, number)
						}
						for _, topic := range topics {
							if !l.follows(topic) {
								l.topics[topic] = number
							}
						}
					},
					"unfollow": func(t *rapid.T) {
						l, topics := one(), some.Draw(t, "topics")
						var want []string
						for _, topic := range topics {
							if l.follows(topic) {
								want = append(want, topic)
							}
							delete(l.topics, topic)
						}
						if len(want) > 0 {
							first, rest := slices.Clone(l.queue[:l.placed]), slices.Clone(l.queue[l.placed:])
							first = slices.DeleteFunc(first, func(e event) bool { return !slices.ContainsFunc(e.topics, l.follows) })
							rest = slices.DeleteFunc(rest, func(e event) bool {
								return !slices.ContainsFunc(e.topics, func(topic string) bool {
									return l.follows(topic) && e.number > l.topics[topic]
								})
							})
							l.queue, l.placed = append(first, rest...), len(first)
						}
						if got := l.Unfollow(topics); !slices.Equal(got, want) {
							t.Fatalf("left %v, want %v", got, want)
						}
					},
					"publish": func(t *rapid.T) {
						for range rapid.SampledFrom([]int{1, 1, 2, 200}).Draw(t, "events") {
							number++
							e := event{number, some.Draw(t, "topics"), fmt.Sprint(number % 7)}
							e.topics = append(e.topics, e.topics[0]) // named twice, it still comes once
							hub.Publish(number, e)
							for _, l := range all {
								l.offer(e, merging)
							}
						}
					},
					"read": func(t *rapid.T) {
						l := one()
						for range rapid.SampledFrom([]int{1, 3, 600}).Draw(t, "times") {
							l.next(t)
						}
					},
					"end": func(t *rapid.T) {
						if l := one(); rapid.IntRange(0, 9).Draw(t, "whether") == 0 {
							l.End()
							clear(l.topics)
							if l.ended == nil {
								l.ended = stream.ErrClosing
							}
						}
					},
					"": func(t *rapid.T) {
						for _, l := range all {
							if l.Topics() != len(l.topics) {
								t.Fatalf("%d topics, want %v", l.Topics(), l.topics)
							}
							for _, topic := range hubTopics {
								if l.Follows(topic) != l.follows(topic) {
									t.Fatalf("follows %s: %v", topic, l.Follows(topic))
								}
							}
						}
					},
				})
				for _, l := range all {
					for range len(l.queue) + 1 {
						l.next(t)
					}
				}
			})
		})
	}
}

// Events that do not fit into the queue wait in the backlog. A subscription that needs an
// event which the backlog has dropped ends, and learns it once. A single event that is
// longer than both fits into each.
func TestSlowIsMoreThanTheBacklog(t *testing.T) {
	hub := stream.NewHub(topicsOfEvent, sizeOfEvent)
	told := make(chan struct{}, 10)
	tell := func(ended error) {
		if ended != nil {
			told <- struct{}{}
		}
	}
	full, over := hub.Join(tell), hub.Join(tell)
	full.Follow([]string{"a"})
	over.Follow([]string{"a", "b"})
	const most = waiting + behind
	for n := range int64(most) {
		hub.Publish(n+1, event{number: n + 1, topics: []string{"a", "b"}})
	}
	for n := range int64(most) {
		if e, ok, err := full.Next(full.Mark()); !ok || err != nil || e.number != n+1 {
			t.Fatalf("%v %v %v, want %d", e, ok, err, n+1)
		}
	}
	hub.Publish(most+1, event{number: most + 1, topics: []string{"b"}})
	if _, ok, err := over.Next(over.Mark()); ok || !errors.Is(err, stream.ErrSlow) {
		t.Errorf("over: %v %v", ok, err)
	}
	select {
	case <-told:
	case <-time.After(fixture.Patience):
		t.Fatal("nobody was told")
	}
	select {
	case <-told:
		t.Error("told twice")
	case <-time.After(20 * time.Millisecond):
	}

	long := stream.NewHub(topicsOfEvent, func(event) int { return 40 << 20 })
	one := long.Join(tell)
	one.Follow([]string{"a"})
	long.Publish(1, event{number: 1, topics: []string{"a"}})
	long.Publish(2, event{number: 2, topics: []string{"a"}})
	for n := range int64(2) {
		if e, ok, err := one.Next(one.Mark()); !ok || err != nil || e.number != n+1 {
			t.Errorf("a long one: %v %v %v", e, ok, err)
		}
	}
}

// A subscription that is asked to end still hands out what waits in the backlog, and nothing
// newer.
func TestEndHandsOutTheBacklog(t *testing.T) {
	hub := stream.NewHub(topicsOfEvent, sizeOfEvent)
	s := hub.Join(nil)
	s.Follow([]string{"a"})
	for n := range int64(3 * waiting) {
		hub.Publish(n+1, event{number: n + 1, topics: []string{"a"}})
	}
	s.End()
	hub.Publish(3*waiting+1, event{number: 3*waiting + 1, topics: []string{"a"}})
	for n := range int64(3 * waiting) {
		if e, ok, err := s.Next(s.Mark()); !ok || err != nil || e.number != n+1 {
			t.Fatalf("%v %v %v, want %d", e, ok, err, n+1)
		}
	}
	if e, ok, err := s.Next(s.Mark()); ok || !errors.Is(err, stream.ErrClosing) {
		t.Errorf("at the end %v %v %v", e, ok, err)
	}
}

// An event for all comes to a subscription behind what waits for it in the backlog, whatever
// it follows.
func TestEventsForAllKeepTheirPlaceInTheBacklog(t *testing.T) {
	hub := stream.NewHub(topicsOfEvent, sizeOfEvent)
	s := hub.Join(nil)
	s.Follow([]string{"a"})
	const before = 3 * waiting
	for n := range int64(before) {
		hub.Publish(n+1, event{number: n + 1, topics: []string{"a"}})
	}
	hub.Enter(epoch.Position{Epoch: "next", Seq: 1}, event{number: before + 1})
	hub.Publish(2, event{number: before + 2, topics: []string{"a"}})
	for n := range int64(before + 2) {
		if e, ok, err := s.Next(s.Mark()); !ok || err != nil || e.number != n+1 {
			t.Fatalf("%v %v %v, want %d", e, ok, err, n+1)
		}
	}
}

// A mark divides what was published before it from what comes after, also when
// an event that waits is replaced by a newer one.
func TestMarksDivideEvents(t *testing.T) {
	hub := stream.NewHub(topicsOfEvent, sizeOfEvent)
	s := hub.Join(nil)
	s.Follow([]string{"a"})
	for n := range int64(5) {
		hub.Publish(n+1, event{number: n + 1, topics: []string{"a", "b"}[n%2 : n%2+1]}) // 1, 3 and 5 are of a
	}
	position, mark := s.Follow([]string{"b"})
	hub.Publish(6, event{number: 6, topics: []string{"b"}})
	var got []int64
	for {
		e, ok, _ := s.Next(mark)
		if !ok {
			break
		}
		got = append(got, e.number)
	}
	if position.Seq != 5 || !slices.Equal(got, []int64{1, 3, 5}) {
		t.Errorf("position %d, before the mark %v", position.Seq, got)
	}
	if e, ok, _ := s.Next(s.Mark()); !ok || e.number != 6 {
		t.Errorf("then %v %v", e, ok)
	}
}
