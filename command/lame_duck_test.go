package command_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"piyasa/test/fixture/need"
)

// balancer sends requests to those of several servers that say that they are ready.
type balancer struct {
	servers []string // base addresses
	ready   []atomic.Bool
	next    atomic.Int64
}

// follow asks every server again and again until ctx ends.
func (b *balancer) follow(ctx context.Context) {
	var all sync.WaitGroup
	for i, base := range b.servers {
		all.Go(func() {
			tick := time.NewTicker(20 * time.Millisecond)
			defer tick.Stop()
			for ctx.Err() == nil {
				r, _ := http.NewRequestWithContext(ctx, "GET", base+"/readyz", nil)
				res, err := http.DefaultClient.Do(r)
				if err == nil {
					_ = res.Body.Close()
				}
				b.ready[i].Store(err == nil && res.StatusCode == 200)
				<-tick.C
			}
		})
	}
	all.Wait()
}

// pick returns a server that is ready, the next in turn; empty: none is.
func (b *balancer) pick() string {
	turn := int(b.next.Add(1))
	for i := range b.servers {
		if i = (turn + i) % len(b.servers); b.ready[i].Load() {
			return b.servers[i]
		}
	}
	return ""
}

// ask asks servers that are ready until ctx ends, counts the answers, and fails the test if
// there is none.
func (b *balancer) ask(ctx context.Context, t *testing.T, key string, asked *atomic.Int64) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}}
	defer client.CloseIdleConnections()
	for ctx.Err() == nil {
		base := b.pick()
		if base == "" { // a busy machine can keep the other one from its database
			time.Sleep(5 * time.Millisecond)
			continue
		}
		// A POST is not sent again by the client's library when a connection ends.
		r, err := http.NewRequest("POST", base+"/graphql", strings.NewReader(`{"query":"{ quote(id: \"bist:DMOST\") { last } }"}`))
		if err != nil {
			t.Error(err)
			return
		}
		r.GetBody = nil
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-API-Key", key)
		res, err := client.Do(r)
		if err != nil {
			t.Errorf("after %d requests: %v", asked.Load(), err)
			return
		}
		text, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil || res.StatusCode != 200 && res.StatusCode != 429 {
			t.Errorf("%d %s %v", res.StatusCode, text, err)
		}
		asked.Add(1)
		time.Sleep(5 * time.Millisecond) // within the plan's rate
	}
}

// Servers that are replaced one after the other fail no request of a client that
// obeys /readyz, whatever it has under way.
func TestRollingRestart(t *testing.T) {
	database := "sqlite:" + t.TempDir() + "/piyasa.db"
	key, _ := newKey(t, database, "--scopes", "quotes:bist")
	if res := run(t, database, instrument+first, nil, "ingest", "-"); res.status != 0 {
		t.Fatalf("%+v", res)
	}
	const wait = 3 * time.Second
	addresses := []string{need.Address(t), need.Address(t)}
	started := func(i int) *service { return start(t, database, "PIYASA_LAME_DUCK=3s", "PIYASA_LISTEN="+addresses[i]) }
	servers := []*service{started(0), started(1)}
	b := &balancer{servers: []string{servers[0].base, servers[1].base}, ready: make([]atomic.Bool, 2)}
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() { b.follow(ctx) })
	ready := func(i int) func() bool { return b.ready[i].Load }
	servers[0].eventually(deadline, "the first is ready", ready(0))
	servers[1].eventually(deadline, "the second is ready", ready(1))
	var asked atomic.Int64
	for range 4 {
		all.Go(func() { b.ask(ctx, t, key, &asked) })
	}
	for i, s := range servers {
		before, began := asked.Load(), time.Now()
		if status := s.stop(syscall.SIGTERM); status != 0 {
			t.Errorf("status %d\n%s", status, s.stderr)
		}
		if took := time.Since(began); took < wait {
			t.Errorf("the server went after %s", took)
		}
		if b.ready[i].Load() || asked.Load() == before {
			t.Errorf("ready %v, %d requests meanwhile", b.ready[i].Load(), asked.Load()-before)
		}
		servers[i] = started(i)
		servers[i].eventually(deadline, "the new one is ready", ready(i))
	}
	stop()
	all.Wait()
}

// Who stops a server, and who follows it, says how long it takes.
func TestStoppingTakesNoLongerThanNeeded(t *testing.T) {
	const long = "PIYASA_LAME_DUCK=5m"
	for name, c := range map[string]struct {
		followed bool
		signals  []os.Signal
	}{
		"nobody follows":    {false, []os.Signal{syscall.SIGTERM}},
		"Ctrl-C":            {true, []os.Signal{os.Interrupt}},
		"Ctrl-C after that": {true, []os.Signal{syscall.SIGTERM, os.Interrupt}},
		"SIGTERM once more": {true, []os.Signal{syscall.SIGTERM, syscall.SIGTERM}},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, "sqlite:"+t.TempDir()+"/piyasa.db", long)
			if c.followed {
				s.get("/readyz", "")
			}
			for i, signal := range c.signals {
				if i == len(c.signals)-1 {
					if status := s.stop(signal); status != 0 {
						t.Errorf("status %d\n%s", status, s.stderr)
					}
					return
				}
				need.NoError(t, s.cmd.Process.Signal(signal))
				s.eventually(deadline, "the server says that it goes", func() bool {
					status, body := s.get("/readyz", "")
					return status == 503 && body["reason"] == "shutting down"
				})
			}
		})
	}
}

// Streams go on for as long as the lame duck lives and then end with 1001, and the private
// listener answers until then, also where the public one is full.
func TestLameDuckEndsStreamsLast(t *testing.T) {
	private := need.Address(t)
	database := "sqlite:" + t.TempDir() + "/piyasa.db"
	key, _ := newKey(t, database, "--scopes", "kap")
	s := start(t, database, "PIYASA_LAME_DUCK=3s", "PIYASA_METRICS_LISTEN="+private,
		"PIYASA_METRICS_HOSTS=metrics.example.test", "PIYASA_MAX_CONNECTIONS=1")
	ws, err := dial(t.Context(), s.base, "/v1/kap-feed/stream")
	need.NoError(t, err)
	defer ws.Close()
	_ = ws.SetReadDeadline(time.Now().Add(deadline))
	say := func(text, want string) {
		t.Helper()
		need.NoError(t, ws.WriteMessage(websocket.TextMessage, []byte(text)))
		if _, got, err := ws.ReadMessage(); err != nil || !strings.Contains(string(got), want) {
			t.Fatalf("%s, %v", got, err)
		}
	}
	say(fmt.Sprintf(`{"action":"auth","api_key":%q}`, key), "auth_ok")
	if status, body := s.get("/readyz", ""); status != 503 || !strings.HasSuffix(fmt.Sprint(body["type"]), "/problems/server-full") {
		t.Errorf("%d %v", status, body)
	}
	public := s.base
	s.base = "http://" + private
	if status, body := s.get("/readyz", ""); status != 200 {
		t.Errorf("%d %v", status, body)
	}
	res, err := http.Get(s.base + "/metrics")
	need.NoError(t, err)
	defer res.Body.Close()
	metrics, _ := io.ReadAll(res.Body)
	for _, want := range []string{`go_sql_open_connections{db_name="read"}`, `piyasa_feed_number{feed="keys"} 1`,
		`piyasa_feed_lag_seconds{feed="disclosures"}`} {
		if !strings.Contains(string(metrics), want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
	for host, want := range map[string]string{
		"evil.example": "PIYASA_METRICS_HOSTS", "metrics.example.test": "piyasa_feed_number", private: "piyasa_feed_number",
	} {
		if got := askAs(t, s.base+"/metrics", host); !strings.Contains(got, want) {
			t.Errorf("asked as %s: %.200s", host, got)
		}
	}
	began := time.Now()
	need.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
	s.eventually(deadline, "the private listener says that it goes", func() bool {
		status, body := s.get("/readyz", "")
		return status == 503 && body["reason"] == "shutting down"
	})
	say(`{"action":"ping"}`, "pong")
	if _, frame, err := ws.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseGoingAway) {
		t.Errorf("%s, %v", frame, err)
	}
	if took := time.Since(began); took < 3*time.Second {
		t.Errorf("the stream ended after %s", took)
	}
	if _, err := s.cmd.Process.Wait(); err != nil {
		t.Error(err)
	}
	if _, err := dial(t.Context(), public, "/v1/kap-feed/stream"); err == nil {
		t.Error("the server is still there")
	}
}
