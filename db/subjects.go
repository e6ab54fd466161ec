package db

import (
	"piyasa/domain/fundamentals"
	"piyasa/domain/funds"
	"piyasa/domain/ipo"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// subject is the instrument that a record is about.
type subject struct {
	id     market.ID
	day    value.Date // the day of the record; null: it has none
	member string     // the member that names the instrument
	set    func(market.ID)
}

// SubjectsOf returns the instruments that a record is about or lists, except the instrument of
// a catalog record itself.
func SubjectsOf(record any) []market.ID {
	if s := subjectOf(record); s != nil {
		return []market.ID{s.id}
	}
	switch r := record.(type) {
	case *market.Sector:
		return r.Members
	case *market.BistIndex:
		ids := make([]market.ID, len(r.Members))
		for i, m := range r.Members {
			ids[i] = market.BistID(m.Symbol)
		}
		return ids
	case *ipo.Record:
		return []market.ID{r.Stated()}
	}
	return nil
}

// subjectOf returns the subject of a record, or nil.
func subjectOf(record any) *subject {
	of := func(id *market.ID, day value.Date) *subject {
		return &subject{*id, day, "instrument_id", func(now market.ID) { *id = now }}
	}
	ofFund := func(code *string, day value.Date) *subject {
		return &subject{market.FundID(*code), day, "code", func(now market.ID) { *code = now.Symbol() }}
	}
	switch r := record.(type) {
	case *market.Observation:
		return of(&r.InstrumentID, r.InstrumentID.Market().DayAt(r.AsOf))
	case *market.Bar:
		return of(&r.InstrumentID, r.InstrumentID.Market().DayOf(r))
	case *market.PriceLimits:
		return of(&r.InstrumentID, r.Date)
	case *market.LogoRecord:
		return of(&r.InstrumentID, value.Date{})
	case *market.CorporateAction:
		day := r.ExDate
		if r.Kind == market.ActionRename { // it may be stated for either id
			day = day.AddDays(-1)
		}
		return &subject{r.Subject(), day, "instrument_id", func(now market.ID) { r.InstrumentID = market.Subject(now) }}
	case *fundamentals.Statement:
		return of(&r.InstrumentID, r.InstrumentID.Market().DayAt(r.FiledAt))
	case *fundamentals.Metrics:
		return of(&r.InstrumentID, r.Date)
	case *fundamentals.DividendRecord:
		return of(&r.InstrumentID, r.ExDate)
	case *funds.Holding:
		return of(&r.InstrumentID, r.ReportMonth.First())
	case *funds.Flow:
		return ofFund(&r.Code, r.Date)
	case *funds.Fund:
		s := ofFund(&r.Code, r.PriceDate)
		rename := s.set
		s.set = func(now market.ID) {
			if rename(now); r.InstrumentID != "" {
				r.InstrumentID = now
			}
		}
		return s
	}
	return nil
}
