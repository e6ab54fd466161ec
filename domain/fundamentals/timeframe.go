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

var _ = value.Enum(Annual, Quarterly, QuarterlyStandalone, TTM)

// Derived reports whether the periods of a timeframe are computed from filings.
func (t Timeframe) Derived() bool { return t == QuarterlyStandalone || t == TTM }
