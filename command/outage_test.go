package command_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"piyasa/db/dbtest"
	"piyasa/test/fixture/need"
)

// listens opens a stream of disclosures and says auth.
func (s *service) listens(key string) (*websocket.Conn, map[string]any) {
	s.t.Helper()
	ws, err := dial(s.t.Context(), s.base, "/v1/kap-feed/stream")
	need.NoError(s.t, err)
	s.t.Cleanup(func() { _ = ws.Close() })
	return ws, s.says(ws, fmt.Sprintf(`{"action":"auth","api_key":%q}`, key))
}

// says sends a message and returns what comes next; a close is its code.
func (s *service) says(ws *websocket.Conn, message string) map[string]any {
	s.t.Helper()
	if message != "" {
		need.NoError(s.t, ws.WriteMessage(websocket.TextMessage, []byte(message)))
	}
	_ = ws.SetReadDeadline(time.Now().Add(deadline))
	_, frame, err := ws.ReadMessage()
	if closed, ok := err.(*websocket.CloseError); ok {
		return map[string]any{"close": closed.Code}
	}
	var heard map[string]any
	if err := json.Unmarshal(frame, &heard); err != nil {
		s.t.Fatalf("heard %s: %v", frame, err)
	}
	return heard
}

// outage is a way in which a database stops to answer.
type outage struct {
	name       string
	database   func(t *testing.T) (server, direct string) // where the server finds it, and everybody else
	begin, end func(t *testing.T)
	mayRevoke  bool // whether keys can be revoked meanwhile
}

func outages() []*outage {
	var proxy *dbtest.Proxy
	silence := &outage{name: "silent network", mayRevoke: true}
	silence.database = func(t *testing.T) (string, string) {
		direct := dbtest.PostgresURL(t)
		proxy = dbtest.NewProxy(t, direct, "")
		return proxy.URL, direct
	}
	silence.begin, silence.end = func(*testing.T) { proxy.Silence() }, func(*testing.T) { proxy.Speak() }

	var unlock func()
	var locked string
	lock := &outage{name: "LOCK TABLE heads"}
	lock.database = func(t *testing.T) (string, string) {
		locked = dbtest.PostgresURL(t)
		return locked, locked
	}
	lock.begin = func(t *testing.T) {
		tx, err := dbtest.Raw(t, locked).Begin()
		need.NoError(t, err)
		if _, err := tx.Exec("LOCK TABLE heads, disclosures IN ACCESS EXCLUSIVE MODE"); err != nil {
			t.Fatal(err)
		}
		unlock = func() { _ = tx.Rollback() }
	}
	lock.end = func(*testing.T) { unlock() }

	var cluster string
	var stopped []int
	stop := &outage{name: "stopped processes"}
	stop.database = func(t *testing.T) (string, string) {
		address, end, err := dbtest.StartPostgres()
		need.NoError(t, err)
		t.Cleanup(end)
		cluster = address
		return cluster, cluster
	}
	stop.begin = func(t *testing.T) {
		raw := dbtest.Raw(t, cluster)
		defer raw.Close()
		stopped = nil
		var folder string
		need.NoError(t, raw.QueryRow("SHOW data_directory").Scan(&folder))
		text, err := os.ReadFile(folder + "/postmaster.pid")
		need.NoError(t, err)
		var postmaster int
		if _, err := fmt.Sscan(string(text), &postmaster); err != nil {
			t.Fatal(err)
		}
		rows, err := raw.Query("SELECT pid FROM pg_stat_activity WHERE datname IS NOT NULL")
		need.NoError(t, err)
		for rows.Next() {
			var pid int
			need.NoError(t, rows.Scan(&pid))
			stopped = append(stopped, pid)
		}
		need.NoError(t, rows.Close())
		for _, pid := range append([]int{postmaster}, stopped...) {
			_ = syscall.Kill(pid, syscall.SIGSTOP)
		}
		stopped = append(stopped, postmaster)
		t.Cleanup(func() { stop.end(t) })
	}
	stop.end = func(*testing.T) {
		for _, pid := range stopped {
			_ = syscall.Kill(pid, syscall.SIGCONT)
		}
	}
	return []*outage{silence, lock, stop}
}

// A database that hangs soon counts as unavailable: for lists, keys, open and new
// streams, and readiness. Everything recovers when it answers.
func TestDatabaseThatHangs(t *testing.T) {
	for _, o := range outages() {
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			at, direct := o.database(t)
			key, _ := newKey(t, direct, "--scopes", "kap,quotes:bist")
			revoked, id := newKey(t, direct, "--scopes", "kap,quotes:bist")
			if res := run(t, direct, first+instrument, nil, "ingest", "-"); res.status != 0 {
				t.Fatalf("%+v", res)
			}
			s := start(t, at, "PIYASA_DATABASE_TIMEOUT=500ms")
			ready := func() bool {
				status, _ := s.get("/readyz", "")
				return status == 200
			}
			s.eventually(deadline, "the server is ready", ready)
			open, heard := s.listens(key)
			if heard["event"] != "auth_ok" && heard["type"] != "auth_ok" {
				t.Fatalf("heard %v", heard)
			}

			o.begin(t)
			began := time.Now()
			if status, body := s.get("/v1/kap-feed/disclosures", key); status != 503 ||
				!strings.HasSuffix(fmt.Sprint(body["type"]), "/problems/store-unavailable") {
				t.Errorf("a list: %d %v", status, body)
			}
			if took := time.Since(began); took > 15*time.Second {
				t.Errorf("the answer took %s", took)
			}
			if status, _ := s.get("/v1/quotes/bist:DMOST", key); status != 200 {
				t.Errorf("a quote, which memory knows: %d", status)
			}
			s.says(open, `{"action":"subscribe","ids":["all"],"last_seen_index":0}`)
			var replay []string
			for range 2 {
				heard := s.says(open, "")
				text, _ := json.Marshal(heard)
				replay = append(replay, string(text))
			}
			if !strings.Contains(replay[0], "server_error") || !strings.Contains(replay[1], "replay_done") ||
				!strings.Contains(replay[1], `"truncated":true`) {
				t.Errorf("a replay: %v", replay)
			}
			s.eventually(deadline, "the server is not ready", func() bool { return !ready() })
			if o.mayRevoke {
				if res := run(t, direct, "", nil, "keys", "revoke", id); res.status != 0 {
					t.Fatalf("%+v", res)
				}
			}
			s.eventually(deadline, "a key that may have been revoked is let through no more", func() bool {
				status, body := s.get("/v1/quotes/bist:DMOST", revoked)
				return status == http.StatusServiceUnavailable && strings.HasSuffix(fmt.Sprint(body["type"]), "/problems/store-unavailable")
			})
			if _, heard := s.listens(key); heard["close"] != 1013 {
				t.Errorf("a new stream hears %v", heard)
			}

			o.end(t)
			s.eventually(deadline, "the server is ready again", ready)
			s.eventually(deadline, "keys are let through again", func() bool {
				status, _ := s.get("/v1/kap-feed/disclosures", key)
				return status == 200
			})
			want := 200
			if o.mayRevoke {
				want = 401
			}
			s.eventually(deadline, "the revoked key is refused", func() bool {
				status, _ := s.get("/v1/quotes/bist:DMOST", revoked)
				return status == want
			})
			if status := s.stop(os.Interrupt); status != 0 {
				t.Errorf("exit status %d\n%s", status, s.stderr)
			}
			if lines := len(regexp.MustCompile(`msg="not ready"`).FindAllString(s.stderr.String(), -1)); lines > 3 {
				t.Errorf("%d lines say that the server is not ready", lines)
			}
		})
	}
}

// A server and an ingest that come before their database wait for it; with a
// limit, and saying so once.
func TestDatabaseThatComesLater(t *testing.T) {
	t.Parallel()
	proxy := dbtest.NewProxy(t, dbtest.PostgresURL(t), "")
	proxy.Go()
	later := time.AfterFunc(8*time.Second, proxy.Arrive) // when the server has started and waits, also on a busy machine
	defer later.Stop()
	s := start(t, proxy.URL)
	if said := s.stderr.String(); strings.Count(said, "waiting for the database") != 1 || strings.Contains(said, "hunter2") {
		t.Errorf("said: %s", said)
	}
	proxy.Go()
	again := time.AfterFunc(6*time.Second, proxy.Arrive)
	defer again.Stop()
	if res := run(t, proxy.URL, first+instrument, nil, "ingest", "-"); res.status != 0 ||
		strings.Count(res.err, "waiting for the database") != 1 {
		t.Errorf("%+v", res)
	}
	for _, c := range []struct {
		env, command string
		waits        bool
	}{{"PIYASA_DATABASE_WAIT=0", "serve", false}, {"PIYASA_DATABASE_WAIT=1200ms", "serve", true},
		{"PIYASA_DATABASE_WAIT=0s", "ingest", false}} {
		args := []string{c.command}
		if c.command == "ingest" {
			args = append(args, "-")
		}
		began := time.Now()
		res := run(t, "postgres://ali:hunter2@127.0.0.1:1/piyasa", "", []string{c.env}, args...)
		if waited := strings.Contains(res.err, "waiting for the database"); res.status != 1 || waited != c.waits ||
			strings.Contains(res.err, "hunter2") || time.Since(began) > deadline {
			t.Errorf("%s: %+v", c.env, res)
		}
	}
	if res := run(t, "sqlite:/proc/nowhere/piyasa.db", "", nil, "serve"); res.status != 1 || strings.Contains(res.err, "waiting") {
		t.Errorf("a mistake is waited for: %+v", res)
	}
}

// A server that waits for its database can be stopped.
func TestStoppedWhileWaiting(t *testing.T) {
	cmd := exec.Command(serving, "serve")
	cmd.Env = environment(t, "postgres://127.0.0.1:1/piyasa?sslmode=disable", nil)
	stderr := new(need.Said)
	cmd.Stderr = stderr
	need.NoError(t, cmd.Start())
	for began := time.Now(); !strings.Contains(stderr.String(), "waiting for the database"); time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > deadline {
			_ = cmd.Process.Kill()
			t.Fatalf("it does not wait: %s", stderr)
		}
	}
	need.NoError(t, cmd.Process.Signal(os.Interrupt))
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// What is configured wrongly is listed in whole.
func TestDatabaseSettingsAreChecked(t *testing.T) {
	res := run(t, "", "", []string{"PIYASA_DATABASE_TIMEOUT=5", "PIYASA_DATABASE_CONNECTIONS=0", "PIYASA_DATABASE_WAIT=-1s",
		"PIYASA_FX_MAX_AGE=x"}, "serve")
	for _, name := range []string{"PIYASA_DATABASE_TIMEOUT", "PIYASA_DATABASE_CONNECTIONS", "PIYASA_DATABASE_WAIT", "PIYASA_FX_MAX_AGE"} {
		if res.status != 2 || strings.Count(res.err, name) != 1 {
			t.Errorf("%s: %d %s", name, res.status, res.err)
		}
	}
}

// An ingest that is asked to stop while the database is away does not claim success.
func TestIngestStoppedDuringAnOutage(t *testing.T) {
	t.Parallel()
	proxy := dbtest.NewProxy(t, dbtest.PostgresURL(t), "")
	cmd := exec.Command(binary, "ingest", "--acks", "-")
	cmd.Env = environment(t, proxy.URL, nil)
	stderr := new(need.Said)
	cmd.Stderr = stderr
	in, err := cmd.StdinPipe()
	need.NoError(t, err)
	out, err := cmd.StdoutPipe()
	need.NoError(t, err)
	need.NoError(t, cmd.Start())
	killed := time.AfterFunc(2*deadline, func() { _ = cmd.Process.Kill() })
	defer killed.Stop()
	_, _ = in.Write([]byte(instrument + first))
	for acks := bufio.NewScanner(out); acks.Text() != `{"lines":2}`; {
		if !acks.Scan() {
			t.Fatalf("no acknowledgement: %s", stderr)
		}
	}
	proxy.Go()
	_, _ = in.Write([]byte(second))
	for began := time.Now(); !strings.Contains(stderr.String(), "waiting for the database"); time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > deadline {
			t.Fatalf("it does not wait: %s", stderr)
		}
	}
	need.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	_ = cmd.Wait()
	if status := cmd.ProcessState.ExitCode(); status != 1 || !strings.Contains(stderr.String(), "lines read and not stored: 1, after -:2") {
		t.Errorf("exit status %d: %s", status, stderr)
	}
	for _, wrong := range []string{"soon", "-1s"} {
		if res := run(t, proxy.URL, "", []string{"PIYASA_DATABASE_RETRY=" + wrong}, "ingest", "-"); res.status != 2 ||
			!strings.Contains(res.err, "PIYASA_DATABASE_RETRY") {
			t.Errorf("%+v", res)
		}
	}
}
