package deliver

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/test/fixture/need"
)

// failing is a storage that fails at random, before or after it has done what was asked.
type failing struct {
	storage
	random func() float64
}

func (f failing) maybe(do func() error) error {
	n := f.random()
	if n < 0.1 {
		return errNotNow
	}
	if err := do(); err != nil || n > 0.2 {
		return err
	}
	return errNotNow
}

func (f failing) put(ctx context.Context, name, file string) error {
	return f.maybe(func() error { return f.storage.put(ctx, name, file) })
}

func (f failing) replace(ctx context.Context, name string, text []byte) error {
	return f.maybe(func() error { return f.storage.replace(ctx, name, text) })
}

// s3Server starts a server of a bucket and returns the settings of a sink there.
func s3Server(t *testing.T) string {
	t.Helper()
	backend := s3mem.New()
	need.NoError(t, backend.CreateBucket("lake"))
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	t.Setenv("DELIVER_KEY", "key")
	return fmt.Sprintf(`"to": "s3", "endpoint": %q, "bucket": "lake", "prefix": "of/piyasa", "region": "eu",
		"access_key": {"env": "DELIVER_KEY"}, "secret_key": {"env": "DELIVER_KEY"}`, server.URL)
}

// received reads what the manifest of a storage says is delivered.
func received(t *testing.T, from storage) (*Manifest, *history) {
	t.Helper()
	text, err := from.get(t.Context(), manifestName)
	need.NoError(t, err)
	m, h := new(Manifest), newHistory()
	need.NoError(t, json.Unmarshal(text, m))
	var all []db.Change
	for _, s := range m.Files {
		file, err := from.get(t.Context(), s.Path)
		if err != nil {
			t.Fatal(s.Path, err)
		}
		if sum := sha256.Sum256(file); hex.EncodeToString(sum[:]) != s.SHA256 || int64(len(file)) != s.Bytes {
			t.Fatalf("%s is not the file that the manifest states", s.Path)
		}
		if !strings.Contains(s.Path, "kind="+s.Kind+"/market="+s.Market) && s.Market != "" {
			t.Fatalf("%+v is of another partition", s)
		}
		rows, err := csv.NewReader(bytes.NewReader(file)).ReadAll()
		if err != nil || int64(len(rows)) != s.Rows+1 {
			t.Fatalf("%s has %d rows: %v", s.Path, len(rows), err)
		}
		for _, row := range rows[1:] {
			number, _ := strconv.ParseInt(row[0], 10, 64)
			c := db.Change{Kind: s.Kind, Number: number, Key: []db.Member{{Name: "key", Value: row[1]}}}
			if row[2] == "false" {
				c.Record = strings.Join(row[4:], ",")
			}
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b db.Change) int { return int(a.Number - b.Number) })
	for i := range all {
		h.note(fmt.Sprint(all[i].Kind, all[i].Number), &all[i], fmt.Sprint(all[i].Record))
	}
	return m, h
}

// sameAsLog compares what is delivered with what another sink, to which everything is delivered now, has.
func sameAsLog(t *testing.T, s *db.Store, got *history) {
	t.Helper()
	fresh := t.TempDir()
	c := configOf(t, fmt.Sprintf(`{"to": "folder", "folder": %q, "format": "csv", "kinds": ["bar", "dividend", "disclosure"]}`, fresh))
	c.Sinks[0].Name = fmt.Sprint("fresh", rand.Uint64())
	allDone(t, deliverOnce(t, s, c, "checker"))
	_, want := received(t, folder(fresh))
	got.check(t, want)
}

// Whatever fails, and whichever process delivers, what the manifest says is what the log has.
func TestFilesUnderFaults(t *testing.T) {
	former := mostBuffered
	mostBuffered = 10_000 // so that they are mostly on the disk
	t.Cleanup(func() { mostBuffered = former })
	for _, where := range []string{"folder", "s3"} {
		t.Run(where, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, url string) {
				s := openStore(t, url)
				settings := fmt.Sprintf(`"to": "folder", "folder": %q`, t.TempDir())
				if where == "s3" {
					settings = s3Server(t)
				}
				sink := `{` + settings + `, "format": "csv", "partition": "month", "most_files": 100, "kinds": ["bar", "dividend", "disclosure"]}`
				w, random := newWriter(s, 7), &locked{random: rand.New(rand.NewPCG(1, 2))}
				var place storage
				steps := 60
				if testing.Short() {
					steps = 20
				}
				for range steps {
					w.step(t)
					var both sync.WaitGroup
					for _, holder := range []string{"a", "b"} { // two processes
						c := configOf(t, sink)
						f := c.Sinks[0].Sink.(*files)
						place, f.storage = f.storage, failing{f.storage, random.Float64}
						both.Go(func() { deliverOnce(t, failingLog{s, random.Float64}, c, holder) })
					}
					both.Wait()
				}
				m, got := new(Manifest), newHistory()
				for n := 0; m.Generation < 2 && n < 100; n++ { // until another generation has taken the place of the first
					w.step(t)
					allDone(t, deliverOnce(t, s, configOf(t, sink), "c"))
					m, got = received(t, place)
				}
				sameAsLog(t, s, got)
				if !m.Complete || m.Generation < 2 {
					t.Errorf("generation %d, complete %v", m.Generation, m.Complete)
				}
			})
		})
	}
}

// Whichever call of the storage fails in the first run, before or after it has acted, the next run
// delivers everything.
func TestFilesAfterAFailedBeginning(t *testing.T) {
	for _, fate := range []float64{0.05, 0.15} {
		for n := 1; n <= 6; n++ {
			s := openStore(t, "sqlite:"+filepath.Join(t.TempDir(), "piyasa.db"))
			newWriter(s, 7).step(t)
			sink := fmt.Sprintf(`{"to": "folder", "folder": %q, "format": "csv", "partition": "month",
				"kinds": ["bar", "disclosure"]}`, t.TempDir())
			c, calls := configOf(t, sink), 0
			f := c.Sinks[0].Sink.(*files)
			place := f.storage
			f.storage = failing{place, func() float64 {
				if calls++; calls == n {
					return fate
				}
				return 1
			}}
			deliverOnce(t, s, c, "a")
			allDone(t, deliverOnce(t, s, configOf(t, sink), "b"))
			_, got := received(t, place)
			sameAsLog(t, s, got)
		}
	}
}

// locked is randomness for several at once.
type locked struct {
	mu     sync.Mutex
	random *rand.Rand
}

func (l *locked) Float64() float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.random.Float64()
}

// A store that goes back makes another generation, and readers have the old one until it is complete.
func TestFilesOfAStoreThatWentBack(t *testing.T) {
	place := filepath.Join(t.TempDir(), "piyasa.db")
	url, lake := "sqlite:"+place, t.TempDir()
	sink := fmt.Sprintf(`{"to": "folder", "folder": %q, "format": "csv", "kinds": ["bar", "dividend", "disclosure"]}`, lake)
	s, err := db.Open(t.Context(), url)
	need.NoError(t, err)
	w := newWriter(s, 3)
	for range 10 {
		w.step(t)
	}
	need.NoError(t, s.Close())
	copied, err := os.ReadFile(place)
	need.NoError(t, err)
	backup := filepath.Join(t.TempDir(), "backup.db")
	need.NoError(t, os.WriteFile(backup, copied, 0o600))
	if s, err = db.Open(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	w.store = s
	for range 10 {
		w.step(t)
	}
	allDone(t, deliverOnce(t, s, configOf(t, sink), "a"))
	need.NoError(t, s.Close())
	if _, err := db.Restore(t.Context(), url, backup, func(db.Finding) {}, func([]db.Loss, error) error { return nil }); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, url)
	w = newWriter(s, 4)
	w.disclosures = 1000
	w.step(t)
	allDone(t, deliverOnce(t, s, configOf(t, sink), "a"))
	m, got := received(t, folder(lake))
	sameAsLog(t, s, got)
	if m.Generation != 2 {
		t.Errorf("generation %d", m.Generation)
	}
	if _, err := Rewind(t.Context(), s, 0, "operator", "one", "bars", "start"); err != nil {
		t.Fatal(err)
	}
	allDone(t, deliverOnce(t, s, configOf(t, sink), "a"))
	again, got := received(t, folder(lake))
	sameAsLog(t, s, got)
	if len(again.Files) <= len(m.Files) || again.Generation != 2 {
		t.Errorf("%d files, and %d before the bars came again", len(again.Files), len(m.Files))
	}
}
