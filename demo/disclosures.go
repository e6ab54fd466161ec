package demo

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"piyasa/domain/fundamentals"
	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// The initial disclosures, numbered without gaps.
const (
	firstDisclosure  = 1_500_001
	pastDisclosures  = 60
	splitDisclosure  = firstDisclosure + 2                   // of a share
	reportDisclosure = firstDisclosure + 20                  // the financial report
	sampleDisclosure = firstDisclosure + pastDisclosures - 1 // has a body
)

// regulator files notices for the whole market.
const regulator = "Demo Düzenleme Kurulu"

// newsroom makes disclosures.
type newsroom struct {
	random     *rand.Rand
	companies  []company
	financials *financials // of the first company
	number     int         // of the next one
	due        time.Time   // when the feed publishes the next one
	last       *kap.Record // the newest original disclosure of a company
	past       []*kap.Record
}

// newNewsroom returns a newsroom that has written the disclosures of the last weeks: a few on
// each trading day before today.
func newNewsroom(bist timetable, now value.Instant, first *financials) *newsroom {
	p := &newsroom{random: seeded("disclosures"), companies: companies(), financials: first, number: firstDisclosure}
	days := pastDays(bist, now)
	for i := range pastDisclosures {
		day := days[len(days)-1-i/len(disclosureHours)]
		p.past = append(p.past, p.write(day.Add(disclosureHours[i%len(disclosureHours)]).Add(p.seconds(0, 2400))))
	}
	p.wait(now.Time())
	return p
}

// disclosureHours are the publication times of past disclosures on each trading day.
var disclosureHours = []time.Duration{9*time.Hour + 15*time.Minute, 12*time.Hour + 30*time.Minute, 18*time.Hour + 10*time.Minute}

// pastDays returns the trading days before today with past disclosures, newest first.
func pastDays(bist timetable, now value.Instant) (days []time.Time) {
	for day := now.Time().In(bist.zone); len(days)*len(disclosureHours) < pastDisclosures; {
		day = time.Date(day.Year(), day.Month(), day.Day()-1, 0, 0, 0, 0, bist.zone)
		if _, _, trades := bist.session(value.NewDate(day.Date())); trades {
			days = append(days, day)
		}
	}
	return days
}

// wait sets the time of the next one to about a minute from now.
func (p *newsroom) wait(now time.Time) { p.due = now.Add(p.seconds(40, 80)) }

func (p *newsroom) seconds(low, high int64) time.Duration {
	return time.Duration(p.between(low, high)) * time.Second
}

func (p *newsroom) between(low, high int64) int64 { return low + p.random.Int64N(high-low+1) }

// news returns the disclosure that is due at now, or nil.
func (p *newsroom) news(now time.Time) *kap.Record {
	if now.Before(p.due) {
		return nil
	}
	p.wait(now)
	return p.write(now.Truncate(time.Second))
}

// write returns the next disclosure. Its number decides its sort, so that every sort comes
// repeatedly.
func (p *newsroom) write(at time.Time) *kap.Record {
	number := p.number
	p.number++
	var r *kap.Record
	switch from := p.companies[number%len(p.companies)]; {
	case number == sampleDisclosure:
		r = p.of(p.companies[0], companyNotices[0])
	case number == reportDisclosure:
		r = report(p.companies[0], p.financials, newestPeriod(value.At(at)))
	case number%12 == 5:
		r = p.fill(pick(p, marketNotices))
		r.Symbols, r.FilerCodes, r.FilerTitle = []string{}, []string{}, new(regulator)
	case number%12 == 11:
		r = p.of(manager, pick(p, fundNotices))
		r.Symbols = []string{"DMF"}
	case number%12 == 9 && p.last != nil:
		r = correction(p.last)
	default:
		n := pick(p, companyNotices)
		if number == splitDisclosure {
			n = splitNotice
		}
		r = p.of(from, n)
		p.last = r
	}
	r.DisclosureIndex, r.PublishedAt = number, value.At(at)
	return r
}

func pick(p *newsroom, from []notice) notice { return from[p.random.IntN(len(from))] }

// of returns a notice of a company as a disclosure.
func (p *newsroom) of(c company, n notice) *kap.Record {
	r := p.fill(n)
	r.Symbols, r.FilerCodes, r.FilerTitle, r.CompanyID = []string{c.code}, []string{c.code}, new(c.title()), new(c.id())
	return r
}

// fill returns a notice as a disclosure with its number, without a filer.
func (p *newsroom) fill(n notice) *kap.Record {
	number := strconv.FormatInt(p.between(5, 95), 10)
	say := func(tr, en string) *kap.Localized {
		return &kap.Localized{TR: new(strings.ReplaceAll(tr, "#", number)), EN: new(strings.ReplaceAll(en, "#", number))}
	}
	r := &kap.Record{Disclosure: kap.Disclosure{Type: n.kind, Class: string(n.kind), Reason: new(kap.New), Subject: say(n.tr, n.en)}}
	if n.summary != "" {
		r.Summary = say(n.summary, n.summaryEN)
	}
	if len(n.fields) == 0 {
		return r
	}
	fields := make([]kap.Field, len(n.fields))
	for i, f := range n.fields {
		fields[i] = kap.Field{Key: f.key, Label: *say(f.tr, f.en), Value: *say(f.value, f.valueEN)}
	}
	content, err := json.Marshal(fields)
	if err != nil {
		panic(err) // the fields are our own
	}
	r.Body = &kap.Content{SourceFormat: "flatData", FileType: string(n.kind), Content: content}
	return r
}

// correction repeats a disclosure and refers to it.
func correction(wrong *kap.Record) *kap.Record {
	r := *wrong
	r.Reason, r.RelatedIndex = new(kap.Corrects), new(wrong.DisclosureIndex)
	return &r
}

// report returns the financial report of a period that was filed.
func report(c company, b *financials, of fundamentals.Period) *kap.Record {
	t, year := b.cumulative(b.place(of)), strconv.Itoa(of.Year)
	fact := func(concept, tr, en string, value int64) *kap.Fact {
		return &kap.Fact{
			Concept: concept, Label: &kap.Localized{TR: &tr, EN: &en}, Value: new(strconv.FormatInt(value, 10)),
			Unit: new(string(market.TRY)), Decimals: new("0"), ContextID: "period",
		}
	}
	return &kap.Record{
		Disclosure: kap.Disclosure{
			Type: kap.FR, Class: string(kap.FR), Symbols: []string{c.code}, FilerCodes: []string{c.code}, FilerTitle: new(c.title()),
			Reason: new(kap.New), Subject: &kap.Localized{TR: new("Finansal Rapor"), EN: new("Financial Report")},
			Year: &year, Period: new(strconv.Itoa(of.Month) + " Aylık"), Consolidation: new("CS"), CompanyID: new(c.id()),
		},
		Contexts: []*kap.Context{{
			ID: "period", PeriodType: "duration",
			StartDate: value.NewDate(of.Year, time.January, 1), EndDate: endOf(of), Dimensions: []*kap.Dimension{},
		}},
		Facts: []*kap.Fact{
			fact("ifrs-full:Revenue", "Hasılat", "Revenue", t.sales),
			fact("ifrs-full:GrossProfit", "Brüt Kâr", "Gross Profit", t.gross()),
			fact("ifrs-full:ProfitLoss", "Dönem Kârı", "Profit", t.net()),
		},
	}
}
