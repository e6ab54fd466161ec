package world

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"piyasa/db/dbtest"
	"piyasa/test/fixture/need"
)

// Postgres is a server with a cluster of its own: a primary or a standby.
type Postgres struct {
	Address string // 127.0.0.1:PORT
	// Upstream is how a standby reaches its primary; it can be cut and switched.
	Upstream *Proxy

	w        *World
	name     string
	programs string // the folder of Postgres's programs
	account  *syscall.Credential
	folder   string
	log      said
	process  *process
}

// settings are those of every server here. No power is cut, so nothing needs to be
// synced. wal_log_hints and wal_keep_size are for pg_rewind, the interval lets standbys
// find their primary again at once.
const settings = `
listen_addresses = '127.0.0.1'
fsync = off
shared_buffers = 32MB
wal_log_hints = on
wal_keep_size = 1GB
wal_retrieve_retry_interval = 100ms
wal_receiver_timeout = 3s
wal_sender_timeout = 3s
`

// newPostgres returns a server that has no cluster yet.
func (w *World) newPostgres(name string) *Postgres {
	w.T.Helper()
	programs, err := dbtest.FindPrograms()
	account, noAccount := dbtest.ServerAccount()
	if err = errors.Join(err, noAccount); err != nil {
		needs(w.T, err)
	}
	p := &Postgres{w: w, name: name, programs: programs, account: account, folder: filepath.Join(w.folder, name)}
	if err = os.Mkdir(p.folder, 0o700); err == nil && account != nil {
		err = os.Chown(p.folder, int(account.Uid), int(account.Gid))
	}
	need.NoError(w.T, err)
	p.Address = need.Address(w.T)
	showAtFailure(w.T, "Postgres "+name, &p.log)
	w.T.Cleanup(func() {
		if p.process != nil {
			p.stop(syscall.SIGQUIT)
		}
	})
	return p
}

// needs ends a test that lacks a program: it is skipped outside CI.
func needs(t testing.TB, err error) {
	t.Helper()
	if os.Getenv("CI") == "" {
		t.Skipf("this test needs something: %v", err)
	}
	t.Fatalf("this test needs something: %v", err)
}

// NewPostgres makes a primary and starts it.
func (w *World) NewPostgres(name string) *Postgres {
	w.T.Helper()
	p := w.newPostgres(name)
	p.run("initdb", "-D", p.data(), "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync")
	config, err := os.OpenFile(filepath.Join(p.data(), "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	need.NoError(w.T, err)
	defer config.Close()
	if _, err := config.WriteString(settings); err != nil {
		w.T.Fatal(err)
	}
	p.Start()
	return p
}

// NewStandby makes a standby of p and starts it.
func (p *Postgres) NewStandby(name string) *Postgres {
	p.w.T.Helper()
	s := p.w.newPostgres(name)
	s.Upstream = NewProxy(p.w.T, p.Address)
	host, port := split(p.w.T, p.Address)
	// A machine that does other work may be slower than wal_sender_timeout.
	primary := fmt.Sprintf("host=%s port=%s user=postgres options='-c wal_sender_timeout=60s'", host, port)
	s.run("pg_basebackup", "-d", primary, "-D", s.data(), "-X", "stream", "-c", "fast", "--no-sync")
	s.signalStandby()
	s.Start()
	return s
}

func split(t testing.TB, address string) (host, port string) {
	t.Helper()
	host, port, err := net.SplitHostPort(address)
	need.NoError(t, err)
	return host, port
}

// signalStandby lets the next start be that of a standby.
func (p *Postgres) signalStandby() {
	p.w.T.Helper()
	need.NoError(p.w.T, os.WriteFile(filepath.Join(p.data(), "standby.signal"), nil, 0o644))
}

func (p *Postgres) data() string { return filepath.Join(p.folder, "data") }

// command returns a program of Postgres as its user runs it.
func (p *Postgres) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(p.programs, name), args...)
	cmd.Dir, cmd.SysProcAttr = p.folder, &syscall.SysProcAttr{Credential: p.account}
	return cmd
}

// run runs a program of Postgres to its end.
func (p *Postgres) run(name string, args ...string) {
	p.w.T.Helper()
	output, err := p.command(name, args...).CombinedOutput()
	if err != nil {
		p.w.T.Fatalf("%s: %v\n%s", name, err, output)
	}
}

// URL returns the address of the database, directly or through a proxy.
func (p *Postgres) URL() string { return databaseURL(p.Address) }

func databaseURL(address string) string {
	return "postgres://postgres@" + address + "/postgres?sslmode=disable"
}

// Start starts the server and waits until it answers. After a kill, processes of the
// last one may hold its memory for a moment, so it tries again.
func (p *Postgres) Start() {
	p.w.T.Helper()
	p.w.Wait("Postgres "+p.name+" answers", func(ctx context.Context) bool {
		if p.process == nil {
			p.launch()
		}
		select {
		case <-p.process.ended:
			p.process = nil
			return false
		default:
		}
		_, port := split(p.w.T, p.Address)
		// at the address, another may answer
		_, err := ask(ctx, "postgres://postgres@/postgres?host="+url.QueryEscape(p.folder)+"&port="+port, "SELECT 1")
		return err == nil
	})
}

func (p *Postgres) launch() {
	p.w.T.Helper()
	_, port := split(p.w.T, p.Address)
	args := []string{"-D", p.data(), "-c", "port=" + port, "-c", "unix_socket_directories=" + p.folder}
	if p.Upstream != nil {
		host, port := split(p.w.T, p.Upstream.Address)
		args = append(args, "-c", fmt.Sprintf("primary_conninfo=host=%s port=%s user=postgres application_name=%s", host, port, p.name))
	}
	cmd := p.command("postgres", args...)
	cmd.Stdout, cmd.Stderr = &p.log, &p.log
	var err error
	if p.process, err = startProcess(cmd, syscall.SIGQUIT); err != nil {
		p.w.T.Fatal(err)
	}
}

// Stop ends connections and stops in order.
func (p *Postgres) Stop() { p.stop(syscall.SIGINT) }

// Abort stops at once; the next start recovers.
func (p *Postgres) Abort() { p.stop(syscall.SIGQUIT) }

// Kill kills the server like the kernel does when memory is short.
func (p *Postgres) Kill() { p.stop(syscall.SIGKILL) }

func (p *Postgres) stop(signal syscall.Signal) {
	p.process.signal(p.w.T, signal)
	<-p.process.ended
	p.process = nil
}

// Ask runs a statement and returns the text of its first value.
func (p *Postgres) Ask(ctx context.Context, statement string) (string, error) {
	return ask(ctx, p.URL(), statement)
}

func ask(ctx context.Context, url, statement string) (string, error) {
	connection, err := pgx.Connect(ctx, url)
	if err != nil {
		return "", err
	}
	defer connection.Close(context.WithoutCancel(ctx)) // it has a deadline of its own
	rows, err := connection.Query(ctx, statement, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	first := ""
	if rows.Next() {
		first = string(rows.RawValues()[0])
	}
	rows.Close()
	return first, rows.Err()
}

// Do runs a statement that must work.
func (p *Postgres) Do(statement string) string {
	p.w.T.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	answer, err := p.Ask(ctx, statement)
	if err != nil {
		p.w.T.Fatalf("Postgres %s: %s: %v", p.name, statement, err)
	}
	return answer
}

// MakeSynchronous lets commits wait for a standby.
func (p *Postgres) MakeSynchronous(standby *Postgres) {
	p.w.T.Helper()
	p.Do("ALTER SYSTEM SET synchronous_standby_names = " + strconv.Quote(standby.name))
	p.Do("SELECT pg_reload_conf()")
	p.w.Wait(standby.name+" is synchronous", func(ctx context.Context) bool {
		state, err := p.Ask(ctx, "SELECT sync_state FROM pg_stat_replication WHERE application_name = '"+standby.name+"'")
		return err == nil && state == "sync"
	})
}

// WaitFor waits until a standby has replayed everything that p has written.
func (p *Postgres) WaitFor(standby *Postgres) {
	p.w.T.Helper()
	at := p.Do("SELECT pg_current_wal_insert_lsn()")
	p.w.Wait(standby.name+" has replayed everything", func(ctx context.Context) bool {
		done, err := standby.Ask(ctx, "SELECT pg_last_wal_replay_lsn() >= '"+at+"'")
		return err == nil && done == "t"
	})
}

// Promote makes a primary of a standby.
func (p *Postgres) Promote() {
	p.w.T.Helper()
	if p.Do("SELECT pg_promote(true, 30)") != "t" {
		p.w.T.Fatalf("%s was not promoted", p.name)
	}
}

// RewindTo makes a former primary, which must not run, a standby of the new one.
func (p *Postgres) RewindTo(primary *Postgres) {
	p.w.T.Helper()
	primary.Do("CHECKPOINT") // pg_rewind reads the new timeline from it
	host, port := split(p.w.T, primary.Address)
	p.run("pg_rewind", "-D", p.data(), "--no-sync", "--source-server", "host="+host+" port="+port+" user=postgres dbname=postgres")
	if p.Upstream == nil {
		p.Upstream = NewProxy(p.w.T, primary.Address)
	} else {
		p.Upstream.Switch(primary.Address)
	}
	p.signalStandby()
	p.Start()
}
