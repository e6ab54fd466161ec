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

// BarColumns is a series by column. Each is made when it is asked for.
type BarColumns struct{ bars []*Bar }

// Columns returns the bars by column.
func (c *CandleSeries) Columns() *BarColumns { return &BarColumns{c.Bars} }

// column returns one figure of all bars.
func column[T any](c *BarColumns, of func(*Bar) T) []T {
	all := make([]T, len(c.bars))
	for i, b := range c.bars {
		all[i] = of(b)
	}
	return all
}

// T returns the starts of the intervals.
func (c *BarColumns) T() []value.Instant {
	return column(c, func(b *Bar) value.Instant { return b.T })
}

// Open returns the first prices.
func (c *BarColumns) Open() []value.Decimal {
	return column(c, func(b *Bar) value.Decimal { return b.Open })
}

// High returns the highest prices.
func (c *BarColumns) High() []value.Decimal {
	return column(c, func(b *Bar) value.Decimal { return b.High })
}

// Low returns the lowest prices.
func (c *BarColumns) Low() []value.Decimal {
	return column(c, func(b *Bar) value.Decimal { return b.Low })
}

// Close returns the last prices.
func (c *BarColumns) Close() []value.Decimal {
	return column(c, func(b *Bar) value.Decimal { return b.Close })
}

// Volume returns how much was traded.
func (c *BarColumns) Volume() []value.Decimal {
	return column(c, func(b *Bar) value.Decimal { return b.Volume })
}

// Turnover returns the money traded.
func (c *BarColumns) Turnover() []value.Decimal {
	return column(c, func(b *Bar) value.Decimal { return b.Turnover })
}

// TradeCount returns how many trades there were.
func (c *BarColumns) TradeCount() []*int {
	return column(c, func(b *Bar) *int { return b.TradeCount })
}

// FxRate returns the rates that converted the bars.
func (c *BarColumns) FxRate() []value.Decimal {
	return column(c, func(b *Bar) value.Decimal { return b.FxRate })
}
