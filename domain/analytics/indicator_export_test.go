package analytics

// ComputeOver computes an indicator over n bars instead of its own number: the
// worked figures are over 3.
func ComputeOver(p Prices, indicator Indicator, n int) []*IndicatorValue {
	return PointsOver(p, indicator, n, 1)[0]
}

// PointsOver computes what ComputeOver does at each of the newest bars.
func PointsOver(p Prices, indicator Indicator, n, last int) [][]*IndicatorValue {
	lines := definitions[indicator].lines(newSeries(p), indicator, n, last)
	points := make([][]*IndicatorValue, len(lines[0].figures))
	for i := range points {
		upTo := make([]line, len(lines))
		for k, l := range lines {
			l.figures = l.figures[:i+1]
			upTo[k] = l
		}
		points[i] = valuesOf(upTo, nil)
	}
	return points
}
