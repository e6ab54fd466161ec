package db_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"piyasa/account/access"
	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

// charted are the instruments whose history the tests keep in memory; the pair
// converts the others.
var charted = []*market.Instrument{
	{InstrumentID: "bist:A", Symbol: "A", Market: market.BIST, Currency: "TRY"},
	{InstrumentID: "crypto:1", Symbol: "B", Market: market.Crypto, Currency: "USD"},
	{InstrumentID: "fx:USDTRY", Symbol: "USDTRY", Market: market.FX, Currency: "TRY"},
	{InstrumentID: "us:C", Symbol: "C", Market: market.US, Currency: "USD"},
}

// charts returns the history of a store, of which up to most bytes are kept.
func charts(s market.History, most int) *market.Service {
	live := market.NewLive()
	live.PutCatalog(charted, nil)
	return &market.Service{
		Live: live, History: market.NewHistoryCache(s, most, func() bool { return true }), FXMaxAge: time.Hour,
		Now: func() value.Instant { return value.MustInstant("2026-03-18T12:00:00Z") },
	}
}

// followBars tells a cache what has changed since a number.
func followBars(t rapid.TB, s *db.Store, of *market.HistoryCache, after int64) {
	t.Helper()
	changes, err := s.BarsAfter(context.Background(), after)
	need.NoError(t, err)
	of.Changed(changes)
}

var chartedMoments = append([]string{"2019-12-31T21:00:00Z", "2025-04-20T21:00:00Z", "2026-01-29T00:00:00Z", "2026-03-09T08:00:00Z"},
	recordedMoments...)

// chartedRecord draws a bar that is loaded or withdrawn, or an observation that
// bars are made of.
func chartedRecord(t *rapid.T) (record any, withdrawn bool) {
	in, at := rapid.SampledFrom(charted).Draw(t, "instrument"), value.MustInstant(rapid.SampledFrom(chartedMoments).Draw(t, "moment"))
	o := &market.Observation{InstrumentID: in.InstrumentID, AsOf: at}
	if last := rapid.SampledFrom([]string{"10", "10.0", "9.75", "101", ""}).Draw(t, "last"); last != "" {
		o.Last = value.MustDecimal(last)
	}
	if rapid.IntRange(0, 3).Draw(t, "held") == 0 {
		o.CurrentUntil = at.Add(30 * time.Hour)
	}
	kind := rapid.SampledFrom([]string{"observed", "observed", "1d", "short", "withdrawn"}).Draw(t, "kind")
	if kind == "observed" {
		return o, false
	}
	b := &market.Bar{InstrumentID: o.InstrumentID, Resolution: market.Day, T: value.At(midnight(o, at.Time())), Close: o.Last,
		Turnover: o.Last}
	if kind == "short" && in.Market != market.US {
		b.Resolution, b.T = market.FiveMinutes, value.At(minutes(o)(at.Time()))
		if in.Market == market.Crypto {
			b.Resolution = market.TwoHours
		}
	}
	return b, kind == "withdrawn"
}

// chartedArgs draws what a client may ask for.
func chartedArgs(t *rapid.T, of market.Market) market.SeriesArgs {
	day := func(name string) *value.Date {
		text := rapid.SampledFrom([]string{"", "2019-06-01", "2025-04-06", "2026-01-01", "2026-03-10", "2026-03-13", "2026-03-14",
			"2026-03-16", "2026-03-18"}).Draw(t, name)
		if text == "" {
			return nil
		}
		return new(value.MustDate(text))
	}
	args := market.SeriesArgs{From: day("from"), To: day("to")}
	resolutions := []market.Resolution{market.Day, market.FiveMinutes}
	switch of {
	case market.Crypto:
		resolutions[1] = market.TwoHours
	case market.US:
		resolutions = resolutions[:1]
	}
	args.Resolution = new(rapid.SampledFrom(resolutions).Draw(t, "resolution"))
	if rapid.IntRange(0, 2).Draw(t, "converted") == 0 {
		args.Currency = new(market.USD)
	}
	return args
}

// answered is what an answer states.
func answered(t rapid.TB, s *market.Service, id market.ID, args market.SeriesArgs) string {
	t.Helper()
	ctx := calls.Caller(access.History)
	series, err := s.Candles(ctx, string(id), args)
	if err != nil {
		return string(calls.KindOf(err))
	}
	daily := ""
	if *args.Resolution == market.Day {
		eod, err := s.Eod(ctx, string(id), args)
		need.NoError(t, err)
		daily = encoded(eod)
	}
	objects := make([]string, 0, len(series.Bars()))
	for _, b := range series.Bars() {
		objects = append(objects, encoded(b)+b.FxRate.String())
	}
	return fmt.Sprintf("%s %d %s %v\n%s\n%s\n%s", series.Currency, series.Count, series.AvailableFrom, objects,
		bytes.Join(series.Rows(), []byte{','}), encoded(series.Columns().Close()), daily)
}

// Whatever is loaded, recorded, revised and withdrawn, in whatever order it is
// asked for: an answer from memory is the one that the store gives.
func TestHistoryFromMemoryIsThatOfTheStore(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		straight := charts(s, 0)
		rapid.Check(t, func(t *rapid.T) {
			kept := charts(s, rapid.SampledFrom([]int{1 << 20, 1 << 20, 6000}).Draw(t, "bytes"))
			for range rapid.IntRange(1, 12).Draw(t, "steps") {
				last, batch := headOf(t, s), new(db.Batch)
				for range rapid.IntRange(0, 4).Draw(t, "records") {
					record, withdrawn := chartedRecord(t)
					if withdrawn {
						db.WithdrawAny(batch, record, new(db.Outcome))
					} else {
						db.PutAny(batch, record, new(db.Outcome))
					}
				}
				need.NoError(t, s.Store(background, batch))
				in := rapid.SampledFrom(charted).Draw(t, "asked")
				if rapid.Bool().Draw(t, "asked before the change is known") {
					answered(t, kept, in.InstrumentID, chartedArgs(t, in.Market))
				}
				followBars(t, s, kept.History, last)
				for range rapid.IntRange(1, 3).Draw(t, "questions") {
					in := rapid.SampledFrom(charted).Draw(t, "asked")
					args := chartedArgs(t, in.Market)
					if got, want := answered(t, kept, in.InstrumentID, args), answered(t, straight, in.InstrumentID, args); got != want {
						t.Fatalf("%s %s: from memory\n%s\nstored\n%s", in.InstrumentID, encoded(args), got, want)
					}
				}
			}
		})
	})
}

func headOf(t rapid.TB, s *db.Store) int64 {
	t.Helper()
	m, err := s.Look(background)
	need.NoError(t, err)
	return m.Heads[db.FeedBars]
}

// While bars change, many readers get what was stored at one moment, and nothing
// older than what had been applied when they asked.
func TestHistoryFromMemoryWhileItChanges(t *testing.T) {
	t.Parallel()
	const days, versions = 89, 60 // the last is a Friday
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		kept := charts(s, 1<<20)
		first := value.MustInstant("2025-12-01T00:00:00Z")
		// The version is the close of the newest day; corrected[v] is that of all days before.
		corrected := make([]int, versions+1)
		store := func(version int, all bool) {
			var records []any
			for day := range days {
				if all || day == days-1 {
					records = append(records, &market.Bar{InstrumentID: "us:C", Resolution: market.Day,
						T: first.Add(time.Duration(day) * 24 * time.Hour), Close: value.MustDecimal(fmt.Sprint(version))})
				}
			}
			put(t, s, records...)
		}
		isCorrection := func(version int) bool { return version%3 == 1 }
		for v := 1; v <= versions; v++ {
			if corrected[v] = corrected[v-1]; isCorrection(v) {
				corrected[v] = v
			}
		}
		store(1, true)
		var applied atomic.Int64
		applied.Store(1)
		var readers sync.WaitGroup
		ended := make(chan struct{})
		for range 3 {
			readers.Go(func() {
				for {
					select {
					case <-ended:
						return
					default:
					}
					args := market.SeriesArgs{From: new(value.MustDate("2025-12-01")), To: new(value.MustDate("2026-03-18"))}
					args.From = new(value.MustDate("2025-12-01").AddDays(rand.IntN(days - 1)))
					least := int(applied.Load())
					series, err := kept.Candles(calls.Caller(access.History), "us:C", args)
					if err != nil {
						t.Error(err)
						return
					}
					newest := 0
					_, _ = fmt.Sscan(series.Bars()[len(series.Bars())-1].Close.String(), &newest)
					if newest < least {
						t.Errorf("version %d was applied, and %d is answered", least, newest)
						return
					}
					for _, b := range series.Bars()[:len(series.Bars())-1] {
						if want := fmt.Sprint(corrected[newest]); b.Close.String() != want {
							t.Errorf("%s is %s, but with %d it was %s", b.T, b.Close, newest, want)
							return
						}
					}
				}
			})
		}
		for v := 2; v <= versions && !t.Failed(); v++ {
			last := headOf(t, s)
			store(v, isCorrection(v))
			followBars(t, s, kept.History, last)
			applied.Store(int64(v))
		}
		close(ended)
		readers.Wait()
	})
}

// The log tells settled bars that changed from newer ones.
func TestCorrections(t *testing.T) {
	const id = market.ID("us:C")
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		days := func(days ...string) func() {
			return func() {
				var records []any
				for _, day := range days {
					records = append(records, bar(id, market.Day, "2026-03-"+day[:2]+"T00:00:00Z", day[3:]))
				}
				put(t, s, records...)
			}
		}
		for _, step := range []struct {
			name      string
			put       func()
			corrected bool
			settled   string
		}{
			{"the first bars", days("09 1", "10 1"), true, "10"},
			{"the newest again", days("10 2"), false, "10"},
			{"a newer one", days("11 1"), false, "11"},
			{"the newest and one more", days("11 3", "12 1"), false, "12"},
			{"an older one", days("11 4"), true, "12"},
			{"an older one and a newer one", days("09 9", "13 1"), true, "13"},
			{"one between", days("08 9"), true, "13"},
			{"the newest is withdrawn", func() {
				b := new(db.Batch)
				db.WithdrawAny(b, bar(id, market.Day, "2026-03-13T00:00:00Z", "1"), new(db.Outcome))
				need.NoError(t, s.Store(background, b))
			}, false, "13"},
			{"the newest that is left", days("12 7"), true, "13"},
		} {
			last := headOf(t, s)
			step.put()
			changes := must[[]market.BarChange](t)(s.BarsAfter(background, last))
			if want := []market.BarChange{{Subject: string(id), Resolution: market.Day,
				Corrected: step.corrected}}; !slices.Equal(changes, want) {
				t.Errorf("%s: %+v, want %+v", step.name, changes, want)
			}
			stored := must[[]market.StoredBars](t)(s.Bars(background, market.Day,
				[]market.Span{{ID: id, First: value.FirstMoment, Last: value.LastMoment}}))
			if want := value.MustInstant("2026-03-" + step.settled + "T00:00:00Z"); stored[0].Settled != want {
				t.Errorf("%s: settled %s, want %s", step.name, stored[0].Settled, want)
			}
			if is := stored[0].Corrected > last; is != step.corrected {
				t.Errorf("%s: corrected with %d, and before it was %d", step.name, stored[0].Corrected, last)
			}
		}
		if of := must[[]market.StoredBars](t)(s.Bars(background, market.FiveMinutes, []market.Span{{ID: id}})); !reflect.DeepEqual(of,
			[]market.StoredBars{{}}) {
			t.Errorf("of nothing: %+v", of)
		}
	})
}
