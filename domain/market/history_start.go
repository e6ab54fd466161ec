package market

import (
	"context"
	"time"

	"piyasa/internal/value"
)

// addHistoryStart adds, to each series without bars, when its history starts and whether the
// whole range is before that. The start is the record's coverage_from, or the first stored bar
// if it is earlier or the record has none; it is never before the history that is shown.
func (s *Service) addHistoryStart(ctx context.Context, instruments []*Instrument, places []int, ranges []value.Range,
	series []*CandleSeries, args SeriesArgs, start func(Market) value.Date) error {
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
		// Only a range that ends in the past can lie before the start, and stored bars from before what is shown do not count.
		if ranges[n].To.Date.Before(in.calendar().today(now)) && (one.Since != shown || shown.IsNull()) {
			var from value.Instant
			if !shown.IsNull() {
				from = shown.Start(in.Market.zone())
			}
			unknown[from] = append(unknown[from], in.InstrumentID)
		}
	}
	firsts := map[ID]value.Instant{}
	for round := 0; len(unknown) > 0 && round < longestClosed; round++ {
		hidden := map[value.Instant][]ID{} // by the moment from which to look on
		for from, ids := range unknown {
			some, err := s.History.store.FirstBars(ctx, args.resolution(), ids, from)
			if err != nil {
				return err
			}
			for id, t := range some {
				if s.Live.Snapshot().calendarOf(id).shows(&Bar{InstrumentID: id, Resolution: args.resolution(), T: t}) {
					firsts[id] = t
				} else {
					hidden[t.Add(time.Millisecond)] = append(hidden[t.Add(time.Millisecond)], id)
				}
			}
		}
		unknown = hidden
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

// shownShortDays is how many days of 5m bars are shown; the last one is today.
const shownShortDays = 7

// The documented starts of history; older bars are stored and not shown.
var (
	worldStart   = value.NewDate(2020, time.January, 1) // fx, index, cmdty
	cryptoStart  = value.NewDate(2025, time.April, 5)
	bistEodStart = value.NewDate(2024, time.January, 1)
)

// historyStart returns the first day shown as candles; null where none is
// documented.
func (m Market) historyStart() value.Date {
	switch m {
	case FX, Index, Cmdty:
		return worldStart
	case Crypto:
		return cryptoStart
	}
	return value.Date{}
}

// eodStart returns the first day shown as end of day; null where none is
// documented.
func (m Market) eodStart() value.Date {
	if m == BIST {
		return bistEodStart
	}
	return m.historyStart()
}

// shownFrom returns the first day of the instrument's history that is shown, if a start is
// documented. A coin has its own start; the others have start, that of the market.
func (in *Instrument) shownFrom(start value.Date) value.Date {
	if in.Market == Crypto {
		return latest(start, in.CoverageFrom)
	}
	return start
}

// shortStart returns the first day whose 5m bars are shown: the kept week ends
// today.
func (m Market) shortStart(now value.Instant) value.Date {
	return value.DayIn(now, m.zone()).AddDays(1 - shownShortDays)
}

// shownFrom returns the first day of an instrument's bars that is shown, if a start is
// documented; start is that of its market.
func (a SeriesArgs) shownFrom(in *Instrument, start value.Date, now value.Instant) value.Date {
	start = in.shownFrom(start)
	if a.resolution() == FiveMinutes {
		start = latest(start, in.Market.shortStart(now))
	}
	return start
}
