package market

import (
	"context"
	"slices"
	"sort"
	"sync/atomic"

	"piyasa/domain/segment"
	"piyasa/internal/value"
)

// PriceFactor is the factor of the prices of a series before a day, or the reason why it is not
// known.
type PriceFactor struct {
	ExDate       value.Date    `json:"ex_date"`
	Kind         string        `json:"kind"`          // that of the corporate action, or dividend
	ActionID     *string       `json:"action_id"`     // as the source states it
	Factor       value.Decimal `json:"factor"`        // 12 significant digits; prices are multiplied by the exact ratio
	VolumeFactor value.Decimal `json:"volume_factor"` // null: volume is not multiplied
	NullReason   *string       `json:"null_reason"`   // why the factor is not known, so that nothing was multiplied
}

// Why a series is not adjusted though the request asked for it.
const (
	AlreadyAdjusted = "already_adjusted" // its source has done so
	NotAdjustable   = "not_adjustable"   // the adjustment does not exist in its market: levels, pairs and coins pay no dividends
)

// seriesFactors are the factors of the bars of one series.
type seriesFactors struct {
	adjust  Adjust
	factors []*PriceFactor
	scales  scales
	note    *string

	boundaries segment.Boundaries // of the series, with a bridge for each factor; only of longer bars
}

// scale is the factors of bars before a moment.
type scale struct {
	until         value.Instant
	price, volume value.Ratio
	factor        value.Decimal // the factor of price, as answers show it
	stays         bool          // both ratios are 1
}

// unscaled is the factor of bars that do not change.
var unscaled = value.MustDecimal("1")

// scales ascend by their moments. Bars after the last one do not change.
type scales []scale

// of returns the scale of a bar; nil: the bar does not change.
func (s scales) of(t value.Instant) *scale {
	for i := range s {
		if t.Before(s[i].until) {
			if s[i].stays {
				return nil
			}
			return &s[i]
		}
	}
	return nil
}

// change reports whether they change any bar of a moment or later.
func (s scales) change(since value.Instant) bool {
	return slices.ContainsFunc(s, func(s scale) bool { return !s.stays && since.Before(s.until) })
}

// factorsOf returns the factors of the daily bars of some instruments since the first day of
// each, as of today, to make bars of r; nil where nothing is adjusted.
func (s *Service) factorsOf(ctx context.Context, instruments []*Instrument, ranges []value.Range, days []shownBars, args SeriesArgs,
	r Resolution, keep bool) ([]*seriesFactors, error) {
	all, adjust, longer := make([]*seriesFactors, len(instruments)), args.Adjust.Or(AdjustNone), r.stored() != r
	if adjust == AdjustNone && !longer {
		return all, nil
	}
	if adjust == AdjustNone {
		adjust = AdjustSplits // needed to combine the days of a week or a month
	}
	ids := make([]ID, len(instruments))
	for i, in := range instruments {
		ids[i] = in.InstrumentID
	}
	adjusting, err := s.Adjusting(ctx, ids, adjust)
	if err != nil {
		return nil, err
	}
	closes, err := s.DailyCloses(ctx, adjusting, instruments, func(i int) value.Date { return ranges[i].From.Date }, keep)
	if err != nil {
		return nil, err
	}
	for i, in := range instruments {
		all[i] = adjusting.factorsOf(in, ranges[i].From.Date, in.calendar().today(s.Now()), closes[i])
		if longer {
			all[i].boundaries = adjusting.Boundaries(in.InstrumentID, closes[i])
		}
		if adjust != args.Adjust.Or(AdjustNone) {
			all[i].within(adjusting.snapshot.TradingCalendar(in.Market, in), r, days[i])
		}
	}
	return all, nil
}

// longestPause is for how many days a share may not have traded before its first bar of a
// range.
const longestPause = 31

// DailyCloses returns the daily closes of the instruments whose adjustment needs some, to adjust the
// bars of each since a day. They are read together; keep says whether they stay in memory.
func (s *Service) DailyCloses(ctx context.Context, adjusting *Adjusting, instruments []*Instrument, since func(i int) value.Date,
	keep bool) ([]Closes, error) {
	closes := make([]Closes, len(instruments))
	var spans []Span
	var places []int
	for i, in := range instruments {
		id := in.InstrumentID
		if len(adjusting.dividends[id]) == 0 && !adjusting.snapshot.needCloses(id) {
			continue
		}
		first := since(i).AddDays(-longestPause).Start(in.Market.zone())
		spans, places = append(spans, Span{id, first, value.LastMoment}), append(places, i)
	}
	if len(spans) == 0 {
		return closes, nil
	}
	read, err := s.History.read(ctx, s.Live, Day, spans, keep)
	for n, i := range places {
		if err == nil {
			closes[i] = read[n].closes(instruments[i].Market)
		}
	}
	return closes, err
}

// closes returns the closes of daily bars.
func (s *shownBars) closes(m Market) Closes {
	times, figures := s.times(), s.figure(closeFigure)
	return func(day value.Date) (value.Decimal, value.Date) {
		at, _ := slices.BinarySearchFunc(times, day.Start(m.zone()), value.Instant.Compare)
		for at--; at >= 0; at-- {
			if !figures[at].IsNull() {
				return figures[at], m.DayAt(times[at])
			}
		}
		return value.Decimal{}, value.Date{}
	}
}

// factorsOf returns the factors of the bars of one instrument since a day, as of today.
func (a *Adjusting) factorsOf(in *Instrument, since, today value.Date, closes Closes) *seriesFactors {
	f := &seriesFactors{adjust: a.adjust, factors: []*PriceFactor{}}
	meaning := a.snapshot.meaningOf(in.InstrumentID)
	var known []shareStep
	for _, one := range a.steps(in.InstrumentID, closes) {
		if since.Before(one.on) && !today.Before(one.on) {
			f.factors = append(f.factors, one.factor())
			if one.reason == "" {
				known = append(known, one)
			}
		}
	}
	f.scales = scalesOf(known, meaning.changes.Between(since, today), in.Market)
	switch {
	case meaning.adjustment == Adjusted:
		f.note = new(AlreadyAdjusted)
	case in.Market != BIST && in.Market != US && in.Market != Fund && len(f.factors) == 0:
		f.note = new(NotAdjustable)
	}
	return f
}

// factor returns a step as answers show it.
func (s shareStep) factor() *PriceFactor {
	f := &PriceFactor{ExDate: s.on, Kind: string(segment.CashDividend)}
	if s.action != nil {
		f.Kind, f.ActionID = string(s.action.Kind), s.action.ActionID
	}
	if s.reason != "" {
		f.NullReason = &s.reason
		return f
	}
	f.Factor = s.ratio.Factor()
	if s.action != nil && s.action.scalesVolume() {
		f.VolumeFactor = s.ratio.Inverse().Factor()
	}
	return f
}

// scalesOf multiplies the ratios of steps, from the newest back. Where the id passed from one
// instrument to another, the ratios begin again at 1.
func scalesOf(steps []shareStep, changes segment.Boundaries, m Market) scales {
	var all scales
	price, volume := value.Same, value.Same
	for len(steps) > 0 || len(changes) > 0 {
		n, c := len(steps)-1, len(changes)-1
		var day value.Date
		if c < 0 || n >= 0 && !steps[n].on.Before(changes[c].On) {
			day = steps[n].on
			price = price.Times(steps[n].ratio)
			if a := steps[n].action; a != nil && a.scalesVolume() {
				volume = volume.Times(steps[n].ratio.Inverse())
			}
			steps = steps[:n]
		} else {
			day = changes[c].On
			if changes[c].What == segment.Identity && changes[c].Bridge == nil {
				price, volume = value.Same, value.Same
			}
			changes = changes[:c]
		}
		until := day.Start(m.zone())
		if k := len(all) - 1; k >= 0 && all[k].until == until {
			all = all[:k]
		}
		all = append(all, scale{until, price, volume, price.Factor(), price.IsSame() && volume.IsSame()})
	}
	slices.Reverse(all)
	return all
}

// multiply multiplies the figures of bars. Each figure is rounded once.
func (s scales) multiply(bars []*Bar) {
	for len(s) > 0 && len(bars) > 0 { // both ascend
		n := sort.Search(len(bars), func(i int) bool { return !bars[i].T.Before(s[0].until) })
		if !s[0].stays {
			price, volume := multiplierOf(s[0].price), multiplierOf(s[0].volume)
			for _, b := range bars[:n] {
				b.multiplyPrices(price)
				if !s[0].volume.IsSame() {
					b.Volume = volume.Of(b.Volume)
				}
			}
		}
		s, bars = s[1:], bars[n:]
	}
}

// convert multiplies the figures of a bar and converts its money. Each figure is rounded once.
func (s *scale) convert(b *Bar, rate Rate) {
	if num, den := s.price.Parts(); rate.Factor.IsNull() {
		b.convert(rate)
	} else {
		b.multiplyPrices(value.NewMultiplier(num.Number().Mul(rate.Factor.Number()), den.Number(), priceDigits))
		b.Turnover, b.FxRate = rate.Amount(b.Turnover), rate.Factor
	}
	if !s.volume.IsSame() {
		b.Volume = multiplierOf(s.volume).Of(b.Volume)
	}
}

func (b *Bar) multiplyPrices(by *value.Multiplier) {
	for _, price := range []*value.Decimal{&b.Open, &b.High, &b.Low, &b.Close} {
		*price = by.Of(*price)
	}
}

// PriceTimes returns a price times a ratio, rounded once by the rule for converted prices.
func PriceTimes(d value.Decimal, by value.Ratio) value.Decimal { return multiplierOf(by).Of(d) }

// multiplierOf returns a multiplier by a ratio that rounds by the rule for converted prices.
func multiplierOf(by value.Ratio) *value.Multiplier {
	num, den := by.Parts()
	return value.NewMultiplier(num.Number(), den.Number(), priceDigits)
}

// scaled returns the bars multiplied. Packed bars stay packed; daily bars of an explicit
// adjustment are dated.
func (s shownBars) scaled(by scales, adjust Adjust) shownBars {
	if len(by) == 0 && adjust == AdjustNone {
		return s
	}
	part := func(p barPart) barPart {
		if p.count() == 0 || !p.run.isDated(adjust) && !by.change(p.run.times[p.from]) {
			return p
		}
		return barPart{p.run.scaled(by, adjust), p.from, p.to}
	}
	scaled := shownBars{past: part(s.past), recent: part(s.recent)}
	if s.unpacked != nil {
		scaled.unpacked = make([]*Bar, len(s.unpacked))
		for i, b := range s.unpacked {
			scaled.unpacked[i] = new(*b)
		}
		by.multiply(scaled.unpacked)
	}
	return scaled
}

// isDated reports whether the bars of the run have dates once they are adjusted.
func (r *barRun) isDated(adjust Adjust) bool { return r.of.resolution == Day && adjust != AdjustNone }

// scaledRun is a run whose bars were multiplied.
type scaledRun struct {
	by  scales
	run *barRun
}

// scaled returns the run with its bars multiplied. The run keeps the result until another
// adjustment is asked for, because charts ask for the same one repeatedly.
func (r *barRun) scaled(by scales, adjust Adjust) *barRun {
	kept := &r.scaledSplits
	switch adjust {
	case AdjustAll:
		kept = &r.scaledAll
	case AdjustNone:
		kept = new(atomic.Pointer[scaledRun]) // weeks and months are not asked for repeatedly
	}
	if of := kept.Load(); of != nil && slices.Equal(of.by, by) {
		return of.run
	}
	bars := (&shownBars{past: barPart{r, 0, len(r.times)}}).own()
	by.multiply(bars)
	of := &scaledRun{by, barPart{run: &barRun{of: r.of, dated: r.isDated(adjust)}}.with(bars)}
	kept.Store(of)
	return of.run
}
