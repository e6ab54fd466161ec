package collect

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Pauses for the limits of upstreams.
const (
	mostWait   = 31 * 24 * time.Hour // for example until a month's allowance begins again
	waitedHere = time.Minute         // within a run; for longer pauses, the run ends and another one begins
)

// retryAfter reads the header Retry-After, in seconds or as a date; 0: no pause is asked for.
func retryAfter(header http.Header, now time.Time) time.Duration {
	text := header.Get("Retry-After")
	if seconds, ok := secondsOf(text); ok {
		return seconds
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(mostWait, max(0, at.Sub(now)))
	}
	return 0
}

// secondsOf reads a number of seconds, which some upstreams write with a fraction.
func secondsOf(text string) (time.Duration, bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || n != n {
		return 0, false
	}
	return time.Duration(min(mostWait.Seconds(), max(0, n)) * float64(time.Second)), true
}

// limitNames are the names of limit headers before "Remaining" and "Reset".
var limitNames = []string{"Ratelimit-", "X-Ratelimit-", "X-Rate-Limit-"}

// limitParameter is a member of the header RateLimit in its drafts: "r" or "remaining", "t" or
// "reset".
var limitParameter = regexp.MustCompile(`\b(r|remaining|t|reset)\s*=\s*(\d+)`)

// usedUp returns for how long an upstream accepts no more requests, as it states; 0: it accepts
// one, or does not state it.
func usedUp(header http.Header, now time.Time) time.Duration {
	remaining, reset := "", ""
	for _, m := range limitParameter.FindAllStringSubmatch(strings.Join(header.Values("Ratelimit"), ", "), -1) {
		if m[1][0] == 'r' && m[1] != "reset" {
			remaining = m[2]
		} else {
			reset = m[2]
		}
	}
	for _, name := range limitNames {
		if v := header.Get(name + "Remaining"); v != "" {
			remaining, reset = v, header.Get(name+"Reset")
		}
	}
	if left, ok := secondsOf(remaining); !ok || left > 0 {
		return 0
	}
	wait, ok := secondsOf(reset)
	if epoch, err := strconv.ParseFloat(strings.TrimSpace(reset), 64); err == nil && epoch > mostWait.Seconds() {
		if epoch > 1e11 { // some write milliseconds
			epoch /= 1000
		}
		return min(mostWait, max(0, time.Unix(int64(epoch), 0).Sub(now)))
	}
	if at, err := http.ParseTime(reset); !ok && err == nil {
		return min(mostWait, max(0, at.Sub(now)))
	}
	return wait
}

// heed delays the next request while the upstream accepts none.
func (f *fetcher) heed(a *Answer) {
	if wait := usedUp(a.header, a.At); wait > 0 {
		f.rests = time.Now().Add(wait)
	}
}

// turn waits until the next request may be sent.
func (f *fetcher) turn(ctx context.Context) error {
	if wait := time.Until(f.rests); wait > waitedHere {
		return &Trouble{What: fmt.Sprintf("the upstream has no request left for %s", wait.Round(time.Second)), Wait: wait, Asked: wait}
	} else if err := Wait(ctx, wait); err != nil {
		return err
	}
	return Wait(ctx, f.plan.Pace-time.Since(f.last))
}

// rest is until when an upstream asked for no requests, and which reader (version and settings)
// it asked.
type rest struct {
	Until time.Time `json:"until"`
	By    string    `json:"by"`
}

// left returns how much longer a reader must not ask the upstream.
func (r *rest) left(by string, now time.Time) time.Duration {
	if r == nil || r.By != by || r.Until.After(now.Add(mostWait+skew)) { // the clock has been corrected since
		return 0
	}
	return max(0, r.Until.Sub(now))
}
