package market

import (
	"piyasa/problem"
	"piyasa/value"
)

// maxObjects is how many bars a series may have as objects; as columns it takes
// a third of the bytes.
const maxObjects = 5000

// Objects returns the bars as GraphQL's objects. A series that is too long is
// the problem too-many-values, which names the alternatives.
func (c *CandleSeries) Objects() ([]*Bar, error) {
	if len(c.Bars) > maxObjects {
		e := problem.New(problem.TooManyValues, "This range has %d bars; bars returns at most %d. Use columns or a shorter range.", len(c.Bars), maxObjects)
		limit := maxObjects
		e.Members.Limit = &limit
		return nil, e
	}
	return c.Bars, nil
}

// BarColumns is a series by column.
type BarColumns struct {
	T          []value.Instant
	Open       []value.Decimal
	High       []value.Decimal
	Low        []value.Decimal
	Close      []value.Decimal
	Volume     []value.Decimal
	Turnover   []value.Decimal
	TradeCount []*int
	FxRate     []value.Decimal
}

// Columns returns the bars by column.
func (c *CandleSeries) Columns() *BarColumns {
	n := len(c.Bars)
	figures := make([]value.Decimal, 7*n) // one allocation for all of them
	cut := func() (column []value.Decimal) {
		column, figures = figures[:n:n], figures[n:]
		return column
	}
	out := &BarColumns{
		T: make([]value.Instant, n), Open: cut(), High: cut(), Low: cut(), Close: cut(), Volume: cut(), Turnover: cut(), FxRate: cut(),
		TradeCount: make([]*int, n),
	}
	for i, b := range c.Bars {
		out.T[i], out.TradeCount[i] = b.T, b.TradeCount
		out.Open[i], out.High[i], out.Low[i], out.Close[i] = b.Open, b.High, b.Low, b.Close
		out.Volume[i], out.Turnover[i], out.FxRate[i] = b.Volume, b.Turnover, b.FxRate
	}
	return out
}
