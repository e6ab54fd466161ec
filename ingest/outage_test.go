package ingest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/ingest"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// logged collects what is logged until the test ends.
type logged struct{ need.Said }

// count returns how often text was logged.
func (l *logged) count(text string) int {
	return strings.Count(l.String(), text)
}

func logs(t *testing.T) *logged {
	t.Helper()
	l, before := new(logged), slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(l, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	return l
}

const waiting, available = `msg="waiting for the database"`, `msg="the database is available"`

// repeating are the options of a run that repeats.
var repeating = ingest.Options{RetryFor: time.Hour}

// throughProxy opens a database through a proxy, and beside it.
func throughProxy(t *testing.T, options ...db.Option) (s *db.Store, proxy *dbtest.Proxy, url string) {
	t.Helper()
	url = dbtest.PostgresURL(t)
	proxy = dbtest.NewProxy(t, url, "")
	return dbtest.Open(t, proxy.URL, options...), proxy, url
}

// What comes while the database is away is stored when it is back: all of it, once,
// and the log says once that the run waits and once that it goes on.
func TestOutageIsWaitedFor(t *testing.T) {
	for name, outage := range map[string]func(*dbtest.Proxy) (end func()){
		"refused": func(p *dbtest.Proxy) func() { p.Go(); return p.Arrive },
		"silent":  func(p *dbtest.Proxy) func() { p.Silence(); return p.Speak },
	} {
		t.Run(name, func(t *testing.T) {
			s, proxy, _ := throughProxy(t, db.Timeout(200*time.Millisecond))
			l := logs(t)
			r := startWith(t, s, repeating)
			r.say(t, quote("BEFORE", t1, "1"))
			fixture.Eventually(t, "the first line", func() bool { return lasts(t, s)["BEFORE"] == "1" })
			end := outage(proxy)
			const n = 2000
			more := strings.Repeat("more than fits into a batch, and between the reader and the writer\n", 9)
			said := make(chan error, 1)
			go func() {
				var all bytes.Buffer
				for i := range n {
					all.WriteString(quote(fmt.Sprintf("S%d", i), t1, fmt.Sprint(i+1)) + more)
				}
				_, err := r.Write(all.Bytes())
				said <- errors.Join(err, r.Close())
			}()
			fixture.Eventually(t, "it waits", func() bool { return l.count(waiting) == 1 })
			time.Sleep(time.Second) // several tries
			select {
			case <-said:
				t.Fatal("everything was read while nothing could be stored")
			default:
			}
			if l.count(waiting) != 1 || l.count(available) != 0 {
				t.Errorf("logged of one outage %s", l.String())
			}
			end()
			need.NoError(t, <-said)
			if r.wait(t); r.err != nil || r.summary.Counts != (ingest.Counts{Read: 10*n + 1, Stored: n + 1, Rejected: 9 * n}) {
				t.Errorf("%+v, %v", r.summary.Counts, r.err)
			}
			stored := lasts(t, s)
			for i := range n {
				if stored[fmt.Sprintf("S%d", i)] != fmt.Sprint(i+1) {
					t.Fatalf("S%d is %q", i, stored[fmt.Sprintf("S%d", i)])
				}
			}
			if n := l.count(waiting); l.count(available) != n { // more than one where the machine is busy
				t.Errorf("logged %s", l.String())
			}
		})
	}
}

// Connections that are terminated, a server that crashes, and a database that may only
// be read for a while: each line is stored, in the order of the input.
func TestServerTroubles(t *testing.T) {
	const others = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND pid " +
		"<> pg_backend_pid()"
	for name, trouble := range map[string]func(t *testing.T, url string){
		"terminated": func(t *testing.T, url string) {
			for range 20 {
				execute(t, url, others)
				time.Sleep(20 * time.Millisecond)
			}
		},
		"crashed": func(t *testing.T, url string) {
			var victim int
			raw := dbtest.Raw(t, url)
			need.NoError(t, raw.QueryRow("SELECT pg_backend_pid()").Scan(&victim))
			if err := syscall.Kill(victim, syscall.SIGKILL); err != nil { // which restarts the whole server
				t.Fatal(err)
			}
		},
		"read-only": func(t *testing.T, url string) {
			execute(t, url, "ALTER DATABASE "+nameOf(url)+" SET default_transaction_read_only = on")
			execute(t, url, others)
			time.Sleep(500 * time.Millisecond)
			execute(t, url, "BEGIN; SET TRANSACTION READ WRITE; ALTER DATABASE "+nameOf(url)+
				" SET default_transaction_read_only = off; COMMIT")
			execute(t, url, others)
		},
	} {
		t.Run(name, func(t *testing.T) {
			cluster, stop, err := dbtest.StartPostgres() // which no other test shares
			need.NoError(t, err)
			t.Cleanup(stop)
			url, _, err := dbtest.NewDatabase(cluster)
			need.NoError(t, err)
			execute(t, url, "ALTER DATABASE "+nameOf(url)+" SET synchronous_commit = on") // or a crash would lose commits
			s := open(t, url)
			r := startWith(t, s, repeating)
			written, enough := make(chan int), make(chan struct{})
			go func() {
				n := 0
				for ; ; n++ {
					select {
					case <-enough:
						_ = r.Close()
						written <- n
						return
					default:
					}
					if _, err := io.WriteString(r, disclosed(1000+n)); err != nil {
						written <- -1
						return
					}
					time.Sleep(time.Millisecond)
				}
			}()
			fixture.Eventually(t, "the first line", func() bool { return len(storedOrder(t, s)) > 0 })
			trouble(t, url)
			time.Sleep(100 * time.Millisecond)
			close(enough)
			n := <-written
			if r.wait(t); n < 0 || r.err != nil || r.summary.Stored+r.summary.Unchanged != n || r.summary.Rejected > 0 {
				t.Fatalf("%d lines, %+v, %v", n, r.summary, r.err)
			}
			if got := storedOrder(t, open(t, url)); len(got) != n || !slices.IsSorted(got) {
				t.Errorf("of %d lines %d are stored: %v", n, len(got), got)
			}
		})
	}
}

// nameOf returns the name of the database at url.
func nameOf(url string) string {
	name, _, _ := strings.Cut(url[strings.LastIndex(url, "/")+1:], "?")
	return name
}

// execute runs a statement on a connection of its own.
func execute(t *testing.T, url, statement string) {
	t.Helper()
	raw := dbtest.Raw(t, url)
	defer raw.Close()
	if _, err := raw.Exec(statement); err != nil {
		t.Fatal(err)
	}
}

// A commit whose answer is lost is repeated: the records are there already, each once,
// and nothing takes another number.
func TestLostAnswerOfACommit(t *testing.T) {
	s, proxy, _ := throughProxy(t)
	r := startWith(t, s, repeating)
	proxy.LoseCommit()
	r.say(t, disclosed(1)+quote("A", t1, "1")+disclosed(2)+"bad\n"+quote("A", t2, "2"))
	_ = r.Close()
	r.wait(t)
	// Unchanged are those of the commit that is repeated: all of them, or those before a pause of the machine.
	if c := r.summary.Counts; r.err != nil || c.Read != 5 || c.Stored+c.Unchanged != 4 || c.Unchanged == 0 || c.Rejected != 1 {
		t.Errorf("%+v, %v", c, r.err)
	}
	if now, err := s.Look(t.Context()); err != nil || now.Heads[db.FeedDisclosures] != 2 || now.Heads[db.FeedQuotes] != 1 {
		t.Errorf("last numbers %v, %v", now.Heads, err)
	}
	if got := storedOrder(t, s); !reflect.DeepEqual(got, []int{1, 2}) || lasts(t, s)["A"] != "2" || len(kept(t, s, "A")) != 2 {
		t.Errorf("stored %v and %v", got, lasts(t, s))
	}
}

// A disclosure that waits for its predecessor waits on after an outage that is longer:
// the predecessor could not arrive.
func TestGapsThroughAnOutage(t *testing.T) {
	s, proxy, _ := throughProxy(t, db.Timeout(time.Second))
	l := logs(t)
	acks, next := heard(t)
	r := startWith(t, s, ingest.Options{RetryFor: time.Hour, HoldGaps: time.Second, Acks: acks})
	r.say(t, disclosed(1))
	if n := next(); n != 1 {
		t.Fatalf("acknowledged %d lines", n)
	}
	proxy.Go()
	r.say(t, disclosed(3)+`{"record":"disclosure","disclosure_index":4}`+"\n"+disclosed(6)) // 5 waits for 3, as 4 is refused
	fixture.Eventually(t, "it waits", func() bool { return l.count(waiting) == 1 })
	r.say(t, disclosed(5)+disclosed(2))
	time.Sleep(1500 * time.Millisecond)
	proxy.Arrive()
	fixture.Eventually(t, "all are stored", func() bool { return len(storedOrder(t, s)) == 5 })
	if got := storedOrder(t, s); !reflect.DeepEqual(got, []int{1, 2, 3, 5, 6}) {
		t.Errorf("stored in the order %v", got)
	}
	if n := next(); n != 6 {
		t.Errorf("acknowledged %d lines", n)
	}
	_ = r.Close()
	if r.wait(t); r.err != nil || r.summary.Stored != 5 {
		t.Errorf("%+v, %v", r.summary, r.err)
	}
}

// Another process that writes for longer than a write may take is waited for, on both
// stores.
func TestLockIsWaitedFor(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		if _, err := db.Migrate(t.Context(), url); err != nil {
			t.Fatal(err)
		}
		s := dbtest.Open(t, url, db.Timeout(300*time.Millisecond))
		tx, err := dbtest.Raw(t, url).Begin()
		need.NoError(t, err)
		if _, err := tx.Exec("UPDATE heads SET seq = seq"); err != nil {
			t.Fatal(err)
		}
		l := logs(t)
		r := startWith(t, s, repeating)
		r.say(t, quote("A", t1, "1"))
		fixture.Eventually(t, "it waits", func() bool { return l.count(waiting) == 1 })
		need.NoError(t, tx.Rollback())
		fixture.Eventually(t, "the line", func() bool { return lasts(t, s)["A"] == "1" })
	})
}

// The wait has a limit, and what was not stored is reported.
func TestWaitForTheDatabaseEnds(t *testing.T) {
	s, proxy, _ := throughProxy(t)
	r := startWith(t, s, ingest.Options{RetryFor: 500 * time.Millisecond})
	r.say(t, quote("A", t1, "1"))
	fixture.Eventually(t, "the line", func() bool { return lasts(t, s)["A"] == "1" })
	proxy.Go()
	r.say(t, quote("B", t1, "1")+quote("C", t1, "1"))
	r.wait(t)
	if r.err == nil || !strings.Contains(r.err.Error(), "store records: the database was away for ") ||
		!strings.Contains(r.err.Error(), "lines read and not stored: 2, after -:1") {
		t.Errorf("%v", r.err)
	}
	if r.summary.Counts != (ingest.Counts{Read: 1, Stored: 1}) {
		t.Errorf("%+v", r.summary.Counts)
	}
}

// waitingRun starts a run that has read a line and waits for its database, which is
// behind a proxy.
func waitingRun(t *testing.T) (*running, *dbtest.Proxy, string) {
	t.Helper()
	s, proxy, url := throughProxy(t)
	l := logs(t)
	r := startWith(t, s, repeating)
	proxy.Go()
	r.say(t, quote("A", t1, "1"))
	fixture.Eventually(t, "it waits", func() bool { return l.count(waiting) == 1 })
	return r, proxy, url
}

// A run that is asked to stop while it waits tries once more, and not for long.
func TestStoppedDuringAnOutage(t *testing.T) {
	t.Run("back in time", func(t *testing.T) {
		r, proxy, url := waitingRun(t)
		r.cancel()
		proxy.Arrive()
		if r.wait(t); !errors.Is(r.err, context.Canceled) || r.summary.Stored != 1 || lasts(t, open(t, url))["A"] != "1" {
			t.Errorf("%+v, %v", r.summary, r.err)
		}
	})
	t.Run("too late", func(t *testing.T) {
		r, _, _ := waitingRun(t)
		r.cancel()
		if r.wait(t); r.err == nil || errors.Is(r.err, context.Canceled) ||
			!strings.Contains(r.err.Error(), "lines read and not stored: 1, after -:0") {
			t.Errorf("%v", r.err)
		}
	})
	t.Run("a feed", func(t *testing.T) {
		s, proxy, _ := throughProxy(t)
		l := logs(t)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		ended := make(chan error, 1)
		go func() {
			_, err := ingest.Feed(ctx, s, emitting(quote("A", t1, "1")),
				ingest.Options{RetryFor: time.Hour, Now: ingest.LateClock, Messages: io.Discard})
			ended <- err
		}()
		proxy.Go()
		fixture.Eventually(t, "it waits", func() bool { return l.count(waiting) == 1 })
		cancel()
		select {
		case err := <-ended:
			if err == nil || !strings.Contains(err.Error(), "lines read and not stored: 1") {
				t.Errorf("%v", err)
			}
		case <-time.After(patience):
			t.Fatal("the feed goes on")
		}
	})
}

// emitting is a source of one line, which then waits for its end.
type emitting string

// Run implements ingest.Source.
func (e emitting) Run(ctx context.Context, emit func([]byte) error) error {
	if err := emit([]byte(e)); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}
