package coverage

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"piyasa/domain/macro"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// The work of one counting statement: as many subjects as take about aboutStatement.
const (
	fewSubjects, mostSubjects = 16, 1024
	aboutStatement            = 200 * time.Millisecond
	numbersAtOnce             = 20_000
	mostCancelled             = 10_000
)

// inventory is all counts as of one moment.
type inventory struct {
	epoch    string // of the store, when counting began
	asOf     value.Instant
	overview []*Row
	markets  map[market.Market][]*Row // for each market, its rows of the overview, then the bars of its instruments
	of       map[market.ID][]*Row
}

// counting makes an inventory: what is stored of each kind, market and instrument, from when to
// when, on which days records are missing, and where a corporate action seems to be missing.
type counting struct {
	store    Store
	now      value.Instant
	snapshot *market.Snapshot
	daily    map[key][]*daily // by the row of all instruments
	rows     map[key]*Row
	subjects map[key]int
	lacking  map[key]*gaps // by the row of an instrument: the days on which a corporate action seems to be missing
}

// key identifies a row.
type key struct {
	kind   string
	market market.Market
	id     market.ID
	series string
}

// take counts everything.
func take(ctx context.Context, store Store, snapshot *market.Snapshot, now value.Instant) (*inventory, error) {
	c := &counting{store: store, now: now, snapshot: snapshot, daily: map[key][]*daily{}, rows: map[key]*Row{}, subjects: map[key]int{},
		lacking: map[key]*gaps{}}
	counts, err := store.CountWhole(ctx)
	if err != nil {
		return nil, err
	}
	for _, n := range counts {
		if n.Subject != "" {
			c.addSubject(n)
			continue
		}
		c.add(key{kind: n.Kind, market: marketOf(n)}, n)
	}
	for _, kind := range store.CountedBySubject() {
		if err := c.bySubject(ctx, kind); err != nil {
			return nil, err
		}
	}
	c.barGaps()
	c.actionGaps()
	if err := c.disclosures(ctx); err != nil {
		return nil, err
	}
	points, err := store.InflationPoints(ctx)
	if err != nil {
		return nil, err
	}
	c.inflation(points)
	return c.inventory(), nil
}

// ofOneMarket maps kinds to their market, where their subjects' ids do not state it.
var ofOneMarket = map[string]market.Market{
	"sector": market.BIST, "index": market.BIST, "index_bar": market.BIST, "price_limits": market.BIST, "filing": market.BIST,
	"ipo":  market.BIST,
	"fund": market.Fund, "fund_flow": market.Fund, "fund_holding": market.Fund,
}

func marketOf(n Count) market.Market {
	if n.Kind == "corporate_action" && market.MarketOf(n.Subject) == "" { // the code of an index of the exchange
		return market.BIST
	}
	return cmp.Or(n.Market, ofOneMarket[n.Kind], market.MarketOf(n.Subject))
}

// instrumentOf returns the instrument of a subject: the subject itself, or the instrument of
// its code.
func instrumentOf(n Count) market.ID {
	switch n.Kind {
	case "index_bar":
		return ""
	case "corporate_action":
		if market.MarketOf(n.Subject) == "" {
			return ""
		}
	case "disclosure", "filing", "news":
		return market.BistID(n.Subject)
	case "fund_flow", "fund_holding":
		return market.FundID(n.Subject)
	}
	return market.ID(n.Subject)
}

// noOverview are the kinds whose subjects share records, so that they are also counted as a
// whole.
var noOverview = []string{"disclosure", "news"}

// bySubject counts the records of a kind, some subjects at a time.
func (c *counting) bySubject(ctx context.Context, kind string) error {
	some := fewSubjects
	for after := ""; ; {
		subjects, err := c.store.Subjects(ctx, kind, after, some)
		if err != nil || len(subjects) == 0 {
			return err
		}
		after = subjects[len(subjects)-1]
		began := time.Now()
		counts, err := c.store.CountSubjects(ctx, kind, subjects)
		if err != nil {
			return err
		}
		for _, n := range counts {
			c.addSubject(n)
		}
		if kind == "bar" || kind == "index_bar" {
			if err := c.jumps(ctx, kind, counts); err != nil {
				return err
			}
		}
		if kind == "bar" {
			if err := c.missingActions(ctx, subjects); err != nil {
				return err
			}
		}
		switch took := time.Since(began); {
		case took < aboutStatement/2:
			some = min(2*some, mostSubjects)
		case took > 2*aboutStatement:
			some = max(some/2, 1)
		}
	}
}

func (c *counting) addSubject(n Count) {
	id, m := instrumentOf(n), marketOf(n)
	more := false // of the same subject
	if id != "" {
		own := key{n.Kind, id.Market(), id, n.Series}
		more = c.rows[own] != nil
		c.add(own, n)
	}
	if !slices.Contains(noOverview, n.Kind) {
		total := key{n.Kind, m, "", n.Series}
		c.add(total, n)
		if !more {
			c.subjects[total]++
		}
	}
}

// add adds a count to a row.
func (c *counting) add(k key, n Count) *Row {
	r := c.row(k)
	r.Records += n.Records
	zone := market.Market(cmp.Or(k.market, market.BIST)) // disclosures and news count by Turkish days
	first, last := n.First, n.Last
	if !n.FirstAt.IsNull() {
		first, last = zone.DayAt(n.FirstAt), zone.DayAt(n.LastAt)
	}
	if !first.IsNull() && (r.FirstDay.IsNull() || first.Before(r.FirstDay)) {
		r.FirstDay = first
	}
	if r.LastDay.Before(last) {
		r.LastDay = last
	}
	for _, at := range []value.Instant{n.LastAt, n.Newest} {
		if at.After(r.Newest) {
			r.Newest = at
		}
	}
	return r
}

func (c *counting) row(k key) *Row {
	r := c.rows[k]
	if r == nil {
		r = &Row{Kind: k.kind}
		if k.market != "" {
			r.Market = &k.market
		}
		if k.id != "" {
			r.InstrumentID = &k.id
		}
		if k.series != "" {
			r.Series = &k.series
		}
		c.rows[k] = r
	}
	return r
}

// jumps records the days without a bar between consecutive daily bars of some subjects.
func (c *counting) jumps(ctx context.Context, kind string, counts []Count) error {
	known, subjects := map[string]*daily{}, map[bool][]string{}
	for _, n := range counts {
		d := &daily{listed: true}
		k := key{"index_bar", market.BIST, "", ""}
		switch {
		case kind == "index_bar":
			d.calendar, d.first, d.last = c.snapshot.TradingCalendar(market.BIST, nil), dayNumber(n.First), dayNumber(n.Last)
		case n.Series == string(market.Day):
			d.id = market.ID(n.Subject)
			m, in := d.id.Market(), c.snapshot.Catalog.ByID(d.id)
			d.listed, d.calendar, d.first, d.last = in != nil, c.snapshot.TradingCalendar(m, in), dayNumber(m.DayAt(n.FirstAt)),
				dayNumber(m.DayAt(n.LastAt))
			k = key{"bar", m, "", n.Series}
		default:
			continue
		}
		known[n.Subject], c.daily[k] = d, append(c.daily[k], d)
		weekends := d.calendar.TradesOnWeekends()
		subjects[weekends] = append(subjects[weekends], n.Subject)
	}
	for _, weekends := range []bool{false, true} {
		jumps, err := c.store.Jumps(ctx, kind, subjects[weekends], weekends)
		if err != nil {
			return err
		}
		for _, j := range jumps {
			d := known[j.Subject]
			d.jumps = append(d.jumps, j)
		}
	}
	return nil
}

// missingActions finds the days of unadjusted series on which a corporate action seems to be
// missing.
func (c *counting) missingActions(ctx context.Context, subjects []string) error {
	var ids []market.ID
	for _, subject := range subjects {
		if in := c.snapshot.Catalog.ByID(market.ID(subject)); in != nil && in.Adjustment != nil && *in.Adjustment == market.Unadjusted {
			ids = append(ids, in.InstrumentID)
		}
	}
	jumps, err := c.store.PriceJumps(ctx, ids)
	for _, j := range jumps {
		if id := j.InstrumentID; j.LacksAction(c.snapshot.CorporateActions(id)) {
			k := key{"corporate_action", id.Market(), id, ""}
			if c.lacking[k] == nil {
				c.lacking[k] = new(gaps)
			}
			c.lacking[k].add(j.Day.String(), j.Day.String(), 1, ActionMissing)
		}
	}
	return err
}

// actionGaps adds the days on which corporate actions seem to be missing to the rows.
func (c *counting) actionGaps() {
	with := map[key]int{}
	for k, found := range c.lacking {
		found.on(c.row(k), InTradingDays)
		total := key{kind: k.kind, market: k.market}
		with[total]++
		c.row(total).WithGaps, c.row(total).ownGaps = new(with[total]), true
	}
}

// barGaps finds the trading days without a daily bar, up to yesterday.
func (c *counting) barGaps() {
	for k, all := range c.daily {
		yesterday, p := dayNumber(k.market.DayAt(c.now))-1, presenceOf(all)
		with := 0
		for _, d := range all {
			found := d.gapsOf(p, yesterday)
			if found.own {
				with++
			}
			if d.id != "" {
				found.on(c.row(key{k.kind, k.market, d.id, k.series}), InTradingDays)
			}
		}
		total := c.row(k)
		silentDays(c.snapshot.TradingCalendar(k.market, nil), p, yesterday).on(total, InTradingDays)
		total.WithGaps = &with
		total.ownGaps = total.ownGaps || with > 0
	}
}

// disclosures finds the numbers without a disclosure.
func (c *counting) disclosures(ctx context.Context) error {
	all := new(numbers)
	for {
		next, err := c.store.DisclosureNumbers(ctx, all.last, numbersAtOnce)
		if err != nil {
			return err
		}
		if next.Count == 0 {
			break
		}
		all.put(next)
	}
	r := c.row(key{kind: "disclosure"})
	if r.Records = all.records; r.Records == 0 {
		return nil
	}
	if len(all.newest) > 0 {
		from, _ := strconv.Atoi(all.newest[0].From)
		cancelled, err := c.store.CancelledNumbers(ctx, from, all.last, mostCancelled)
		if err != nil {
			return err
		}
		all.cancel(cancelled)
	}
	r.FirstNumber, r.LastNumber = &all.first, &all.last
	all.on(r, InNumbers)
	return nil
}

// pointsDue is the day of a month by which the price indices of the month before are
// published.
const pointsDue = 5

// inflation finds the months without a level.
func (c *counting) inflation(points []*macro.Point) {
	series := map[macro.Series][]*macro.Point{}
	for _, p := range points {
		series[p.SeriesID] = append(series[p.SeriesID], p)
	}
	due := value.TurkeyDay(c.now).AddDays(-pointsDue).AddMonths(-1).Month()
	if len(points) == 0 {
		c.row(key{kind: "inflation_point"})
	}
	for name, of := range series {
		slices.SortFunc(of, func(a, b *macro.Point) int { return strings.Compare(a.Month.String(), b.Month.String()) })
		k := key{kind: "inflation_point", series: string(name)}
		for _, p := range of {
			c.add(k, Count{Records: 1, First: p.Month.First(), Last: p.Month.Next().First().AddDays(-1), Newest: p.FetchedAt})
		}
		monthsOf(of, due).on(c.row(k), InMonths)
	}
}

// inventory arranges the rows.
func (c *counting) inventory() *inventory {
	for _, m := range market.Markets() {
		for _, in := range c.snapshot.Catalog.Of(m) { // those without any bar
			c.row(key{"instrument", m, in.InstrumentID, ""}).Records = 1
			c.row(key{"bar", m, in.InstrumentID, string(market.Day)})
		}
	}
	for k, n := range c.subjects {
		c.rows[k].Subjects = &n
	}
	i := &inventory{asOf: c.now.WholeSecond(), markets: map[market.Market][]*Row{}, of: map[market.ID][]*Row{}}
	for k, r := range c.rows {
		r.sayWhy()
		switch {
		case k.id == "":
			i.overview = append(i.overview, r)
			fallthrough
		case k.kind == "bar":
			i.markets[k.market] = append(i.markets[k.market], r)
			if k.id == "" {
				continue
			}
			fallthrough
		default:
			i.of[k.id] = append(i.of[k.id], r)
		}
	}
	slices.SortFunc(i.overview, compare)
	for _, rows := range i.markets {
		slices.SortFunc(rows, compare)
	}
	for _, rows := range i.of {
		slices.SortFunc(rows, compare)
	}
	return i
}

// sayWhy sets the reasons for null figures.
func (r *Row) sayWhy() {
	if r.FirstDay.IsNull() {
		r.NullReason = new(NoDay)
		if r.Records == 0 {
			r.NullReason = new(NoneStored)
		}
	}
	if r.GapsIn != nil {
		return
	}
	switch {
	case r.Records == 0:
		r.GapsReason = new(NoneStored)
	case r.Kind == "bar":
		r.GapsReason = new(ShortKept)
	default:
		r.GapsReason = new(NotRegular)
	}
}

// place returns the sort key of a row: rows about all records come first.
func (r *Row) place() string {
	order := 0
	if r.Market != nil {
		order = 1 + slices.Index(market.Markets(), *r.Market)
	}
	id, series := "", ""
	if r.InstrumentID != nil {
		id = string(*r.InstrumentID)
	}
	if r.Series != nil {
		series = *r.Series
	}
	return fmt.Sprintf("%s %d %s %s", id, order, r.Kind, series)
}

func compare(a, b *Row) int { return strings.Compare(a.place(), b.place()) }
