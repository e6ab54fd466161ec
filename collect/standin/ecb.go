package standin

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"time"
)

// ecbCurrencies are the currencies of the European Central Bank.
var ecbCurrencies = []struct {
	code             string
	decimals, around int
	last             string // day; empty: it is still listed
}{
	{"USD", 4, 11501, ""},
	{"JPY", 2, 17390, ""},
	{"BGN", 4, 19558, "2025-12-31"},
	{"CZK", 3, 24810, ""},
	{"DKK", 4, 74601, ""},
	{"GBP", 5, 85810, ""},
	{"HUF", 2, 36690, "2031-06-03"},
	{"SEK", 4, 109320, ""},
	{"CHF", 4, 9344, ""},
	{"HRK", 4, 75345, "2022-12-30"},
	{"RUB", 4, 1172010, "2022-03-01"},
	{"TRY", 4, 576500, ""},
	{"KRW", 2, 159600, ""},
}

// Files of the European Central Bank.
const (
	ecbDaily   = "/eurofxref-daily.xml"
	ecbQuarter = "/eurofxref-hist-90d.xml"
	ecbAll     = "/eurofxref-hist.xml"

	ecbFirst     = "2019-01-02" // 1999-01-04 in truth
	ecbPublished = 16 * time.Hour
)

var ecbZone = rateZone("Europe/Berlin")

// ECB stands in for the reference rates of the European Central Bank, which are published at 16:00
// in Frankfurt: the newest day, 90 days and all days. It answers 304 if nothing is new.
func ECB(now func() time.Time) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		newest := rateMidnight(now().In(ecbZone).Add(-ecbPublished), ecbZone)
		for len(ECBRates(newest)) == 0 {
			newest = newest.AddDate(0, 0, -1)
		}
		first, quote := newest, `'`
		switch r.URL.Path {
		case ecbDaily:
		case ecbQuarter:
			first, quote = rateMidnight(now(), ecbZone).AddDate(0, 0, -90), `"`
		case ecbAll:
			first, quote = time.Time{}, `"`
		default:
			http.NotFound(w, r)
			return
		}
		body := ecbFile(first, newest, quote)
		w.Header().Set("Content-Type", "text/xml")
		w.Header().Set("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256(body))[:18]+`"`)
		http.ServeContent(w, r, "", newest.Add(ecbPublished), bytes.NewReader(body))
	})
}

// ECBRates returns the rates that the European Central Bank publishes on a day; none when
// TARGET is closed. They are a function of the day and the currency.
func ECBRates(day time.Time) (all []Rate) {
	date := day.Format(time.DateOnly)
	if date < ecbFirst || ecbHoliday(day) {
		return nil
	}
	for _, c := range ecbCurrencies {
		if c.last == "" || date <= c.last {
			rate := rateDecimal(rateNear(c.around, "ecb", c.code, date), c.decimals)
			all = append(all, Rate{Currency: c.code, Unit: "1", Buying: rate, One: rate})
		}
	}
	return all
}

// ecbFile writes the days from the newest to the first.
func ecbFile(first, newest time.Time, quote string) []byte {
	var b bytes.Buffer
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
	<gesmes:subject>Reference rates</gesmes:subject>
	<gesmes:Sender><gesmes:name>European Central Bank</gesmes:name></gesmes:Sender>
	<Cube>
`)
	for day := newest; !day.Before(first) && day.Format(time.DateOnly) >= ecbFirst; day = day.AddDate(0, 0, -1) {
		rates := ECBRates(day)
		if len(rates) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\t\t<Cube time=%[1]s%[2]s%[1]s>\n", quote, day.Format(time.DateOnly))
		for _, r := range rates {
			fmt.Fprintf(&b, "\t\t\t<Cube currency=%[1]s%[2]s%[1]s rate=%[1]s%[3]s%[1]s/>\n", quote, r.Currency, r.Buying)
		}
		b.WriteString("\t\t</Cube>\n")
	}
	b.WriteString("\t</Cube>\n</gesmes:Envelope>\n")
	return b.Bytes()
}

// ecbHoliday reports whether TARGET is closed on a day.
func ecbHoliday(day time.Time) bool {
	if day.Weekday() == time.Saturday || day.Weekday() == time.Sunday {
		return true
	}
	switch day.Format("01-02") {
	case "01-01", "05-01", "12-25", "12-26":
		return true
	}
	sunday := ecbEaster(day.Year())
	date := day.Format(time.DateOnly)
	return date == sunday.AddDate(0, 0, -2).Format(time.DateOnly) || date == sunday.AddDate(0, 0, 1).Format(time.DateOnly)
}

// ecbEaster returns Easter Sunday of a year, by the rule of Gauss for the Gregorian calendar.
func ecbEaster(year int) time.Time {
	a, b, c := year%19, year/100, year%100
	d := (19*a + b - b/4 - (b-(b+8)/25+1)/3 + 15) % 30
	e := (32 + 2*(b%4) + 2*(c/4) - d - c%4) % 7
	f := d + e - 7*((a+11*d+22*e)/451) + 114
	return time.Date(year, time.Month(f/31), f%31+1, 0, 0, 0, 0, time.UTC)
}
