package market

import (
	"context"

	"piyasa/account/access"
	"piyasa/internal/value"
)

// MarketStatus is the state of the Istanbul exchange at one moment.
type MarketStatus struct {
	Market           Market        `json:"market"`
	State            string        `json:"state"` // open, closed or holiday
	IsOpen           bool          `json:"is_open"`
	Session          Session       `json:"session"`      // of today; open and close are null when there is none
	TradingDay       value.Date    `json:"trading_day"`  // today, or null when it has no session
	OpensAt          value.Instant `json:"opens_at"`     // of today's session
	ClosesAt         value.Instant `json:"closes_at"`    // of today's session
	NextOpenAt       value.Instant `json:"next_open_at"` // first opening after as_of
	DataDelaySeconds int           `json:"data_delay_seconds"`
	AsOf             value.Instant `json:"as_of"` // the service's clock
}

// Status reports whether the Istanbul exchange trades now. Any key.
func (s *Service) Status(ctx context.Context) (*MarketStatus, error) {
	if err := access.Enter(ctx); err != nil {
		return nil, err
	}
	access.Charge(ctx, access.Unit)
	return bistStatus(s.Live.Snapshot().exceptions[BIST], s.Now()), nil
}

// bistStatus returns the status at the moment now. A session is open from its
// first second up to but not including its closing one.
func bistStatus(exceptions map[value.Date]*TradingDay, now value.Instant) *MarketStatus {
	today := bistHours(exceptions, value.TurkeyDay(now))
	s := &MarketStatus{
		Market:           BIST,
		State:            "closed",
		Session:          Session{Timezone: istanbul, Open: today.open, Close: today.close},
		NextOpenAt:       nextBistOpen(exceptions, now),
		DataDelaySeconds: delayedSeconds,
		AsOf:             now.WholeSecond(),
	}
	switch {
	case today.trades():
		s.TradingDay, s.OpensAt, s.ClosesAt = today.date, today.opensAt(), today.closesAt()
		if s.IsOpen = !now.Before(s.OpensAt) && now.Before(s.ClosesAt); s.IsOpen {
			s.State = "open"
		}
	case today.exception:
		s.State = "holiday"
	}
	return s
}
