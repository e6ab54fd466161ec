package market

import (
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// maxObjects is how many bars a series may have as objects. As columns they take a third of the
// bytes.
const maxObjects = 5000

// Objects returns the bars as GraphQL's objects. A series with more than maxObjects is the problem
// too-many-values, which names the alternatives.
func (c *CandleSeries) Objects() ([]*Bar, error) {
	if err := c.checkObjects(); err != nil {
		return nil, err
	}
	bars, turn := c.of.own(), c.BarsInTurn()
	for i, b := range bars {
		b.complete = turn.At(i).complete
	}
	return bars, nil
}

// ObjectsInTurn returns the bars of Objects one at a time, without memory for all of them.
func (c *CandleSeries) ObjectsInTurn() (*BarsInTurn, error) {
	if err := c.checkObjects(); err != nil {
		return nil, err
	}
	return c.BarsInTurn(), nil
}

func (c *CandleSeries) checkObjects() error {
	if c.Count <= maxObjects {
		return nil
	}
	e := problem.New(problem.TooManyValues, "This range has %d bars; bars returns at most %d. Use columns or a shorter range.",
		c.Count, maxObjects)
	limit := maxObjects
	e.Members.Limit = &limit
	return e
}

// BarColumns is a series by column, for clients that compute with whole columns. Each column is
// made when its method is called.
type BarColumns struct {
	of     *shownBars
	series *CandleSeries
}

// Columns returns the bars by column.
func (c *CandleSeries) Columns() *BarColumns { return &BarColumns{&c.of, c} }

// T returns the starts of the intervals.
func (c *BarColumns) T() []value.Instant { return c.of.times() }

// Open returns the first prices.
func (c *BarColumns) Open() []value.Decimal { return c.of.figure(openFigure) }

// High returns the highest prices.
func (c *BarColumns) High() []value.Decimal { return c.of.figure(highFigure) }

// Low returns the lowest prices.
func (c *BarColumns) Low() []value.Decimal { return c.of.figure(lowFigure) }

// Close returns the last prices.
func (c *BarColumns) Close() []value.Decimal { return c.of.figure(closeFigure) }

// Volume returns how much was traded.
func (c *BarColumns) Volume() []value.Decimal { return c.of.figure(volumeFigure) }

// Turnover returns the money traded.
func (c *BarColumns) Turnover() []value.Decimal { return c.of.figure(turnoverFigure) }

// TradeCount returns how many trades there were.
func (c *BarColumns) TradeCount() []*int { return c.of.tradeCounts() }

// FxRate returns the rates that converted the bars.
func (c *BarColumns) FxRate() []value.Decimal { return c.of.fxRates() }

// Factor returns the factors of the prices: 1 where they are as stored.
func (c *BarColumns) Factor() []value.Decimal {
	times := c.T()
	all := make([]value.Decimal, len(times))
	for i, t := range times {
		all[i] = c.series.Factor(i, t)
	}
	return all
}

// Date returns the first days of the bars; null where these are shorter than a day.
func (c *BarColumns) Date() []value.Date {
	all := make([]value.Date, c.series.Count)
	if c.series.Resolution.stored() == Day {
		for i, t := range c.T() {
			all[i] = c.series.InstrumentID.Market().DayAt(t)
		}
	}
	return all
}

// Complete returns whether each bar has all its trading days and they are over; nil for bars
// shorter than a day.
func (c *BarColumns) Complete() []*bool {
	all, bars := make([]*bool, c.series.Count), c.series.BarsInTurn()
	for i := range all {
		all[i] = bars.At(i).complete
	}
	return all
}
