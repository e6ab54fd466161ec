// Package tuik reads the release calendar of official statistics that the Turkish Statistical
// Institute keeps for all agencies.
package tuik

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"piyasa/collect"
)

const (
	base      = "https://www.tuik.gov.tr/"
	list      = "Kurumsal/GetYillikHaberBulteniListesi"
	firstYear = 2005
)

// source reads the list of each year.
type source struct {
	from int // first year; 0: the current one
}

// New returns the source of a configuration.
func New(text json.RawMessage) (collect.Source, error) {
	from, err := collect.FromYear(text, firstYear, 2025)
	return &source{from}, err
}

// Plan implements collect.Source.
func (*source) Plan() collect.Plan {
	return collect.Plan{Base: base, Pace: 5 * time.Second, Schedule: collect.Schedule{At: []collect.Clock{collect.At(6, 0)}}}
}

// year is the state kept of a year's list.
type year struct {
	Asked   time.Time        `json:"asked,omitzero"`
	Times   map[int][]string `json:"times,omitempty"`   // times by event; not for past years
	Missing []int            `json:"missing,omitempty"` // events that the list no longer has
}

// Rewind implements collect.Rewinder, to a year.
func (*source) Rewind(text json.RawMessage, to string) (json.RawMessage, error) {
	return collect.BackToYear(text, to)
}

// Ask implements collect.Source: each year of history, this year once a day, and the next one
// from December on. A past year is read once more after its end.
func (s *source) Ask(text json.RawMessage, now time.Time) (*collect.Request, error) {
	k, err := collect.YearsKept[year](text)
	if err != nil {
		return nil, err
	}
	now = now.In(collect.Istanbul)
	first, last := now.Year(), now.Year()
	for y := range k {
		first = min(first, y)
	}
	if s.from > 0 {
		first = min(first, s.from)
	}
	if now.Month() == time.December {
		last++
	}
	var missing []string
	for y := max(first, firstYear); y <= last; y++ {
		known := k[y]
		if known == nil || known.due(y, now) {
			header := http.Header{}
			header.Set("Accept", "application/json")
			header.Set("Referer", base+"Kurumsal/Veri_Takvimi")
			return &collect.Request{Path: list, Query: url.Values{"yil": {strconv.Itoa(y)}}, Header: header, Expect: collect.JSON}, nil
		}
		if y >= now.Year() {
			for _, id := range known.Missing {
				missing = append(missing, fmt.Sprintf("the list of %d has %s no more, under this name", y, nameOf(id)))
			}
		}
	}
	if len(missing) > 0 { // reported once everything else is stored
		return nil, &collect.Trouble{What: strings.Join(missing, "; "), Final: true}
	}
	return nil, nil
}

// due reports whether to read a year again.
func (y *year) due(number int, now time.Time) bool {
	day := y.Asked.In(collect.Istanbul)
	if number < now.Year() {
		return day.Year() <= number
	}
	return day.Format(time.DateOnly) != now.Format(time.DateOnly)
}

// row is a release of the list. Numbers, links and departments are ignored.
type row struct {
	Agency string  `json:"sorumluKisaAd"`
	Title  string  `json:"adi"`
	Period *string `json:"donemi"`
	Time   string  `json:"gTarih"` // in Turkey
}

// Parse implements collect.Source. A time that the list no longer has is withdrawn, unless the
// whole event is gone: then it was more likely renamed.
func (s *source) Parse(text json.RawMessage, request *collect.Request, got *collect.Answer) (*collect.Result, error) {
	k, err := collect.YearsKept[year](text)
	if err != nil {
		return nil, err
	}
	number, err := strconv.Atoi(request.Query.Get("yil"))
	if err != nil {
		return nil, fmt.Errorf("the year that was asked for: %w", err)
	}
	now := got.At.In(collect.Istanbul)
	times, rows, err := decode(got.Body, number)
	if err != nil {
		return nil, err
	}
	before := k[number]
	if before == nil {
		before = &year{}
	}
	if rows == 0 && (number <= now.Year() || len(before.Times) > 0) {
		return nil, fmt.Errorf("the list of %d is empty", number)
	}
	next := &year{Asked: got.At, Times: times}
	var records []collect.Record
	for _, e := range events {
		listed, known := times[e.id], before.Times[e.id]
		if len(listed) == 0 {
			if last := k[number-1]; len(known) > 0 || number == now.Year() && last != nil && len(last.Times[e.id]) > 0 {
				next.Missing, next.Times[e.id] = append(next.Missing, e.id), known
			}
			continue
		}
		records = append(records, e.record())
		for _, t := range listed {
			if !slices.Contains(known, t) {
				records = append(records, item(e, t))
			}
		}
		for _, t := range known {
			if !slices.Contains(listed, t) {
				gone := item(e, t)
				gone.Fields["withdrawn"] = true
				records = append(records, gone)
			}
		}
	}
	k[number] = next
	for y, known := range k {
		if y < now.Year()-1 { // last year's times show which events this year should have
			known.Times, known.Missing = nil, nil
		}
	}
	keep, err := json.Marshal(k)
	return &collect.Result{Records: records, Keep: keep, More: true}, err
}

func item(e event, t string) collect.Record {
	return collect.Record{Kind: "calendar_item", Fields: map[string]any{"event_id": e.id, "time": t}}
}

func nameOf(id int) string {
	i := slices.IndexFunc(events, func(e event) bool { return e.id == id })
	if i < 0 {
		return fmt.Sprint("event ", id)
	}
	return strconv.Quote(events[i].name) + " of " + events[i].agency
}

// decode returns the times of each event in a list, sorted, and how many rows it has.
func decode(body []byte, number int) (map[int][]string, int, error) {
	var in struct {
		Published *[]json.RawMessage `json:"yayindaOlanlarList"`
		Planned   *[]json.RawMessage `json:"yayindaOlmayanlarList"`
	}
	if err := collect.ReadJSON(body, &in); err != nil {
		return nil, 0, err
	}
	if in.Published == nil || in.Planned == nil {
		return nil, 0, errors.New("it does not have both yayindaOlanlarList and yayindaOlmayanlarList")
	}
	times := map[int][]string{}
	all := slices.Concat(*in.Published, *in.Planned)
	for i, text := range all {
		var r row
		if err := collect.ReadJSON(text, &r); err != nil {
			return nil, 0, fmt.Errorf("row %d: %w", i, err)
		}
		if r.Agency == "" || r.Title == "" {
			return nil, 0, fmt.Errorf("row %d must have sorumluKisaAd and adi", i)
		}
		id, t, err := r.read(number)
		if err != nil {
			return nil, 0, fmt.Errorf("%q of %s: %w", r.Title, r.Agency, err)
		}
		if id != 0 && !slices.Contains(times[id], t) {
			times[id] = append(times[id], t)
		}
	}
	for _, t := range times {
		slices.Sort(t)
	}
	return times, len(all), nil
}

// read returns the event of a release and its time; 0: it is of no event.
func (r row) read(number int) (id int, t string, err error) {
	candidates := byTitle[fold(r.Agency)+"|"+fold(r.Title)]
	if len(candidates) == 0 {
		return 0, "", nil
	}
	period := ""
	if r.Period != nil {
		period = *r.Period
	}
	often, ok := cadenceOf(period)
	if !ok {
		return 0, "", fmt.Errorf("donemi must be a period such as Mayıs 2031; got %q", period)
	}
	i := slices.IndexFunc(candidates, func(e event) bool { return e.cadence == often })
	if i < 0 {
		return 0, "", nil
	}
	at, err := time.ParseInLocation("2006-01-02T15:04:05", r.Time, collect.Istanbul)
	if err != nil {
		return 0, "", fmt.Errorf("gTarih must be a time such as 2031-06-03T10:00:00; got %q", r.Time)
	}
	if at.Year() != number {
		return 0, "", fmt.Errorf("%s is not in %d, which was asked for", r.Time, number)
	}
	return candidates[i].id, at.UTC().Format(time.RFC3339), nil
}
