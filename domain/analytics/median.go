package analytics

import (
	"slices"

	"piyasa/domain/market"
)

// SectorMedian is the median of a figure over the members of a sector.
type SectorMedian struct {
	Median         market.Decimal `json:"median"`          // 4 decimals, half away from zero
	MembersCounted int            `json:"members_counted"` // those that have the figure
	NullReason     *string        `json:"null_reason"`
}

// medianPlaces are the decimals of a median.
const medianPlaces = 4

// medianMissing is why there is no median: no member has the figure.
const medianMissing = "missing_input"

// Median is the median of the values that are not null: the middle one, or the
// mean of the middle two.
func Median(values []market.Decimal) *SectorMedian {
	known := slices.DeleteFunc(slices.Clone(values), market.Decimal.IsNull)
	slices.SortFunc(known, market.Decimal.Cmp)
	n := len(known)
	if n == 0 {
		return &SectorMedian{NullReason: new(medianMissing)}
	}
	// With an odd count both are the middle one.
	twice := known[(n-1)/2].Plus(known[n/2])
	return &SectorMedian{Median: twice.Over(market.MustDecimal("2"), medianPlaces), MembersCounted: n}
}
