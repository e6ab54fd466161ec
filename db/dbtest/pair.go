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

	"piyasa/test/fixture/ports"
)

// Server is one Postgres of a [Pair].
type Server struct {
	URL string // of the database "postgres"

	tb       testing.TB
	programs string
	folder   string
	port     string
	process  *exec.Cmd // nil: stopped
	ended    chan struct{}
	alive    *os.File // closed, also by the end of this process, it ends Postgres
}

// Pair is a primary with durability and a standby that replicates it by streaming.
type Pair struct{ Primary, Standby *Server }

// StartPair starts a primary and its standby, which end with the test. With synchronous,
// the primary's commits wait for the standby.
func StartPair(tb testing.TB, synchronous bool) *Pair {
	tb.Helper()
	primary := newServer(tb)
	account, err := ServerAccount()
	if err != nil {
		tb.Fatalf("this test needs Postgres: %v", err)
	}
	if err := initialize(filepath.Join(primary.programs, "initdb"), primary.data(), account); err != nil {
		tb.Fatalf("this test needs Postgres: %v", err)
	}
	settings, err := os.OpenFile(filepath.Join(primary.data(), "postgresql.conf"), os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		_, err = settings.WriteString("fsync = off\n") // where ALTER SYSTEM is stronger
		err = errors.Join(err, settings.Close())
	}
	if err != nil {
		tb.Fatal(err)
	}
	primary.Start()
	standby := newServer(tb)
	copying := exec.Command(filepath.Join(standby.programs, "pg_basebackup"), "-D", standby.data(), "-R", "--no-sync",
		"--checkpoint=fast", "-d",
		"host=127.0.0.1 port="+primary.port+" user=postgres application_name=standby")
	copying.Dir, copying.SysProcAttr = standby.folder, &syscall.SysProcAttr{Credential: account}
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
	if err != nil {
		tb.Fatalf("this test needs Postgres: %v", err)
	}
	account, err := ServerAccount()
	if err != nil {
		tb.Fatalf("this test needs Postgres: %v", err)
	}
	folder, err := newFolder(account)
	if err != nil {
		tb.Fatal(err)
	}
	port, err := ports.Free()
	if err != nil {
		tb.Fatal(err)
	}
	s := &Server{tb: tb, programs: programs, folder: folder, port: port}
	s.URL = "postgres://postgres@127.0.0.1:" + port + "/postgres?sslmode=disable"
	tb.Cleanup(func() {
		s.Kill()
		_ = os.RemoveAll(folder)
	})
	return s
}

func (s *Server) data() string { return filepath.Join(s.folder, "data") }

// keep runs a server, to which the first argument is the signal that ends it, until the
// pipe at file 3 closes; its files stay.
const keep = `
end=$1
shift
"$@" 3<&- &
server=$!
{ read -r line <&3; kill -$end $server; } &
watcher=$!
exec 3<&-
trap 'kill -INT $server' INT
while kill -0 $server 2>/dev/null; do wait $server; done
kill $watcher 2>/dev/null
`

// Start starts the server, also again, and waits until it answers.
func (s *Server) Start() {
	s.tb.Helper()
	account, err := ServerAccount()
	if err != nil {
		s.tb.Fatal(err)
	}
	watched, alive, err := os.Pipe()
	if err != nil {
		s.tb.Fatal(err)
	}
	defer watched.Close()
	log, err := os.OpenFile(filepath.Join(s.folder, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		s.tb.Fatal(err)
	}
	defer log.Close()
	command := exec.Command("sh", "-c", keep, "sh", "QUIT", filepath.Join(s.programs, "postgres"), "-D", s.data(), "-p", s.port,
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="+s.folder, "-c", "shared_buffers=16MB",
		"-c", "wal_keep_size=64MB", "-c", "wal_retrieve_retry_interval=200ms")
	command.Dir, command.Stdout, command.Stderr = s.folder, log, log
	command.ExtraFiles = []*os.File{watched}
	command.SysProcAttr = &syscall.SysProcAttr{Credential: account, Setpgid: true}
	if err := command.Start(); err != nil {
		s.tb.Fatal(err)
	}
	s.process, s.alive, s.ended = command, alive, make(chan struct{})
	go func(ended chan struct{}) {
		_ = command.Wait() // its status says nothing that the log does not
		close(ended)
	}(s.ended)
	if err := waitUntilReady(socketURL(s.folder, s.port), s.ended); err != nil {
		logged, _ := os.ReadFile(filepath.Join(s.folder, "log"))
		s.tb.Fatalf("starting Postgres: %v\n%s", err, logged)
	}
}

// Stop ends the server in order: connections are closed, and a standby gets everything.
func (s *Server) Stop() {
	s.tb.Helper()
	if s.process == nil {
		return
	}
	_ = syscall.Kill(s.process.Process.Pid, syscall.SIGINT)
	select {
	case <-s.ended:
	case <-time.After(startTimeout):
		s.tb.Error("Postgres does not stop")
	}
	s.Kill()
}

// Kill ends the server at once, like a crash.
func (s *Server) Kill() {
	if s.process == nil {
		return
	}
	_ = s.alive.Close()
	<-s.ended
	s.process = nil
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

// Wait waits until a query answers true.
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

// Hosts returns an address of the hosts of some addresses, in their order; the rest is that
// of the first.
func Hosts(tb testing.TB, addresses ...string) string {
	tb.Helper()
	var hosts []string
	for _, address := range addresses {
		u, err := url.Parse(address)
		if err != nil {
			tb.Fatal(err)
		}
		hosts = append(hosts, u.Host)
	}
	return strings.Replace(addresses[0], hosts[0], strings.Join(hosts, ","), 1)
}

// With returns an address of a database with another parameter.
func With(address, parameter string) string { return address + "&" + parameter }
