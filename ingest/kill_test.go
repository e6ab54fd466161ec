package ingest_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"
	"time"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/market"
	"piyasa/ingest"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// childVariable makes the test binary an ingester, into the database that it
// names, of the paths that are its arguments.
const childVariable = "PIYASA_TEST_INGEST"

func ingestAsChild(url string, paths []string) int {
	s, err := db.Open(context.Background(), url)
	if err == nil {
		_, err = ingest.Run(context.Background(), s, ingest.Options{
			Now: ingest.LateClock, Paths: paths, Stdin: os.Stdin, Messages: os.Stderr,
			Progress: func(read int, _ string) { fmt.Println(read) },
		})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// killed has a process of its own ingest text, and kills it a moment after it
// has stored the first so many of its chunks and was given all the others.
func killed(t *testing.T, url, text string, chunks int, moment time.Duration) {
	t.Helper()
	child := exec.Command(os.Args[0], ingest.Stdin)
	child.Env = append(os.Environ(), childVariable+"="+url)
	var said bytes.Buffer
	child.Stderr = &said
	in, err := child.StdinPipe()
	need.NoError(t, err)
	out, err := child.StdoutPipe()
	need.NoError(t, err)
	need.NoError(t, child.Start())
	progress := bufio.NewScanner(out)
	for range chunks {
		chunk := text[:chunkSize]
		text = text[chunkSize:]
		if _, err := io.WriteString(in, chunk); err != nil {
			t.Fatal(err)
		}
		progress.Scan()
	}
	written := make(chan struct{})
	go func() {
		defer close(written)
		_, _ = io.WriteString(in, text) // until it is killed
	}()
	<-time.After(moment)
	_ = child.Process.Kill()
	<-written
	_ = child.Wait()
	for said := range strings.Lines(said.String()) {
		// One that was killed before it could commit may leave a witness of the commit.
		if !strings.Contains(said, ": stale: ") && !strings.Contains(said, "the witness saw higher numbers") {
			t.Errorf("the child said: %s", said)
		}
	}
}

// chunkSize is some two hundred lines, and the first half of one more.
const chunkSize = 40_000

// feed returns a day of a polled source: stocks, their observations in the order of
// time, and a late revision of some.
func feed(symbols, moments int) (text string, keys []string) {
	var out strings.Builder
	for i := range symbols {
		fmt.Fprintf(&out, `{"record":"instrument","instrument_id":"bist:S%d","symbol":"S%[1]d","name":"Şirket %[1]d","market":"bist","asset_type":"STOCK","currency":"TRY"}`+"\n", i)
	}
	for moment := range moments {
		asOf := value.MustInstant("2026-03-18T07:00:00Z").Add(time.Duration(moment) * time.Minute)
		for i := range symbols {
			out.WriteString(fullQuote(i, asOf, moment))
			keys = append(keys, fmt.Sprintf("S%d %s", i, asOf))
			if moment%10 == 9 {
				out.WriteString(fullQuote(i, asOf.Add(-5*time.Minute), -moment))
			}
		}
	}
	return out.String(), keys
}

// fullQuote returns an observation as a polled stock feed states it.
func fullQuote(symbol int, asOf value.Instant, n int) string {
	return fmt.Sprintf(`{"record":"quote","instrument_id":"bist:S%d","as_of":"%s","last":"%d.%02d","open":"301.00","high":"306.25","low":"299.95","volume":"%d","currency":"TRY"}`+"\n",
		symbol, asOf, 300+symbol, (n*n+symbol)%100, 1000*n*n+symbol)
}

// content is everything that is stored, without its numbers.
type content struct {
	quotes       map[market.ID]market.Observation
	observations map[market.ID][]*market.Observation
	instruments  map[market.ID]*market.Instrument
}

func contentOf(t *testing.T, s *db.Store, symbols int) content {
	t.Helper()
	c := content{map[market.ID]market.Observation{}, map[market.ID][]*market.Observation{}, map[market.ID]*market.Instrument{}}
	quotes, err := s.QuotesAfter(t.Context(), 0)
	need.NoError(t, err)
	for _, q := range quotes {
		c.quotes[q.InstrumentID] = *q
	}
	for i := range symbols {
		symbol := fmt.Sprintf("S%d", i)
		c.observations[market.ID("bist:"+symbol)] = kept(t, s, symbol)
	}
	instruments, err := s.InstrumentsAfter(t.Context(), 0)
	need.NoError(t, err)
	for _, in := range instruments {
		c.instruments[in.InstrumentID] = in
	}
	return c
}

// checkPrefix checks that what is stored are the first lines of the feed.
func checkPrefix(t *testing.T, c content, keys []string) (stored int) {
	t.Helper()
	there := map[string]bool{}
	for id, observations := range c.observations {
		for _, o := range observations {
			there[fmt.Sprintf("%s %s", id.Symbol(), o.AsOf)] = true
		}
	}
	for _, key := range keys[:len(there)] {
		if !there[key] {
			t.Fatalf("%d observations are stored, and %s is not", len(there), key)
		}
	}
	return len(there)
}

// Killed at any moment it leaves whole batches, and running it again completes
// the work: the same content as of one clean run.
func TestKilledAndRunAgain(t *testing.T) {
	const symbols, moments = 10, 200
	text, keys := feed(symbols, moments)
	clean := openFile(t)
	if r := run(t, clean, strings.NewReader(text)); r.err != nil || r.Rejected > 0 {
		t.Fatalf("%+v, %v", r.Counts, r.err)
	}
	want := contentOf(t, clean, symbols)
	dbtest.Each(t, func(t *testing.T, url string) {
		s, partly := open(t, url), 0
		for _, at := range []struct {
			chunks int
			moment time.Duration
		}{{0, 0}, {0, 40 * time.Millisecond}, {1, 0}, {1, 10 * time.Millisecond}, {2, 0}, {2, 60 * time.Millisecond},
			{3, 30 * time.Millisecond}} {
			killed(t, url, text, at.chunks, at.moment)
			if n := checkPrefix(t, contentOf(t, s, symbols), keys); n > 0 && n < len(keys) {
				partly++
			}
		}
		if partly == 0 {
			t.Error("no child was killed with a part of its work done")
		}
		path := write(t, t.TempDir(), "feed.ndjson", text)
		if r := run(t, s, nil, path); r.err != nil || r.Rejected > 0 {
			t.Fatalf("%+v, %v", r.Counts, r.err)
		}
		got := contentOf(t, s, symbols)
		for id := range want.instruments {
			if !reflect.DeepEqual(got.observations[id], want.observations[id]) {
				t.Errorf("the observations of %s differ", id)
			}
		}
		if !reflect.DeepEqual(got.quotes, want.quotes) || !reflect.DeepEqual(got.instruments, want.instruments) {
			t.Error("quotes or instruments differ")
		}
	})
}
