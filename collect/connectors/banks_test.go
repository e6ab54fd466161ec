package connectors_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"piyasa/collect"
	"piyasa/collect/collecttest"
	"piyasa/collect/connectors"
	"piyasa/collect/standin"
	"piyasa/test/fixture/need"
)

// bank is a connector of daily rates, and what its upstream publishes.
type bank struct {
	connector string
	rates     func(day time.Time) []standin.Rate
	pair      func(currency string) string
	observed  func(day time.Time) time.Time
	skipped   string // a currency that is not collected by default
}

var banks = []bank{
	{
		"tcmb", standin.TCMBRates, func(c string) string { return "fx:" + c + "TRY" },
		func(day time.Time) time.Time { return clock(day, 15, 30, collect.Istanbul) }, "",
	},
	{
		"ecb", standin.ECBRates, func(c string) string { return "fx:EUR" + c },
		func(day time.Time) time.Time { return clock(day, 14, 15, collect.Zone("Europe/Berlin")) }, "TRY",
	},
}

func (b bank) name() string { return b.connector }

func (b bank) settings(from time.Time) map[string]any {
	return map[string]any{"from": from.Format(time.DateOnly)}
}

func clock(day time.Time, hour, minute int, in *time.Location) time.Time {
	return time.Date(day.Year(), day.Month(), day.Day(), hour, minute, 0, 0, in)
}

// published are the rates of a day that are to be collected.
func (b bank) published(day time.Time) (all []standin.Rate) {
	for _, r := range b.rates(day) {
		if r.Currency != b.skipped {
			all = append(all, r)
		}
	}
	return all
}

// wrong returns what is wrong with a record; nothing, if the upstream says so of that day.
func (b bank) wrong(l collecttest.Line) string {
	moment, err := time.Parse(time.RFC3339, l.Get("t")+l.Get("as_of"))
	switch {
	case l.Kind != "bar" && l.Kind != "quote":
		return ""
	case err != nil:
		return "no moment"
	case l.Kind == "quote" && !moment.Equal(b.observed(moment.In(collect.Istanbul))), l.Kind == "bar" &&
		!moment.Equal(clock(moment.In(collect.Istanbul), 0, 0, collect.Istanbul)):
		return "another moment"
	}
	for _, r := range b.published(moment.In(collect.Istanbul)) {
		if b.pair(r.Currency) != l.Get("instrument_id") {
			continue
		}
		want := [3]string{r.One} // the close of a bar
		if l.Kind == "quote" {
			want = [3]string{"", r.One}
			if b.connector == "tcmb" {
				want[2] = r.One + "/" + r.OneSells
			}
		}
		got := [3]string{l.Get("close"), l.Get("last")}
		if l.Get("bid") != "" {
			got[2] = l.Get("bid") + "/" + l.Get("ask")
		}
		if got != want {
			return fmt.Sprintf("want %q", want)
		}
		return ""
	}
	return "the upstream has no such rate"
}

// missing returns what a store does not have of the days from one to another one.
func (b bank) missing(s *collecttest.Store, from, to time.Time) (all []string) {
	var newest time.Time
	for day := from; !day.After(to); day = day.AddDate(0, 0, 1) {
		for _, r := range b.published(day) {
			newest = day
			if bar, ok := s.Bar(b.pair(r.Currency), "1d", day); !ok || bar.Get("close") != r.One {
				all = append(all, fmt.Sprint("the bar of ", r.Currency, " of ", day.Format(time.DateOnly), " ", bar.Text))
			}
		}
	}
	for _, r := range b.published(newest) {
		if quote, ok := s.Quote(b.pair(r.Currency)); !ok || quote.Get("last") != r.One ||
			quote.Get("as_of") != b.observed(newest).UTC().Format(time.RFC3339) {
			all = append(all, fmt.Sprint("the quote of ", r.Currency, " of ", newest.Format(time.DateOnly), " ", quote.Text))
		}
	}
	return all
}

// host is where stand-ins are.
const host = "upstream.example"

// source returns the source of a connector whose upstream is at host.
func source(t *testing.T, connector string, settings map[string]any) *collect.Config {
	t.Helper()
	all := map[string]any{"connector": connector, "base": "http://" + host + "/"}
	for member, v := range settings {
		all[member] = v
	}
	text, err := json.Marshal(map[string]any{"sources": map[string]any{"fx": all}})
	need.NoError(t, err)
	c, err := collect.Read(text, connectors.Makers)
	need.NoError(t, err)
	return c
}

// until lets the time of a test pass until a moment.
func until(moment time.Time) {
	time.Sleep(time.Until(moment))
	synctest.Wait()
}

// start runs a collector until it is stopped.
func start(t *testing.T, c *collect.Collector) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.Run(ctx)
	}()
	return func() {
		cancel()
		<-ended
	}
}

func istanbul(month time.Month, day, hour int) time.Time {
	return time.Date(2031, month, day, hour, 0, 0, 0, collect.Istanbul)
}

// An upstream has a fault from Thursday to Tuesday, each of them in turn. What is stored is
// right at any time; after the fault everything is there.
func TestFaults(t *testing.T) {
	quiet(t)
	for _, b := range banks {
		for _, fault := range standin.Faults {
			t.Run(b.connector+"/"+string(fault), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { testFault(t, b, fault) })
			})
		}
	}
}

func testFault(t *testing.T, b bank, fault standin.Fault) {
	from, began, ended, last := istanbul(5, 14, 0), istanbul(5, 29, 12), istanbul(6, 3, 21), istanbul(6, 4, 21)
	until(istanbul(5, 28, 7))
	var faulty atomic.Bool
	var requests atomic.Int64
	upstream := standin.NewFaulty(standin.Makers[b.connector], time.Now, func(int) standin.Fault {
		if faulty.Load() {
			requests.Add(1)
			return fault
		}
		return standin.Healthy
	})
	network, store := collecttest.NewNetwork(t, map[string]http.Handler{host: upstream}), collecttest.NewStore()
	stop := start(t, &collect.Collector{
		Config: source(t, b.connector, map[string]any{"from": "2031-05-14"}), Store: store, Emit: store.Emit, Holder: "one",
		Agent: "piyasa/test", Now: time.Now, Transport: network,
	})
	defer stop()
	until(began)
	if all := b.missing(store, from, istanbul(5, 28, 0)); len(all) > 0 {
		t.Fatalf("before the fault: %s", strings.Join(all, "\n"))
	}
	faulty.Store(true)
	until(ended)
	if fault.Answers() {
		if all := b.missing(store, from, istanbul(6, 3, 0)); len(all) > 0 {
			t.Errorf("in spite of the fault: %s", strings.Join(all, "\n"))
		}
	}
	if requests.Load() == 0 {
		t.Error("nobody met the fault")
	}
	faulty.Store(false)
	until(last)
	if all := b.missing(store, from, istanbul(6, 4, 0)); len(all) > 0 {
		t.Errorf("after the fault: %s", strings.Join(all, "\n"))
	}
	for _, l := range store.Lines() {
		if wrong := b.wrong(l); wrong != "" {
			t.Errorf("%s %s", wrong, l.Text)
		}
		if l.At.After(began) && l.At.Before(ended) && !fault.Answers() && !fault.Lies() {
			t.Errorf("during the fault: %s", l.Text)
		}
	}
	if lost := network.Lost(); len(lost) > 0 {
		t.Errorf("other hosts were asked: %v", lost)
	}
}

// A collector that was away comes back while the upstream is a day behind: a day that the
// upstream does not have yet is no holiday.
func TestStaleUpstreamInCatchUp(t *testing.T) {
	quiet(t)
	for _, b := range banks {
		t.Run(b.connector, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				until(istanbul(6, 3, 7))
				upstream := standin.NewFaulty(standin.Makers[b.connector], time.Now, func(int) standin.Fault {
					if time.Now().Before(istanbul(6, 3, 12)) {
						return standin.Behind
					}
					return standin.Healthy
				})
				store := collecttest.NewStore()
				stop := start(t, &collect.Collector{
					Config: source(t, b.connector, map[string]any{"from": "2031-05-14"}), Store: store, Emit: store.Emit, Holder: "one",
					Agent: "piyasa/test",
					Now:   time.Now, Transport: collecttest.NewNetwork(t, map[string]http.Handler{host: upstream}),
				})
				defer stop()
				until(istanbul(6, 3, 21))
				if all := b.missing(store, istanbul(5, 14, 0), istanbul(6, 3, 0)); len(all) > 0 {
					t.Error(strings.Join(all, "\n"))
				}
			})
		})
	}
}

// settled is a source that says that the same answer says nothing new.
type settled struct{ collect.Source }

func (s settled) Ask(kept json.RawMessage, now time.Time) (*collect.Request, error) {
	r, err := s.Source.Ask(kept, now)
	if r != nil {
		r.Settled = true
	}
	return r, err
}

// Where a source says that the same answer says nothing new, the upstream is asked for what
// is new only; otherwise it is asked for everything, since the time may change what it means.
func TestConditionalRequests(t *testing.T) {
	for says, want := range map[bool][2]bool{true: {true, true}, false: {}} {
		synctest.Test(t, func(t *testing.T) {
			until(istanbul(6, 2, 7))
			var conditional, unchanged atomic.Int64
			bank := standin.ECB(time.Now)
			upstream := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("If-None-Match") != "" && r.Header.Get("If-Modified-Since") != "" {
					conditional.Add(1)
				}
				status := &statusWriter{ResponseWriter: w}
				bank.ServeHTTP(status, r)
				if status.status == http.StatusNotModified {
					unchanged.Add(1)
				}
			})
			config, store := source(t, "ecb", nil), collecttest.NewStore()
			if says {
				config.Sources[0].Source = settled{config.Sources[0].Source}
			}
			stop := start(t, &collect.Collector{
				Config: config, Store: store, Emit: store.Emit, Holder: "one", Agent: "piyasa/test", Now: time.Now,
				Transport: collecttest.NewNetwork(t, map[string]http.Handler{host: upstream}),
			})
			defer stop()
			until(istanbul(6, 3, 21))
			if got := [2]bool{conditional.Load() > 0, unchanged.Load() > 0}; got != want {
				t.Errorf("says %t: %d conditional requests, %d answers without a body", says, conditional.Load(), unchanged.Load())
			}
			if all := banks[1].missing(store, istanbul(6, 3, 0), istanbul(6, 3, 0)); len(all) > 0 {
				t.Error(strings.Join(all, "\n"))
			}
		})
	}
}

// statusWriter notes the status.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements http.ResponseWriter.
func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// quiet keeps what collectors log out of the output.
func quiet(t *testing.T) {
	before := slog.Default()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	t.Cleanup(func() { slog.SetDefault(before) })
}
