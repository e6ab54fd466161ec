package stream_test

import (
	"sync"
	"testing"

	"piyasa/serve/stream"
)

// Readers that come, change their minds and go while events are published:
// each gets every event of its topics after the position it was told, in
// order, once. Meant for the race detector too.
func TestHubWithManyReaders(t *testing.T) {
	const events, readers = 4000, 8
	hub := stream.NewHub(topicsOfEvent, func(event) int { return 4 << 10 }) // all fit into the backlog, few into a queue
	published := make(chan struct{})
	var all sync.WaitGroup
	for r := range readers {
		all.Go(func() {
			s := hub.Join(nil)
			since := map[string]int64{}
			follow := func(topic string) { at, _ := s.Follow([]string{topic}); since[topic] = at.Seq }
			follow(hubTopics[r%4])
			var got []int64
			gone := map[string]int64{} // the last event of a topic that was left again
			done := published
			for {
				e, ok, ended := s.Next(s.Mark())
				switch {
				case ended != nil:
					checkHeard(t, got, since, gone, events)
					return
				case ok:
					got = append(got, e.number)
					if len(got) == 50+r {
						follow(hubTopics[(r+1)%4])
					}
					if len(got) == 400 {
						s.Unfollow([]string{hubTopics[r%4]})
						gone[hubTopics[r%4]] = hub.Position().Seq
					}
					continue
				}
				select {
				case <-s.Wake():
				case <-done:
					done = nil
					s.End()
				}
			}
		})
	}
	for n := int64(1); n <= events; n++ {
		hub.Publish(n, event{number: n, topics: topicsOfNumber(n)})
	}
	close(published)
	all.Wait()
}

func topicsOfNumber(n int64) []string {
	return []string{hubTopics[n%4], hubTopics[n*7/5%4]}
}

// checkHeard compares what a reader got with what its topics held. Around the
// moment that it left a topic, an event of it may have come or not.
func checkHeard(t *testing.T, got []int64, since, gone map[string]int64, events int64) {
	next := 0
	for n := int64(1); n <= events; n++ {
		must, may := false, false
		for _, topic := range topicsOfNumber(n) {
			if from, followed := since[topic]; followed && n > from {
				may = true
				if _, left := gone[topic]; !left {
					must = true
				}
			}
		}
		if next < len(got) && got[next] == n && may {
			next++
		} else if must {
			t.Errorf("event %d of %v is missing or out of order at place %d", n, topicsOfNumber(n), next)
			return
		}
	}
	if next != len(got) {
		t.Errorf("event %d came twice, out of order or unasked", got[next])
	}
}
