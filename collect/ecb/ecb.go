// Package ecb reads the euro reference rates that the European Central Bank observes at 14:15
// and publishes at about 16:00 in Frankfurt on each working day.
package ecb

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"piyasa/collect"
)

// source is the bank's three files: of the newest day, of the last 90 days and of all days.
type source struct{ collect.RateSettings }

const (
	base      = "https://www.ecb.europa.eu/stats/eurofxref/"
	daily     = "eurofxref-daily.xml"
	quarter   = "eurofxref-hist-90d.xml"
	all       = "eurofxref-hist.xml"
	inQuarter = 85         // days back that the file of 90 days covers for certain
	observed  = 14*60 + 15 // minutes after midnight in Frankfurt
	euro      = "EUR"
)

var frankfurt = collect.Zone("Europe/Berlin")

// late is an hour after the publication.
var late = collect.Deadline{Zone: frankfurt, Clock: collect.At(17, 0)}

// New returns the source of a configuration.
func New(text json.RawMessage) (collect.Source, error) {
	s, err := collect.ReadRateSettings(text)
	return &source{s}, err
}

// Plan implements collect.Source: from the time of publication on, until the day's rates are
// published. 16:00 in Frankfurt is 17:00 in Turkey in summer and 18:00 in winter.
func (*source) Plan() collect.Plan {
	return collect.Plan{Base: base, Pace: time.Second, Schedule: collect.Schedule{Workdays: true, At: []collect.Clock{
		collect.At(8, 0), collect.At(17, 5), collect.At(17, 15), collect.At(17, 30),
		collect.At(18, 0), collect.At(18, 5), collect.At(18, 15), collect.At(18, 30), collect.At(19, 0), collect.At(20, 0),
	}}}
}

// Ask implements collect.Source: the smallest file that covers every unread day, until today's
// rates are published.
func (s *source) Ask(text json.RawMessage, now time.Time) (*collect.Request, error) {
	k, err := collect.ReadRatesKept(text)
	if err != nil {
		return nil, err
	}
	now = now.In(frankfurt)
	today := now.Format(time.DateOnly)
	if k.Day >= today {
		return nil, nil
	}
	next := s.Next(k)
	for next.Weekday() == time.Saturday || next.Weekday() == time.Sunday {
		next = next.AddDate(0, 0, 1)
	}
	path := all
	switch missing := next.Format(time.DateOnly); {
	case next.IsZero(), missing >= today: // no history is configured, or none is missing
		path = daily
	case missing >= now.AddDate(0, 0, -inQuarter).Format(time.DateOnly):
		path = quarter
	}
	return &collect.Request{Path: path, Expect: collect.XML}, nil
}

// wants reports whether the source reads the rates of a currency. The lira must be configured: its
// pairs are those of the central bank of Turkey, and no two sources may feed one pair.
func (s *source) wants(currency string) bool {
	return s.Wants(currency) && (currency != "TRY" || len(s.Currencies) > 0)
}

// envelope is a file of rates.
type envelope struct {
	XMLName xml.Name `xml:"http://www.gesmes.org/xml/2002-08-01 Envelope"`
	Days    []struct {
		Time  string `xml:"time,attr"`
		Rates []rate `xml:"http://www.ecb.int/vocabulary/2002-08-01/eurofxref Cube"`
	} `xml:"http://www.ecb.int/vocabulary/2002-08-01/eurofxref Cube>Cube"`
}

// rate is the price of a euro in a currency.
type rate struct {
	Currency string `xml:"currency,attr"`
	Rate     string `xml:"rate,attr"`
}

// day holds the rates of a day.
type day struct {
	time.Time
	rates []rate
}

// Parse implements collect.Source. The newest day counts even if history begins after it, since it
// holds the current rates.
func (s *source) Parse(text json.RawMessage, _ *collect.Request, got *collect.Answer) (*collect.Result, error) {
	k, err := collect.ReadRatesKept(text)
	if err != nil {
		return nil, err
	}
	days, err := decode(got)
	if err != nil {
		return nil, err
	}
	newest := days[len(days)-1]
	stamp := newest.Format(time.DateOnly)
	until := late.After(newest.Time, got.At)
	if stamp < k.Day || stamp == k.Day && (k.Until.IsZero() || !until.After(k.Until)) {
		return k.Result(nil, false)
	}
	from := s.Next(k)
	days = slices.DeleteFunc(days, func(d day) bool { return (from.IsZero() || d.Before(from)) && !d.Equal(newest.Time) })
	records := s.records(days, until)
	if len(records) == 0 {
		return nil, errors.New("it has no rate of a currency that is asked for")
	}
	k.Day, k.Until = stamp, until
	return k.Result(records, false)
}

// decode returns the days of a file, the oldest first.
func decode(got *collect.Answer) ([]day, error) {
	var in envelope
	if err := collect.ReadXML(got.Body, &in); err != nil {
		return nil, err
	}
	if len(in.Days) == 0 {
		return nil, errors.New("it has no day")
	}
	var days []day
	for _, d := range in.Days {
		t, err := time.Parse(time.DateOnly, d.Time)
		if err != nil {
			return nil, fmt.Errorf("the time of a Cube must be a day such as 2031-06-02; got %q", d.Time)
		}
		if d.Time > got.At.In(frankfurt).Format(time.DateOnly) {
			return nil, fmt.Errorf("%s had not come when it was asked for", d.Time)
		}
		if err := check(d.Rates); err != nil {
			return nil, fmt.Errorf("%s: %w", d.Time, err)
		}
		days = append(days, day{t, d.Rates})
	}
	slices.SortFunc(days, func(a, b day) int { return a.Compare(b.Time) })
	for i, d := range days[1:] {
		if d.Equal(days[i].Time) {
			return nil, fmt.Errorf("it has %s twice", d.Format(time.DateOnly))
		}
	}
	return days, nil
}

// check returns what is wrong with the rates of a day.
func check(rates []rate) error {
	if len(rates) == 0 {
		return errors.New("it has no rate")
	}
	seen := map[string]bool{euro: true}
	for _, r := range rates {
		if !collect.IsCurrency(r.Currency) || seen[r.Currency] {
			return fmt.Errorf("each currency must be a code such as USD, once and not EUR; got %q", r.Currency)
		}
		seen[r.Currency] = true
		whole, fraction, err := collect.SplitRate(r.Rate)
		if err == nil && strings.Trim(whole+fraction, "0") == "" {
			err = fmt.Errorf("must be above 0; got %q", r.Rate)
		}
		if err != nil {
			return fmt.Errorf("the rate of %s: %w", r.Currency, err)
		}
	}
	return nil
}

// records returns the pairs of the days, their daily bars, and the quotes of the newest day.
func (s *source) records(days []day, until time.Time) []collect.Record {
	var pairs, bars, quotes []collect.Record
	known := map[string]bool{}
	for _, d := range days {
		for _, r := range d.rates {
			if !s.wants(r.Currency) {
				continue
			}
			if !known[r.Currency] {
				known[r.Currency] = true
				pairs = append(pairs, collect.PairInstrument(euro, r.Currency, "Euro / "+r.Currency, "ECB reference rate"))
			}
			bars = append(bars, collect.PairBar(euro, r.Currency, d.Time, r.Rate))
		}
	}
	newest := days[len(days)-1]
	at := time.Date(newest.Year(), newest.Month(), newest.Day(), 0, observed, 0, 0, frankfurt)
	for _, r := range newest.rates {
		if s.wants(r.Currency) {
			quotes = append(quotes, collect.PairQuote(euro, r.Currency, at, until, r.Rate))
		}
	}
	return slices.Concat(pairs, bars, quotes)
}
