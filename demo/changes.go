package demo

import (
	"github.com/shopspring/decimal"

	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// The instruments that have changed within the last year.
var (
	splitShare  = market.BistID("DMYZL") // split five for one
	renamedID   = market.BistID("DMKET") // had another code
	formerID    = market.BistID("DMGYM") // that former code
	formerName  = "Demo Giyim"
	otherUnit   = market.ID("cmdty:COFFEE") // is priced per pound, formerly per ton
	formerUnit  = "ton"
	poundsOfTon = decimal.RequireFromString("2204.6226")
)

const (
	splitNew  = 5  // shares for one
	splitDays = 14 // from its announcement to the ex date, at least

	renamedDays = 150 // before now
	unitDays    = 60  // before now
)

// former is the state of an instrument before a change.
type former struct {
	until  value.Date                                   // first day after the change
	record func(in market.Instrument) market.Instrument // its record then; nil: same as now
	price  decimal.Decimal                              // multiplier of prices before; 0: none
	digits int32                                        // of prices before
	counts int64                                        // divisor of counts before; 0: none
}

// formerOf returns the former state of an instrument, and completes its record with the change.
func formerOf(in *market.Instrument, bist timetable, now value.Instant) *former {
	today := value.TurkeyDay(now)
	switch in.InstrumentID {
	case renamedID:
		in.Predecessor, in.RenamedOn = new(formerID), nextSession(bist, today.AddDays(-renamedDays))
		return &former{until: in.RenamedOn, record: func(in market.Instrument) market.Instrument {
			in.InstrumentID, in.Symbol, in.Name = formerID, formerID.Symbol(), formerName
			in.Predecessor, in.RenamedOn = nil, value.Date{}
			return in
		}}
	case otherUnit:
		in.ValidFrom = weekday(today.AddDays(-unitDays))
		return &former{until: in.ValidFrom, price: poundsOfTon, digits: 2, record: func(in market.Instrument) market.Instrument {
			in.Unit, in.ValidFrom = &formerUnit, value.Date{}
			return in
		}}
	case splitShare:
		return &former{until: splitOn(bist, now), price: decimal.NewFromInt(splitNew), digits: 2, counts: splitNew}
	}
	return nil
}

// appendInstrument appends the former record, if it differs.
func (f *former) appendInstrument(lines []byte, in market.Instrument) []byte {
	if f.record == nil {
		return lines
	}
	was := f.record(in)
	return appendRecord(lines, "instrument", &was)
}

// asTraded returns the bar of a day as it was traded then.
func (s *series) asTraded(day value.Date, b *market.Bar) *market.Bar {
	if s.former == nil {
		return b
	}
	if s.former.counts > 0 {
		b.Adjustment = new(market.Unadjusted)
	}
	if s.former.price.IsZero() || !day.Before(s.former.until) {
		return b
	}
	for _, price := range []*value.Decimal{&b.Open, &b.High, &b.Low, &b.Close} {
		if !price.IsNull() {
			*price = s.formerly(*price)
		}
	}
	if s.former.counts > 0 {
		b.Volume = whole(decimal.RequireFromString(b.Volume.String()).IntPart() / s.former.counts)
	}
	return b
}

// formerly returns the price as it was before the change, on a tick.
func (s *series) formerly(price value.Decimal) value.Decimal {
	n := decimal.RequireFromString(price.String()).Mul(s.former.price).Shift(s.former.digits).Round(0).IntPart()
	return exact(decimal.New(n-n%s.tick(n), -s.former.digits), s.former.digits)
}

// appendActions appends the corporate actions.
func (s *Simulation) appendActions(lines []byte) []byte {
	for _, p := range s.series {
		switch p.InstrumentID {
		case splitShare:
			lines = appendRecord(lines, "corporate_action", &market.CorporateAction{
				InstrumentID: market.Subject(splitShare), Kind: market.Split, ExDate: p.former.until,
				New: whole(splitNew), Old: whole(1), DisclosureIndex: new(splitDisclosure),
			})
		case renamedID:
			lines = appendRecord(lines, "corporate_action", &market.CorporateAction{
				InstrumentID: market.Subject(renamedID), Kind: market.ActionRename, ExDate: p.former.until,
			})
		}
	}
	return lines
}

// splitNotice announces the split.
var splitNotice = notice{kap.CA, "Pay Bölünmesi", "Share Split", "1 pay 5 pay olur", "One share becomes five", []statement{
	isUpdate,
	{"new_shares", "Yeni pay", "New shares", "5", "5"},
	{"old_shares", "Eski pay", "Old shares", "1", "1"},
}}

// splitOn returns the ex date of the split, some days after its announcement.
func splitOn(bist timetable, now value.Instant) value.Date {
	days := pastDays(bist, now)
	return nextSession(bist, value.NewDate(days[len(days)-1].Date()).AddDays(splitDays))
}

// nextSession returns the day, or the next one on which the exchange trades.
func nextSession(bist timetable, d value.Date) value.Date {
	for {
		if _, _, trades := bist.session(d); trades {
			return d
		}
		d = d.AddDays(1)
	}
}
