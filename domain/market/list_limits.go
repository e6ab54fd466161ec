package market

import "piyasa/value"

// The limits of the lists of instruments.
var (
	InstrumentLimit = value.Limit{Min: 1, Max: 5000, Default: 50}
	MoverLimit      = value.Limit{Min: 1, Max: 100, Default: 20}
)

// How many ids one batch may ask for, counted as written.
const (
	MaxIDs    = 100
	MaxSeries = 20 // a series is long
)

// checkIDs refuses an empty list of ids, and one of more than limit.
func checkIDs(ids []string, limit int) error {
	return value.CheckCount("ids", "instrument ids", ids, limit)
}
