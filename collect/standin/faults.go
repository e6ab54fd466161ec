package standin

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Fault is a way in which an upstream fails to answer a request properly.
type Fault string

// Faults of upstreams.
const (
	Healthy     Fault = ""
	Slow        Fault = "slow"                       // the answer begins late
	Dripping    Fault = "dripping"                   // the answer comes in small parts
	Hanging     Fault = "hanging"                    // no answer comes
	Cut         Fault = "cut"                        // the connection ends without an answer
	Failing     Fault = "failing"                    // 502 and a page
	Unavailable Fault = "unavailable"                // 503 and a page
	Busy        Fault = "busy"                       // 429
	BusyFor     Fault = "busy for seconds"           // 429, with Retry-After in seconds
	BusyUntil   Fault = "busy until a date"          // 429, with Retry-After as a date
	Page        Fault = "page"                       // 200 and the page of a firewall
	Empty       Fault = "empty"                      // 200 and nothing
	Truncated   Fault = "truncated"                  // the connection ends before the stated length
	Torn        Fault = "torn"                       // the connection ends in the middle of a chunked answer
	Short       Fault = "short"                      // half of the answer, as if complete
	Mistyped    Fault = "mistyped"                   // the content type is wrong
	Packed      Fault = "packed"                     // gzip, if the request accepts it
	Moved       Fault = "moved"                      // a redirect to another host
	Frozen      Fault = "frozen"                     // the same answer for ever
	Ahead       Fault = "a clock that is a day fast" // of the upstream
	Behind      Fault = "a clock that is a day slow"
)

// Faults lists all faults.
var Faults = []Fault{
	Slow, Dripping, Hanging, Cut, Failing, Unavailable, Busy, BusyFor, BusyUntil, Page, Empty, Truncated, Torn, Short, Mistyped, Packed,
	Moved, Frozen,
	Ahead, Behind,
}

// Answers reports whether the correct answer arrives in spite of the fault.
func (f Fault) Answers() bool {
	switch f {
	case Healthy, Slow, Dripping, Mistyped, Packed:
		return true
	}
	return false
}

// Lies reports whether the answer is one that is correct at another time.
func (f Fault) Lies() bool { return f == Frozen || f == Ahead || f == Behind }

// Elsewhere is the host that Moved redirects to. No request must reach it.
const Elsewhere = "elsewhere.example"

// Times of faults.
const (
	faultySlow  = 5 * time.Second
	dripTime    = 100 * time.Millisecond
	drips       = 16
	hangTime    = 10 * time.Minute
	faultyAgain = 2 * time.Minute
	oneDay      = 24 * time.Hour
	mostFrozen  = 1000 // answers
	faultyPage  = "<!DOCTYPE html>\n<html lang=\"en\"><head><title>%[1]s</title></head><body><h1>%[1]s</h1></body></html>\n"
	wrongType   = "text/plain; charset=us-ascii"
)

// Seeded returns a choice of faults for NewFaulty that depends only on a seed and the number of the
// request: the given percentage of requests has one of the faults.
func Seeded(seed uint64, percent int, of ...Fault) func(request int) Fault {
	return func(request int) Fault {
		r := rand.New(rand.NewPCG(seed, uint64(request)))
		if r.IntN(100) >= percent {
			return Healthy
		}
		return of[r.IntN(len(of))]
	}
}

// faulty is a stand-in with faults.
type faulty struct {
	upstream http.Handler
	now      func() time.Time
	choose   func(int) Fault
	requests atomic.Int64
	skew     atomic.Int64 // of the upstream's clock

	mu   sync.Mutex
	seen map[string]*faultyAnswer // the last correct answer to each request
}

// NewFaulty returns the stand-in that maker makes, with faults: choose returns the fault of each
// request, which are numbered from 1.
func NewFaulty(maker Maker, now func() time.Time, choose func(request int) Fault) http.Handler {
	f := &faulty{now: now, choose: choose, seen: map[string]*faultyAnswer{}}
	f.upstream = maker(f.clock)
	return f
}

func (f *faulty) clock() time.Time { return f.now().Add(time.Duration(f.skew.Load())) }

// ServeHTTP implements http.Handler.
func (f *faulty) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	fault := f.choose(int(f.requests.Add(1)))
	switch fault {
	case Hanging:
		_, _ = io.Copy(io.Discard, r.Body) // a server notices that a client has left only once it has read the body
		faultyPause(r, hangTime)
		panic(http.ErrAbortHandler)
	case Cut:
		panic(http.ErrAbortHandler)
	case Failing:
		faultyError(w, http.StatusBadGateway)
	case Unavailable:
		faultyError(w, http.StatusServiceUnavailable)
	case Busy, BusyFor, BusyUntil:
		if fault == BusyFor {
			w.Header().Set("Retry-After", strconv.Itoa(int(faultyAgain.Seconds())))
		} else if fault == BusyUntil {
			w.Header().Set("Retry-After", f.now().Add(faultyAgain).UTC().Format(http.TimeFormat))
		}
		faultyError(w, http.StatusTooManyRequests)
	case Page:
		faultyError(w, http.StatusOK)
	case Empty:
		w.WriteHeader(http.StatusOK)
	case Moved:
		http.Redirect(w, r, "https://"+Elsewhere+r.URL.Path, http.StatusFound)
	default:
		if fault == Slow {
			faultyPause(r, faultySlow)
		}
		f.answer(fault, r).write(fault, w, r)
	}
}

// faultyAnswer is an answer of the upstream.
type faultyAnswer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (a *faultyAnswer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *faultyAnswer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

// Write implements http.ResponseWriter.
func (a *faultyAnswer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(p)
}

// answer asks the upstream, whose clock may be wrong, or repeats a former answer.
func (f *faulty) answer(fault Fault, r *http.Request) *faultyAnswer {
	question := r.Method + " " + r.URL.String()
	f.mu.Lock()
	before := f.seen[question]
	f.mu.Unlock()
	if fault == Frozen && before != nil {
		return before
	}
	skew := map[Fault]time.Duration{Ahead: oneDay, Behind: -oneDay}[fault]
	f.skew.Store(int64(skew))
	defer f.skew.Store(0)
	a := &faultyAnswer{header: http.Header{}}
	a.header.Set("Date", f.clock().UTC().Format(http.TimeFormat))
	f.upstream.ServeHTTP(a, r)
	a.WriteHeader(http.StatusOK)
	f.mu.Lock()
	defer f.mu.Unlock()
	if skew == 0 && a.status == http.StatusOK && (before != nil || len(f.seen) < mostFrozen) {
		f.seen[question] = a
	}
	return a
}

// write writes an answer with its fault.
func (a *faultyAnswer) write(fault Fault, w http.ResponseWriter, r *http.Request) {
	body := a.body.Bytes()
	maps.Copy(w.Header(), a.header.Clone())
	if len(body) == 0 {
		w.WriteHeader(a.status)
		return
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", http.DetectContentType(body))
	}
	half := body[:len(body)/2]
	switch fault {
	case Dripping:
		w.WriteHeader(a.status)
		for part := range drips {
			_, _ = w.Write(body[len(body)*part/drips : len(body)*(part+1)/drips])
			faultyFlush(w)
			faultyPause(r, dripTime)
		}
		return
	case Truncated, Torn:
		w.Header().Del("Content-Length")
		if fault == Truncated {
			w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		}
		w.WriteHeader(a.status)
		_, _ = w.Write(half)
		faultyFlush(w)
		panic(http.ErrAbortHandler)
	case Short:
		w.Header().Del("Content-Length")
		body = half
	case Mistyped:
		w.Header().Set("Content-Type", wrongType)
	case Packed:
		w.Header().Del("Content-Length")
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			w.Header().Set("Content-Encoding", "gzip")
			body = faultyPacked(body)
		}
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(body)
}

func faultyPacked(body []byte) []byte {
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	_, _ = zip.Write(body) // a buffer takes everything
	_ = zip.Close()
	return b.Bytes()
}

// faultyError answers with a page for people.
func faultyError(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	fmt.Fprintf(w, faultyPage, "The requested URL was rejected.")
}

func faultyFlush(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() }

// faultyPause pauses for d, or until the client leaves.
func faultyPause(r *http.Request, d time.Duration) {
	over := time.NewTimer(d)
	defer over.Stop()
	select {
	case <-over.C:
	case <-r.Context().Done():
	}
}
