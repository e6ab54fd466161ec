package deliver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"

	"piyasa/db"
	"piyasa/domain/fundamentals"
	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/internal/epoch"
	"piyasa/internal/value"
	"piyasa/serve/bulk"
	"piyasa/test/fixture/need"
)

func openStore(t testing.TB, url string) *db.Store {
	t.Helper()
	s, err := db.Open(t.Context(), url, db.Timeout(20*time.Second))
	need.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// writer stores random changes: bars, dividends and disclosures come, change and go.
type writer struct {
	store       *db.Store
	random      *rand.Rand
	disclosures int
}

func newWriter(s *db.Store, seed uint64) *writer {
	return &writer{store: s, random: rand.New(rand.NewPCG(seed, 1))}
}

func (w *writer) step(t testing.TB) {
	t.Helper()
	b := new(db.Batch)
	day := func() value.Date { return value.MustDate("2025-11-03").AddDays(w.random.IntN(120)) }
	id := market.ID(fmt.Sprint("bist:S", w.random.IntN(6)))
	price := value.MustDecimal(fmt.Sprintf("%d.%02d", 1+w.random.IntN(9), w.random.IntN(100)))
	for range 1 + w.random.IntN(20) {
		bar := &market.Bar{InstrumentID: id, Resolution: market.Day, T: day().TurkeyStart(), Close: price}
		dividend := &fundamentals.DividendRecord{InstrumentID: id, ExDate: day(), GrossPerShare: price, Currency: "TRY"}
		switch w.random.IntN(8) {
		case 0:
			db.Withdraw(b, bar, new(db.Outcome))
		case 1:
			db.Put(b, dividend, new(db.Outcome))
		case 2:
			db.Withdraw(b, dividend, new(db.Outcome))
		case 3:
			w.disclosures++
			r := &kap.Record{Disclosure: kap.Disclosure{DisclosureIndex: w.disclosures, Type: kap.ODA, Class: "ODA"}}
			r.Symbols, r.PublishedAt = []string{id.Symbol()}, value.MustInstant("2026-01-05T10:00:00Z")
			r.Normalize()
			db.Put(b, r, new(db.Outcome))
		default:
			db.Put(b, bar, new(db.Outcome))
		}
	}
	need.NoError(t, w.store.Store(t.Context(), b))
}

// history is what a receiver got, by the id of each change; the checker compares it with the log.
type history struct {
	mu      sync.Mutex
	newest  map[string]string // lines by kind and key; of what is not withdrawn
	numbers map[string]int64
	order   []string // ids of disclosures, as they came first
	seen    map[string]bool
}

func newHistory() *history {
	return &history{newest: map[string]string{}, numbers: map[string]int64{}, seen: map[string]bool{}}
}

// note notes a change. What is older than what is known of its record changes nothing.
func (h *history) note(id string, c *db.Change, line string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if c.Kind == "disclosure" && !h.seen[id] {
		h.order = append(h.order, id)
	}
	h.seen[id] = true
	key := fmt.Sprint(c.Kind, " ", c.Key)
	if c.Number < h.numbers[key] {
		return
	}
	h.numbers[key] = c.Number
	if h.newest[key] = line; c.Record == nil {
		delete(h.newest, key)
	}
}

// logged returns the history of who reads the log now, from its start.
func logged(t testing.TB, s *db.Store, kinds ...string) *history {
	t.Helper()
	h := newHistory()
	m, err := s.Look(t.Context())
	need.NoError(t, err)
	for _, kind := range kinds {
		feed := db.FeedOf(kind)
		for c := (db.Cursor{}); c != (db.Cursor{Number: m.Heads[feed]}); {
			changes, next, err := s.Changes(t.Context(), feed, c, m.Heads[feed], 1000)
			need.NoError(t, err)
			b := &Batch{Feed: feed, Epochs: m.Epochs}
			for i := range changes {
				line, err := bulk.AppendLine(nil, &changes[i])
				need.NoError(t, err)
				h.note(b.ID(&changes[i]), &changes[i], string(line))
			}
			c = next
		}
	}
	return h
}

// check compares what was received with the log: every disclosure, in order, and of everything else
// the newest state.
func (h *history) check(t testing.TB, log *history) {
	t.Helper()
	if !maps.Equal(h.newest, log.newest) {
		for key, line := range log.newest {
			if h.newest[key] != line {
				t.Errorf("%s: received %s, the log has %s", key, h.newest[key], line)
			}
		}
		for key := range h.newest {
			if log.newest[key] == "" {
				t.Errorf("%s is withdrawn, and not for the receiver", key)
			}
		}
		t.FailNow()
	}
	if !slices.Equal(h.order, log.order) {
		t.Fatalf("received %d disclosures, the log has %d, or in another order", len(h.order), len(log.order))
	}
}

// failingLog is a log that cannot always keep positions.
type failingLog struct {
	*db.Store
	random func() float64
}

var errNotNow = errors.New("not now")

func (l failingLog) KeepSink(ctx context.Context, sink, holder string, state json.RawMessage) error {
	if l.random() < 0.2 {
		return errNotNow
	}
	return l.Store.KeepSink(ctx, sink, holder, state)
}

// deliverOnce runs the sinks once; they may fail.
func deliverOnce(t testing.TB, log Log, c *Config, holder string) []Outcome {
	t.Helper()
	return (&Deliverer{Config: c, Log: log, Holder: holder, Now: time.Now}).Once(t.Context())
}

// configOf reads a configuration of one sink.
func configOf(t testing.TB, sink string) *Config {
	t.Helper()
	c, err := ReadConfig([]byte(`{"sinks": {"one": ` + sink + `}}`))
	need.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// allDone fails the test if a sink did not deliver.
func allDone(t testing.TB, all []Outcome) {
	t.Helper()
	for _, o := range all {
		if o.Err != nil || o.Held {
			t.Fatalf("%+v", o)
		}
	}
}

// backupPlan reads a plan.
func backupPlan(t testing.TB, settings string) BackupPlan {
	t.Helper()
	c, err := ReadConfig([]byte(`{"backup": {` + settings + `}}`))
	need.NoError(t, err)
	return *c.Backup
}

// namesIn returns the names of all files in a place, also of those that are no backups.
func namesIn(t testing.TB, in backupPlace) (names []string) {
	t.Helper()
	switch in := in.(type) {
	case backupFolder:
		err := filepath.WalkDir(string(in), func(path string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				path, err = filepath.Rel(string(in), path)
				names = append(names, path)
			}
			return err
		})
		need.NoError(t, err)
	case backupBucket:
		for object := range in.client.ListObjects(t.Context(), in.name, minio.ListObjectsOptions{Prefix: in.prefix, Recursive: true}) {
			if object.Err != nil {
				t.Fatal(object.Err)
			}
			names = append(names, strings.TrimPrefix(object.Key, in.prefix))
		}
	}
	return names
}

// memory keeps the states of sinks for several holders, by the clock of the test.
type memory struct {
	Log
	mu     sync.Mutex
	states map[string]json.RawMessage
	holder string
	until  time.Time
}

func (m *memory) ClaimSink(_ context.Context, sink, holder string, lease time.Duration) (json.RawMessage, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.holder != holder && time.Now().Before(m.until) {
		return nil, false, nil
	}
	m.holder, m.until = holder, time.Now().Add(lease)
	return m.states[sink], true, nil
}

func (m *memory) ReleaseSink(context.Context, string, string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.until = time.Time{}
	return nil
}

func (m *memory) KeepSink(_ context.Context, sink, holder string, state json.RawMessage) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.holder != holder {
		return db.ErrNotHeld
	}
	m.states[sink] = state
	return nil
}

func (m *memory) Sinks(context.Context) (map[string]json.RawMessage, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.states), nil
}

func (m *memory) Look(context.Context) (epoch.Moment, error) { return epoch.Moment{}, nil }

// pretended returns a deliverer that backs up some words.
func pretended(plan BackupPlan, log *memory, holder string) *Deliverer {
	return &Deliverer{Config: new(Config), Log: log, Holder: holder, Now: time.Now, Backups: &Backups{
		Plan:  plan,
		Copy:  func(_ context.Context, to string) error { return os.WriteFile(to, []byte("all that is stored"), 0o600) },
		Check: func(context.Context, string) error { return nil },
		Bytes: func(context.Context) (int64, error) { return 18, nil },
	}}
}
