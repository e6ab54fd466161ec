package db_test

import (
	"context"
	"database/sql"
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"piyasa/account/access"
	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/fundamentals"
	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/domain/news"
	"piyasa/internal/problem"
	"piyasa/internal/value"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// short is a timeout of reads for tests that wait for it.
const short = time.Second

// hasty opens a database whose reads may take short.
func hasty(t testing.TB, url string, options ...db.Option) *db.Store {
	t.Helper()
	return dbtest.Open(t, url, append([]db.Option{db.Timeout(short)}, options...)...)
}

// notReads are the methods of a Store that write, or wait.
var notReads = map[string]bool{
	"Store": true, "CreateKey": true, "CreateFirstKey": true, "RevokeKey": true, "RotateKey": true, "Prune": true,
	"SigningSecret": true, "Listen": true,
}

// ofBars are methods whose first text must be the name of a kind.
var ofBars = map[string]bool{"Subjects": true, "CountSubjects": true, "Jumps": true, "Newest": true}

// errorsOf calls every method of s that takes a context and returns an error, all
// at once, each with one of everything, and returns how they ended.
func errorsOf(ctx context.Context, s *db.Store) map[string]error {
	b := new(db.Batch)
	db.Put(b, price("bist:THYAO", t1, "9"), new(db.Outcome))
	special := map[reflect.Type]any{
		reflect.TypeFor[*db.Batch]():                       b,
		reflect.TypeFor[*access.Key]():                     &access.Key{ID: "k", Hash: "h", Scopes: []access.Scope{}},
		reflect.TypeFor[func(*access.Key) access.Secret](): func(*access.Key) access.Secret { return "s" },
		reflect.TypeFor[map[market.Market]value.Instant](): map[market.Market]value.Instant{market.BIST: value.MustInstant(t1)},
		reflect.TypeFor[kap.Query]():                       kap.Query{Limit: 1},
		reflect.TypeFor[news.Query]():                      news.Query{Limit: 1},
		reflect.TypeFor[kap.Replay]():                      kap.Replay{Of: kap.Selection{All: true}, Limit: 1},
		reflect.TypeFor[fundamentals.DividendQuery]():      fundamentals.DividendQuery{DateField: fundamentals.ByExDate, Limit: 1},
		reflect.TypeFor[[][]kap.Origin]():                  [][]kap.Origin{under("A1")},
		reflect.TypeFor[func(statement string)]():          func(string) {},
	}
	ended, mu, all := map[string]error{}, sync.Mutex{}, sync.WaitGroup{}
	of := reflect.ValueOf(s)
	for i := range of.NumMethod() {
		method, name := of.Method(i), of.Type().Method(i).Name
		in := method.Type()
		if in.NumIn() == 0 || in.In(0) != reflect.TypeFor[context.Context]() || in.NumOut() == 0 ||
			in.Out(in.NumOut()-1) != reflect.TypeFor[error]() {
			continue
		}
		args := []reflect.Value{reflect.ValueOf(ctx)}
		for a := 1; a < in.NumIn(); a++ {
			switch value, ok := special[in.In(a)]; {
			case ok:
				args = append(args, reflect.ValueOf(value))
			case a == 1 && ofBars[name]:
				args = append(args, reflect.ValueOf("bar"))
			case in.In(a).Kind() == reflect.Slice:
				args = append(args, reflect.MakeSlice(in.In(a), 1, 1))
			default:
				args = append(args, reflect.New(in.In(a)).Elem())
			}
		}
		all.Go(func() {
			out := method.Call(args)
			err, _ := out[len(out)-1].Interface().(error)
			mu.Lock()
			defer mu.Unlock()
			ended[name] = err
		})
	}
	all.Wait()
	return ended
}

// allFail checks that every method failed: reads with the problem
// store-unavailable, of which a client sees nothing internal.
func allFail(t *testing.T, ended map[string]error) {
	t.Helper()
	if len(ended) < 40 {
		t.Errorf("only %d methods were called", len(ended))
	}
	for name, err := range ended {
		e := problem.From(err)
		switch {
		case err == nil:
			t.Errorf("%s did not fail", name)
		case notReads[name]:
		case e.Kind != problem.StoreUnavailable || e.RetryAfter == 0 || errors.Unwrap(e) == nil ||
			strings.Contains(e.Detail, errors.Unwrap(e).Error()):
			t.Errorf("%s: %s %q, %v", name, e.Kind, e.Detail, err)
		}
	}
}

// A database that says nothing any more is given up by every method, in time,
// and answers soon after it speaks again.
func TestSilentDatabase(t *testing.T) {
	t.Parallel()
	proxy := dbtest.NewProxy(t, dbtest.PostgresURL(t), "")
	s := hasty(t, proxy.URL)
	put(t, s, price("bist:THYAO", t1, "1"))
	proxy.Silence()
	began := time.Now()
	allFail(t, errorsOf(t.Context(), s))
	if took := time.Since(began); took > 100*short {
		t.Errorf("it took %s", took)
	}
	proxy.Speak()
	fixture.Eventually(t, "an answer again", func() bool { // attempts to connect may still be on their way
		_, one := s.Disclosures(t.Context(), kap.Query{Limit: 1})
		_, other := s.Look(t.Context())
		return one == nil && other == nil
	})
}

// A store that is gone, whichever it is, is the same problem.
func TestStoreThatIsGone(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := hasty(t, url)
		need.NoError(t, s.Close())
		allFail(t, errorsOf(t.Context(), s))
	})
}

// A caller who goes away is no failure of the store.
func TestCallerWhoGoesAway(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := hasty(t, url)
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		for name, err := range errorsOf(gone, s) {
			if !errors.Is(err, context.Canceled) || problem.From(err).Kind == problem.StoreUnavailable {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// lock holds a table until the test ends or unlock is called.
func lock(t *testing.T, url, table string) (unlock func()) {
	t.Helper()
	tx, err := dbtest.Raw(t, url).BeginTx(context.WithoutCancel(t.Context()), nil)
	need.NoError(t, err)
	if _, err := tx.Exec("LOCK TABLE " + table + " IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	unlock = sync.OnceFunc(func() { _ = tx.Rollback() })
	t.Cleanup(unlock)
	return unlock
}

// A lock on one table makes its readers wait for the timeout, and nobody
// else.
func TestLockedTable(t *testing.T) {
	url := dbtest.PostgresURL(t)
	s := hasty(t, url, db.Connections(4))
	unlock := lock(t, url, "disclosures")
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			_, err := s.Disclosures(t.Context(), kap.Query{Limit: 1})
			if problem.From(err).Kind != problem.StoreUnavailable {
				t.Errorf("disclosures: %v", err)
			}
		})
	}
	for range 20 {
		if _, err := s.Bars(t.Context(), market.Day, []market.Span{{ID: "bist:A"}}); err != nil {
			t.Errorf("bars: %v", err)
		}
		if _, err := s.Look(t.Context()); err != nil {
			t.Errorf("heads: %v", err)
		}
	}
	all.Wait()
	unlock()
	if _, err := s.Disclosures(t.Context(), kap.Query{Limit: 1}); err != nil {
		t.Error(err)
	}
}

// Connections that fell silent while nobody used them cost no answer.
func TestSilentConnections(t *testing.T) {
	proxy := dbtest.NewProxy(t, dbtest.PostgresURL(t), "")
	s := dbtest.Open(t, proxy.URL, db.Timeout(2*time.Second), db.Connections(8))
	ask := func() {
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if _, err := s.Disclosures(t.Context(), kap.Query{Limit: 1}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	ask()
	time.Sleep(1100 * time.Millisecond) // from then on a connection is asked first
	proxy.SilenceOpen()
	ask()
}

// A listening connection that falls silent is replaced.
func TestSilentListener(t *testing.T) {
	t.Parallel()
	url := dbtest.PostgresURL(t)
	proxy := dbtest.NewProxy(t, url, "")
	s, writer, raw := hasty(t, proxy.URL), open(t, url), dbtest.Raw(t, url)
	go s.Listen(t.Context())
	woken(t, s, patience)
	first := listener(t, raw, 0)
	proxy.SilenceOpen()
	put(t, writer, price("bist:THYAO", t1, "1"))
	woken(t, s, patience) // by the new connection
	listener(t, raw, first)
}

// As many connections stay as may be open: a burst opens no new ones.
func TestConnectionsStay(t *testing.T) {
	url := dbtest.PostgresURL(t)
	const connections = 12
	s, err := db.Open(t.Context(), url+"&application_name=tested", db.Connections(connections))
	need.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	raw := dbtest.Raw(t, url)
	pids := func() (known map[int]bool) {
		known = map[int]bool{}
		rows, err := raw.Query("SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'tested'")
		need.NoError(t, err)
		defer rows.Close()
		for rows.Next() {
			var pid int
			need.NoError(t, rows.Scan(&pid))
			known[pid] = true
		}
		return known
	}
	burst := func() {
		unlock := lock(t, url, "bars, disclosures, news")
		var all sync.WaitGroup
		for range connections {
			all.Go(func() { _, _ = s.Disclosures(t.Context(), kap.Query{Limit: 1}) })
			all.Go(func() { _, _ = s.News(t.Context(), news.Query{Limit: 1}) })
			all.Go(func() { _, _ = s.Bars(t.Context(), market.Day, []market.Span{{ID: "bist:A"}}) })
		}
		fixture.Eventually(t, "statements that wait", func() bool { return waiting(t, raw) >= connections })
		unlock()
		all.Wait()
	}
	burst()
	before := pids()
	for range 3 {
		burst()
	}
	for pid := range pids() {
		if !before[pid] {
			t.Error("a connection was opened although others were idle")
		}
	}
}

// waiting counts the connections that wait for a lock.
func waiting(t *testing.T, raw *sql.DB) (n int) {
	t.Helper()
	if err := raw.QueryRow("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND " +
		"wait_event_type = 'Lock'").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// A writer that cannot get the lock says so in time, and so does one whose file
// can grow no more; both can go on afterwards.
func TestSQLiteThatTakesNothing(t *testing.T) {
	t.Parallel()
	url := "sqlite:" + t.TempDir() + "/piyasa.db"
	s, raw := hasty(t, url), dbtest.Raw(t, url)
	conn, err := raw.Conn(t.Context())
	need.NoError(t, err)
	defer conn.Close()
	do := func(statement string) {
		t.Helper()
		if _, err := conn.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	do("BEGIN IMMEDIATE")
	b, _ := batch(t, price("bist:THYAO", t1, "1"))
	if err := s.Store(t.Context(), b); err == nil {
		t.Error("stored while another process holds the lock")
	}
	headsAre(t, s, 0, 0, 0) // reading goes on
	do("ROLLBACK")
	put(t, s, price("bist:THYAO", t1, "1"))
	headsAre(t, s, 0, 0, 1)
}
