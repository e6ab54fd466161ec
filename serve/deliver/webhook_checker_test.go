package deliver_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/fundamentals"
	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/internal/attachment"
	"piyasa/internal/value"
	"piyasa/serve/bulk"
	"piyasa/serve/deliver"
	"piyasa/test/fixture/need"
)

// told is an event that a receiver has stored.
type told struct {
	ID   string
	Data struct {
		Position, Kind string
		Number         int64
		Withdrawn      bool
		Key            map[string]string
		Record         json.RawMessage
	}
}

// mortal is a receiver that stores events, and is killed at random.
type mortal struct {
	sync.Mutex
	chance  *rand.Rand
	address string
	server  *http.Server
	stored  []told
	has     map[string]bool
	again   int // events that came twice
}

func (m *mortal) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	m.Lock()
	defer m.Unlock()
	fate := m.chance.IntN(100)
	if err != nil || fate < 2 {
		w.WriteHeader(500)
		return
	}
	if fate >= 3 { // less than that: it is killed before it has stored
		e := told{ID: r.Header.Get("webhook-id")}
		if err := json.Unmarshal(body, &e); err != nil {
			w.WriteHeader(400)
			return
		}
		if m.has[e.ID] {
			m.again++
		} else {
			m.stored, m.has[e.ID] = append(m.stored, e), true
		}
	}
	if fate < 4 {
		_ = m.server.Close() // the answer does not leave
	}
}

// live starts the receiver, where it was before.
func (m *mortal) live(t *testing.T) {
	t.Helper()
	m.Lock()
	defer m.Unlock()
	if m.server != nil {
		_ = m.server.Close()
	}
	listener, err := net.Listen("tcp", m.address)
	need.NoError(t, err)
	server := &http.Server{Handler: m, ReadHeaderTimeout: time.Minute}
	m.server = server
	go func() { _ = server.Serve(listener) }()
}

// fold returns what a receiver has: the newest record of each key.
func fold(events []told) map[string]string {
	state, newest := map[string]string{}, map[string]int64{}
	for _, e := range events {
		key := fmt.Sprint(e.Data.Kind, e.Data.Key) // a map is printed in order
		if e.Data.Number < newest[key] {
			continue
		}
		newest[key], state[key] = e.Data.Number, string(e.Data.Record)
		if e.Data.Withdrawn {
			delete(state, key)
		}
	}
	return state
}

// Whatever becomes of the receiver and the deliverer, the receiver has in the end, once each and in
// order, the changes that the log has kept, and what they leave.
func TestEveryChangeReachesItsReceiver(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, url string) {
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		chance := rand.New(rand.NewPCG(seed, 1))
		s, err := db.Open(t.Context(), url, db.Timeout(time.Minute))
		need.NoError(t, err)
		t.Cleanup(func() { _ = s.Close() })
		m := &mortal{chance: rand.New(rand.NewPCG(seed, 2)), has: map[string]bool{}, address: need.Address(t)}
		m.live(t)
		t.Cleanup(func() { _ = m.server.Close() })

		rounds := 80
		if testing.Short() {
			rounds = 20
		}
		written := make(chan error, 1)
		go func() { written <- write(t, s, rand.New(rand.NewPCG(seed, 3)), rounds) }()
		sink, done := own(t, "http://"+m.address, `, "from": "start", "kinds": ["disclosure", "quote", "bar", "dividend"]`), false
		for delivered := false; !done || !delivered; {
			if !done {
				select {
				case err := <-written:
					if done = true; err != nil {
						t.Fatal(err)
					}
				default:
				}
			}
			if chance.IntN(10) == 0 { // another process
				sink = own(t, "http://"+m.address, `, "from": "start", "kinds": ["disclosure", "quote", "bar", "dividend"]`)
			}
			was := done
			o := deliverer(s, sink).Once(t.Context())[0]
			if delivered = o.Err == nil && was; o.Err != nil {
				m.live(t)
			}
		}
		m.Lock()
		defer m.Unlock()
		head, err := s.Look(t.Context())
		need.NoError(t, err)
		for _, feed := range sink.Feeds {
			var log, got []told
			for _, c := range changes(t, s, feed, head.Heads[feed]) {
				b := deliver.Batch{Feed: feed, Epochs: head.Epochs}
				e := told{ID: b.ID(&c)}
				e.Data.Kind, e.Data.Number, e.Data.Withdrawn, e.Data.Key = c.Kind, c.Number, c.Record == nil, map[string]string{}
				for _, member := range c.Members() {
					e.Data.Key[member.Name] = member.Value
				}
				if e.Data.Record, err = bulk.AppendLine(nil, &c); err != nil {
					t.Fatal(err)
				}
				log = append(log, e)
			}
			for _, e := range m.stored {
				if db.FeedOf(e.Data.Kind) == feed {
					got = append(got, e)
				}
			}
			if want, has := fold(log), fold(got); !maps.Equal(want, has) {
				t.Errorf("%s: the receiver has\n%v\nof\n%v", feed, has, want)
			}
			if feed != db.FeedDisclosures { // of which each change is kept
				continue
			}
			id := func(e told) string { return e.ID + " " + e.Data.Key["disclosure_index"] }
			if want, has := ids(log, id), ids(got, id); !slices.Equal(want, has) {
				t.Errorf("received\n%v\nof\n%v", has, want)
			}
			if len(got) < rounds {
				t.Errorf("only %d disclosures", len(got))
			}
		}
		t.Logf("stored %d events; %d came again", len(m.stored), m.again)
	})
}

func ids(events []told, id func(told) string) (ids []string) {
	for _, e := range events {
		ids = append(ids, id(e))
	}
	return ids
}

// changes reads a feed whole.
func changes(t *testing.T, s *db.Store, feed string, head int64) (all []db.Change) {
	t.Helper()
	for from := (db.Cursor{}); from != (db.Cursor{Number: head}); {
		page, next, err := s.Changes(t.Context(), feed, from, head, 1000)
		need.NoError(t, err)
		all, from = append(all, page...), next
	}
	return all
}

// write stores records: disclosures that are completed later, quotes, bars, dividends that are withdrawn.
func write(t *testing.T, s *db.Store, chance *rand.Rand, rounds int) error {
	for round := range rounds {
		b, out := new(db.Batch), make([]db.Outcome, 60)
		for i := range out {
			id := market.ID(fmt.Sprintf("bist:A%d", chance.IntN(5)))
			day := value.MustDate("2026-03-02").AddDays(chance.IntN(30))
			price := value.MustDecimal(fmt.Sprint(1 + chance.IntN(100)))
			dividend := &fundamentals.DividendRecord{InstrumentID: id, ExDate: day, GrossPerShare: price, Currency: "TRY"}
			switch chance.IntN(6) {
			case 0:
				at := day.TurkeyStart().Add(time.Duration(round) * time.Minute)
				db.Put(b, &market.Observation{InstrumentID: id, AsOf: at, Last: price}, &out[i])
			case 1:
				db.Put(b, &market.Bar{InstrumentID: id, Resolution: market.Day, T: day.TurkeyStart(), Close: price}, &out[i])
			case 2:
				db.Withdraw(b, &market.Bar{InstrumentID: id, Resolution: market.Day, T: day.TurkeyStart(), Close: price}, &out[i])
			case 3:
				db.Put(b, dividend, &out[i])
			case 4:
				db.Withdraw(b, dividend, &out[i])
			default:
				r := &kap.Record{Disclosure: kap.Disclosure{DisclosureIndex: 10*round + chance.IntN(20), Type: kap.ODA, Class: "ODA",
					Symbols: []string{}, FilerCodes: []string{}, PublishedAt: value.MustInstant("2026-03-18T06:00:00Z")}}
				if chance.IntN(2) == 0 {
					r.Attachments, r.AttachmentCount = []attachment.Document{{Name: "a", Location: "/a"}}, 1
				}
				db.Put(b, r, &out[i])
			}
		}
		if err := s.Store(t.Context(), b); err != nil {
			return err
		}
	}
	return nil
}
