package market

import "time"

// The recorder makes bars of observations. The bars of a market day are a pure
// function of that day's observations, so it does not matter whether they came
// live, late or twice.
//
//	bist               5m  open is the price before the slot, volume and turnover are
//	                       what the day's figures grew by; high and low are unknown
//	fx, index, cmdty   5m  first, highest, lowest and last price of the slot
//	crypto             2h  the last price of the slot
//	fx, index, cmdty   1d  first, highest, lowest and last price of the day
//	crypto             1d  the same, and the rolling turnover at the last one
//
// The days of bist, us and fund come as bars.

// Sample is what the recorder uses of an observation that states a price.
type Sample struct {
	At       Instant `json:"at"`
	Price    Decimal `json:"price"`
	Volume   Decimal `json:"volume"`   // of the day so far
	Turnover Decimal `json:"turnover"` // of the day so far; of a coin over 24 hours
}

// Sample is the recorder's part of o; ok is false when o states no price.
func (o *Observation) Sample() (s Sample, ok bool) {
	return Sample{o.AsOf, o.Last, o.Volume, o.Turnover}, !o.Last.IsNull()
}

// Recording is what the recorder remembers of an instrument: the newest day it
// has seen, as far as it has seen it. The zero Recording has seen nothing.
type Recording struct {
	Day    Date    `json:"day"`
	OfDay  extent  `json:"of_day"`
	Slot   Instant `json:"slot"` // of the newest sample
	OfSlot extent  `json:"of_slot"`
	Before Sample  `json:"before"` // the day's last sample before Slot; zero when there is none
	Last   Sample  `json:"last"`
}

// extent is where a price began and how far it went.
type extent struct {
	Open Decimal `json:"open"`
	High Decimal `json:"high"`
	Low  Decimal `json:"low"`
}

func (e *extent) add(price Decimal) {
	switch {
	case e.Open.IsNull():
		*e = extent{price, price, price}
	case price.Cmp(e.High) > 0:
		e.High = price
	case price.Cmp(e.Low) < 0:
		e.Low = price
	}
}

// Record adds samples of the instrument id, ascending and later than all
// before, and returns the bars that they change, by time.
func (r *Recording) Record(id ID, samples []Sample) []*Bar {
	var bars []*Bar
	m := id.Market()
	for i, s := range samples {
		day, slot := dayIn(s.At, m.zone()), m.slot(s.At)
		if i > 0 && slot != r.Slot {
			bars = append(bars, r.short(id))
		}
		if i > 0 && day != r.Day {
			bars = r.appendDaily(bars, id)
		}
		r.add(day, slot, s)
	}
	if len(samples) == 0 {
		return nil
	}
	return r.appendDaily(append(bars, r.short(id)), id)
}

func (r *Recording) add(day Date, slot Instant, s Sample) {
	if day != r.Day {
		*r = Recording{Day: day}
	}
	if slot != r.Slot {
		r.Slot, r.OfSlot, r.Before = slot, extent{}, r.Last
	}
	r.OfDay.add(s.Price)
	r.OfSlot.add(s.Price)
	r.Last = s
}

// slot is the start of the market's short bar that t belongs to: the
// five-minute mark, or for coins the odd hour, at or before t.
func (m Market) slot(t Instant) Instant {
	if m == Crypto {
		return At(t.t.Add(-time.Hour).Truncate(2 * time.Hour).Add(time.Hour))
	}
	return At(t.t.Truncate(5 * time.Minute))
}

// short is the bar of the newest slot.
func (r *Recording) short(id ID) *Bar {
	b := &Bar{InstrumentID: id, Resolution: FiveMinutes, T: r.Slot, Close: r.Last.Price}
	switch id.Market() {
	case BIST:
		b.Open = r.Before.Price
		b.Volume = r.growth(r.Before.Volume, r.Last.Volume)
		b.Turnover = r.growth(r.Before.Turnover, r.Last.Turnover)
	case Crypto:
		b.Resolution = TwoHours
	default:
		b.Open, b.High, b.Low = r.OfSlot.Open, r.OfSlot.High, r.OfSlot.Low
	}
	return b
}

// growth is by how much a figure of the day grew over the slot; null when it
// shrank, which is a correction, or is unknown at either end.
func (r *Recording) growth(before, now Decimal) Decimal {
	switch {
	case r.Before.At.IsNull(): // the day begins at nothing
		return now
	case before.IsNull() || now.IsNull() || now.Cmp(before) < 0:
		return Decimal{}
	}
	return now.Minus(before)
}

// appendDaily appends the bar of the day so far, if the market's days are
// recorded. World indices and commodities have trading days only.
func (r *Recording) appendDaily(bars []*Bar, id ID) []*Bar {
	m := id.Market()
	if m == BIST || ((m == Index || m == Cmdty) && r.Day.isWeekend()) {
		return bars
	}
	b := &Bar{
		InstrumentID: id, Resolution: Day, T: r.Day.start(m.zone()),
		Open: r.OfDay.Open, High: r.OfDay.High, Low: r.OfDay.Low, Close: r.Last.Price,
	}
	if m == Crypto {
		b.Turnover = r.Last.Turnover
	}
	return append(bars, b)
}

// keptDays is how many days, today included, observations are kept for: so
// long they can still change bars. 0 for a market whose bars are not recorded.
func (m Market) keptDays() int {
	switch m {
	case US, Fund:
		return 0
	case Crypto:
		return maxTwoHourly
	}
	return shortWindow
}

// Recorded reports whether bars are made of the market's observations.
func (m Market) Recorded() bool { return m.keptDays() > 0 }

// Kept is, for each recorded market, the start of the first day whose
// observations and 5m bars are still kept at the moment now.
func Kept(now Instant) map[Market]Instant {
	since := map[Market]Instant{}
	for _, row := range marketTable {
		if m := row.market; m.Recorded() {
			since[m] = dayIn(now, m.zone()).AddDays(1 - m.keptDays()).start(m.zone())
		}
	}
	return since
}
