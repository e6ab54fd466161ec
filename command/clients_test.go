package command_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"piyasa/db"
	"piyasa/test/fixture/need"
)

// The clients of docs/clients miss nothing, repeat nothing and keep the order,
// whatever is cut, stopped or killed.
func TestClients(t *testing.T) {
	t.Parallel()
	database := "sqlite:" + filepath.Join(t.TempDir(), "piyasa.db")
	key, id := newKey(t, database, "--scopes", "kap")
	feed := newFeed(t, database)
	var want []int
	put := func(numbers ...int) {
		t.Helper()
		feed.put(numbers)
		want = append(want, numbers...)
	}
	put(1, 2, 3)
	server := start(t, database)
	clients := startClients(t, key, server.base)
	each := func(do func(*client)) {
		for _, c := range clients {
			do(c)
		}
	}
	caughtUp := func() {
		t.Helper()
		each(func(c *client) { c.await(want) })
	}
	all := func(is func(*link) bool) func() bool {
		return func() bool {
			return !slices.ContainsFunc(clients, func(c *client) bool { return c.missing == "" && !is(c.link) })
		}
	}
	caughtUp()
	put(5)
	caughtUp()
	put(4) // late
	caughtUp()

	// More than a replay holds comes while nobody is there, is cut in the
	// middle, twice, and more comes meanwhile, also into the hole.
	each(func(c *client) { c.link.to("") })
	put(upTo(6, 1600)...)
	server.eventually(deadline, "every client has been turned away", all(func(l *link) bool { return l.turnedAway.Load() }))
	each(func(c *client) { c.link.to(server.base, 300, 1100) })
	server.eventually(2*deadline, "every client has met a live disclosure in the hole", all(func(l *link) bool {
		put(upTo(len(want)+1, len(want)+3)...)
		return l.filled.Load()
	}))
	caughtUp()

	// Another server takes over; the next one is killed.
	for _, signal := range []os.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		server.stop(signal)
		put(upTo(len(want)+1, len(want)+20)...)
		server = start(t, database)
		each(func(c *client) { c.link.to(server.base) })
		caughtUp()
	}

	// So are the clients.
	each(func(c *client) { c.kill() })
	put(upTo(len(want)+1, len(want)+20)...)
	each(func(c *client) { c.start() })
	caughtUp()

	// A revoked key is the end.
	if res := run(t, database, "", nil, "keys", "revoke", id); res.status != 0 {
		t.Fatal(res.err)
	}
	server.eventually(deadline, "the server knows", func() bool {
		status, _ := server.get("/v1/markets/bist/status", key)
		return status == 401
	})
	each(func(c *client) { c.link.to(server.base) })
	for _, c := range clients {
		t.Run(c.name, func(t *testing.T) {
			if c.missing != "" {
				if os.Getenv("CI") != "" { // where nothing may be left out
					t.Fatal(c.missing)
				}
				t.Skip(c.missing)
			}
			if status := c.wait(); status != 1 {
				t.Errorf("with a revoked key it exits with %d, want 1\n%s", status, &c.stderr)
			}
			if got := c.got(); !slices.Equal(got, want) {
				t.Errorf("got %d disclosures, want %d:\n%v\n%s", len(got), len(want), got, &c.stderr)
			}
		})
	}
}

// feed is a running `piyasa ingest` and the store it fills.
type feed struct {
	t     *testing.T
	lines io.WriteCloser
	store *db.Store
}

func newFeed(t *testing.T, database string) *feed {
	t.Helper()
	store, err := db.Open(t.Context(), database)
	need.NoError(t, err)
	t.Cleanup(func() { _ = store.Close() })
	cmd := exec.Command(binary, "ingest", "-")
	cmd.Env = environment(t, database, nil)
	lines, err := cmd.StdinPipe()
	need.NoError(t, err)
	need.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = lines.Close()
		_ = cmd.Wait()
	})
	return &feed{t, lines, store}
}

// put stores disclosures with these numbers and returns when they are stored.
func (f *feed) put(numbers []int) {
	f.t.Helper()
	for _, n := range numbers {
		fmt.Fprintf(f.lines,
			`{"record":"disclosure","disclosure_index":%d,"type":"ODA","class":"ODA","symbols":["DMOST"],"filer_codes":["DMOST"],"published_at":"2026-03-18T10:00:00Z"}`+"\n", n)
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(deadline); ; <-tick.C {
		known, err := f.store.KnownDisclosures(f.t.Context(), numbers)
		if err != nil || time.Now().After(end) {
			f.t.Fatalf("%d of %d disclosures are stored: %v", len(known), len(numbers), err)
		}
		if len(known) == len(numbers) {
			return
		}
	}
}

func upTo(from, to int) (numbers []int) {
	for n := from; n <= to; n++ {
		numbers = append(numbers, n)
	}
	return numbers
}

// client is a client of docs/clients and its way to the server.
type client struct {
	t       *testing.T
	name    string
	missing string // what it would need to run; empty: nothing
	argv    []string
	env     []string
	folder  string
	link    *link

	cmd    *exec.Cmd
	ended  chan struct{}
	mu     sync.Mutex
	out    []int // numbers of what it printed
	stderr need.Said
}

func startClients(t *testing.T, key, base string) []*client {
	t.Helper()
	sources, err := filepath.Abs("../docs/clients")
	need.NoError(t, err)
	inGo := filepath.Join(t.TempDir(), "client")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", inGo, "piyasa/docs/clients/go").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	clients := []*client{{name: "go", argv: []string{inGo}}}
	add := func(name, needs string, probe, argv []string) {
		c := &client{name: name, argv: argv}
		if exec.CommandContext(t.Context(), argv[0], probe...).Run() != nil {
			c.missing = needs
		}
		clients = append(clients, c)
	}
	const flag = "--experimental-websocket"
	add("javascript", "there is no node with WebSockets: Node 20.10 or newer", []string{flag, "-e", "new WebSocket('ws://127.0.0.1:1')"},
		[]string{"node", flag, "--no-warnings", filepath.Join(sources, "javascript", "client.mjs")})
	python := "python3"
	if debian := "/usr/bin/python3"; exec.CommandContext(t.Context(), debian, "-c", "import websockets").Run() == nil {
		python = debian // the one that python3-websockets is for
	}
	add("python", "there is no python3 with the package websockets: Debian's python3-websockets", []string{"-c", "import websockets"},
		[]string{python, filepath.Join(sources, "python", "client.py")})
	for _, c := range clients {
		if c.t = t; c.missing != "" {
			continue
		}
		c.folder, c.link = t.TempDir(), newLink(t)
		c.link.to(base)
		c.env = append(os.Environ(), "PIYASA_KEY="+key, "PIYASA_URL="+strings.Replace(c.link.URL, "http", "ws", 1))
		c.start()
		t.Cleanup(func() { _ = c.cmd.Process.Kill(); <-c.ended })
	}
	return clients
}

func (c *client) start() {
	if c.missing != "" {
		return
	}
	c.cmd = exec.Command(c.argv[0], c.argv[1:]...)
	c.cmd.Dir, c.cmd.Env, c.cmd.Stderr, c.ended = c.folder, c.env, &c.stderr, make(chan struct{})
	stdout, err := c.cmd.StdoutPipe()
	need.NoError(c.t, err)
	need.NoError(c.t, c.cmd.Start())
	go c.read(stdout)
}

// read takes in what the process prints until it ends.
func (c *client) read(stdout io.Reader) {
	defer close(c.ended)
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		var d struct {
			Number int `json:"disclosure_index"`
		}
		if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
			c.t.Errorf("%s prints %s", c.name, lines.Bytes())
		}
		c.mu.Lock()
		c.out = append(c.out, d.Number)
		c.mu.Unlock()
	}
	_ = c.cmd.Wait()
}

func (c *client) got() []int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.out)
}

// await waits until as much was printed as is wanted, and noted.
func (c *client) await(want []int) {
	c.t.Helper()
	if c.missing != "" {
		return
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(2 * deadline); ; <-tick.C {
		last, _ := os.ReadFile(filepath.Join(c.folder, "last_index"))
		if got := len(c.got()); got >= len(want) && string(last) == strconv.Itoa(slices.Max(want)) {
			return
		} else if time.Now().After(end) {
			c.t.Fatalf("%s has %d disclosures of %d, up to %s:\n%s", c.name, got, len(want), last, &c.stderr)
		}
	}
}

func (c *client) kill() {
	if c.missing == "" {
		_ = c.cmd.Process.Kill()
		<-c.ended
	}
}

// wait waits until the process ends by itself, and returns its status.
func (c *client) wait() int {
	select {
	case <-c.ended:
		return c.cmd.ProcessState.ExitCode()
	case <-time.After(deadline):
		c.kill()
		return -1
	}
}

// link is a way to a server that can be cut. It says every disclosure twice, as
// a server may. The first time that a replay is truncated, the client is not
// heard until a live disclosure has come.
type link struct {
	*httptest.Server
	turnedAway, filled atomic.Bool // whether a client has met this

	mu     sync.Mutex
	target string // empty: every client is turned away
	limits []int  // frames after which the next connections break
	open   []*websocket.Conn
}

func newLink(t *testing.T) *link {
	l := new(link)
	l.Server = httptest.NewServer(l)
	t.Cleanup(func() {
		l.to("")
		l.Close()
	})
	return l
}

// to cuts every connection and leads the next ones to the server at base, each
// for as many frames as its limit says.
func (l *link) to(base string, limits ...int) {
	if l == nil { // of a client that is missing
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, ws := range l.open {
		_ = ws.Close()
	}
	l.target, l.limits, l.open = strings.Replace(base, "http", "ws", 1), limits, nil
}

// connect opens both ends of a connection; frames are how many may pass.
func (l *link) connect(w http.ResponseWriter, r *http.Request) (client, server *websocket.Conn, frames int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.target != "" {
		server, _, err = websocket.DefaultDialer.DialContext(r.Context(), l.target+r.URL.Path, nil)
	}
	if l.target == "" || err != nil {
		l.turnedAway.Store(true)
		http.Error(w, "there is no server", http.StatusBadGateway)
		return nil, nil, 0, errors.New("no server")
	}
	if client, err = new(websocket.Upgrader).Upgrade(w, r, nil); err != nil {
		return nil, nil, 0, err
	}
	if l.open, frames = append(l.open, client, server), math.MaxInt; len(l.limits) > 0 {
		frames, l.limits = l.limits[0], l.limits[1:]
	}
	return client, server, frames, nil
}

func (l *link) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	client, server, frames, err := l.connect(w, r)
	if err != nil {
		return
	}
	defer client.Close()
	var hearing sync.Mutex
	deaf := false
	hear := func() {
		if deaf {
			deaf = false
			hearing.Unlock()
		}
	}
	defer hear()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		defer server.Close()
		for kind, frame, err := client.ReadMessage(); err == nil; kind, frame, err = client.ReadMessage() {
			hearing.Lock()
			_ = server.WriteMessage(kind, frame)
			hearing.Unlock()
		}
	}()
	for range frames {
		kind, frame, err := server.ReadMessage()
		if end, ok := errors.AsType[*websocket.CloseError](err); ok && end.Code != websocket.CloseAbnormalClosure {
			_ = client.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(end.Code, end.Text), time.Now().Add(deadline))
			hear()
			<-gone
		}
		if err != nil {
			return
		}
		switch {
		case bytes.Contains(frame, []byte(`"truncated":true`)) && !l.filled.Load():
			hearing.Lock()
			deaf = true
		case bytes.Contains(frame, []byte(`"replay":false`)) && deaf:
			l.filled.Store(true)
			hear()
		}
		_ = client.WriteMessage(kind, frame)
		if bytes.Contains(frame, []byte(`"disclosure"`)) {
			_ = client.WriteMessage(kind, frame)
		}
	}
}
