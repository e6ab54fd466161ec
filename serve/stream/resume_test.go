package stream_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"piyasa/domain/kap"
	"piyasa/test/fixture"
)

// sample returns the store of the worked vectors.
func sample() []*kap.Record {
	return []*kap.Record{
		filing(1501, kap.ODA, "DMOST"), filing(1502, kap.ODA, "DMBNK"), filing(1503, kap.ODA, "DMOST", "DMBNK"), filing(1504, kap.DUY),
		filing(1505, kap.FR, "DMOST"), filing(1506, kap.FON, "DMA"), filing(1507, kap.DG, "DMSIG"), filing(1508, kap.DG, "DMBNK"),
	}
}

// Worked vectors V-108, V-111 and V-114: what comes during a replay waits for
// its end, pings do not.
func TestReplayThenLive(t *testing.T) {
	s := newSocketFixture(t, sample()...)
	c, witness := s.join(), s.join()
	witness.say(`{"action":"subscribe","ids":["all"]}`)
	witness.hears("subscribed [all] []")
	held := make(chan struct{})
	s.replayed = func() { <-held }
	c.say(`{"action":"subscribe","ids":["symbol:DMOST","type:ODA"],"last_seen_index":1501}`)
	c.hears("subscribed [symbol:DMOST type:ODA] []")
	s.put(false, filing(1509, kap.DG, "DMOST"), filing(1510, kap.DG, "DMSIG"), filing(1511, kap.ODA, "DMSIG"))
	witness.hears("L1509", "L1510", "L1511")
	c.say(`{"action":"unsubscribe","ids":["all"]}`, `{"action":"ping"}`)
	c.hears("pong")
	close(held)
	c.hears("R1502", "R1503", "R1505", "replay_done 1505 false", "L1509", "L1511", "unsubscribed []")
	for _, after := range []int64{1511, 99999, 1<<63 - 1} {
		c := s.join()
		c.say(fmt.Sprintf(`{"action":"subscribe","ids":["all"],"last_seen_index":%d}`, after))
		c.hears("subscribed [all] []", fmt.Sprintf("replay_done %d false", after))
		_ = c.Close()
	}
	c = s.join()
	c.say(`{"action":"subscribe","ids":["foo"],"last_seen_index":1501}`, `{"action":"subscribe","ids":["all"]}`)
	c.hears("subscribed [] [foo]", "replay_done 1501 false", "subscribed [all] []")
	s.put(false, filing(1512, kap.CA))
	c.hears("L1512")
}

// A resume is of the topics of its message alone, also on a connection that
// follows others already, and covers back-fills.
func TestSecondReplay(t *testing.T) {
	s := newSocketFixture(t, sample()...)
	s.put(true, filing(1400, kap.FON, "DMA"), filing(1600, kap.FON, "DMA"))
	c := s.join()
	c.say(`{"action":"subscribe","ids":["type:ODA"],"last_seen_index":1502}`,
		`{"action":"subscribe","ids":["symbol:DMA","bad:"],"last_seen_index":0}`,
		`{"action":"subscribe","ids":["type:ODA"],"last_seen_index":1502}`)
	c.hears("subscribed [type:ODA] []", "R1503", "replay_done 1503 false", "subscribed [symbol:DMA] [bad:]", "R1400", "R1506", "R1600",
		"replay_done 1600 false", "subscribed [type:ODA] []", "R1503", "replay_done 1503 false")
	s.put(false, filing(1601, kap.ODA, "DMA"))
	c.hears("L1601")
}

// data of a disclosure is the same, byte for byte, live and replayed, and in
// the order of the list's members.
func TestFramesAreAlike(t *testing.T) {
	s := newSocketFixture(t)
	c := s.join()
	c.say(`{"action":"subscribe","ids":["all"]}`)
	c.hears("subscribed [all] []")
	s.put(false, filing(5, kap.ODA, "DMOST"))
	_, live, err := c.ReadMessage()
	c.say(`{"action":"subscribe","ids":["type:ODA"],"last_seen_index":0}`)
	c.hears("subscribed [type:ODA] []")
	_, again, againErr := c.ReadMessage()
	want := `{"type":"disclosure","replay":false,"data":{"disclosure_index":5,"type":"ODA","class":"ODA","symbols":["DMOST"],"filer_codes":[],"filer_title":null,"published_at":"2026-03-18T06:00:00Z","reason":null,"related_index":null,"subject":null,"summary":{"tr":"<Özet> & \u2028","en":null},"link":null,"attachment_count":0,"year":null,"period":null,"consolidation":null}}`
	if err != nil || string(live) != want {
		t.Errorf("live %s, %v", live, err)
	}
	if againErr != nil || string(again) != strings.Replace(want, "false", "true", 1) {
		t.Errorf("replayed %s, %v", again, againErr)
	}
}

// Worked vectors V-112 and V-113: a replay repeats at most the oldest thousand.
func TestLongReplays(t *testing.T) {
	var many []*kap.Record
	for n := 2000; n < 3250; n++ {
		many = append(many, filing(n, kap.ODA, map[bool]string{true: "FEW", false: "MANY"}[n >= 2999]))
	}
	s := newSocketFixture(t, many...)
	for _, r := range []struct {
		ids         string
		after       int
		first, last int
		done        string
	}{
		{"all", 1999, 2000, 2999, "replay_done 2999 true"}, {"all", 2249, 2250, 3249, "replay_done 3249 false"},
		{"all", 2250, 2251, 3249, "replay_done 3249 false"},
		{"symbol:MANY", 1999, 2000, 2998, "replay_done 2998 false"}, {"all", 3048, 3049, 3249, "replay_done 3249 false"},
		{"all", 3049, 3050, 3249, "replay_done 3249 false"},
	} {
		c := s.join()
		c.say(fmt.Sprintf(`{"action":"subscribe","ids":[%q],"last_seen_index":%d}`, r.ids, r.after))
		c.hears("subscribed [" + r.ids + "] []")
		for n := r.first; n <= r.last; n++ {
			c.hears(fmt.Sprintf("R%d", n))
		}
		c.hears(r.done)
		_ = c.Close()
	}
}

// A client that leaves while its replay runs is no failure of the server.
func TestLeavingAReplay(t *testing.T) {
	var log bytes.Buffer
	quiet := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(quiet) })
	var many []*kap.Record
	for n := range 300 {
		many = append(many, filing(n+1, kap.ODA))
	}
	s := newSocketFixture(t, many...)
	for _, read := range []int32{1, 2} {
		c, reads := s.join(), new(atomic.Int32)
		s.replayed = func() {
			if reads.Add(1) == read {
				_ = c.Close()
				time.Sleep(100 * time.Millisecond) // until it is known to have left
			}
		}
		c.say(`{"action":"subscribe","ids":["all"],"last_seen_index":0}`)
		fixture.Eventually(t, "the end of the connection", func() bool { return s.sockets.Open() == 0 })
	}
	if said := log.String(); strings.Contains(said, "level=ERROR") {
		t.Error(said)
	}
}

// A replay that fails says so and leaves the connection open, with all that is
// live; so does one that fails half-way.
func TestFailingReplay(t *testing.T) {
	var many []*kap.Record
	for n := range 300 {
		many = append(many, filing(n+1, kap.ODA))
	}
	s := newSocketFixture(t, many...)
	c := s.join()
	reads := 0
	s.replayed = func() { reads++; s.failing.Store(reads == 1 || reads == 3) }
	c.say(`{"action":"subscribe","ids":["all"],"last_seen_index":7}`)
	c.hears("subscribed [all] []", "error server_error", "replay_done 7 true")
	c.say(`{"action":"subscribe","ids":["type:ODA"],"last_seen_index":0}`)
	c.hears("subscribed [type:ODA] []")
	last := "replay_done 0 true"
	for got := c.hear(); got != "error server_error"; got = c.hear() {
		last = "replay_done " + strings.TrimPrefix(got, "R") + " true"
	}
	c.hears(last)
	if last == "replay_done 0 true" {
		t.Error("nothing came before the failure")
	}
	s.put(false, filing(301, kap.ODA))
	c.hears("L301")
}

// While many disclosures are stored, numbers out of order among them,
// connections resume from anywhere: each hears every match above its number
// once, replayed ones ascending, then live ones as they were stored.
func TestResumeWhileOthersPublish(t *testing.T) {
	const total, group = 360, 6
	order := make([]int, total) // of numbers, turned round within each group
	for i := range order {
		order[i] = i/group*group + group - i%group
	}
	s := newSocketFixture(t)
	seqOf := map[int]int{}
	for seq, number := range order {
		seqOf[number] = seq
	}
	codes := []string{"A1", "B1"}
	stored := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		defer close(stored)
		for batch := range slices.Chunk(order, 4) {
			var records []*kap.Record
			for _, n := range batch {
				records = append(records, filing(n, kap.ODA, codes[n%2]))
			}
			s.put(false, records...)
		}
	})
	for i := range 12 {
		after := i * total / 24
		fixture.Eventually(t, "enough to resume from", func() bool {
			heads, err := s.store.Look(t.Context())
			return err != nil || heads.Heads["disclosures"] >= int64(after)
		})
		c := s.join()
		all.Go(func() { c.resumes(after, []string{"all", "symbol:A1"}[i%2], seqOf) })
	}
	all.Wait()
	<-stored
}

// resumes hears everything that matches topic above after, and checks it.
func (c *client) resumes(after int, topic string, seqOf map[int]int) {
	if err := c.WriteMessage(websocket.TextMessage,
		fmt.Appendf(nil, `{"action":"subscribe","ids":[%q],"last_seen_index":%d}`, topic, after)); err != nil {
		c.t.Error(err)
		return
	}
	missing := map[int]bool{}
	for n := range seqOf {
		missing[n] = n > after && (topic == "all" || n%2 == 0)
		if !missing[n] {
			delete(missing, n)
		}
	}
	heard, lastReplayed, lastSeq := map[int]bool{}, after, -1
	for len(missing) > 0 {
		var number int
		frame := c.hear()
		switch {
		case strings.HasPrefix(frame, "subscribed"):
		case strings.HasPrefix(frame, "replay_done"):
			if frame != fmt.Sprintf("replay_done %d false", lastReplayed) {
				c.t.Errorf("%s after R%d", frame, lastReplayed)
			}
			lastReplayed = 1 << 30
		case strings.HasPrefix(frame, "R"):
			_, _ = fmt.Sscanf(frame, "R%d", &number)
			if number <= lastReplayed {
				c.t.Errorf("%s after R%d", frame, lastReplayed)
			}
			lastReplayed = number
		case strings.HasPrefix(frame, "L"):
			_, _ = fmt.Sscanf(frame, "L%d", &number)
			if seqOf[number] <= lastSeq || lastReplayed != 1<<30 {
				c.t.Errorf("%s, the %dth, after the %dth stored or before the replay was done", frame, seqOf[number], lastSeq)
			}
			lastSeq = seqOf[number]
		default:
			c.t.Errorf("heard %s; missing %d", frame, len(missing))
			return
		}
		if heard[number] && number != 0 {
			c.t.Errorf("%s twice", frame)
		}
		heard[number] = true
		delete(missing, number)
	}
}

// A topic of a code follows what its frame shows in symbols: codes of the filer, too, which
// the platform did not list, live and again.
func TestTopicsOfCodesOfTheFiler(t *testing.T) {
	s := newSocketFixture(t)
	c := s.join()
	c.say(`{"action":"subscribe","ids":["symbol:DMPYS"]}`)
	c.hears("subscribed [symbol:DMPYS] []")
	d := filing(1506, kap.FON, "DMA")
	d.FilerCodes = []string{"DMPYS"}
	d.Normalize()
	s.put(false, d)
	c.hears("L1506")
	again := s.join()
	again.say(`{"action":"subscribe","ids":["symbol:DMPYS"],"last_seen_index":0}`)
	again.hears("subscribed [symbol:DMPYS] []", "R1506", "replay_done 1506 false")
}
