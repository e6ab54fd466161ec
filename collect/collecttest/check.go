package collecttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"piyasa/collect"
	"piyasa/collect/standin"
	"piyasa/db"
	"piyasa/ingest"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// Case is a connector, and what stands in for its upstream.
type Case struct {
	Name     string
	New      func(settings json.RawMessage) (collect.Source, error)
	StandIn  standin.Maker
	Settings string            // a JSON object of those of the connector; empty: none
	Env      map[string]string // the credentials that they name
	Given    string            // lines of ingest that must be stored before
	Start    time.Time         // there must be something to ask then
	Days     int               // how long it is collected
}

// Host is where stand-ins are in a network.
const Host = "upstream.example"

// least is the pace of requests, so that raw answers have different times.
const least = time.Millisecond

// Check runs a connector against its stand-in: for some days, with each of the faults, and
// on answers that have changed.
func Check(t *testing.T, c Case) {
	t.Helper()
	before := slog.Default()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	t.Cleanup(func() { slog.SetDefault(before) })
	for name, secret := range c.Env {
		t.Setenv(name, secret)
	}
	var d days
	synctest.Test(t, func(t *testing.T) { d = c.collect(t) })
	if t.Failed() {
		return
	}
	t.Run("raw answers say the same again", func(t *testing.T) {
		if d.replayed != d.emitted {
			t.Errorf("%s\nand at first\n%s", d.replayed, d.emitted)
		}
	})
	t.Run("the records are accepted", func(t *testing.T) { Ingest(t, c.Start.AddDate(0, 0, c.Days), c.Given, d.all) })
	t.Run("answers that have changed", func(t *testing.T) { c.change(t, d.exchanges) })
	t.Run("names in capitals", func(t *testing.T) { synctest.Test(t, func(t *testing.T) { c.shouts(t, d) }) })
	for name, d := range damages {
		t.Run(name, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { c.damaged(t, d) }) })
	}
	for _, fault := range standin.Faults {
		t.Run(string(fault), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { c.fault(t, fault, d) })
		})
	}
}

// days are what the days of a case brought.
type days struct {
	exchanges         []exchange
	emitted, replayed string // data
	all               string // lines
	first             int    // records of the first run
	strict            bool   // the format shows where an answer of the first run ends
}

// config returns the configuration of the case.
func (c Case) config(t *testing.T, keep string) *collect.Config {
	t.Helper()
	settings := map[string]any{}
	if c.Settings != "" {
		need.NoError(t, json.Unmarshal([]byte(c.Settings), &settings))
	}
	settings["connector"], settings["base"] = c.Name, "http://"+Host+"/"
	in := map[string]any{"sources": map[string]any{"s": settings}}
	if keep != "" {
		in["keep"] = map[string]any{"folder": keep, "days": 1000}
	}
	text, err := json.Marshal(in)
	need.NoError(t, err)
	config, err := collect.Read(text, collect.Makers{c.Name: c.New})
	need.NoError(t, err)
	config.Sources[0].Own.Pace = max(config.Sources[0].Own.Pace, least)
	return config
}

// collector returns a collector of the configuration.
func collector(config *collect.Config, store *Store, network *Network) *collect.Collector {
	return &collect.Collector{Config: config, Store: store, Emit: store.Emit, Holder: "one", Agent: "piyasa/test", Now: time.Now,
		Transport: network}
}

// collect collects for the days of the case, without faults.
func (c Case) collect(t *testing.T) (d days) {
	time.Sleep(time.Until(c.Start))
	config, store := c.config(t, filepath.Join(t.TempDir(), "raw")), NewStore()
	if _, ok := config.Sources[0].Source.(collect.Fetcher); ok {
		t.Fatal("it is not asked over HTTP")
	}
	rec, source := record(t, config.Sources[0].Source)
	config.Sources[0].Source = source
	one := collector(config, store, NewNetwork(t, map[string]http.Handler{Host: c.StandIn(time.Now)}))
	for end := c.Start.AddDate(0, 0, c.Days); time.Now().Before(end); {
		o := one.Once(t.Context())[0]
		if o.Err != nil || o.Held || o.Refused > 0 {
			t.Fatalf("at %s: %+v", time.Now(), o)
		}
		if d.first == 0 {
			if d.first, d.strict = o.Records, true; d.first == 0 {
				t.Fatalf("the first run brings no record: %+v", o)
			}
			for _, e := range rec.exchanges {
				d.strict = d.strict && (e.request.Spare || strict(e))
			}
		}
		time.Sleep(time.Until(config.Sources[0].Own.Schedule.Next(time.Now())))
	}
	for _, l := range store.Lines() {
		d.emitted += l.Text
	}
	var replayed bytes.Buffer
	need.NoError(t, c.config(t, "").Replay(config.Keep.Folder, &replayed))
	d.replayed, d.all, d.exchanges = replayed.String(), store.All(), rec.exchanges
	return d
}

// strict reports whether half of an answer cannot be taken for the whole.
func strict(e exchange) bool {
	switch e.request.Expect {
	case collect.JSON, collect.XML, collect.ZIP:
		return e.got.Status == http.StatusOK
	}
	return false
}

// Ingest stores lines in a database at a moment, and returns how many it stored. All of them
// must be accepted.
func Ingest(t *testing.T, now time.Time, texts ...string) (stored int) {
	t.Helper()
	store, err := db.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "piyasa.db"))
	need.NoError(t, err)
	defer store.Close()
	for _, lines := range texts {
		summary, err := ingest.Run(t.Context(), store, ingest.Options{
			Paths: []string{ingest.Stdin}, Stdin: strings.NewReader(lines), Messages: t.Output(),
			Now: func() value.Instant { return value.At(now) },
		})
		if err != nil || summary.Rejected > 0 {
			t.Fatalf("%v, %d refused", err, summary.Rejected)
		}
		stored += summary.Stored
	}
	return stored
}

// What is tried of the exchanges of a case.
const (
	mostTried = 40 // exchanges
	flips     = 50 // of bytes, in each
	aPage     = "<!DOCTYPE html>\n<html lang=\"tr\"><head><title>Request Rejected</title></head><body>No.</body></html>"
)

// change parses answers that have changed: what is not known any more is an error.
func (c Case) change(t *testing.T, all []exchange) {
	source := c.config(t, "").Sources[0].Source
	random := rand.New(rand.NewPCG(1, 1))
	tried := 0
	for i := 0; i < len(all); i += 1 + len(all)/mostTried {
		e := all[i]
		if !strict(e) {
			continue
		}
		tried++
		body := bytes.TrimSpace(e.got.Body)
		changed := map[string][]byte{"empty": {}, "a page": []byte(aPage), "one byte less": body[:len(body)-1],
			"other names": renamed(e.request.Expect, body)}
		for eighths := 1; eighths < 8; eighths++ {
			changed[fmt.Sprint("cut after ", eighths, " eighths")] = body[:len(body)*eighths/8]
		}
		for name, text := range changed {
			if bytes.Equal(text, body) || text == nil {
				continue
			}
			if result, err := parse(source, e, text); err == nil && !asksAgain(source, e, result) {
				t.Errorf("%s, %s: it is taken, for %d records", e.request.Path, name, len(result.Records))
			}
		}
		for range flips {
			text := bytes.Clone(body)
			text[random.IntN(len(text))] = byte(random.Uint32())
			_, _ = parse(source, e, text) // it may be right still, but must not panic
		}
	}
	t.Logf("%d answers were changed", tried)
}

// asksAgain reports whether a source asks for the same once more.
func asksAgain(source collect.Source, e exchange, result *collect.Result) bool {
	next, err := source.Ask(result.Keep, e.got.At)
	return err == nil && next != nil && result.More && len(result.Records) == 0 && next.Path == e.request.Path &&
		next.Query.Encode() == e.request.Query.Encode()
}

func parse(source collect.Source, e exchange, body []byte) (*collect.Result, error) {
	got := *e.got
	got.Body = body
	return source.Parse(e.kept, e.request, &got)
}

// names are those of the elements of XML, and of the members of JSON.
var names = map[collect.Format]*regexp.Regexp{
	collect.XML:  regexp.MustCompile(`(</?)([A-Za-z])`),
	collect.JSON: regexp.MustCompile(`(")([^"\\]*"\s*:)`),
}

// renamed returns an answer whose names are others; nil where it has none.
func renamed(format collect.Format, body []byte) []byte {
	if names[format] == nil {
		return nil
	}
	return names[format].ReplaceAll(body, []byte("${1}x_${2}"))
}

// fault collects while the upstream has a fault, and afterwards.
func (c Case) fault(t *testing.T, fault standin.Fault, d days) {
	time.Sleep(time.Until(c.Start))
	var faulty atomic.Bool
	faulty.Store(true)
	upstream := standin.NewFaulty(c.StandIn, time.Now, func(int) standin.Fault {
		if faulty.Load() {
			return fault
		}
		return standin.Healthy
	})
	network, store := NewNetwork(t, map[string]http.Handler{Host: upstream}), NewStore()
	one := collector(c.config(t, ""), store, network)
	o := one.Once(t.Context())[0]
	switch {
	case fault.Answers():
		if o.Err != nil || o.Records != d.first {
			t.Errorf("in spite of the fault: %+v; want %d records", o, d.first)
		}
		return
	case fault.Lies(), fault == standin.Short && !d.strict:
	case o.Err == nil || len(store.Lines()) > 0:
		t.Errorf("during the fault: %+v\n%s", o, store.All())
	}
	faulty.Store(false)
	time.Sleep(2 * time.Minute) // as long as one asks to be left alone
	if o := one.Once(t.Context())[0]; o.Err != nil || len(store.Lines()) == 0 {
		t.Errorf("after the fault: %+v", o)
	}
	if lost := network.Lost(); len(lost) > 0 {
		t.Errorf("other hosts were asked: %v", lost)
	}
}
