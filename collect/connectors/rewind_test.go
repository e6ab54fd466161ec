package connectors_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"piyasa/collect"
	"piyasa/collect/collecttest"
	"piyasa/collect/standin"
)

// A source goes back to a place or to its beginning, asks again from there, and what comes again is what
// is stored. One that a collector runs does not.
func TestRewind(t *testing.T) {
	quiet(t)
	for _, c := range []struct{ connector, to, next, wrong, says string }{
		{"bist-bulletin", "2031-05-07", "thb20310507", "soon", "a day"},
		{"bist-limits", "2031-05-07", "thm20310507", "soon", "a day"},
		{"cmc", "", "", "2031-05-07", "reset"},
		{"ecb", "2031-05-07", "hist-90d", "soon", "a day"},
		{"evds", "", "", "2031-05", "reset"},
		{"json", "since=2031-05-07", "since=2031-05-07", "until=1", "since"},
		{"spk", "2030", "yil=2030", "soon", "a year"},
		{"tcmb", "2031-05-07", "07052031", "soon", "a day"},
		{"tuik", "2031", "yil=2031", "soon", "a year"},
		{"vyk", "NEWEST", "vyk/", "0", "newest"},
	} {
		withSecrets(t, c.connector)
		t.Run(c.connector, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				until(istanbul(5, 12, 0).Add(20 * time.Hour))
				store := collecttest.NewStore()
				m := mirror{T: t, connector: c.connector}
				one := &collect.Collector{
					Config: source(t, c.connector, m.settings(time.Now())), Store: store, Emit: store.Emit,
					Holder: "one", Agent: "piyasa/test", Now: time.Now,
					Transport: collecttest.NewNetwork(t, map[string]http.Handler{host: standin.Makers[c.connector](time.Now)}),
				}
				run := func() int {
					t.Helper()
					if o := one.Once(t.Context())[0]; o.Err != nil || o.Idle {
						t.Fatalf("%+v", o)
					}
					time.Sleep(time.Minute)
					return len(store.Lines())
				}
				run()
				to := c.to
				if to == "NEWEST" {
					to = lastIndex(store)
				}
				before := map[string]string{}
				for _, l := range store.Lines() {
					before[identity(l)] = content(l)
				}
				says, err := one.Rewind(t.Context(), "fx", to)
				if err != nil || !strings.HasPrefix(says, "asks next: ") || !strings.Contains(says, c.next) {
					t.Fatal(says, err)
				}
				run()
				for _, l := range store.Lines() {
					if was, ok := before[identity(l)]; !ok && l.Kind != "quote" || ok && l.Kind != "quote" && was != content(l) {
						t.Errorf("%s, and before %s", l.Text, was)
					}
				}
				if _, err := one.Rewind(t.Context(), "fx", c.wrong); err == nil || !strings.Contains(err.Error(), c.says) {
					t.Error(err)
				}
				if _, claimed, err := store.ClaimSource(t.Context(), "fx", "another", time.Minute); err != nil || !claimed {
					t.Fatal(claimed, err)
				}
				if _, err := one.Rewind(t.Context(), "fx", ""); err == nil || !strings.Contains(err.Error(), "stop it first") {
					t.Error(err)
				}
			})
		})
	}
}

// lastIndex returns the number of the disclosure that was stored last.
func lastIndex(s *collecttest.Store) (last string) {
	for _, l := range s.Lines() {
		if l.Kind == "disclosure" {
			last = strings.Trim(strings.SplitN(strings.SplitN(l.Text, `"disclosure_index":`, 2)[1], ",", 2)[0], `"}`+"\n")
		}
	}
	return last
}
