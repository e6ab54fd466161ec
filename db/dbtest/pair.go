package dbtest

import (
	"errors"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"piyasa/test/fixture/need"
)

// Server is one Postgres server of a [Pair], which a test can stop, kill, restart and promote.
type Server struct {
	URL string // of the database "postgres"

	tb       testing.TB
	programs string
	account  *syscall.Credential
	folder   string
	port     string
	running  *child // nil: stopped
}

// Pair is a primary with durability and a standby that replicates it by streaming.
type Pair struct{ Primary, Standby *Server }

// StartPair starts a primary and its standby, which end with the test. With synchronous,
// the primary's commits wait for the standby.
func StartPair(tb testing.TB, synchronous bool) *Pair {
	tb.Helper()
	primary := newServer(tb)
	if err := initialize(filepath.Join(primary.programs, "initdb"), primary.data(), primary.account); err != nil {
		tb.Fatalf("this test needs Postgres: %v", err)
	}
	settings, err := os.OpenFile(filepath.Join(primary.data(), "postgresql.conf"), os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		_, err = settings.WriteString("fsync = off\n") // here ALTER SYSTEM can override it
		err = errors.Join(err, settings.Close())
	}
	need.NoError(tb, err)
	primary.Start()
	standby := newServer(tb)
	copying := exec.Command(filepath.Join(standby.programs, "pg_basebackup"), "-D", standby.data(), "-R", "--no-sync",
		"--checkpoint=fast", "-d",
		"host=127.0.0.1 port="+primary.port+" user=postgres application_name=standby")
	copying.Dir, copying.SysProcAttr = standby.folder, &syscall.SysProcAttr{Credential: standby.account}
	if output, err := copying.CombinedOutput(); err != nil {
		tb.Fatalf("pg_basebackup: %v\n%s", err, output)
	}
	standby.Start()
	p := &Pair{primary, standby}
	if synchronous {
		primary.Do("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
		primary.Do("SELECT pg_reload_conf()")
	}
	return p
}

func newServer(tb testing.TB) *Server {
	tb.Helper()
	programs, err := FindPrograms()
	account, noAccount := ServerAccount()
	if err = errors.Join(err, noAccount); err != nil {
		tb.Fatalf("this test needs Postgres: %v", err)
	}
	folder, err := newFolder(account)
	need.NoError(tb, err)
	port, err := need.Port()
	need.NoError(tb, err)
	s := &Server{tb: tb, programs: programs, account: account, folder: folder, port: port}
	s.URL = "postgres://postgres@127.0.0.1:" + port + "/postgres?sslmode=disable"
	tb.Cleanup(func() {
		s.Kill()
		_ = os.RemoveAll(folder)
	})
	return s
}

func (s *Server) data() string { return filepath.Join(s.folder, "data") }

// Start starts or restarts the server and waits until it answers.
func (s *Server) Start() {
	s.tb.Helper()
	var err error
	s.running, err = launch(s.folder, s.account, "", "QUIT", filepath.Join(s.programs, "postgres"), "-D", s.data(), "-p", s.port,
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="+s.folder, "-c", "shared_buffers=16MB",
		"-c", "dynamic_shared_memory_type=mmap", "-c", "wal_keep_size=64MB", "-c", "wal_retrieve_retry_interval=200ms")
	need.NoError(s.tb, err)
	if err := waitUntilReady(socketURL(s.folder, s.port), s.running.ended); err != nil {
		s.tb.Fatalf("starting Postgres: %v\n%s", err, s.running.said())
	}
}

// Stop shuts the server down cleanly: it closes connections and sends everything to a standby.
func (s *Server) Stop() {
	s.tb.Helper()
	if s.running == nil {
		return
	}
	_ = syscall.Kill(s.running.Process.Pid, syscall.SIGINT)
	select {
	case <-s.running.ended:
	case <-time.After(startTimeout):
		s.tb.Error("Postgres does not stop")
	}
	s.Kill()
}

// Kill ends the server at once, like a crash.
func (s *Server) Kill() {
	if s.running == nil {
		return
	}
	s.running.kill()
	s.running = nil
}

// Promote makes a standby a primary.
func (s *Server) Promote() {
	s.tb.Helper()
	s.Do("SELECT pg_promote(true, 60)")
	s.Wait("SELECT NOT pg_is_in_recovery()")
}

// Do executes a statement.
func (s *Server) Do(statement string) {
	s.tb.Helper()
	if _, err := Raw(s.tb, s.URL).Exec(statement); err != nil {
		s.tb.Fatalf("%s: %v", statement, err)
	}
}

// Wait waits until a query returns true.
func (s *Server) Wait(query string) {
	s.tb.Helper()
	raw := Raw(s.tb, s.URL)
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	err := errors.New("not asked")
	for until := time.Now().Add(startTimeout); time.Now().Before(until); <-again.C {
		var yes bool
		if err = raw.QueryRow(query).Scan(&yes); err == nil && yes {
			return
		}
	}
	s.tb.Fatalf("not within %s: %s (%v)", startTimeout, query, err)
}

// Hosts returns a URL that lists the hosts of several addresses in their order; the rest of it is
// that of the first.
func Hosts(tb testing.TB, addresses ...string) string {
	tb.Helper()
	var hosts []string
	for _, address := range addresses {
		u, err := url.Parse(address)
		need.NoError(tb, err)
		hosts = append(hosts, u.Host)
	}
	return strings.Replace(addresses[0], hosts[0], strings.Join(hosts, ","), 1)
}

// With returns a database's address with one more parameter.
func With(address, parameter string) string { return address + "&" + parameter }
