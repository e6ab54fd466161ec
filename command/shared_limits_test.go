package command_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"piyasa/db/dbtest"
	"piyasa/test/fixture/need"
)

// enough is how many refusals show that a server has nothing left to give.
const enough = 50

// burn asks every server for a quote from several clients, for as long as it is asked to and
// until each has refused enough, and returns how many requests passed.
func burn(t *testing.T, secret string, during time.Duration, servers ...*service) (passed float64) {
	var answered atomic.Int64
	refused := make([]atomic.Int64, len(servers))
	var clients sync.WaitGroup
	began := time.Now()
	ends := func() bool {
		took := time.Since(began)
		for i := range refused {
			if refused[i].Load() < enough && took < time.Minute {
				return false
			}
		}
		return took >= during
	}
	for i, s := range servers {
		for range 3 {
			clients.Go(func() {
				for !ends() {
					r, err := http.NewRequestWithContext(t.Context(), "GET", s.base+"/v1/quotes/bist:DMOST", nil)
					if err != nil {
						t.Error(err)
						return
					}
					r.Header.Set("X-Api-Key", secret)
					res, err := http.DefaultClient.Do(r)
					if err != nil {
						t.Error(err)
						return
					}
					_ = res.Body.Close()
					switch res.StatusCode {
					case http.StatusOK:
						answered.Add(1)
					case http.StatusTooManyRequests:
						refused[i].Add(1)
					default:
						t.Error(res.Status)
						return
					}
				}
			})
		}
	}
	clients.Wait()
	return float64(answered.Load())
}

// A key may ask two servers for no more than one: at once, over time, and in a month; and
// one that stays while the other goes has what is left.
func TestOneKeyOnTwoServers(t *testing.T) {
	plans := filepath.Join(t.TempDir(), "plans.json")
	const text = `{"basic": {"bucket": 400, "refill_per_second": 20}, "pro": {"bucket": 100000, "refill_per_second": 100000, "units_per_month": 500}}`
	need.NoError(t, os.WriteFile(plans, []byte(text), 0o600))
	dbtest.Each(t, func(t *testing.T, database string) {
		if res := run(t, database, instrument+first, nil, "ingest", "-"); res.status != 0 {
			t.Fatal(res)
		}
		bucket, _ := newKey(t, database, "--scopes", "all", "--plan", "basic")
		quota, _ := newKey(t, database, "--scopes", "all", "--plan", "pro")
		one := start(t, database, "PIYASA_PLANS="+plans)
		two := start(t, database, "PIYASA_PLANS="+plans)
		for _, s := range []*service{one, two} {
			s.eventually(deadline, "it knows of the other", func() bool { return strings.Contains(s.stderr.String(), "other servers use") })
		}
		within := func(what string, got, want float64) {
			t.Helper()
			if got < 0.45*want || got > 1.1*want { // one that is cut off for a moment keeps to its share
				t.Errorf("%s: %.0f requests passed, want %.0f\n%s\n%s", what, got, want, one.stderr, two.stderr)
			}
		}
		began := time.Now()
		have := func() float64 { return 400 + 20*time.Since(began).Seconds() }
		passed := burn(t, bucket, 2*time.Second, one, two)
		within("two servers", passed, have())
		within("a quota", burn(t, quota, time.Second, one, two), 500)
		two.stop(os.Interrupt)
		one.eventually(deadline, "it is alone", func() bool { return strings.Contains(one.stderr.String(), "no other server") })
		passed += burn(t, bucket, 2*time.Second, one)
		within("in all, on one that stayed", passed, have())
	})
}
