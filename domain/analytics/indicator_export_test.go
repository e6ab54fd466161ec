package analytics

// ComputeOver computes an indicator over n bars instead of its own number: the
// worked figures are over 3.
func ComputeOver(p Prices, indicator Indicator, n int) []*IndicatorValue {
	return definitions[indicator].append(nil, newSeries(p), indicator, n)
}
