package db_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// reader is somebody who follows a feed, and has the newest change of each record.
type reader struct {
	feed   string
	cursor db.Cursor
	has    map[string]db.Change
}

func newReader(feed string) *reader { return &reader{feed: feed, has: map[string]db.Change{}} }

// read reads what is new, in pages of about limit; if that is odd, it takes half a page and asks again.
func (r *reader) read(t rapid.TB, s *db.Store, limit int) {
	t.Helper()
	head := heads(t, s)[r.feed]
	for page := 0; r.cursor != (db.Cursor{Number: head}); page++ {
		if page > 10_000 {
			t.Fatalf("reading %s does not end: %+v", r.feed, r.cursor)
		}
		changes, next, err := s.Changes(background, r.feed, r.cursor, head, limit)
		need.NoError(t, err)
		if half := len(changes) / 2; limit%2 == 1 && half > 0 {
			next, changes = r.cursor.Through(&changes[half-1], next), changes[:half]
		}
		for _, c := range changes {
			if c.Number < r.cursor.Number || c.Number > head {
				t.Fatalf("%s: number %d is not between %d and %d", c.Kind, c.Number, r.cursor.Number, head)
			}
			r.apply(c)
		}
		r.cursor = next
	}
}

func (r *reader) apply(c db.Change) {
	if c.Record != nil {
		r.has[fmt.Sprint(c.Kind, c.Key)] = c
		return
	}
	maps.DeleteFunc(r.has, func(_ string, had db.Change) bool {
		other := func(m db.Member) bool { return !slices.Contains(had.Key, m) }
		return had.Kind == c.Kind && c.Moved == (len(c.Key) < len(had.Key)) && had.Number <= c.Number &&
			!slices.ContainsFunc(c.Key, other)
	})
}

// state returns what the reader has, without numbers and the moments at which they were known.
func (r *reader) state() map[string]string {
	state := map[string]string{}
	for key, c := range r.has {
		state[key] = encoded(c.Record)
	}
	return state
}

// Who reads bars from the start again hears of what was withdrawn meanwhile: it may have had them.
func TestReadingBarsAgain(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s, r := open(t, url), newReader(db.FeedBars)
		bar := &market.Bar{InstrumentID: "bist:THYAO", Resolution: market.Day, T: value.MustDate("2026-03-02").TurkeyStart()}
		bar.Close = value.MustDecimal("1")
		put(t, s, bar)
		r.read(t, s, 10)
		b := new(db.Batch)
		db.Withdraw(b, bar, new(db.Outcome))
		need.NoError(t, s.Store(background, b))
		had := len(r.has)
		r.cursor = db.Cursor{}
		if r.read(t, s, 10); had != 1 || len(r.has) != 0 {
			t.Errorf("had %d, has %v", had, r.has)
		}
	})
}

// Who follows a feed from any point on, in pages of any size, has in the end what one has who reads
// it from the start, and that is what is stored.
func TestFollowersOfChangesEndAlike(t *testing.T) {
	t.Parallel()
	feeds := []string{db.FeedBars, db.FeedDividends, db.FeedCatalog}
	dbtest.Each(t, func(t *testing.T, url string) {
		s, round := open(t, url), 0
		raw, since := dbtest.Raw(t, url), []*reader{newReader(feeds[0]), newReader(feeds[1]), newReader(feeds[2])}
		rapid.Check(t, func(t *rapid.T) {
			if round++; testing.Short() && round > 25 {
				return
			}
			var followers []*reader
			for i, feed := range feeds { // one that has followed since the first round, one that may begin in this
				early, late := &reader{feed, since[i].cursor, maps.Clone(since[i].has)}, newReader(feed)
				early.read(t, s, 1000)
				if round%10 > 0 {
					late.cursor, late.has = early.cursor, maps.Clone(early.has)
				}
				followers = append(followers, early, late)
			}
			id := func(label string) market.ID {
				return market.ID(fmt.Sprintf("bist:%s%d", rapid.SampledFrom([]string{"A", "B"}).Draw(t, label), round))
			}
			code := func() string {
				return fmt.Sprintf("X%s%d", rapid.SampledFrom([]string{"A", "B"}).Draw(t, "index"), round)
			}
			day := func() value.Date { return value.MustDate("2026-03-02").AddDays(rapid.IntRange(0, 50).Draw(t, "day")) }
			price := func() value.Decimal { return value.MustDecimal(fmt.Sprint(rapid.IntRange(1, 5).Draw(t, "price"))) }
			bar := func() *market.Bar {
				return &market.Bar{InstrumentID: id("id"), Resolution: market.Day, T: day().TurkeyStart(), Close: price()}
			}
			level := func() *market.IndexBar { return &market.IndexBar{Code: code(), Date: day(), Close: price()} }
			dividend := func() *fundamentals.DividendRecord {
				return &fundamentals.DividendRecord{InstrumentID: id("id"), ExDate: day(), GrossPerShare: price(), Currency: "TRY"}
			}
			renamed := false
			for range rapid.IntRange(1, 12).Draw(t, "steps") {
				b := new(db.Batch)
				for range rapid.IntRange(1, 30).Draw(t, "records") {
					switch rapid.IntRange(0, 8).Draw(t, "what") {
					case 0:
						db.Withdraw(b, bar(), new(db.Outcome))
					case 1:
						db.Put(b, level(), new(db.Outcome))
					case 2:
						db.Withdraw(b, level(), new(db.Outcome))
					case 3:
						db.Put(b, dividend(), new(db.Outcome))
					case 4:
						db.Withdraw(b, dividend(), new(db.Outcome))
					case 5:
						in := stock(id("id").Symbol())
						in.Name = rapid.SampledFrom([]string{"one", "other"}).Draw(t, "name")
						db.Put(b, in, new(db.Outcome))
					default:
						db.Put(b, bar(), new(db.Outcome))
					}
				}
				if !renamed && rapid.IntRange(0, 5).Draw(t, "rename") == 0 {
					in := stock(fmt.Sprintf("C%d", round))
					in.Predecessor, in.RenamedOn = new(market.ID(fmt.Sprintf("bist:A%d", round))), value.MustDate("2026-03-10")
					renamed = true
					db.Put(b, in, new(db.Outcome))
				}
				need.NoError(t, s.Store(background, b))
				for _, f := range followers {
					if rapid.Bool().Draw(t, "reads") {
						f.read(t, s, rapid.IntRange(1, 40).Draw(t, "limit"))
					}
				}
			}
			for i, feed := range feeds {
				fresh := newReader(feed)
				fresh.read(t, s, 1000)
				since[i] = fresh
				for _, f := range followers[2*i : 2*i+2] {
					f.read(t, s, rapid.IntRange(1, 40).Draw(t, "limit"))
					if got, want := f.state(), fresh.state(); !maps.Equal(got, want) {
						t.Fatalf("a follower of %s has %v, a new one %v", feed, differing(got, want), differing(want, got))
					}
				}
				if feed == db.FeedBars {
					var stored int
					count := raw.QueryRow("SELECT (SELECT count(*) FROM bars) + (SELECT count(*) FROM index_bars)")
					need.NoError(t, count.Scan(&stored))
					if stored != len(fresh.has) {
						t.Fatalf("%d bars are stored, a reader has %d", stored, len(fresh.has))
					}
				}
			}
		})
	})
}

// differing returns what a has otherwise than b.
func differing(a, b map[string]string) map[string]string {
	rest := maps.Clone(a)
	maps.DeleteFunc(rest, func(key, v string) bool { return b[key] == v })
	return rest
}
