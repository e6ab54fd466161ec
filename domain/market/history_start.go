package market

import (
	"context"

	"piyasa/value"
)

// since says of each series without bars from when on there are any, and
// whether its whole window lies before that: from the record's coverage_from,
// or from the first stored bar where that is earlier or the record says
// nothing, but never from before what is shown.
func (s *Service) since(ctx context.Context, instruments []*Instrument, places []int, ranges []value.Range, series []*CandleSeries, args SeriesArgs, start func(Market) value.Date) error {
	now := s.Now()
	unknown := map[value.Instant][]ID{} // by the start of what is shown
	for n, i := range places {
		in, one := instruments[i], series[i]
		if one.Count > 0 {
			continue
		}
		shown := args.shownFrom(in, start(in.Market), now)
		if one.Since = shown; !in.CoverageFrom.IsNull() {
			one.Since = latest(shown, in.CoverageFrom)
		}
		// What ends today or later is before nothing, and nothing is before what is shown.
		if ranges[n].To.Date.Before(in.calendar().today(now)) && (one.Since != shown || shown.IsNull()) {
			var from value.Instant
			if !shown.IsNull() {
				from = shown.Start(in.Market.zone())
			}
			unknown[from] = append(unknown[from], in.InstrumentID)
		}
	}
	firsts := map[ID]value.Instant{}
	for from, ids := range unknown {
		some, err := s.History.FirstBars(ctx, args.resolution(), ids, from)
		if err != nil {
			return err
		}
		for id, t := range some {
			firsts[id] = t
		}
	}
	for n, i := range places {
		in, one := instruments[i], series[i]
		if one.Count > 0 {
			continue
		}
		if t, known := firsts[in.InstrumentID]; known {
			if day := value.DayIn(t, in.Market.zone()); one.Since.IsNull() || day.Before(one.Since) {
				one.Since = day
			}
		}
		if ranges[n].To.Date.Before(one.Since) {
			one.AvailableFrom = one.Since
		}
	}
	return nil
}
