package collect_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"piyasa/collect"
)

// upstream answers without a network.
type upstream func(http.ResponseWriter, *http.Request)

func (u upstream) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	u(w, r)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return w.Result(), nil
}

// simulated collects from an upstream in simulated time, under a name.
func simulated(m *memory, holder string, u upstream) *collect.Collector {
	source := &counting{most: 1, plan: collect.Plan{Base: "http://upstream.example/api/", Schedule: collect.Schedule{Every: time.Hour}}}
	return &collect.Collector{
		Config: &collect.Config{Sources: []collect.Named{{Name: "c", Source: source, Own: source.plan}}},
		Store:  m, Emit: m.emit, Holder: holder, Agent: "piyasa/test", Now: func() time.Time { return noon }, Transport: u,
	}
}

// However long an answer takes, a claim lasts longer; and soon after a collector has died,
// another one goes on.
func TestClaims(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		slow := simulated(m, "one", func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(58 * time.Second) // the answer may take 60 s
			numbers(w, r)
		})
		other := simulated(m, "two", numbers)
		other.Patience = time.Hour
		done := make(chan collect.Outcome)
		go func() { done <- slow.Once(t.Context())[0] }()
		time.Sleep(10 * time.Second)
		begun := time.Now()
		if o := other.Once(t.Context())[0]; !o.Held || time.Since(begun) < 30*time.Second {
			t.Fatalf("%+v after %s", o, time.Since(begun))
		}
		if o := <-done; o.Err != nil || m.kinds() != "1 up=true" {
			t.Errorf("%+v %s", o, m.kinds())
		}

		m = newMemory()
		if _, claimed, err := m.ClaimSource(t.Context(), "c", "the dead", 30*time.Second); err != nil || !claimed {
			t.Fatal(claimed, err)
		}
		other.Store, other.Emit = m, m.emit
		if o := other.Once(t.Context())[0]; o.Held || o.Err != nil || m.kinds() != "1 up=true" {
			t.Errorf("%+v %s", o, m.kinds())
		}
	})
}

// A collector that ends while it takes a claim does not keep the others waiting for its lease.
func TestEndWhileClaiming(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		m.hangs = "claimed"
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if o := simulated(m, "one", numbers).Once(ctx)[0]; !errors.Is(o.Err, context.DeadlineExceeded) {
			t.Errorf("%+v", o)
		}
		m.hangs = ""
		begun := time.Now()
		if o := simulated(m, "two", numbers).Once(t.Context())[0]; o.Held || o.Err != nil || time.Since(begun) > time.Second {
			t.Errorf("%+v after %s", o, time.Since(begun))
		}
	})
}

// A source whose end could not be stored, after everything was, does not stay down until it is due
// again.
func TestEndThatIsNotStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, failed := newMemory(), false
		c := simulated(m, "one", numbers)
		c.Emit = func(ctx context.Context, text []byte, refused func([]collect.Refusal) error) ([]collect.Refusal, error) {
			if !failed && strings.Contains(string(text), `"up":true`) {
				failed = true
				return nil, errors.New("gone")
			}
			return m.emit(ctx, text, refused)
		}
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Minute)
		defer stop()
		c.Run(ctx)
		if got := m.kinds(); got != "1 up=false up=true" {
			t.Error(got)
		}
	})
}

// A collector that was stopped for longer than its claim lasted gives up what another one
// has taken over.
func TestTakenOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		stopped := simulated(m, "one", func(_ http.ResponseWriter, r *http.Request) {
			m.mu.Lock()
			m.holder["c"], m.until["c"] = "two", time.Now().Add(time.Hour)
			m.mu.Unlock()
			if r.Body != nil {
				_, _ = io.Copy(io.Discard, r.Body)
			}
			<-r.Context().Done()
		})
		began := time.Now()
		o := stopped.Once(t.Context())[0]
		if o.Err == nil || !strings.Contains(o.Err.Error(), "another process has taken it over") || m.kinds() != "" ||
			time.Since(began) > time.Minute {
			t.Errorf("%+v %s after %s", o, m.kinds(), time.Since(began))
		}
		if m.holder["c"] != "two" {
			t.Errorf("%s holds it", m.holder["c"])
		}
	})
}

// A clock that goes back by seconds, between two answers or between two collectors, makes no
// state older than the one before, which a store would not take.
func TestClockThatGoesBack(t *testing.T) {
	m := newMemory()
	now := noon
	c := collector(t, m, &counting{most: 3}, func(w http.ResponseWriter, r *http.Request) {
		now = now.Add(-time.Second)
		numbers(w, r)
	})
	c.Now = func() time.Time { return now }
	if o := c.Once(t.Context())[0]; o.Err != nil {
		t.Fatal(o.Err)
	}
	now = now.Add(time.Hour)
	c.Once(t.Context())
	now = now.Add(-4 * time.Second)
	c.Config.Sources[0].Own.Schedule.Every = time.Second
	c.Once(t.Context())
	last := map[any]string{}
	for _, line := range m.lines {
		kind, at := line["record"], line["as_of"]
		if at == nil {
			continue
		}
		if at.(string) <= last[kind] {
			t.Errorf("%v of %s after that of %s", kind, at, last[kind])
		}
		last[kind] = at.(string)
	}
	if len(last) != 2 {
		t.Error(last)
	}
}
