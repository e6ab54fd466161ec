package collect_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"piyasa/collect"
)

// What upstreams say of their limits, and of when to come again, is obeyed however they say it.
func TestLimits(t *testing.T) {
	later := noon.Add(2 * time.Hour)
	for name, c := range map[string]struct {
		status  int
		headers map[string]string
		wait    time.Duration
	}{
		"seconds":              {429, map[string]string{"Retry-After": "90"}, 90 * time.Second},
		"a fraction":           {429, map[string]string{"Retry-After": "1.5"}, 1500 * time.Millisecond},
		"a date, two hours on": {503, map[string]string{"Retry-After": later.Format(http.TimeFormat)}, 2 * time.Hour},
		"with 403":             {403, map[string]string{"Retry-After": "7200"}, 2 * time.Hour},
		"with 500":             {500, map[string]string{"Retry-After": "30"}, 30 * time.Second},
		"a date that is over":  {429, map[string]string{"Retry-After": noon.Add(-time.Hour).Format(http.TimeFormat)}, 0},
		"nonsense":             {429, map[string]string{"Retry-After": "NaN"}, 0},
		"for ever":             {429, map[string]string{"Retry-After": "1e300"}, 31 * 24 * time.Hour},
		"reset as a moment": {403, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": fmt.Sprint(later.Unix())},
			2 * time.Hour},
		"in milliseconds": {429, map[string]string{"X-Rate-Limit-Remaining": "0", "X-Rate-Limit-Reset": fmt.Sprint(later.UnixMilli())},
			2 * time.Hour},
		"reset in seconds":     {429, map[string]string{"RateLimit-Remaining": "0", "RateLimit-Reset": "50"}, 50 * time.Second},
		"fields of a draft":    {429, map[string]string{"RateLimit": "limit=10, remaining=0, reset=50"}, 50 * time.Second},
		"fields of the newest": {429, map[string]string{"RateLimit": `"minute";r=0;t=40`}, 40 * time.Second},
		"some are left":        {429, map[string]string{"RateLimit": `"minute";r=3;t=40`}, 0},
		"a rule":               {418, nil, 10 * time.Minute},
		"a rule, and a header": {418, map[string]string{"Retry-After": "5"}, 5 * time.Second},
	} {
		source := &counting{most: 1, plan: collect.Plan{Retry: map[int]time.Duration{418: 10 * time.Minute}}}
		o := collector(t, newMemory(), source, func(w http.ResponseWriter, _ *http.Request) {
			for name, v := range c.headers {
				w.Header().Set(name, v)
			}
			w.WriteHeader(c.status)
		}).Once(t.Context())[0]
		if trouble, ok := errors.AsType[*collect.Trouble](o.Err); !ok || trouble.Wait != c.wait {
			t.Errorf("%s: %v, %+v", name, o.Err, trouble)
		}
	}
}

// An upstream that has no request left is not asked until it has: within the run if that is soon, else in
// another one. A run that made progress does not make the waits grow.
func TestNoRequestLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, asked := newMemory(), []time.Time(nil)
		left := map[int]string{2: "20", 4: "600"}
		c := simulated(m, "one", func(w http.ResponseWriter, r *http.Request) {
			asked = append(asked, time.Now())
			if reset := left[len(asked)]; reset != "" {
				w.Header().Set("X-RateLimit-Remaining", "0")
				w.Header().Set("X-RateLimit-Reset", reset)
			}
			numbers(w, r)
		})
		c.Config.Sources[0].Source = &counting{most: 6, plan: c.Config.Sources[0].Own}
		begun := time.Now()
		c.Now = func() time.Time { return noon.Add(time.Since(begun)) }
		ctx, cancel := context.WithTimeout(t.Context(), 40*time.Minute)
		defer cancel()
		c.Run(ctx)
		if len(asked) < 6 || asked[2].Sub(asked[1]) != 20*time.Second || asked[4].Sub(asked[3]) < 10*time.Minute ||
			asked[4].Sub(asked[3]) > 11*time.Minute {
			t.Errorf("asked at %v", asked)
		}
		if !strings.Contains(m.kinds(), "1 2 3 4") {
			t.Error(m.kinds())
		}
	})
}

func TestRetryRules(t *testing.T) {
	makers := collect.Makers{"c": func(json.RawMessage) (collect.Source, error) { return &counting{}, nil }}
	for text, says := range map[string]string{
		`{"403": "10m"}`: "", `{"403": "1s", "other": "2s"}`: "", `{"200": "10m"}`: "from 400 to 599", `{"403": "soon"}`: "10m",
		`{"403": "9000h"}`: "to 744h0m0s", `{"403": "0.9s"}`: "from 1s", `{"x": "1s"}`: "such as",
	} {
		_, err := collect.Read([]byte(`{"sources": {"s": {"connector": "c", "base": "http://upstream.example/", "retry": `+text+`}}}`), makers)
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// A collector comes back as soon as the configuration or the upstream says, but no sooner than after a second,
// and more and more seldom while nothing gets better.
func TestShortRetries(t *testing.T) {
	for name, c := range map[string]struct {
		retry map[int]time.Duration
		fail  func(http.ResponseWriter)
		first time.Duration
	}{
		"nothing says": {nil, func(w http.ResponseWriter) { w.WriteHeader(500) }, 15 * time.Second},
		"a rule":       {map[int]time.Duration{500: 2 * time.Second}, func(w http.ResponseWriter) { w.WriteHeader(500) }, 2 * time.Second},
		"the upstream": {nil, func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "0.001")
			w.WriteHeader(429)
		}, time.Second},
		"a rule for the rest": {map[int]time.Duration{500: time.Hour, 0: time.Second}, func(http.ResponseWriter) {}, time.Second},
		"a long rule":         {map[int]time.Duration{500: time.Minute}, func(w http.ResponseWriter) { w.WriteHeader(500) }, time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			var asked []time.Time
			one := simulated(newMemory(), "one", func(w http.ResponseWriter, _ *http.Request) {
				asked = append(asked, time.Now())
				c.fail(w)
			})
			one.Config.Sources[0].Own.Retry = c.retry
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			one.Run(ctx)
			first, second := asked[1].Sub(asked[0]), asked[2].Sub(asked[1])
			if first < c.first || first > c.first*5/4 || second < c.first || len(asked) > 12 {
				t.Errorf("%s: after %s and %s, %d times", name, first, second, len(asked))
			}
		})
	}
}

// Once, too, comes back more and more seldom while nothing gets better.
func TestOnceBacksOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		one := simulated(newMemory(), "one", func(http.ResponseWriter, *http.Request) { asked++ })
		one.Config.Sources[0].Own.Retry = map[int]time.Duration{0: time.Second}
		one.Patience = 2 * time.Minute
		if o := one.Once(t.Context())[0]; o.Err == nil || asked < 3 || asked > 10 {
			t.Errorf("asked %d times: %v", asked, o.Err)
		}
	})
}

// An error says for how long the upstream asks to wait.
func TestWaitIsTold(t *testing.T) {
	c := collector(t, newMemory(), &counting{most: 3}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "7200")
		w.WriteHeader(429)
	})
	if o := c.Once(t.Context())[0]; o.Err == nil || !strings.Contains(o.Err.Error(), "asks to wait (status 429) for 2h0m0s") {
		t.Errorf("%v", o.Err)
	}
}

// A process that begins while an upstream waits to be left alone leaves it alone, too: not one with other
// settings, which may have another key, nor after a reset.
func TestWaitOutlivesAProcess(t *testing.T) {
	m, asked, now := newMemory(), 0, noon
	once := func(settings string) error {
		t.Helper()
		c := collector(t, m, &counting{most: 1}, func(w http.ResponseWriter, _ *http.Request) {
			asked++
			w.Header().Set("Retry-After", "7200")
			w.WriteHeader(429)
		})
		c.Agent += settings
		c.Now = func() time.Time { return now }
		return c.Once(t.Context())[0].Err
	}
	for i, c := range []struct {
		after    time.Duration
		settings string
		asked    int
	}{
		{0, "", 1}, {time.Hour, "", 1}, {-time.Hour, "", 1}, {0, " other", 2}, {0, " other", 2}, {0, "", 3}, {2 * time.Hour, "", 4},
		{-40 * 24 * time.Hour, "", 5}, // the clock was put right
	} {
		now = now.Add(c.after)
		err := once(c.settings)
		if trouble, ok := errors.AsType[*collect.Trouble](err); !ok || trouble.Wait <= 0 || asked != c.asked {
			t.Errorf("time %d: asked %d times, want %d: %v", i, asked, c.asked, err)
		}
	}
	c := collector(t, m, &counting{most: 1}, http.NotFound)
	if _, err := c.Rewind(t.Context(), c.Config.Sources[0].Name, ""); err != nil {
		t.Fatal(err)
	}
	if _ = once(""); asked != 6 {
		t.Errorf("after a reset: asked %d times", asked)
	}
}

// A store that hangs ends no wait: who has been told of it keeps to it, a new process asks nothing before it has read what
// is stored, and the error names both the store and the upstream.
func TestWaitWhileTheStoreHangs(t *testing.T) {
	for _, c := range []struct {
		first, then string // calls that hang
		asked       []int  // so often after each process
	}{
		{"", "claim", []int{1, 1, 1}}, {"release", "release", []int{1, 1, 1}}, {"emit", "", []int{1, 2, 2}},
	} {
		synctest.Test(t, func(t *testing.T) {
			m, asked := newMemory(), 0
			process := func() *collect.Collector {
				c := simulated(m, "one", func(w http.ResponseWriter, _ *http.Request) {
					asked++
					w.Header().Set("Retry-After", "7200")
					w.WriteHeader(429)
				})
				c.Now = time.Now
				return c
			}
			for i, hangs := range []string{c.first, c.then, ""} {
				m.hangs = hangs
				began := time.Now()
				err := process().Once(t.Context())[0].Err
				_, told := errors.AsType[*collect.Trouble](err)
				if told != (hangs != "claim") || errors.Is(err, context.DeadlineExceeded) != (hangs != "") || asked != c.asked[i] ||
					time.Since(began) > 5*time.Minute {
					t.Errorf("%+v: process %d asked %d times, took %s: %v", c, i, asked, time.Since(began), err)
				}
			}
			time.Sleep(2 * time.Hour)
			m.hangs, asked = cmp.Or(c.then, c.first), 0
			ctx, cancel := context.WithTimeout(t.Context(), 90*time.Minute)
			defer cancel()
			process().Run(ctx)
			if asked > 1 || asked == 0 && m.hangs != "claim" {
				t.Errorf("%+v: one process asked %d times", c, asked)
			}
		})
	}
}
