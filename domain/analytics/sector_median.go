package analytics

import (
	"math/big"
	"slices"

	"piyasa/internal/value"
)

// SectorMedian is the median of a figure over the members of a sector.
type SectorMedian struct {
	Median         value.Decimal `json:"median"`          // 4 decimals, half away from zero
	MembersCounted int           `json:"members_counted"` // members that have the figure
	NullReason     *string       `json:"null_reason"`
}

// medianPlaces are the decimals of a median.
const medianPlaces = 4

// Median computes the median of the values that are not nil: the middle one, or
// the mean of the middle two. It is rounded once; it is null if it has more
// digits than a Decimal holds.
func Median(values []*big.Rat) *SectorMedian {
	known := slices.DeleteFunc(slices.Clone(values), func(v *big.Rat) bool { return v == nil })
	slices.SortFunc(known, (*big.Rat).Cmp)
	n := len(known)
	if n == 0 {
		return &SectorMedian{NullReason: new(value.MissingInput)}
	}
	// With an odd count both are the middle one.
	twice := new(big.Rat).Add(known[(n-1)/2], known[n/2])
	num := new(big.Int).Mul(twice.Num(), powers[medianPlaces])
	divideRounded(num, num, new(big.Int).Lsh(twice.Denom(), 1))
	d, err := value.ParseDecimal(num.String())
	if err != nil {
		return &SectorMedian{MembersCounted: n, NullReason: new(value.OutOfRange)}
	}
	return &SectorMedian{Median: d.Shifted(-medianPlaces), MembersCounted: n}
}
