package tuik_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"piyasa/collect"
	"piyasa/collect/collecttest"
	"piyasa/collect/standin"
	"piyasa/collect/tuik"
	"piyasa/test/fixture/need"
)

// world is a collector, and the stand-in that it asks, on one clock.
type world struct {
	store *collecttest.Store
	seen  int // lines of the store before the last run
	*collect.Collector
	now    time.Time
	asked  []string
	change func(string) string // what the stand-in answers
	items  map[string]bool     // by event and time
}

func newWorld(t *testing.T, settings string) *world {
	t.Helper()
	w := &world{store: collecttest.NewStore(), items: map[string]bool{}, change: func(body string) string { return body }}
	upstream := standin.TUIK(func() time.Time { return w.now })
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		w.asked = append(w.asked, r.URL.Query().Get("yil"))
		got := httptest.NewRecorder()
		upstream.ServeHTTP(got, r)
		out.WriteHeader(got.Code)
		fmt.Fprint(out, w.change(got.Body.String()))
	}))
	t.Cleanup(server.Close)
	source := source(t, settings)
	plan := source.Plan()
	plan.Base, plan.Pace = server.URL, 0
	w.Collector = &collect.Collector{
		Config: &collect.Config{Sources: []collect.Named{{Name: "calendar", Source: source, Own: plan}}},
		Store:  w.store, Emit: w.store.Emit, Holder: "one", Agent: "piyasa/test", Now: func() time.Time { return w.now },
	}
	return w
}

// lines returns what the last run stored.
func (w *world) lines() (all []map[string]any) {
	for _, l := range w.store.Lines()[w.seen:] {
		all = append(all, l.Fields)
	}
	return all
}

// at runs the collector once, at a moment, and returns in short what was told of items.
func (w *world) at(t *testing.T, now time.Time) (told string, err error) {
	t.Helper()
	w.now, w.seen, w.asked = now, len(w.store.Lines()), nil
	err = w.Once(t.Context())[0].Err
	var all []string
	for _, r := range w.lines() {
		if r["record"] != "calendar_item" {
			continue
		}
		key := fmt.Sprint(r["event_id"], " ", r["time"])
		if r["withdrawn"] == true {
			delete(w.items, key)
			all = append(all, "-"+key)
			continue
		}
		w.items[key] = true
		all = append(all, "+"+key)
	}
	return strings.Join(all, "\n"), err
}

// upstream returns the items that the stand-in has of a year, with the numbers that this test
// knows the releases by.
func (w *world) upstream(t *testing.T, year int) map[string]bool {
	t.Helper()
	got := httptest.NewRecorder()
	standin.TUIK(func() time.Time { return w.now }).ServeHTTP(got,
		httptest.NewRequest("GET", fmt.Sprint("/Kurumsal/GetYillikHaberBulteniListesi?yil=", year), nil))
	var in map[string][]map[string]any
	need.NoError(t, json.Unmarshal(got.Body.Bytes(), &in))
	all := map[string]bool{}
	for _, r := range slices.Concat(slices.Collect(maps.Values(in))...) {
		id, ok := map[string]int{
			"TÜİK Tüketici Fiyat Endeksi (TÜFE)": 792001, "TÜİK Yurt İçi Üretici Fiyat Endeksi": 792002,
			"TÜİK Dönemsel Gayrisafi Yurt İçi Hasıla": 792005,
			"TÜİK Sanayi Üretim Endeksi":              792006, "TÜİK Ticaret Satış Hacim Endeksi": 792008,
			"TÜİK Tüketici Güven Endeksi":          792009,
			"TCMB Ödemeler Dengesi İstatistikleri": 792022, "TCMB Haftalık Para ve Banka İstatistikleri": 792027,
			"TCMB Menkul Kıymet İstatistikleri":       792028,
			"HMB Merkezi Yönetim Bütçe Denge Tablosu": 792029, "TÜİK İşgücü İstatistikleri": 792003,
		}[r["sorumluKisaAd"].(string)+" "+strings.TrimSpace(r["adi"].(string))]
		if !ok {
			continue
		}
		if id == 792003 && len(r["donemi"].(string)) == 4 {
			id = 792004
		}
		at, err := time.ParseInLocation("2006-01-02T15:04:05", r["gTarih"].(string), collect.Istanbul)
		need.NoError(t, err)
		all[fmt.Sprint(id, " ", at.UTC().Format(time.RFC3339))] = true
	}
	return all
}

// check compares what came of years with what there is.
func (w *world) check(t *testing.T, years ...int) {
	t.Helper()
	want := map[string]bool{}
	for _, year := range years {
		maps.Copy(want, w.upstream(t, year))
	}
	if !maps.Equal(w.items, want) || len(want) == 0 {
		for key := range want {
			if !w.items[key] {
				t.Errorf("%s is missing", key)
			}
		}
		for key := range w.items {
			if !want[key] {
				t.Errorf("%s is too much", key)
			}
		}
	}
}

func source(t testing.TB, settings string) collect.Source {
	t.Helper()
	s, err := tuik.New(json.RawMessage(settings))
	need.NoError(t, err)
	return s
}
