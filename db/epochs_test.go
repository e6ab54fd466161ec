package db_test

import (
	"database/sql"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/internal/epoch"
	"piyasa/test/fixture/need"
)

func look(t *testing.T, s *db.Store) epoch.Moment {
	t.Helper()
	return must[epoch.Moment](t)(s.Look(background))
}

// jumped checks that a new epoch began after before, from the same rows.
func jumped(t *testing.T, before, after epoch.Moment) {
	t.Helper()
	if len(after.Epochs) != len(before.Epochs)+1 || !reflect.DeepEqual(after.Epochs[:len(before.Epochs)], before.Epochs) {
		t.Fatalf("epochs %+v, then %+v", before.Epochs, after.Epochs)
	}
	e := after.Epochs[len(after.Epochs)-1]
	for feed, last := range before.Heads {
		if e.Ended[feed] != last || after.Heads[feed]-last < e.Skip || e.Skip < 1<<32 {
			t.Errorf("%s: %d, then %d, with %+v", feed, last, after.Heads[feed], e)
		}
	}
}

// One epoch goes on over restarts, of which nothing is seen in its numbers.
func TestEpochGoesOn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		first := open(t, url)
		began := look(t, first)
		if len(began.Epochs) != 1 || began.Epochs[0].Skip != 0 || began.AsOf.IsZero() {
			t.Errorf("begins as %+v", began)
		}
		for n := range int64(3) {
			s := open(t, url)
			put(t, s, price("bist:THYAO", t1, string('1'+rune(n))))
			if m := look(t, s); !reflect.DeepEqual(m.Epochs, began.Epochs) || m.Heads[db.FeedQuotes] != n+1 {
				t.Errorf("after %d: %+v", n, m)
			}
			_ = s.Close()
		}
	})
}

// What stored rows in one place goes on above in another; each row has its own number.
func TestAnotherPlaceBeginsAnEpoch(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s, other := open(t, url), open(t, url)
		put(t, s, price("bist:THYAO", t1, "1"))
		before := look(t, s)
		move(t, url)
		put(t, other, price("bist:THYAO", t1, "2")) // a writer begins the epoch, before its rows
		after := look(t, other)
		jumped(t, before, after)
		if e := after.Epochs[1]; after.Heads[db.FeedQuotes] != before.Heads[db.FeedQuotes]+e.Skip+1 {
			t.Errorf("the first row of the epoch has number %d", after.Heads[db.FeedQuotes])
		}
		if m := look(t, s); !reflect.DeepEqual(m.Epochs, after.Epochs) { // which others follow
			t.Errorf("the other follower sees %+v", m.Epochs)
		}
		move(t, url)
		jumped(t, after, look(t, s)) // so does a look
	})
}

// move makes a database one that runs elsewhere.
func move(t *testing.T, url string) {
	t.Helper()
	if path, ok := strings.CutPrefix(url, "sqlite:"); ok {
		must[[]byte](t)(os.ReadFile(path + "-witness"))
		need.NoError(t, os.Remove(path+"-witness"))
		return
	}
	raw := dbtest.Raw(t, url)
	defer raw.Close()
	must[sql.Result](t)(raw.Exec("UPDATE epochs SET place = '1/00000001/1/1/1' WHERE number = (SELECT MAX(number) FROM epochs)"))
}

// Numbers that went back below those that were seen begin an epoch, in which rows are
// above all that was seen.
func TestNumbersThatWentBack(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		for _, last := range []string{"1", "2", "3"} {
			put(t, s, price("bist:THYAO", t1, last))
		}
		seen := look(t, s)
		raw := dbtest.Raw(t, url)
		must[sql.Result](t)(raw.Exec("UPDATE heads SET seq = 1 WHERE feed = 'quotes'"))
		seen.Heads[db.FeedQuotes] = 1
		after := look(t, s)
		jumped(t, seen, after)
		if _, v := after.Resolve(db.FeedQuotes, epoch.Position{Epoch: seen.Epochs.Current(), Seq: 3}); v != epoch.Lost {
			t.Errorf("a position that was lost is %d", v)
		}
	})
}

// An older copy of an SQLite file begins an epoch wherever it lies and however it came
// there.
func TestRestoredFile(t *testing.T) {
	for name, restore := range map[string]func(t *testing.T, saved, path string) (at string){
		"written over": func(t *testing.T, saved, path string) string {
			write(t, path, must[[]byte](t)(os.ReadFile(saved)))
			return path
		},
		"renamed": func(t *testing.T, saved, path string) string {
			need.NoError(t, os.Rename(saved, path))
			return path
		},
		"elsewhere": func(_ *testing.T, saved, _ string) string { return saved },
		"elsewhere with witness": func(t *testing.T, saved, path string) string {
			write(t, saved+"-witness", must[[]byte](t)(os.ReadFile(path+"-witness")))
			return saved
		},
	} {
		t.Run(name, func(t *testing.T) {
			path, saved := t.TempDir()+"/piyasa.db", t.TempDir()+"/saved.db"
			s := open(t, "sqlite:"+path)
			put(t, s, price("bist:THYAO", t1, "1"))
			before := look(t, s)
			_ = s.Close() // which leaves one file
			write(t, saved, must[[]byte](t)(os.ReadFile(path)))
			s = open(t, "sqlite:"+path)
			put(t, s, price("bist:THYAO", t1, "2"))
			_ = s.Close()
			jumped(t, before, look(t, open(t, "sqlite:"+restore(t, saved, path))))
		})
	}
}

// A copy from before an epoch that this process has seen begins an epoch of its own,
// also while the store is open.
func TestRestoredFromBeforeAnEpoch(t *testing.T) {
	folder := t.TempDir()
	path, saved := folder+"/piyasa.db", folder+"/saved.db"
	s := open(t, "sqlite:"+path)
	put(t, s, price("bist:THYAO", t1, "1"))
	first := look(t, s)
	must[sql.Result](t)(dbtest.Raw(t, "sqlite:"+path).Exec("VACUUM INTO '" + saved + "'"))
	move(t, "sqlite:"+path)
	jumped(t, first, look(t, s))
	for _, file := range []string{path, path + "-wal", path + "-shm"} {
		need.NoError(t, os.Rename(file, file+".old"))
	}
	need.NoError(t, os.Rename(saved, path))
	jumped(t, first, look(t, s))
	put(t, s, price("bist:THYAO", t1, "2"))
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	need.NoError(t, os.WriteFile(path, content, 0o600))
}

// A file that takes the place of another one while a store is open is the store from
// then on; a file that is gone is not made again.
func TestReplacedFile(t *testing.T) {
	folder := t.TempDir()
	s, other := open(t, "sqlite:"+folder+"/piyasa.db"), open(t, "sqlite:"+folder+"/other.db")
	put(t, s, price("bist:THYAO", t1, "1"))
	put(t, s, price("bist:THYAO", t1, "2"))
	put(t, other, price("bist:AKBNK", t1, "5"))
	before := look(t, s)
	_ = other.Close()
	need.NoError(t, os.Rename(folder+"/piyasa.db", folder+"/old.db"))
	if _, err := s.Look(background); err == nil {
		t.Error("a look at a file that is gone")
	}
	if _, err := os.Stat(folder + "/piyasa.db"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it was made again: %v", err)
	}
	for _, left := range []string{"-wal", "-shm"} {
		_ = os.Rename(folder+"/piyasa.db"+left, folder+"/old.db"+left)
	}
	need.NoError(t, os.Rename(folder+"/other.db", folder+"/piyasa.db"))
	after := look(t, s)
	if after.Epochs.Current() == before.Epochs.Current() || after.Epochs.Shared(before.Epochs, db.FeedQuotes) != 0 {
		t.Errorf("%+v, then %+v", before.Epochs, after.Epochs)
	}
	put(t, s, price("bist:AKBNK", t1, "6"))
	if got := must[map[string]string](t)(lasts(s)); !reflect.DeepEqual(got, map[string]string{"AKBNK": "6"}) {
		t.Errorf("holds %v", got)
	}
}

func lasts(s *db.Store) (map[string]string, error) {
	quotes, err := s.QuotesAfter(background, 0)
	found := map[string]string{}
	for _, q := range quotes {
		found[q.InstrumentID.Symbol()] = q.Last.String()
	}
	return found, err
}

// A process that has seen an epoch neither reads nor writes in an older one on an older
// timeline: that is a former primary.
func TestFormerPrimary(t *testing.T) {
	url := dbtest.PostgresURL(t)
	s, raw := open(t, url), dbtest.Raw(t, url)
	put(t, s, price("bist:THYAO", t1, "1"))
	var system, timeline string
	if err := raw.QueryRow("SELECT split_part(place, '/', 1), split_part(place, '/', 2) FROM epochs").Scan(&system,
		&timeline); err != nil || timeline != "00000001" {
		t.Fatal(system, timeline, err)
	}
	// A newer epoch, as after a failover to timeline 2.
	must[sql.Result](t)(raw.Exec(`INSERT INTO epochs SELECT 2, 'newer', split_part(place, '/', 1) || '/00000002/1/1/1', '{}', 0, began FROM epochs`))
	if _, err := s.Look(background); err == nil {
		t.Error("began an epoch on an older timeline")
	}
	must[sql.Result](t)(raw.Exec("DELETE FROM epochs WHERE number = 2"))
	b, _ := batch(t, price("bist:THYAO", t1, "2"))
	if err := s.Store(background, b); err == nil {
		t.Error("stored a row in an epoch that had ended")
	}
	if _, err := s.Look(background); err == nil {
		t.Error("followed an epoch that had ended")
	}
	fresh := open(t, url)
	put(t, fresh, price("bist:THYAO", t1, "3"))
	if n := heads(t, fresh)[db.FeedQuotes]; n != 2 {
		t.Errorf("the head is %d", n)
	}
	// Somebody who could not know begins an epoch there.
	must[sql.Result](t)(raw.Exec("INSERT INTO epochs SELECT 2, 'forked', place, '{}', 0, began FROM epochs"))
	if m, err := s.Look(background); err == nil {
		t.Errorf("followed the epoch %s of an older timeline", m.Epochs.Current())
	}
	b, _ = batch(t, price("bist:THYAO", t1, "4"))
	if err := s.Store(background, b); err == nil {
		t.Error("stored a row in an epoch of an older timeline")
	}
}

// Epochs that are too old are forgotten.
func TestEpochsAreBounded(t *testing.T) {
	url := "sqlite:" + t.TempDir() + "/piyasa.db"
	s := open(t, url)
	raw := dbtest.Raw(t, url)
	must[sql.Result](t)(raw.Exec(`WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
		INSERT INTO epochs SELECT i, 'e' || i, '', '{}', 5000000000, 0 FROM n`))
	if m := look(t, s); len(m.Epochs) != 1000 || m.Epochs[0].ID != "e502" {
		t.Errorf("%d epochs from %s", len(m.Epochs), m.Epochs[0].ID)
	}
}

// A transaction that fails leaves no trace in the witness, so no epoch begins for it.
func TestFailedCommitBeginsNoEpoch(t *testing.T) {
	path := t.TempDir() + "/piyasa.db"
	s := open(t, "sqlite:"+path)
	put(t, s, price("bist:THYAO", t1, "1"))
	before := look(t, s)
	raw := dbtest.Raw(t, "sqlite:"+path)
	// A constraint that is looked at when the transaction commits.
	must[sql.Result](t)(raw.Exec("CREATE TABLE none (id INTEGER PRIMARY KEY)"))
	must[sql.Result](t)(raw.Exec("CREATE TABLE late (id INTEGER REFERENCES none DEFERRABLE INITIALLY DEFERRED)"))
	must[sql.Result](t)(raw.Exec("CREATE TRIGGER fails AFTER UPDATE ON quotes BEGIN INSERT INTO late VALUES (1); END"))
	_ = db.WriteSettings(t.Context(), s, "PRAGMA foreign_keys = on")
	witness := must[[]byte](t)(os.ReadFile(path + "-witness"))
	b, _ := batch(t, price("bist:THYAO", t1, "2"))
	if err := s.Store(background, b); err == nil {
		t.Fatal("stored although a constraint fails")
	}
	if now := must[[]byte](t)(os.ReadFile(path + "-witness")); string(now) != string(witness) {
		t.Errorf("the witness is %s, was %s", now, witness)
	}
	must[sql.Result](t)(raw.Exec("DROP TRIGGER fails"))
	put(t, s, price("bist:THYAO", t1, "2"))
	if m := look(t, s); len(m.Epochs) != len(before.Epochs) {
		t.Errorf("epochs %+v", m.Epochs)
	}
}
