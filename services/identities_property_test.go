package services_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"piyasa/db/dbtest"
	"piyasa/internal/value"
	"piyasa/test/fixture"
)

// thing is what can be behind an id: a company, or a commodity as it is measured.
type thing struct {
	currency string // of prices since since
	since    value.Date
	bars     map[value.Date]meantBar
	paid     map[string]string // dividends by ex date
	filed    map[string]string // profits by fiscal year
}

// meantBar is a bar and the currency that it was stored for.
type meantBar struct{ closing, currency string }

// history is a random history of ids.
type history struct {
	*world
	*rand.Rand
	behind  map[string]*thing
	aside   map[string]*thing // what was behind ids, by names of ours
	listed  map[string]bool
	renames map[string][2]string // by former ids: the id since, and the day
	figures int
	ids     int
	formers int
	log     []string
}

func (h *history) figure() string {
	h.figures++
	return fmt.Sprintf("%d.25", 1000+h.figures)
}

// day returns a day on which prices are, and on which most markets trade.
func (h *history) day() value.Date {
	days := []string{"02", "03", "04", "05", "06", "09", "10", "11", "12", "13"}
	return value.MustDate("2026-03-" + days[h.IntN(len(days))])
}

// stored sends a line and reports whether it was stored, or was there.
func (h *history) stored(line string) bool {
	h.log = append(h.log, line)
	said := h.ingest(line)
	if said != "" {
		h.log = append(h.log, "    "+strings.TrimSpace(said))
	}
	if h.IntN(3) > 0 {
		h.follow()
	}
	return said == ""
}

// of returns the id of which a line of an id is, and whether it must be stored.
func (h *history) of(id string, day value.Date) (string, bool) {
	for first := true; ; first = false {
		r, renamed := h.renames[id]
		if !renamed {
			return id, true
		}
		if first && !day.Before(value.MustDate(r[1])) {
			return "", false
		}
		id = r[0]
	}
}

func (h *history) thing(id string) *thing {
	if t := h.aside[id]; t != nil {
		return t
	}
	if h.behind[id] == nil {
		h.behind[id] = &thing{currency: "USD", bars: map[value.Date]meantBar{}, paid: map[string]string{}, filed: map[string]string{}}
	}
	return h.behind[id]
}

// fresh returns an id that nothing has had yet.
func (h *history) fresh(m string) string {
	h.ids++
	return fmt.Sprintf("%s:P%d", m, h.ids)
}

// newest returns the day of the newest bar of a thing, or its newest change.
func (t *thing) newest() value.Date {
	last := t.since
	for day := range t.bars {
		if last.Before(day) {
			last = day
		}
	}
	return last
}

// record returns the line of an instrument in its currency.
func (t *thing) record(id, more string) string {
	return instrument(id, `,"currency":"`+t.currency+`"`+more)
}

// expect fails unless a line was stored as the model says.
func (h *history) expect(stored, should bool) {
	h.T.Helper()
	if stored != should {
		h.T.Fatalf("stored: %v, want %v\n%s", stored, should, strings.Join(h.log, "\n"))
	}
}

// step does something at random.
func (h *history) step() {
	id := slices.Sorted(maps.Keys(h.behind))[h.IntN(len(h.behind))]
	m, _, _ := strings.Cut(id, ":")
	t, day := h.behind[id], h.day()
	switch n := h.IntN(20); {
	case n < 8: // a bar, or another instead of it
		to, should := h.of(id, day)
		closing := h.figure()
		h.expect(h.stored(bar(id, day.String(), closing)), should)
		if should {
			of := h.thing(to)
			currency := of.currency
			if day.Before(of.since) {
				currency = map[string]string{"USD": "TRY", "TRY": "USD"}[currency] // what it was before the only change
			}
			of.bars[day] = meantBar{closing, currency}
		}
	case n < 10 && m == "bist":
		to, should := h.of(id, day)
		gross := h.figure()
		h.expect(h.stored(fmt.Sprintf(`{"record":"dividend","instrument_id":%q,"ex_date":%q,"gross_per_share":%q,"currency":"TRY"}`, id, day,
			gross)), should)
		if should {
			h.thing(to).paid[day.String()] = gross
		}
	case n < 12 && m == "bist":
		to, should := h.of(id, value.MustDate("2025-03-01"))
		year, profit := fmt.Sprint(2021+h.IntN(4)), h.figure()
		line := strings.NewReplacer("@", id, "2024", year, "424242", profit).Replace(aStatement)
		h.expect(h.stored(line), should)
		if should {
			h.thing(to).filed[year] = profit
		}
	case n < 14: // another currency, once: then each bar was stored for the one of its day
		_, renamed := h.renames[id]
		if renamed || !h.listed[id] || !t.since.IsNull() {
			return
		}
		before := t.currency
		t.currency = map[string]string{"USD": "TRY", "TRY": "USD"}[before]
		if len(t.bars) > 0 {
			h.expect(h.stored(t.record(id, "")), false)
		}
		since := t.newest().AddDays(1)
		if t.newest().IsNull() {
			since = day
		}
		h.expect(h.stored(t.record(id, `,"valid_from":"`+since.String()+`"`)), true)
		t.since = since
	case n < 15: // the record again, as connectors send it
		_, renamed := h.renames[id]
		if h.listed[id] || renamed {
			h.expect(h.stored(t.record(id, "")), !renamed)
		}
	case n < 17: // another id
		if _, renamed := h.renames[id]; renamed || !h.listed[id] {
			return
		}
		now, on := h.fresh(m), value.MustDate("2026-03-16")
		if last := t.newest(); !last.IsNull() && h.IntN(2) == 0 {
			on = last.AddDays(1)
		}
		more := fmt.Sprintf(`,"predecessor":%q,"renamed_on":%q`, id, on)
		for _, r := range h.renames {
			if r[0] == id && !value.MustDate(r[1]).Before(on) { // it has this id since then
				h.expect(h.stored(t.record(now, more)), false)
				return
			}
		}
		h.expect(h.stored(t.record(now, more)), true)
		h.renames[id] = [2]string{now, on.String()}
		h.behind[now], h.listed[now], h.listed[id] = t, true, false
		h.behind[id] = &thing{currency: "USD"} // nothing
	default: // it leaves, and the id comes to another, or back
		_, renamed := h.renames[id]
		h.expect(h.stored(withdrawn(id)), true)
		h.listed[id] = false
		if h.IntN(2) == 0 && !renamed {
			return // until it comes again
		}
		h.comesAgain(id)
	}
}

// comesAgain brings an id back.
func (h *history) comesAgain(id string) {
	t := h.behind[id]
	if _, renamed := h.renames[id]; !renamed && h.IntN(2) == 0 {
		h.expect(h.stored(t.record(id, `,"predecessor":"`+id+`"`)), true)
		h.listed[id] = true
		return
	}
	h.formers++
	former := fmt.Sprintf("former %d of %s", h.formers, id)
	for before, r := range h.renames {
		if r[0] == id {
			h.renames[before] = [2]string{former, r[1]}
		}
	}
	if r, renamed := h.renames[id]; renamed {
		h.renames[former] = r
	} else {
		h.aside[former] = t
	}
	delete(h.renames, id)
	delete(h.behind, id)
	h.expect(h.stored(h.thing(id).record(id, "")), true)
	h.listed[id] = true
}

var closings = regexp.MustCompile(`"(?:close|gross_per_share)":"([^"]+)"`)

// check compares what is shown of every id with what is behind it.
func (h *history) check() {
	h.T.Helper()
	h.follow()
	wrong := func(what string, res fixture.Answer, want any) {
		h.T.Helper()
		h.T.Fatalf("%s: %d %s\nwant %v\n%s", what, res.StatusCode, res.Text, want, strings.Join(h.log, "\n"))
	}
	for id, t := range h.behind {
		if !h.listed[id] {
			path := "/v1/candles/" + id
			if res := h.Get(path, fixture.All); res.StatusCode != 404 {
				wrong(path, res, 404)
			}
			continue
		}
		for _, to := range []value.Date{value.MustDate("2026-03-18"), t.since.AddDays(-1)} {
			if to.Before(value.MustDate("2026-01-01")) {
				continue
			}
			want, currency := []string{}, t.currency
			if to.Before(t.since) {
				currency = map[string]string{"USD": "TRY", "TRY": "USD"}[currency]
			}
			for _, day := range slices.SortedFunc(maps.Keys(t.bars), value.Date.Compare) {
				if b := t.bars[day]; !to.Before(day) && b.currency == currency {
					want = append(want, b.closing)
				}
			}
			for _, path := range []string{"/v1/candles/", "/v1/eod/"} {
				path += id + "?from=2026-01-01&to=" + to.String()
				res := h.Get(path, fixture.All)
				var got []string
				for _, found := range closings.FindAllStringSubmatch(res.Text, -1) {
					got = append(got, found[1])
				}
				if !slices.Equal(got, want) || len(want) > 0 && res.JSON["currency"] != currency {
					wrong(path, res, fmt.Sprint(want, currency))
				}
			}
		}
		if strings.HasPrefix(id, "bist:") {
			path := "/v1/stocks/" + id + "/dividends"
			res := h.Get(path, fixture.All)
			if got := closings.FindAllString(res.Text, -1); len(got) != len(t.paid) {
				wrong(path, res, t.paid)
			}
			for _, gross := range t.paid {
				if !strings.Contains(res.Text, gross) {
					wrong(path, res, t.paid)
				}
			}
			path = "/v1/stocks/" + id + "/financials"
			res = h.Get(path, fixture.All)
			for year, profit := range t.filed {
				if !strings.Contains(res.Text, profit) {
					wrong(path, res, year+" "+profit)
				}
			}
			if len(t.filed) == 0 && strings.Contains(res.Text, `.25"`) {
				wrong(path, res, "none")
			}
		}
	}
}

// However records of instruments come, nothing is shown under another identity or currency than
// that for which it was stored; and a gateway that followed shows what one shows that has just
// started.
func TestRandomIdentities(t *testing.T) {
	rounds := 6
	if testing.Short() {
		rounds = 2
	}
	dbtest.Each(t, func(t *testing.T, url string) {
		for round := range rounds {
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			h := &history{world: newWorld(t, url), Rand: rand.New(rand.NewPCG(seed, 0)), behind: map[string]*thing{},
				aside: map[string]*thing{}, listed: map[string]bool{},
				renames: map[string][2]string{}, ids: 1000 * round}
			for _, m := range []string{"bist", "bist", "cmdty"} {
				id := h.fresh(m)
				h.expect(h.stored(h.thing(id).record(id, "")), true)
				h.listed[id] = true
			}
			for range 15 {
				for range 4 {
					h.step()
				}
				h.check()
			}
			h.verified()
			followed := h.world
			h.world = newWorld(t, url)
			h.check()
			for id := range h.behind {
				for _, path := range []string{"/v1/instruments/" + id, "/v1/quotes/" + id, "/v1/stocks/" + id + "/dividends"} {
					a, b := followed.Get(path, fixture.All), h.Get(path, fixture.All)
					delete(a.JSON, "request_id")
					delete(b.JSON, "request_id")
					if fmt.Sprint(a.JSON) != fmt.Sprint(b.JSON) {
						t.Errorf("%s: %v, and after a start %v", path, a.JSON, b.JSON)
					}
				}
			}
		}
	})
}
