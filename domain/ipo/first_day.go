package ipo

import (
	"context"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

// debut is the stored data about a share's first day.
type debut struct {
	share  market.ID
	traded bool       // it has a bar or a price from after book-building
	day    value.Date // of its first bar; null if it has only a price yet
}

// note explains what an answer takes from the share instead of the source; nil if nothing.
func (d debut) note(r *Record) *string {
	switch {
	case !d.traded:
		return nil
	case !r.FirstTradeDate.IsNull():
		return new("The first trade date is that of the source; " + string(d.share) + " traded earlier.")
	case d.day.IsNull():
		return new("The source states no first trade date; " + string(d.share) + " has a price but no daily bar yet.")
	}
	return new("The source states no first trade date; this is the day of the first daily bar of " + string(d.share) +
		" after book-building.")
}

// debuts returns the stored first days of the shares of IPOs whose source does not say that the
// share trades.
func (s *Service) debuts(ctx context.Context, records []*Record, today value.Date) (map[*Record]debut, error) {
	var all []Trade
	of := map[*Record]Trade{}
	for _, r := range records {
		if t, ok := s.trade(r, today); ok {
			of[r], all = t, append(all, t)
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	days, err := s.first(ctx, all)
	if err != nil {
		return nil, err
	}
	debuts := make(map[*Record]debut, len(of))
	for r, t := range of {
		d := debut{share: t.Share}
		if day := days[t]; reached(day, today) {
			d.day = day
		}
		priced := value.TurkeyDay(s.Market.PricedAt(t.Share))
		d.traded = !d.day.IsNull() || (!priced.Before(t.From) && reached(priced, today))
		debuts[r] = d
	}
	return debuts, nil
}

// trade returns the question for the first day of an IPO's share after book-building, before
// which it cannot trade. If the end of book-building is not known, it asks for days after its
// start. There is no question before that, nor once the source's first trade date has come.
func (s *Service) trade(r *Record, today value.Date) (t Trade, ok bool) {
	collected := r.collected()
	if collected.IsNull() || !collected.Before(today) || reached(r.FirstTradeDate, today) {
		return t, false
	}
	t = Trade{s.share(r), collected.AddDays(1)}
	return t, t.Share != ""
}

// share returns the id of the IPO's share: that of the catalog's instrument that had its code
// at the time of the IPO, or the id that the source states, or "".
func (s *Service) share(r *Record) market.ID {
	if r.Stated() == "" {
		return ""
	}
	if in := s.Market.Catalog().Bearing(r.Stated(), r.day()); in != nil {
		return in.InstrumentID
	}
	return r.InstrumentID
}
