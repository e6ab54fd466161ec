package market

import "piyasa/internal/value"

// missing returns why a series is empty or begins later than the first day that its client
// named. shown is the first day of the instrument that is shown, if known.
func (s *Snapshot) missing(in *Instrument, series *CandleSeries, days value.Range, shown value.Date, named bool,
	now value.Instant) *value.MissingReason {
	switch {
	case series.Count > 0 && named && days.From.Date.Before(shown) && !value.DayIn(series.of.first(), in.Market.zone()).Before(shown):
		return value.MissingUntil(value.StartsLater, shown)
	case series.Count > 0:
		return nil
	case !series.AvailableFrom.IsNull():
		return value.MissingUntil(value.BeforeHistory, series.AvailableFrom)
	case in.calendar().today(now).Before(days.From.Date):
		return value.Missing(value.InFuture)
	case in.Market == BIST && s.closed(days):
		return value.Missing(value.MarketClosed)
	}
	return value.Missing(value.NoneStored)
}

// longestClosed is more days than the exchange is ever closed.
const longestClosed = 31

// closed reports whether the Istanbul exchange does not trade on any day of a range.
func (s *Snapshot) closed(days value.Range) bool {
	for d, n := days.From.Date, 0; !days.To.Date.Before(d); d, n = d.AddDays(1), n+1 {
		if n == longestClosed || bistHours(s.exceptions[BIST], d).trades() {
			return false
		}
	}
	return true
}

// MissingIn returns why a series of the Istanbul exchange with count values, the first on
// begins, is empty or begins late; nil if it is neither, or the client did not ask for earlier
// days.
func (s *Service) MissingIn(days value.Range, count int, begins value.Date) *value.MissingReason {
	switch {
	case days.To.Date.Before(begins):
		return value.MissingUntil(value.BeforeHistory, begins)
	case count > 0 && days.From.Date.Before(begins):
		return value.MissingUntil(value.StartsLater, begins)
	case count > 0:
		return nil
	case s.Today().Before(days.From.Date):
		return value.Missing(value.InFuture)
	case s.Live.Snapshot().closed(days):
		return value.Missing(value.MarketClosed)
	}
	return value.Missing(value.NoneStored)
}

// WhyNoQuote returns why an instrument has no quote now; nil if it has one.
func (s *Service) WhyNoQuote(in *Instrument) *value.MissingReason {
	_, reason, _ := s.quoteOf(s.Live.Snapshot(), in, nil)
	if reason == "" {
		return nil
	}
	return &value.MissingReason{Reason: reason, Message: "There is no quote: " + whyNoQuote[reason] + "."}
}
