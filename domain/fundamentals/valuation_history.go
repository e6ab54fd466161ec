package fundamentals

import (
	"context"
	"time"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/domain/segment"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// ValuationHistory is the market capitalisation and P/E of a company of the
// Istanbul exchange on each trading day of a range.
type ValuationHistory struct {
	InstrumentID market.ID         `json:"instrument_id"`
	Currency     string            `json:"currency"`
	FromDate     value.Date        `json:"from_date"`
	ToDate       value.Date        `json:"to_date"`
	Points       []*ValuationPoint `json:"points"` // ascending
	Count        int               `json:"count"`

	// AvailableFrom is the first day of the history, if the whole range is before it; else
	// null.
	AvailableFrom value.Date `json:"available_from,omitzero"`

	// MeaningChanged is the newest change of the currency in the range. Earlier market
	// capitalisations are null, because they are in other money.
	MeaningChanged *segment.Change `json:"meaning_changed,omitempty" csv:"any"`

	MissingReason *value.MissingReason `json:"-"` // nil unless it is empty or cut
}

// ValuationPoint is one trading day. A figure is null if the distributor did not state it, or
// stated zero or the P/E of a loss.
type ValuationPoint struct {
	Date      value.Date    `json:"date"`
	MarketCap value.Decimal `json:"market_cap"`
	PeRatio   value.Decimal `json:"pe_ratio"`
}

// ValuationHistoryArgs select a range of the history. A nil member has a
// default.
type ValuationHistoryArgs struct {
	From, To *value.Date      // default: the 90 days that end on to, which is today
	Currency *market.Currency // only TRY
}

// historyStart is the first day of the history of market metrics; older stored
// metrics are not shown.
var historyStart = value.NewDate(2025, time.September, 20)

// historyDays is the default length of a history in days.
const historyDays = 90

// days completes and checks the arguments as of a day.
func (a ValuationHistoryArgs) days(today value.Date) (days value.Range, err error) {
	if a.Currency != nil && *a.Currency != market.TRY {
		e := problem.New(problem.UnsupportedCurrency, "Valuation history is in TRY only; got %s.", *a.Currency)
		return days, e.About("currency", string(*a.Currency))
	}
	days = value.LastDays(a.From, a.To, today, historyDays)
	return days, days.Check("", 0)
}

// ValuationHistory returns the daily market capitalisation and P/E of a stock
// of the Istanbul exchange. Needs history. Problems: unsupported-currency,
// inverted-window, not-found.
func (s *Service) ValuationHistory(ctx context.Context, id string, args ValuationHistoryArgs) (*ValuationHistory, error) {
	if err := access.Enter(ctx, access.History); err != nil {
		return nil, err
	}
	if _, err := args.days(s.Market.Today()); err != nil {
		return nil, err
	}
	in, err := s.resolveCompany(id)
	if err != nil {
		return nil, err
	}
	if !hasHistory(in) {
		return nil, problem.New(problem.NotFound, "%s has no valuation history: only bist stocks have one.", in.InstrumentID)
	}
	all, err := s.valuationHistories(ctx, []*market.Instrument{in}, args)
	if err != nil {
		return nil, err
	}
	access.Charge(ctx, access.Unit)
	return all[0], nil
}

// ValuationHistoryOf returns the histories of instruments in their order, read
// together: nil for anything but a stock of the Istanbul exchange. Needs
// history; each costs one unit.
func (s *Service) ValuationHistoryOf(ctx context.Context, instruments []*market.Instrument,
	args ValuationHistoryArgs) ([]*ValuationHistory, []error) {
	return access.Relation[*market.Instrument, *ValuationHistory]{
		Enter:  access.Needs(access.History),
		Covers: hasHistory,
		Check: func(*market.Instrument) error {
			_, err := args.days(s.Market.Today())
			return err
		},
		Read: func(some []*market.Instrument) ([]*ValuationHistory, error) {
			return s.valuationHistories(ctx, some, args)
		},
	}.Answer(ctx, instruments)
}

func hasHistory(in *market.Instrument) bool { return in.Market == market.BIST && hasValuation(in) }

func (s *Service) valuationHistories(ctx context.Context, stocks []*market.Instrument,
	args ValuationHistoryArgs) ([]*ValuationHistory, error) {
	days, _ := args.days(s.Market.Today())
	from, to := days.From.Date, days.To.Date
	first := from
	if first.Before(historyStart) {
		first = historyStart
	}
	ids := make([]market.ID, len(stocks))
	for i, in := range stocks {
		ids[i] = in.InstrumentID
	}
	stored, err := s.Store.Metrics(ctx, ids, first, to)
	if err != nil {
		return nil, err
	}
	all := make([]*ValuationHistory, len(stocks))
	for i, in := range stocks {
		h := &ValuationHistory{InstrumentID: in.InstrumentID, Currency: s.Market.CurrencyOn(in, to), FromDate: from, ToDate: to,
			Points: []*ValuationPoint{}}
		for _, m := range stored[i] {
			p := &ValuationPoint{m.Date, stated(m.MarketCap), stated(m.PeRatio)}
			if changed := s.Market.CurrencyChanged(in.InstrumentID, m.Date, to); changed != nil {
				p.MarketCap, h.MeaningChanged = value.Decimal{}, changed
			}
			if s.Market.IsTradingDay(m.Date) && (!p.MarketCap.IsNull() || !p.PeRatio.IsNull()) {
				h.Points = append(h.Points, p)
			}
		}
		if h.Count = len(h.Points); to.Before(historyStart) {
			h.AvailableFrom = historyStart
		}
		h.MissingReason = s.Market.MissingIn(days, h.Count, historyStart)
		all[i] = h
	}
	return all, nil
}

// stated returns a figure of the distributor, or null for 0 and for the P/E of a loss.
func stated(figure value.Decimal) value.Decimal {
	if figure.Sign() <= 0 {
		return value.Decimal{}
	}
	return figure
}
