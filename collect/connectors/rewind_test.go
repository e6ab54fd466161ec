package connectors_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"piyasa/collect"
	"piyasa/collect/collecttest"
	"piyasa/collect/standin"
	"piyasa/test/fixture/need"
)

// A source goes back to a place or to its beginning, asks again from there, and what comes again is what
// is stored. One that a collector runs does not.
func TestRewind(t *testing.T) {
	quiet(t)
	for _, c := range []struct{ connector, to, next, wrong, says string }{ // what is wrong is a word, or beyond where it stands
		{"bist-bulletin", "2031-05-07", "thb20310507", "soon 2031-05-13 2015-11-30", "a day from 2015-12-01 to that"},
		{"bist-limits", "2031-05-07", "thm20310507", "soon 2031-05-13", "everything up to 2031-05-12"},
		{"cmc", "", "", "2031-05-07", "reset"},
		{"ecb", "2031-05-07", "hist-90d", "soon 2031-05-13 2019-12-31", "up to 2031-05-12, and goes back to a day from 2020-01-01"},
		{"evds", "", "", "2031-05", "reset"},
		{"json", "since=2031-05-07", "since=2031-05-07", "until=1", "since"},
		{"json", "since=2031-05-07", "since=2031-05-07", "since=soon since=2031-05-13 since=2032-01-01", `stands at "2031-05-12"`},
		{"spk", "2030", "yil=2030", "soon 2032 2029", "the years from 2030 to 2031"},
		{"tcmb", "2031-05-07", "07052031", "soon 2031-05-13", "everything up to 2031-05-12"},
		{"tuik", "2031", "yil=2031", "soon 2032 2030", "the years from 2031 to 2031"},
		{"vyk", "NEWEST", "disclosureIndex=", "0 NEXT", "lists up to the disclosure"},
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
				if _, err := one.Rewind(t.Context(), "fx", "2020-02-03"); err == nil {
					t.Error("it went back though it has read nothing")
				}
				run()
				to := c.to
				if to == "NEWEST" {
					time.Sleep(24 * time.Hour)
					run()
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
				for wrong := range strings.FieldsSeq(c.wrong) {
					if wrong == "NEXT" {
						n, err := strconv.Atoi(to)
						need.NoError(t, err)
						wrong = strconv.Itoa(n + 1_000_000)
					}
					if says, err := one.Rewind(t.Context(), "fx", wrong); err == nil || !strings.Contains(err.Error(), c.says) {
						t.Errorf("%s: %s %v", wrong, says, err)
					}
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
