package fundamentals

import (
	"math/big"

	"piyasa/domain/segment"
	"piyasa/internal/value"
)

// unstated returns the null reason of a figure that the distributor does not state; empty if it
// does.
func unstated(m *Metrics, figure func(*Metrics) value.Decimal) string {
	switch {
	case m == nil || figure(m).IsNull():
		return value.NotProvidedBySource
	case figure(m).Sign() == 0:
		return ZeroInSource
	}
	return ""
}

// Metric is a figure of a valuation with its inputs. Exactly one of Value and
// NullReason is null.
type Metric struct {
	Value        value.Decimal
	NullReason   *string
	SourcePeriod *string    // quarterly#YYYY-MM or ttm#YYYY-MM; only of computed metrics
	PeriodEnd    value.Date // last day of that period
	Inputs       []NamedValue
	Note         *string // formula or choice of lines, if not obvious

	MeaningChanged *segment.Change // the change, if the reason is value.MeaningChanged

	money bool // whether Value is converted
	exact quotient
}

// quotient is a figure before it is rounded; the zero quotient stands for none.
type quotient struct{ num, den value.Decimal }

// Exact returns a ratio's value before rounding, or Value if the metric is no ratio; nil if
// Value is null.
func (m *Metric) Exact() *big.Rat {
	switch {
	case m.Value.IsNull():
		return nil
	case m.exact.den.IsNull():
		return m.Value.Rat()
	}
	return new(big.Rat).Quo(m.exact.num.Rat(), m.exact.den.Rat())
}

// NamedValue is an input of a metric. A null value was not found.
type NamedValue struct {
	Name  string
	Value value.Decimal
	money bool // whether the value is converted
}
