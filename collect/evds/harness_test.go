package evds_test

import (
	"encoding/json"
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"piyasa/collect"
	"piyasa/collect/collecttest"
	"piyasa/collect/evds"
	"piyasa/collect/standin"
	"piyasa/test/fixture/need"
)

// points returns what the records come to, by month, and how many there were since the last
// time.
func (w *world) points(id string, into map[string]string) (n int) {
	for _, r := range w.lines() {
		if r["record"] != "inflation_point" || r["series_id"] != id {
			continue
		}
		n++
		month := r["month"].(string)
		if r["withdrawn"] == true {
			delete(into, month)
			continue
		}
		value, _ := r["value"].(string)
		into[month] = value + " " + r["unit"].(string)
	}
	return n
}

// world is a collector, and the stand-in that it asks, on one clock.
type world struct {
	store *collecttest.Store
	seen  int // lines of the store before the last run
	*collect.Collector
	now    time.Time
	server *httptest.Server
	asked  []string
}

// newWorld returns a world at a moment.
func newWorld(t *testing.T, settings string, now time.Time) *world {
	t.Helper()
	w := &world{store: collecttest.NewStore(), now: now}
	handler := standin.EVDS(func() time.Time { return w.now })
	w.server = httptest.NewServer(recorded(&w.asked, handler))
	t.Cleanup(w.server.Close)
	w.Collector = &collect.Collector{Store: w.store, Emit: w.store.Emit, Holder: "one", Agent: "piyasa/test",
		Now: func() time.Time { return w.now }}
	w.configure(t, settings)
	return w
}

// configure gives the source other settings.
func (w *world) configure(t *testing.T, settings string) {
	t.Helper()
	source := source(t, settings)
	plan := source.Plan()
	plan.Base, plan.Pace = w.server.URL, 0
	w.Config = &collect.Config{Sources: []collect.Named{{Name: "prices", Source: source, Own: plan}}}
}

// lines returns what the last run stored.
func (w *world) lines() (all []map[string]any) {
	for _, l := range w.store.Lines()[w.seen:] {
		all = append(all, l.Fields)
	}
	return all
}

// at runs the collector once, at a moment.
func (w *world) at(t *testing.T, now time.Time) collect.Outcome {
	t.Helper()
	w.now, w.seen, w.asked = now, len(w.store.Lines()), nil
	return w.Once(t.Context())[0]
}

// upstream returns what the stand-in has of a series: each month that has a value.
func (w *world) upstream(t *testing.T, code, unit string) map[string]string {
	t.Helper()
	all := map[string]string{}
	r := httptest.NewRequest("GET", "/series="+code+"&type=json", nil)
	r.Header.Set("key", standin.EVDSKey)
	got := httptest.NewRecorder()
	standin.EVDS(func() time.Time { return w.now }).ServeHTTP(got, r)
	var in struct{ Items []map[string]any }
	need.NoError(t, json.Unmarshal(got.Body.Bytes(), &in))
	for _, item := range in.Items {
		at, err := time.Parse("2006-1", item["Tarih"].(string))
		need.NoError(t, err)
		value, _ := item[strings.ReplaceAll(code, ".", "_")].(string)
		all[at.Format("2006-01")] = value + " " + unit
	}
	return all
}

// same compares what came with what there was.
func same(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	if !maps.Equal(got, want) {
		for _, month := range slices.Sorted(maps.Keys(want)) {
			if got[month] != want[month] {
				t.Errorf("%s: %s is %q, want %q", what, month, got[month], want[month])
			}
		}
		t.Errorf("%s: %d months, want %d", what, len(got), len(want))
	}
}

func source(t testing.TB, settings string) collect.Source {
	t.Helper()
	t.Setenv("EVDS_KEY", standin.EVDSKey)
	s, err := evds.New(json.RawMessage(settings))
	need.NoError(t, err)
	return s
}
