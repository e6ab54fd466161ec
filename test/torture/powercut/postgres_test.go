package powercut_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"piyasa/db/dbtest"
	"piyasa/test/fixture/need"
	"piyasa/test/torture/powercut"
)

// cluster is a Postgres whose data folder lies on a mounted disk.
type cluster struct {
	disk     *mounted
	programs string
	account  *syscall.Credential // of the server; nil for the current user
	sockets  string
	port     string
	server   *exec.Cmd
	ended    chan struct{}
	log      string
	heard    int  // how much of the log heard has returned
	lazy     bool // commits do not wait for the disk, unless a transaction asks for it
}

// newCluster makes a cluster, which is not running yet.
func newCluster(t *testing.T, disk *mounted) *cluster {
	t.Helper()
	programs, err := dbtest.FindPrograms()
	need.NoError(t, err)
	account, err := dbtest.ServerAccount()
	need.NoError(t, err)
	sockets, err := os.MkdirTemp("/tmp", "piyasa-powercut-") // the path of a socket is short
	need.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(sockets) })
	port, err := need.Port()
	need.NoError(t, err)
	c := &cluster{disk: disk, programs: programs, account: account, sockets: sockets, port: port, log: filepath.Join(sockets, "log")}
	if account != nil {
		need.NoError(t, os.Chown(sockets, int(account.Uid), int(account.Gid)))
		need.NoError(t, os.Chmod(filepath.Dir(disk.folder), 0o755))
		need.NoError(t, os.Chown(disk.folder, int(account.Uid), int(account.Gid)))
	}
	// Small segments: many are written, and recycled, between two cuts.
	if said, err := c.command("initdb", "-D", c.data(), "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C",
		"--data-checksums", "--wal-segsize=1").CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, said)
	}
	t.Cleanup(c.kill)
	return c
}

func (c *cluster) data() string { return filepath.Join(c.disk.folder, "data") }

func (c *cluster) url() string {
	return "postgres://postgres@127.0.0.1:" + c.port + "/postgres?sslmode=disable"
}

func (c *cluster) command(program string, arguments ...string) *exec.Cmd {
	command := exec.Command(filepath.Join(c.programs, program), arguments...)
	command.Dir = "/"
	command.SysProcAttr = &syscall.SysProcAttr{Credential: c.account, Setpgid: true}
	return command
}

// startTime is how long Postgres may take to recover and start.
const startTime = time.Minute

// start starts the server. It reports whether the server answers; otherwise it has
// ended, or the power is cut.
func (c *cluster) start(t *testing.T) bool {
	t.Helper()
	log, err := os.OpenFile(c.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	need.NoError(t, err)
	defer log.Close()
	c.server = c.command("postgres", "-D", c.data(), "-p", c.port, "-c", "listen_addresses=127.0.0.1", "-c",
		"unix_socket_directories="+c.sockets,
		"-c", "max_wal_size=4MB", "-c", "min_wal_size=2MB", "-c", "checkpoint_timeout=30s", "-c", "shared_buffers=8MB", "-c",
		"bgwriter_delay=10ms")
	if c.lazy {
		c.server.Args = append(c.server.Args, "-c", "synchronous_commit=off", "-c", "wal_writer_delay=10s")
	}
	c.server.Stdout, c.server.Stderr = log, log
	need.NoError(t, c.server.Start())
	server, ended := c.server, make(chan struct{})
	c.ended = ended
	go func() {
		defer close(ended)
		_ = server.Wait() // how it ended is in the log
	}()
	store := open(t, "postgres://postgres@/postgres?host="+url.QueryEscape(c.sockets)+"&port="+c.port) // at the address, another may answer
	defer store.Close()
	late := time.After(startTime)
	for {
		attempt, cancel := context.WithTimeout(t.Context(), time.Second)
		err := store.PingContext(attempt)
		cancel()
		if err == nil {
			return true
		}
		select {
		case <-ended:
			return false
		case <-c.disk.Off():
			return false
		case <-late:
			t.Fatalf("Postgres does not answer after %s: %v\n%s", startTime, err, c.said(t))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (c *cluster) mustStart(t *testing.T) {
	t.Helper()
	if !c.start(t) {
		t.Fatalf("Postgres does not start: %s", c.said(t))
	}
}

func (c *cluster) open(t *testing.T) *sql.DB {
	t.Helper()
	return open(t, c.url())
}

func open(t *testing.T, url string) *sql.DB {
	t.Helper()
	store, err := sql.Open("pgx", url)
	need.NoError(t, err)
	return store
}

// said returns the end of the server's log.
func (c *cluster) said(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(c.log)
	need.NoError(t, err)
	return tail(string(text))
}

// heardNow returns what Postgres has said since the last call: its statements are long, and
// what matters may be far from the end.
func (c *cluster) heardNow(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(c.log)
	need.NoError(t, err)
	from := c.heard
	c.heard = len(text)
	return string(text[from:])
}

// tail returns the end of a text that may be long.
func tail(text string) string { return text[max(0, len(text)-4000):] }

// kill kills every process of the server at once.
func (c *cluster) kill() {
	if c.server == nil {
		return
	}
	_ = c.server.Process.Signal(syscall.SIGSTOP) // so that it starts no others
	pids := append(childrenOf(c.server.Process.Pid), c.server.Process.Pid)
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	<-c.ended
	for _, pid := range pids { // the next server must not find one of this one
		for late := time.Now().Add(startTime); isAlive(pid) && time.Now().Before(late); {
			time.Sleep(time.Millisecond)
		}
	}
	c.server = nil
}

// isAlive reports whether a process still runs; nobody may have asked yet how one
// that does not has ended.
func isAlive(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, _ := strings.Cut(string(text), ") ") // the name of the program is in brackets
	return err == nil && !strings.HasPrefix(state, "Z")
}

// powerOn kills the server, whose power is cut, and gives its disk power again.
func (c *cluster) powerOn(t *testing.T) {
	t.Helper()
	c.kill()
	c.disk.powerOn(t)
	// It can be empty, which stops the server; what starts Postgres removes it.
	if err := os.Remove(filepath.Join(c.data(), "postmaster.pid")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
}

// childrenOf returns the children of a process.
func childrenOf(pid int) []int {
	var children []int
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", pid)) // a process that has ended has none
	for word := range strings.FieldsSeq(string(text)) {
		if child, err := strconv.Atoi(word); err == nil {
			children = append(children, child)
		}
	}
	return children
}

// check checks the running store.
func (c *cluster) check(t *testing.T, w *writer) {
	t.Helper()
	store := c.open(t)
	defer store.Close()
	if w.acked == 0 { // it may have no tables yet
		var table sql.NullString
		need.NoError(t, store.QueryRowContext(t.Context(), "SELECT to_regclass('disclosures')::text").Scan(&table))
		if !table.Valid {
			return
		}
	}
	if _, err := store.ExecContext(t.Context(), "CREATE EXTENSION IF NOT EXISTS amcheck"); err != nil {
		t.Fatal(err)
	}
	const everyIndex = `SELECT count(bt_index_parent_check(c.oid, true)) FROM pg_class c JOIN pg_am a ON a.oid = c.relam
		WHERE c.relkind = 'i' AND a.amname = 'btree' AND c.relpersistence = 'p'`
	if _, err := store.ExecContext(t.Context(), everyIndex); err != nil {
		t.Errorf("an index does not lead to what is stored: %v", err)
	}
	if damages := column(t, store, "SELECT count(*) FROM pg_class c, verify_heapam(c.oid) WHERE c.relkind = 'r'"); damages[0] > 0 {
		t.Errorf("tables are damaged in %d places", damages[0])
	}
	w.check(t, store)
}

// postgresLife stores lines in a new cluster, on a disk whose power is cut a few times.
func postgresLife(t *testing.T, random *rand.Rand) {
	t.Helper()
	disk := newMount(t, powercut.Model{Seed: random.Uint64()})
	w, c := &writer{random: random}, newCluster(t, disk)
	c.lazy = random.IntN(2) == 0
	c.mustStart(t)
	for range 4 {
		until := w.aim(disk, 3000)
		i := w.start(t, c.url())
		if w.write(t, i, until, disk.Off()) {
			disk.Cut()
		}
		w.kill(i)
		if !disk.IsOff() {
			t.Fatalf("the ingester or Postgres ended, with power: %s\n%s", i.said, c.said(t))
		}
		c.powerOn(t)
		if random.IntN(3) == 0 { // and again, while it recovers
			w.aim(disk, 2000)
			if c.start(t) {
				disk.Cut()
			}
			c.powerOn(t)
		}
		c.mustStart(t)
		c.check(t, w)
		t.Logf("%d lines acknowledged", w.acked)
	}
	c.kill()
	disk.unmount(t)
}

// Whenever the power is cut, Postgres keeps every acknowledged line and no hole, and
// ingesting goes on.
func TestPowerCutsBelowPostgres(t *testing.T) {
	random := rand.New(rand.NewPCG(newSeed(t), 1))
	rounds(t, 1, func() { postgresLife(t, random) })
}
