// Package dataset makes the records that every server of the comparison serves:
// the same on every machine, and nobody's real prices.
package dataset

import (
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"time"
)

// Sizes of the data set.
const (
	Charted = 100   // US stocks with daily bars
	Days    = 1_400 // bars of each
	// FirstDisclosure is the number of the first disclosure.
	FirstDisclosure = 1_000_001
)

// Stocks is how many of the Istanbul exchange have quotes and statements.
var Stocks = size(500, 120)

// Disclosures is how many disclosures are stored.
var Disclosures = size(200_000, 36_000)

// size returns the second size if BENCH_DATA=small asks for the set of tests; every
// program of a run finds that in its environment.
func size(full, small int) int {
	if os.Getenv("BENCH_DATA") == "small" {
		return small
	}
	return full
}

// Now is the moment at which every server's clock starts: a Friday after the
// exchange has closed.
var Now = time.Date(2026, time.November, 20, 18, 0, 0, 0, time.UTC)

// Instrument is one of the catalog.
type Instrument struct{ ID, Symbol, Name, Market, Currency string }

// Quote is the latest price of an instrument; decimals are their text.
type Quote struct {
	Instrument                                               Instrument
	Last, PrevClose, Change, ChangePct, Open, High, Low      string
	Bid, Ask, Volume, Turnover, LimitUp, LimitDown, AsOfText string
}

// Bar is a day of an instrument.
type Bar struct {
	InstrumentID                             string
	T                                        string
	Open, High, Low, Close, Volume, Turnover string
	Trades                                   int
}

// Disclosure is one disclosure, with its texts in two languages.
type Disclosure struct {
	Index                   int
	Type                    string
	Symbols                 []string
	FilerTitle              string
	CompanyID               string
	PublishedAt             string
	Reason                  string
	RelatedIndex            int // 0: none
	SubjectTr, SubjectEn    string
	SummaryTr, SummaryEn    string // empty: none
	Link                    string
	AttachmentCount         int
	Year, Period, Statement string // of financial reports
}

func random(name string, n int) *rand.Rand {
	var seed uint64
	for _, c := range name {
		seed = seed*131 + uint64(c)
	}
	return rand.New(rand.NewPCG(seed, uint64(n)))
}

// Stock returns the nth stock of the Istanbul exchange.
func Stock(n int) Instrument {
	symbol := fmt.Sprintf("B%c%c%c", 'A'+n/676, 'A'+n/26%26, 'A'+n%26)
	return Instrument{"bist:" + symbol, symbol, "Bench " + symbol + " Sanayi A.Ş.", "bist", "TRY"}
}

// Chart returns the nth stock that has daily bars.
func Chart(n int) Instrument {
	symbol := fmt.Sprintf("C%c%c", 'A'+n/26, 'A'+n%26)
	return Instrument{"us:" + symbol, symbol, "Bench " + symbol + " Inc.", "us", "USD"}
}

// cents writes an amount in hundredths with two decimals.
func cents(n int64) string {
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	return fmt.Sprintf("%s%d.%02d", sign, n/100, n%100)
}

func instant(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

// price is what everything about a stock's price follows from, in kuruş.
func price(n int) int64 { return 500 + random("price", n).Int64N(60_000) }

// QuoteOf returns the quote of the nth stock.
func QuoteOf(n int) Quote {
	r := random("quote", n)
	prev := price(n)
	last := prev + prev*(r.Int64N(1900)-950)/10_000
	lots := 100_000 + r.Int64N(90_000_000)
	high, low := max(prev, last)+r.Int64N(40), min(prev, last)-r.Int64N(40)
	return Quote{
		Instrument: Stock(n), Last: cents(last), PrevClose: cents(prev), Change: cents(last - prev),
		ChangePct: cents((last - prev) * 10_000 / prev), Open: cents((prev + last) / 2), High: cents(high), Low: cents(low),
		Bid: cents(last - 1), Ask: cents(last + 1), Volume: fmt.Sprint(lots), Turnover: cents(lots * last),
		LimitUp: cents(prev * 110 / 100), LimitDown: cents(prev * 90 / 100),
		AsOfText: instant(Now.Add(-3*time.Hour - time.Duration(r.IntN(900))*time.Second)),
	}
}

// BarsOf returns the daily bars of the nth chart, oldest first.
func BarsOf(n int) []Bar {
	r := random("bars", n)
	bars := make([]Bar, Days)
	day := Now.Truncate(24 * time.Hour)
	for i := Days - 1; i >= 0; i-- {
		bars[i].T = instant(day)
		for day = day.AddDate(0, 0, -1); day.Weekday() == time.Saturday || day.Weekday() == time.Sunday; {
			day = day.AddDate(0, 0, -1)
		}
	}
	last := 2_000 + r.Int64N(30_000)
	for i := range bars {
		open := last
		last = max(100, last+last*(r.Int64N(601)-298)/10_000)
		lots := 10_000 + r.Int64N(9_000_000)
		b := &bars[i]
		b.InstrumentID, b.Open, b.Close = Chart(n).ID, cents(open), cents(last)
		b.High, b.Low = cents(max(open, last)+r.Int64N(80)), cents(min(open, last)-r.Int64N(80))
		b.Volume, b.Turnover, b.Trades = fmt.Sprint(lots), cents(lots*last), int(lots/90)
	}
	return bars
}

// FirstDay returns the day of the oldest bar.
func FirstDay() string { return firstDay() }

var firstDay = sync.OnceValue(func() string { return BarsOf(0)[0].T[:10] })

// LastDay returns the day of the newest bar.
func LastDay() string { return Now.Format(time.DateOnly) }

var subjects = [][3]string{ // type, Turkish, English
	{"ODA", "Özel Durum Açıklaması (Genel)", "Material Event Disclosure (General)"},
	{"ODA", "Payların Geri Alınmasına İlişkin Bildirim", "Notification Regarding Share Buy-Back"},
	{"ODA", "Yeni İş İlişkisi", "New Business Relation"},
	{"DG", "Genel Kurul İşlemlerine İlişkin Bildirim", "Notification Regarding General Assembly"},
	{"CA", "Kâr Payı Dağıtım İşlemlerine İlişkin Bildirim", "Notification Regarding Dividend Payment"},
	{"FR", "Finansal Rapor", "Financial Report"},
}

// DisclosureOf returns the nth disclosure; higher numbers are newer, and those
// from Disclosures on are what is published while servers run.
func DisclosureOf(n int) Disclosure {
	r := random("disclosure", n)
	filer := Stock(r.IntN(Stocks))
	s := subjects[r.IntN(len(subjects))]
	age := time.Duration(Disclosures-n) * 7 * time.Minute
	d := Disclosure{
		Index: FirstDisclosure + n, Type: s[0], Symbols: []string{filer.Symbol}, FilerTitle: filer.Name,
		CompanyID: "bench-" + filer.Symbol, PublishedAt: instant(Now.Add(-age)), Reason: "NEW", SubjectTr: s[1], SubjectEn: s[2],
		Link: fmt.Sprintf("https://disclosures.example/%d", FirstDisclosure+n), AttachmentCount: r.IntN(3),
	}
	if n >= Disclosures { // a burst: all at once
		d.PublishedAt = instant(Now)
	}
	if r.IntN(10) == 0 {
		if other := Stock(r.IntN(Stocks)); other.Symbol != filer.Symbol {
			d.Symbols = append(d.Symbols, other.Symbol)
		}
	}
	if r.IntN(8) == 0 && n > 100 {
		d.Reason, d.RelatedIndex = "CORR", d.Index-1-r.IntN(100)
	}
	if r.IntN(2) == 0 {
		amount := cents(r.Int64N(1_000_000_00))
		d.SummaryTr, d.SummaryEn = "Toplam "+amount+" TL tutarında işlem yapılmıştır.", "A transaction of TRY "+amount+
			" in total was carried out."
	}
	if d.Type == "FR" {
		d.Year, d.Period, d.Statement = d.PublishedAt[:4], "9 Aylık", "CS"
	}
	return d
}
