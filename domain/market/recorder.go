package market

import "piyasa/internal/value"

// The recorder makes bars of observations. The bars of a day are a pure
// function of that day's observations, so it does not matter whether they came
// live, late or twice. The calendar of the instrument decides what a day is.
//
//	bist               5m  open is the price before the slot, volume and turnover are
//	                       what the day's figures grew by; high and low are unknown
//	fx, index, cmdty   5m  first, highest, lowest and last price of the slot
//	crypto             2h  the snapshot of the slot: its first price
//	fx, index, cmdty   1d  first, highest, lowest and last price of the day
//	crypto             1d  the same of the day's snapshots, and the rolling turnover at the last
//
// The daily bars of bist, us and fund are ingested.

// Recorder makes the bars of one instrument (of 5 minutes, 2 hours and days) from its
// observations, where no upstream states bars. It uses the calendar and the currency that the
// instrument had at the time. Correct makes bars again from the kept observations.
type Recorder struct {
	id       ID
	currency string // of the instrument; empty: unknown
	days     TradingCalendar
	former   []*FormerMeaning // before the present currency, ascending
}

// NewRecorder returns the recorder of an instrument. session, which decides what a day is, and
// currency are those of its catalog record; nil and empty if not known. exceptions must include
// those of its market.
func NewRecorder(id ID, currency string, session *Session, exceptions Exceptions) Recorder {
	return Recorder{id: id, currency: currency, days: CalendarOf(id.Market(), session, exceptions)}
}

// After returns the recorder with the former meanings of the instrument's prices, ascending.
func (r Recorder) After(former []*FormerMeaning) Recorder {
	r.former = former
	return r
}

// currencyAt returns the currency of prices at a moment; empty: unknown.
func (r Recorder) currencyAt(t value.Instant) string {
	if len(r.former) > 0 {
		day := r.days.day(t)
		for _, was := range r.former {
			if day.Before(was.ValidFrom) {
				return was.Currency
			}
		}
	}
	return r.currency
}

// DayStart returns the first moment of the day that t belongs to.
func (r Recorder) DayStart(t value.Instant) value.Instant { return r.days.start(r.days.day(t)) }

// Shows reports whether answers show a bar of the instrument: whether it trades on that day.
func (r Recorder) Shows(b *Bar) bool { return r.days.shows(b) }

// Contradicts returns the instrument's currency at the time if the observation states another
// one; else empty text.
func (r Recorder) Contradicts(o *Observation) (should string) {
	if o.Currency == nil {
		return ""
	}
	if should = r.currencyAt(o.AsOf); should == *o.Currency {
		return ""
	}
	return should
}

// Sample is what the recorder uses of an observation that states a price.
type Sample struct {
	At       value.Instant `json:"at"`
	Price    value.Decimal `json:"price"`
	Volume   value.Decimal `json:"volume"`   // of the day so far
	Turnover value.Decimal `json:"turnover"` // of the day so far; of a coin over 24 hours
}

// Sample returns the recorder's part of o. ok is false if o states no price, an impossible
// price that an older version accepted, or one in another currency than the instrument's.
func (r Recorder) Sample(o *Observation) (s Sample, ok bool) {
	return Sample{o.AsOf, o.Last, o.Volume, o.Turnover}, !o.Last.IsNull() && r.days.market.canBe(o.Last) && r.Contradicts(o) == ""
}

// Recording is the recorder's state for one instrument: the newest observed day up to its last
// observation. The zero Recording has seen nothing.
type Recording struct {
	Day    value.Date    `json:"day"`
	OfDay  extent        `json:"of_day"`
	Slot   value.Instant `json:"slot"` // of the newest sample
	OfSlot extent        `json:"of_slot"`
	Before Sample        `json:"before"` // the day's last sample before Slot; zero when there is none
	Last   Sample        `json:"last"`   // the newest sample that counts; of a coin the snapshot of Slot
}

// extent is the first, highest and lowest of some prices.
type extent struct {
	Open value.Decimal `json:"open"`
	High value.Decimal `json:"high"`
	Low  value.Decimal `json:"low"`
}

// add extends e by a price.
func (e *extent) add(price value.Decimal) {
	switch {
	case e.Open.IsNull():
		*e = extent{price, price, price}
	case price.Cmp(e.High) > 0:
		e.High = price
	case price.Cmp(e.Low) < 0:
		e.Low = price
	}
}

// Record adds samples, which ascend and are later than all before, to at. It returns the bars
// that they change, by time.
func (r Recorder) Record(at *Recording, samples []Sample) []*Bar {
	var bars []*Bar
	changed := false
	for _, s := range samples {
		day, slot := r.days.day(s.At), r.days.market.slot(s.At)
		if slot == at.Slot && r.days.market == Crypto {
			continue // the first is the snapshot
		}
		if changed && slot != at.Slot {
			bars = append(bars, r.short(at))
		}
		if changed && day != at.Day {
			bars = r.appendDaily(bars, at)
		}
		at.add(day, slot, s)
		changed = true
	}
	if !changed {
		return nil
	}
	return r.appendDaily(append(bars, r.short(at)), at)
}

// add extends the recording by a sample of a day and a slot.
func (at *Recording) add(day value.Date, slot value.Instant, s Sample) {
	if day != at.Day {
		*at = Recording{Day: day}
	}
	if slot != at.Slot {
		at.Slot, at.OfSlot, at.Before = slot, extent{}, at.Last
	}
	at.OfDay.add(s.Price)
	at.OfSlot.add(s.Price)
	at.Last = s
}

// short returns the bar of the newest slot.
func (r Recorder) short(at *Recording) *Bar {
	b := &Bar{InstrumentID: r.id, Resolution: FiveMinutes, T: at.Slot, Close: at.Last.Price}
	switch r.days.market {
	case BIST:
		b.Open = at.Before.Price
		b.Volume = at.growth(at.Before.Volume, at.Last.Volume)
		b.Turnover = at.growth(at.Before.Turnover, at.Last.Turnover)
	case Crypto:
		b.Resolution = TwoHours
	default:
		b.Open, b.High, b.Low = at.OfSlot.Open, at.OfSlot.High, at.OfSlot.Low
	}
	return b
}

// growth returns by how much a figure of the day grew over the slot. It is null if the figure
// shrank (a correction), is unknown at either end, or is too long to store.
func (at *Recording) growth(before, now value.Decimal) value.Decimal {
	switch {
	case at.Before.At.IsNull(): // the day begins at 0
		return now
	case before.IsNull() || now.IsNull() || now.Cmp(before) < 0:
		return value.Decimal{}
	}
	return now.Minus(before).ToStore()
}

// appendDaily appends the bar of the day so far, if the day has one.
func (r Recorder) appendDaily(bars []*Bar, at *Recording) []*Bar {
	if !r.days.hasBar(at.Day) {
		return bars
	}
	m := r.days.market
	b := &Bar{
		InstrumentID: r.id, Resolution: Day, T: at.Day.Start(m.zone()),
		Open: at.OfDay.Open, High: at.OfDay.High, Low: at.OfDay.Low, Close: at.Last.Price,
	}
	if m == Crypto {
		b.Turnover = at.Last.Turnover
	}
	return append(bars, b)
}
