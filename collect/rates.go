package collect

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// firstRates is the first day of exchange rates that piyasa shows.
const firstRates = "2020-01-01"

// RateSettings are the settings of a source of exchange rates.
type RateSettings struct {
	From       string   `json:"from"`       // first day of history, 2020-01-01 or later; empty: none
	Currencies []string `json:"currencies"` // empty: all
}

// ReadRateSettings reads the settings of a source of exchange rates.
func ReadRateSettings(text json.RawMessage) (RateSettings, error) {
	s, err := Settings[RateSettings](text)
	if err != nil {
		return s, err
	}
	if _, err := time.Parse(time.DateOnly, s.From); s.From != "" && (err != nil || s.From < firstRates) {
		return s, fmt.Errorf(`"from" must be a day from %s on such as "2024-01-01"; got %q`, firstRates, s.From)
	}
	for _, c := range s.Currencies {
		if !IsCurrency(c) {
			return s, fmt.Errorf(`"currencies" must be codes such as "USD"; got %q`, c)
		}
	}
	return s, nil
}

// Wants reports whether the rates of a currency are wanted.
func (s RateSettings) Wants(currency string) bool {
	return len(s.Currencies) == 0 || slices.Contains(s.Currencies, currency)
}

// Next returns the first day to read: the day after the newest one that was read, or the first
// day of history; zero: only the newest rates are wanted.
func (s RateSettings) Next(k RatesKept) time.Time {
	if day, err := time.Parse(time.DateOnly, k.Day); err == nil {
		return day.AddDate(0, 0, 1)
	}
	day, _ := time.Parse(time.DateOnly, s.From) // zero if there is none
	return day
}

// RatesKept is the state that a source of daily exchange rates keeps.
type RatesKept struct {
	Day   string    `json:"day"`            // the newest day that was read; empty: none
	Until time.Time `json:"until,omitzero"` // until when its rates are current
}

// ReadRatesKept reads the kept state of a source of daily exchange rates.
func ReadRatesKept(text json.RawMessage) (k RatesKept, err error) {
	if err = ReadKept(text, &k); err != nil {
		return k, err
	}
	if _, err = time.Parse(time.DateOnly, k.Day); k.Day != "" && err != nil {
		return k, fmt.Errorf("the kept day: %w", err)
	}
	return k, nil
}

// Result returns the result that keeps k.
func (k RatesKept) Result(records []Record, more bool) (*Result, error) {
	text, err := json.Marshal(k)
	return &Result{Records: records, Keep: text, More: more}, err
}

// IsCurrency reports whether a text has the form of a currency's code: three capital letters.
func IsCurrency(code string) bool {
	return len(code) == 3 && strings.IndexFunc(code, func(r rune) bool { return r < 'A' || r > 'Z' }) < 0
}

// SplitRate returns the digits of a rate before and after its point. A rate has no sign, no
// exponent and no comma.
func SplitRate(text string) (whole, fraction string, err error) {
	whole, fraction, point := strings.Cut(text, ".")
	if whole == "" || point && fraction == "" || strings.Trim(whole+fraction, "0123456789") != "" {
		return "", "", fmt.Errorf("must be a decimal such as 50.1234; got %q", text)
	}
	return whole, fraction, nil
}

// PairInstrument returns the record of a currency pair: the price of one unit of one in the
// currency other.
func PairInstrument(one, other, name, source string) Record {
	return Record{"instrument", map[string]any{
		"instrument_id": PairID(one, other), "symbol": one + other, "name": name, "market": "fx", "asset_type": "FX", "currency": other,
		"source": source,
	}}
}

// PairBar returns the daily bar of a currency pair. A day of the market fx begins at midnight
// in Turkey. The date is that of the upstream's day, whatever its zone.
func PairBar(one, other string, day time.Time, rate string) Record {
	start := time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, Istanbul)
	return Record{"bar", map[string]any{
		"instrument_id": PairID(one, other), "resolution": "1d", "t": start.UTC().Format(time.RFC3339), "close": rate,
	}}
}

// PairID returns the instrument id of a currency pair.
func PairID(one, other string) string { return "fx:" + one + other }
