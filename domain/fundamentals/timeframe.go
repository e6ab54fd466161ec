package fundamentals

import (
	"piyasa/internal/value"
)

// Timeframe says which periods a series of statements has.
type Timeframe string

// The timeframes.
const (
	Annual              Timeframe = "annual"
	Quarterly           Timeframe = "quarterly"            // cumulative, as filed
	QuarterlyStandalone Timeframe = "quarterly_standalone" // derived: each quarter by itself
	TTM                 Timeframe = "ttm"                  // derived: the last twelve months
)

// UnmarshalText implements encoding.TextUnmarshaler; only the exact names pass.
func (t *Timeframe) UnmarshalText(text []byte) error {
	return value.OneOf(t, text, Annual, Quarterly, QuarterlyStandalone, TTM)
}

// Derived reports whether the periods of a timeframe are computed from filings.
func (t Timeframe) Derived() bool { return t == QuarterlyStandalone || t == TTM }
