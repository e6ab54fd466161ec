package db_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"piyasa/account/access"
	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/market"
	"piyasa/ingest"
	"piyasa/internal/value"
	"piyasa/serve/server"
	"piyasa/services"
	"piyasa/test/fixture"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

// clocked is a gateway over a store, with a clock that a test moves.
type clocked struct {
	t       *testing.T
	store   *db.Store
	now     value.Instant
	root    *services.Services
	handler *server.Server
}

func newClocked(t *testing.T, url string) *clocked {
	c := &clocked{t: t, store: open(t, url)}
	settings := fixture.Settings()
	settings.Clock = func() value.Instant { return c.now }
	c.root = services.New(settings, c.store)
	c.root.Gate.Replace([]*access.Key{fixture.Unlimited()})
	c.handler = server.New(server.Config{Services: c.root})
	return c
}

// at moves the clock and ingests lines.
func (c *clocked) at(now string, lines ...string) {
	c.t.Helper()
	c.now = value.MustInstant(now)
	var said bytes.Buffer
	if _, err := ingest.Run(c.t.Context(), c.store, ingest.Options{
		Now: func() value.Instant { return c.now }, Paths: []string{ingest.Stdin},
		Stdin: strings.NewReader(strings.Join(lines, "\n")), Messages: &said, Together: true,
	}); err != nil {
		c.t.Fatalf("%v: %s", err, &said)
	}
	if strings.Contains(said.String(), "refused") {
		c.t.Fatal(said.String())
	}
	c.follow()
}

func (c *clocked) follow() {
	c.t.Helper()
	fixture.Apply(c.t, c.root)
	c.root.Gate.Replace([]*access.Key{fixture.Unlimited()})
}

// prune deletes what has expired.
func (c *clocked) prune() {
	c.t.Helper()
	need.NoError(c.t, c.store.Prune(c.t.Context(), market.Kept(c.now)))
	c.follow()
}

// ask returns the answer to a path.
func (c *clocked) ask(path string) string {
	c.t.Helper()
	r := httptest.NewRequestWithContext(c.t.Context(), "GET", path, nil)
	r.Header.Set("X-API-Key", fixture.All)
	w := httptest.NewRecorder()
	c.handler.ServeHTTP(w, r)
	return w.Body.String()
}

// rates returns "time close at rate" of the bars or records in the answer to a path.
func (c *clocked) rates(path string) string {
	c.t.Helper()
	var answer struct {
		Bars, Records []struct {
			T, Date string
			Close   *string
			FxRate  *string `json:"fx_rate"`
		}
	}
	text := c.ask(path)
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		c.t.Fatalf("%s: %s", path, text)
	}
	var all []string
	for _, b := range append(answer.Bars, answer.Records...) {
		if (b.Close == nil) != (b.FxRate == nil) {
			c.t.Errorf("%s: %s", path, text)
		}
		rate := "null"
		if b.FxRate != nil {
			rate = *b.FxRate
		}
		at, _, _ := strings.Cut(strings.TrimPrefix(b.T+b.Date, "2026-"), ":00Z")
		all = append(all, at+" "+rate)
	}
	return strings.Join(all, ", ")
}

func (c *clocked) want(path, rates string) {
	c.t.Helper()
	if got := c.rates(path); got != rates {
		c.t.Errorf("at %s, %s:\n%s, want\n%s", c.now, path, got, rates)
	}
}

func fixing(asOf, last, until string) string {
	return fmt.Sprintf(`{"record":"quote","instrument_id":"fx:USDTRY","as_of":%q,"last":%q,"current_until":%q}`, asOf, last, until)
}

func observedRate(pair, asOf, last string) string {
	if last != "null" {
		last = `"` + last + `"`
	}
	return fmt.Sprintf(`{"record":"quote","instrument_id":"fx:%s","as_of":%q,"last":%s}`, pair, asOf, last)
}

func pairClose(pair, day, closing string) string {
	return fmt.Sprintf(`{"record":"bar","instrument_id":"fx:%s","resolution":"1d","t":"%sT21:00:00Z","close":%q}`, pair,
		value.MustDate(day).AddDays(-1), closing)
}

// instrumentLine returns the line of an instrument with more members.
func instrumentLine(id, kind, currency, more string) string {
	m, symbol, _ := strings.Cut(id, ":")
	return fmt.Sprintf(`{"record":"instrument","instrument_id":%q,"symbol":%q,"name":"x","market":%q,"asset_type":%q,"currency":%q%s}`, id,
		symbol, m, kind, currency, more)
}

func pairLine(pair string) string { return instrumentLine("fx:"+pair, "FX", pair[3:], "") }

var (
	stockLine = instrumentLine("bist:MORN", "STOCK", "TRY", "")
	coinLine  = instrumentLine("crypto:1", "CRYPTO", "USD", `,"slug":"one","cmc_id":1,"coverage_from":"2025-04-05"`)
)

const (
	stock5m  = "/v1/candles/bist:MORN?resolution=5m&currency=USD"
	stockDay = "/v1/candles/bist:MORN?from=2026-03-09&currency=USD"
	coin2h   = "/v1/candles/crypto:1?resolution=2h&from=2026-03-09&to=2026-03-20&currency=TRY"
	coinDay  = "/v1/candles/crypto:1?from=2026-03-09&to=2026-03-20&currency=TRY"
	coinEod  = "/v1/eod/crypto:1?from=2026-03-09&to=2026-03-20&currency=TRY"
)

func sampled(id, asOf string) string {
	return fmt.Sprintf(`{"record":"quote","instrument_id":%q,"as_of":%q,"last":"400.00"}`, id, asOf)
}

func dayOf(id, day string) string {
	start := "T00:00:00Z"
	if strings.HasPrefix(id, "bist:") {
		day, start = value.MustDate(day).AddDays(-1).String(), "T21:00:00Z"
	}
	return fmt.Sprintf(`{"record":"bar","instrument_id":%q,"resolution":"1d","t":"%s%s","close":"400.00"}`, id, day, start)
}

// A rate that is published once a day converts what comes after it, and what it once gave a
// bar stays, whatever is published and pruned later.
func TestADailyRateConvertsWhatFollowsIt(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, url string) {
		c := newClocked(t, url)
		c.at("2026-03-13T08:00:00Z", pairLine("USDTRY"), stockLine, coinLine,
			fixing("2026-03-12T12:30:00Z", "40.00", "2026-03-13T13:00:00Z"), pairClose("USDTRY", "2026-03-12", "40.00"),
			sampled("bist:MORN", "2026-03-13T07:30:00Z"), sampled("crypto:1", "2026-03-13T07:00:20Z"))
		morning := "03-13T07:30 0.025"
		c.want(stock5m, morning)
		c.want(coin2h, "03-13T07:00 40")

		// The afternoon's rate, and bars around it: it is of 12:30, and the day's close before the day is over.
		c.at("2026-03-13T20:30:00Z", fixing("2026-03-13T12:30:00Z", "50.00", "2026-03-16T13:00:00Z"),
			pairClose("USDTRY", "2026-03-13", "50.00"),
			sampled("bist:MORN", "2026-03-13T12:29:00Z"), sampled("bist:MORN", "2026-03-13T12:31:00Z"),
			sampled("crypto:1", "2026-03-13T11:00:20Z"), sampled("crypto:1", "2026-03-13T13:00:20Z"),
			sampled("crypto:1", "2026-03-13T19:00:00Z"),
			dayOf("bist:MORN", "2026-03-12"))
		stocks := morning + ", 03-13T12:25 0.025, 03-13T12:30 0.02"
		coins := "03-13T07:00 40, 03-13T11:00 40, 03-13T13:00 50, 03-13T19:00 50"
		c.want(stock5m, stocks)
		c.want(coin2h, coins)
		c.want(stockDay, "03-11T21:00 0.025")
		c.want(coinDay, "03-13T00:00 50") // forming

		// The weekend, on each of its days and after them.
		c.at("2026-03-14T12:00:00Z", sampled("crypto:1", "2026-03-14T11:00:20Z"))
		c.want(coinDay, "03-13T00:00 50, 03-14T00:00 50")
		c.at("2026-03-15T12:00:00Z", sampled("crypto:1", "2026-03-15T11:00:20Z"))
		c.want(coinDay, "03-13T00:00 50, 03-14T00:00 50, 03-15T00:00 50")
		coins += ", 03-14T11:00 50, 03-15T11:00 50"
		c.want(coin2h, coins)
		// On Monday the source is late: from 13:00 on nothing is current until the day's close is known.
		c.at("2026-03-16T16:00:00Z", sampled("crypto:1", "2026-03-16T11:00:20Z"), sampled("crypto:1", "2026-03-16T13:00:20Z"))
		c.want(coin2h, coins+", 03-16T11:00 50, 03-16T13:00 null")
		c.at("2026-03-16T18:00:00Z", fixing("2026-03-16T17:00:00Z", "60.00", "2026-03-17T13:00:00Z"),
			pairClose("USDTRY", "2026-03-16", "60.00"))
		c.want(coin2h, coins+", 03-16T11:00 50, 03-16T13:00 null")
		c.at("2026-03-16T21:00:00Z")
		coins += ", 03-16T11:00 50, 03-16T13:00 60"
		c.want(coin2h, coins)
		days := "03-13T00:00 50, 03-14T00:00 50, 03-15T00:00 50, 03-16T00:00 60"
		c.at("2026-03-17T10:00:00Z")
		c.want(coinDay, days)
		c.want(coinEod, strings.ReplaceAll(days, "T00:00", ""))

		// A week later nothing of it is kept but what converts.
		c.at("2026-03-19T20:00:00Z")
		c.prune()
		c.want(stock5m, stocks)
		c.at("2026-04-20T12:00:00Z")
		c.prune()
		c.want(coin2h, coins)
		c.want(coinDay, days)
		c.want(coinEod, strings.ReplaceAll(days, "T00:00", ""))

		// The source corrects a day: what it converted changes with it.
		c.at("2026-04-20T13:00:00Z", pairClose("USDTRY", "2026-03-13", "51.00"))
		c.want(coinDay, "03-13T00:00 51, 03-14T00:00 51, 03-15T00:00 51, 03-16T00:00 60")
	})
}

// On a holiday a rate is current as long as its source says, on each side of it.
func TestADailyRateOverAHoliday(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, url string) {
		c := newClocked(t, url)
		c.at("2026-03-20T12:00:00Z", pairLine("USDTRY"), coinLine, fixing("2026-03-11T12:30:00Z", "40.00", "2026-03-12T13:00:00Z"),
			fixing("2026-03-16T12:30:00Z", "50.00", "2026-03-18T13:00:00Z"), dayOf("crypto:1", "2026-03-10"),
			dayOf("crypto:1", "2026-03-11"), dayOf("crypto:1", "2026-03-12"), dayOf("crypto:1", "2026-03-13"),
			dayOf("crypto:1", "2026-03-16"),
			dayOf("crypto:1", "2026-03-17"), dayOf("crypto:1", "2026-03-18"), dayOf("crypto:1", "2026-03-19"))
		const days = "03-10T00:00 null, 03-11T00:00 40, 03-12T00:00 null, 03-13T00:00 null, 03-16T00:00 50, 03-17T00:00 50, " +
			"03-18T00:00 null, 03-19T00:00 null"
		c.want(coinDay, days)
		c.at("2026-03-20T13:00:00Z", observedRate("USDTRY", "2026-03-17T02:00:00Z", "null")) // withdrawn: no honest value
		c.want(coinDay, strings.Replace(days, "17T00:00 50", "17T00:00 null", 1))
		c.at("2026-05-20T13:00:00Z")
		c.prune()
		c.want(coinDay, strings.Replace(days, "17T00:00 50", "17T00:00 null", 1))
	})
}

// Pairs that are recorded around the clock: the newest rate until the end of a bar, at most an
// hour old to the millisecond; else the day's close, once the day is closed.
func TestRatesAroundTheClock(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, url string) {
		c := newClocked(t, url)
		lines := []string{pairLine("USDTRY"), pairLine("EURTRY"), pairLine("EURUSD"), stockLine, coinLine}
		for _, o := range [][2]string{
			{"2026-03-13T06:59:59.999Z", "40.1"}, {"2026-03-13T07:00:00Z", "40.2"}, {"2026-03-13T07:01:00Z", "40.3"},
			{"2026-03-13T07:34:59.999Z", "40.4"}, {"2026-03-13T07:35:00Z", "40.5"}, {"2026-03-13T08:00:00Z", "40.6"},
		} {
			lines = append(lines, observedRate("USDTRY", o[0], o[1]))
		}
		lines = append(lines, sampled("bist:MORN", "2026-03-13T07:30:00Z"), sampled("bist:MORN", "2026-03-13T07:35:00Z"),
			sampled("bist:MORN", "2026-03-13T08:55:00Z"), sampled("bist:MORN", "2026-03-13T09:00:00Z"),
			sampled("crypto:1", "2026-03-13T07:00:20Z"), sampled("crypto:1", "2026-03-13T09:00:00Z"),
			sampled("crypto:1", "2026-03-13T11:00:00Z"))
		c.at("2026-03-13T11:30:00Z", lines...)
		stocks := "03-13T07:30 0.0247524752475, 03-13T07:35 0.0246913580247, 03-13T08:55 0.0246305418719, 03-13T09:00 "
		c.want(stock5m, stocks+"null")
		c.want(coin2h, "03-13T07:00 40.2, 03-13T09:00 40.6, 03-13T11:00 null")

		// Two pairs that are observed come before one that only has the day's close.
		c.at("2026-03-13T11:40:00Z", observedRate("EURUSD", "2026-03-13T07:20:00Z", "1.25"))
		const inEuros = "/v1/candles/bist:MORN?resolution=5m&currency=EUR"
		euros := "03-13T07:30 0.019801980198, 03-13T07:35 0.0197530864198, 03-13T08:55 null, 03-13T09:00 null"
		c.want(inEuros, euros)
		c.at("2026-03-13T20:59:59Z", pairClose("EURTRY", "2026-03-13", "50"), pairClose("USDTRY", "2026-03-13", "32"))
		c.want(inEuros, euros)
		c.want(stock5m, stocks+"null")
		c.at("2026-03-13T21:00:00Z")
		euros = "03-13T07:30 0.019801980198, 03-13T07:35 0.0197530864198, 03-13T08:55 0.02, 03-13T09:00 0.02"
		c.want(inEuros, euros)
		c.want(stock5m, stocks+"0.03125")
		coins := "03-13T07:00 40.2, 03-13T09:00 40.6, 03-13T11:00 32"
		c.want(coin2h, coins)

		// One that arrives late is one that was observed then.
		c.at("2026-03-19T20:00:00Z", observedRate("USDTRY", "2026-03-13T08:59:00Z", "40"))
		c.prune()
		c.want(stock5m, strings.Replace(stocks+"0.025", "03-13T08:55 0.0246305418719", "03-13T08:55 0.025", 1))
		coins = strings.Replace(coins, "40.6", "40", 1)
		c.want(coin2h, coins)
		c.at("2026-06-01T00:00:00Z")
		c.prune()
		c.want(coin2h, coins)
	})
}

// chartedRates are the charts whose rates are compared.
var chartedRates = []struct {
	id    market.ID
	own   string
	in    market.Currency
	short market.Resolution
}{
	{"bist:MORN", "TRY", market.EUR, market.FiveMinutes},
	{"crypto:1", "USD", market.TRY, market.TwoHours},
	{"cmdty:OIL", "USD", market.EUR, market.FiveMinutes},
}

var ratePairs = []string{"USDTRY", "EURTRY", "EURUSD"}

// barsToConvert returns bars of two weeks from a day on.
func barsToConvert(first value.Date) (records []any) {
	hundred := value.MustDecimal("100")
	for _, in := range chartedRates {
		m := in.id.Market()
		for d := range 14 {
			day := first.AddDays(d)
			if day.IsWeekend() && m != market.Crypto {
				continue
			}
			records = append(records, &market.Bar{InstrumentID: in.id, Resolution: market.Day, T: day.Start(zoneOf(m)), Close: hundred})
			for _, hour := range []int{1, 9, 13, 23} {
				records = append(records, &market.Bar{InstrumentID: in.id, Resolution: in.short, T: day.At(hour, 0, time.UTC),
					Close: hundred})
			}
		}
	}
	return records
}

// pairsToConvert returns a service over a store with the charts and the pairs.
func pairsToConvert(s *db.Store, now *value.Instant) *market.Service {
	var all []*market.Instrument
	for _, pair := range ratePairs {
		id := market.ID("fx:" + pair)
		all = append(all, &market.Instrument{InstrumentID: id, Symbol: pair, Market: market.FX, Currency: pair[3:]})
	}
	for _, in := range chartedRates {
		all = append(all, &market.Instrument{InstrumentID: in.id, Symbol: in.id.Symbol(), Market: in.id.Market(), Currency: in.own})
	}
	live := market.NewLive()
	live.PutCatalog(all, nil)
	return &market.Service{
		Live: live, History: market.NewHistoryCache(s, 1<<20, func() bool { return true }), FXMaxAge: time.Hour,
		Now: func() value.Instant { return *now },
	}
}

// tell lets something happen to a pair: a close, an observation, or that old ones are pruned.
func (s *story) tell(t *rapid.T, store *db.Store, now value.Instant) {
	pair := rapid.SampledFrom(ratePairs).Draw(t, "pair")
	id := market.ID("fx:" + pair)
	rate := rapid.SampledFrom([]string{"2", "4", "5", "8", "", "2", "5"}).Draw(t, "rate")
	switch what := rapid.IntRange(0, 5).Draw(t, "what"); {
	case what == 0 && rate != "": // the close of today
		day := value.TurkeyDay(now)
		if s.closes[pair] == nil {
			s.closes[pair] = map[value.Date]string{}
		}
		s.closes[pair][day] = rate
		put(t, store, &market.Bar{InstrumentID: id, Resolution: market.Day, T: day.Start(value.Turkey), Close: value.MustDecimal(rate)})
	case what == 1:
		need.NoError(t, store.Prune(background, market.Kept(now)))
	case what > 1:
		o := &market.Observation{InstrumentID: id, AsOf: now}
		if rate != "" {
			o.Last = value.MustDecimal(rate)
		}
		if hours := rapid.SampledFrom([]int{0, 0, 2, 25, 100}).Draw(t, "current for hours"); hours > 0 && rate != "" {
			o.CurrentUntil = now.Add(time.Duration(hours) * time.Hour)
		}
		s.heard[pair] = append(s.heard[pair], heard{now, o.CurrentUntil, rate})
		put(t, store, o)
	}
}

// Whatever pairs tell, and whenever bars are asked for, and pruned: a closed bar converts as the
// reference says, and at the same rate ever after.
func TestARateOnceGivenStays(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, url string) {
		raw := dbtest.Raw(t, url)
		rapid.Check(t, func(t *rapid.T) {
			for _, table := range []string{"observations", "quotes", "bars", "recordings", "kept", "bar_changes"} {
				if _, err := raw.Exec("DELETE FROM " + table); err != nil {
					t.Fatal(err)
				}
			}
			store := must[*db.Store](t)(db.Open(background, url, db.Timeout(patience))) // which has pruned nothing yet
			defer store.Close()
			now := value.MustInstant("2026-03-09T00:00:00Z")
			service := pairsToConvert(store, &now)
			put(t, store, barsToConvert(value.DayIn(now, time.UTC))...)
			told, given := &story{map[string][]heard{}, map[string]map[value.Date]string{}}, map[string]string{}
			for range rapid.IntRange(5, 30).Draw(t, "steps") {
				last := headOf(t, store)
				minutes := rapid.SampledFrom([]int{1, 4, 5, 59, 60, 61, 300, 900, 1440, 4000}).Draw(t, "minutes")
				now = now.Add(time.Duration(minutes) * time.Minute)
				if rapid.IntRange(0, 2).Draw(t, "on the hour") == 0 {
					now = value.At(now.Time().Truncate(time.Hour).Add(time.Hour))
				}
				told.tell(t, store, now)
				followBars(t, store, service.History, last)
				if rapid.Bool().Draw(t, "asked") {
					told.compare(t, service, given)
				}
			}
		})
	})
}

// compare asks for all charts and compares the rates of closed bars with those of the reference
// and with those that were given before.
func (s *story) compare(t *rapid.T, service *market.Service, given map[string]string) {
	now := service.Now()
	for _, in := range chartedRates {
		for _, r := range []market.Resolution{in.short, market.Day} {
			series, err := service.Candles(calls.Caller(access.History), string(in.id), market.SeriesArgs{Resolution: &r,
				From: new(value.MustDate("2026-03-01")), To: new(value.MustDate("2026-04-01")), Currency: &in.in})
			need.NoError(t, err)
			for _, b := range series.Bars() {
				b.InstrumentID, b.Resolution = in.id, r
				ends := b.T.Add(5 * time.Minute)
				if m := in.id.Market(); r == market.Day {
					ends = m.DayAt(b.T).AddDays(1).Start(zoneOf(m))
				}
				if now.Before(ends) {
					continue
				}
				place, got := placeOf(b), b.FxRate.String()
				if want := s.rate(b, in.own, string(in.in), now); got != want {
					t.Fatalf("at %s, %s: rate %q, want %q, of %+v", now, place, got, want, s)
				}
				if before := given[place]; before != "" && before != got {
					t.Fatalf("at %s, %s: rate %q, and before %q, of %+v", now, place, got, before, s)
				}
				given[place] = got
			}
		}
	}
}
