// Package demo makes the synthetic data that `piyasa demo` serves: invented
// companies, coins, funds and prices, labelled as synthetic, with a year of history,
// years of statements, weeks of disclosures and an economic calendar, and live
// prices that continue them.
//
// Prices are integers in units of the last decimal, never floats, and every choice is seeded by
// the instrument's id, so one moment of the clock always gives the same data. Everything is
// ingested as record lines, as from any connector.
package demo

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"piyasa/db"
	"piyasa/domain/market"
	"piyasa/ingest"
	"piyasa/internal/value"
)

// source labels every instrument.
const source = "synthetic demo data"

// Simulation is the synthetic market of the demo: instruments, prices that move with its clock,
// statements, disclosures, events and IPOs, all generated from seeds. Load stores its history,
// and Feed then continues it. It is not safe for concurrent use.
type Simulation struct {
	clock    value.Clock
	sectors  []*market.Sector
	indices  []*market.BistIndex
	days     []*market.TradingDay
	series   []*series
	deck     deck
	newsroom *newsroom
	calendar *calendar

	levelled value.Date // the newest day whose index levels were sent
}

// New returns the synthetic market as of the clock's present moment.
func New(clock value.Clock) *Simulation {
	now := clock()
	days := tradingDays(now)
	bist := exchange(days)
	s := &Simulation{clock: clock, sectors: sectors(), days: days}
	s.indices = indices(value.At(bist.lastTrade(observed(now, delayed))))
	for _, l := range listings(bist) {
		l.former = formerOf(&l.Instrument, bist, now)
		s.series = append(s.series, newSeries(l, now))
	}
	s.deck, s.levelled = newDeck(s.series), s.closedDay()
	s.newsroom, s.calendar = newNewsroom(bist, now, s.financialsOf(Sample)), newCalendar(now)
	return s
}

// financialsOf returns the financials of a company.
func (s *Simulation) financialsOf(id market.ID) *financials {
	return s.series[slices.IndexFunc(s.series, func(p *series) bool { return p.InstrumentID == id })].financials
}

// listings returns all instruments.
func listings(bist timetable) []listing {
	var all []listing
	for _, part := range [][]listing{stocks(bist), etfs(bist), coins(), pairs(), worldIndices(), commodities(), usStocks(),
		fundUnits(bist)} {
		all = append(all, part...)
	}
	return all
}

// Records returns the data set as record lines.
func (s *Simulation) Records() []byte { return s.appendPast(s.present()) }

// present returns the catalog and its quotes.
func (s *Simulation) present() []byte {
	var lines []byte
	for _, p := range s.series {
		if p.former != nil {
			lines = p.former.appendInstrument(lines, p.Instrument)
		}
		lines = appendRecord(lines, "instrument", &p.Instrument)
	}
	for _, r := range s.sectors {
		lines = appendRecord(lines, "sector", r)
	}
	for _, r := range s.indices {
		lines = appendRecord(lines, "index", r)
	}
	for _, r := range s.days {
		lines = appendRecord(lines, "trading_day", r)
	}
	for _, p := range s.series {
		lines = appendRecord(lines, "quote", p.observation())
	}
	return lines
}

// appendPast appends the history, and all data besides prices: disclosures with their companies
// and news, daily bars, statements, funds, dividends, corporate actions, the economic calendar,
// IPOs and logos.
func (s *Simulation) appendPast(lines []byte) []byte {
	for _, c := range append(s.newsroom.companies, manager) {
		lines = appendRecord(lines, "company", c.record())
	}
	for _, r := range s.newsroom.past {
		lines = appendRecord(lines, "disclosure", r)
	}
	lines = s.newsroom.appendNews(lines)
	levels := newLevels(s)
	for _, p := range s.series {
		var closes []settled
		lines, closes = p.appendBars(lines)
		levels.add(p, closes)
		if p.financials != nil {
			lines = p.appendMetrics(lines, closes)
			lines = p.financials.appendStatements(lines)
		}
		if p.Market == market.Fund {
			lines = p.appendFund(lines, closes)
		}
	}
	lines = s.appendActions(s.appendDividends(levels.appendBars(lines)))
	lines = s.calendar.appendRecords(lines, s.clock())
	return s.appendLogos(s.appendIPOs(lines))
}

// Load stores the data set. Its disclosures are back-filled: no stream publishes them. messages
// receives a line for every rejected record.
func (s *Simulation) Load(ctx context.Context, store *db.Store, messages io.Writer) (*ingest.Summary, error) {
	return accepted(ingest.Run(ctx, store, ingest.Options{
		Paths: []string{ingest.Stdin}, Stdin: bytes.NewReader(s.Records()), Messages: messages, BackFill: true, Now: s.clock,
	}))
}

// Feed stores new quotes of some instruments at every tick, the bars of days that end, and from
// time to time a disclosure or a figure of the calendar, until ctx ends. messages receives a
// line for every rejected record.
func (s *Simulation) Feed(ctx context.Context, store *db.Store, ticks <-chan time.Time, messages io.Writer) error {
	_, err := accepted(ingest.Feed(ctx, store, trading{s, ticks},
		ingest.Options{Messages: messages, Now: s.clock, RetryFor: ingest.DefaultRetryFor}))
	return err
}

// trading is the simulation as a source of ingest, with one turn at every tick.
type trading struct {
	simulation *Simulation
	ticks      <-chan time.Time
}

// Run implements ingest.Source.
func (t trading) Run(ctx context.Context, emit func([]byte) error) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-t.ticks:
			if err := emit(t.simulation.turn()); err != nil {
				return err
			}
		}
	}
}

// accepted turns rejected records into an error, because the demo makes only valid ones.
func accepted(summary *ingest.Summary, err error) (*ingest.Summary, error) {
	if err == nil && summary.Rejected > 0 {
		err = fmt.Errorf("%d synthetic records were rejected", summary.Rejected)
	}
	return summary, err
}

// perTurn is how many instruments trade at one tick.
const perTurn = 8

// turn trades some instruments and returns the changes as record lines, with the disclosure and
// the figures that are due.
func (s *Simulation) turn() []byte {
	now := s.clock()
	var lines []byte
	for cards, traded := 0, 0; cards < len(s.deck.cards) && traded < perTurn; cards++ {
		p := s.deck.deal()
		if at, due := p.due(now); due {
			before := p.asOf
			p.trade(at)
			lines = p.appendTrade(lines, before)
			traded++
		}
	}
	lines = s.calendar.appendReleases(s.appendLevels(lines), now)
	if r := s.newsroom.news(now.Time()); r != nil {
		lines = appendRecord(lines, "disclosure", r)
	}
	return lines
}

// deck shuffles instruments so that each trades once per round, and no price waits for long.
type deck struct {
	cards  []*series
	next   int
	random *rand.Rand
}

func newDeck(all []*series) deck {
	d := deck{random: seeded("deck")}
	for _, p := range all {
		for range p.manner.cards {
			if !p.withdrawn() {
				d.cards = append(d.cards, p)
			}
		}
	}
	d.next = len(d.cards)
	return d
}

func (d *deck) deal() *series {
	if d.next == len(d.cards) {
		d.random.Shuffle(len(d.cards), func(i, j int) { d.cards[i], d.cards[j] = d.cards[j], d.cards[i] })
		d.next = 0
	}
	d.next++
	return d.cards[d.next-1]
}
