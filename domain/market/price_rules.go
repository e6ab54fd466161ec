package market

import "piyasa/internal/value"

// These rules decide what a price of a market can be. A price is above 0, except for
// commodities: some have paid to be rid of oil. Records that break this are rejected; records
// that only contradict themselves are stored as stated, and the contradicting figures are left
// out when they are read.

// canBe reports whether the market can have a price.
func (m Market) canBe(price value.Decimal) bool { return m == Cmdty || price.Sign() > 0 }

// stated is a figure of a record.
type stated struct {
	member string
	figure value.Decimal
}

// checkPrice rejects a record's main price unless the market can have it.
func (m Market) checkPrice(p stated) error {
	if !p.figure.IsNull() && !m.canBe(p.figure) {
		return value.Invalidf(p.member, "must be above 0; got %s", p.figure)
	}
	return nil
}

// checkOthers rejects negative prices beside the main one. It accepts zeros, which many sources
// state where there is no price.
func (m Market) checkOthers(prices ...stated) error {
	if m == Cmdty {
		return nil
	}
	return checkNotNegative(prices...)
}

// checkNotNegative rejects negative figures; counts and amounts cannot be negative.
func checkNotNegative(figures ...stated) error {
	for _, s := range figures {
		if s.figure.Sign() < 0 {
			return value.Invalidf(s.member, "must be 0 or above; got %s", s.figure)
		}
	}
	return nil
}

// isNone reports whether a price beside the last one is no price: one that the market cannot
// have, or 0 while the last price is above 0.
func (m Market) isNone(price, last value.Decimal) bool {
	return !price.IsNull() && (!m.canBe(price) || price.Sign() == 0 && last.Sign() > 0)
}

// leaveOut nulls figures that cannot be: others that are no price, and both extremes if they
// contradict each other or a price between them. It reports whether it nulled any.
func (m Market) leaveOut(open, high, low, last *value.Decimal, others ...*value.Decimal) (found bool) {
	contradict := m.isNone(*high, *last) || m.isNone(*low, *last)
	drop := func(price *value.Decimal) {
		if m.isNone(*price, *last) {
			*price, found = value.Decimal{}, true
		}
	}
	for _, price := range others {
		drop(price)
	}
	drop(open)
	drop(last) // stored by an older version
	contradict = contradict || !inOrder(*low, *high)
	for _, price := range [...]value.Decimal{*open, *last} {
		contradict = contradict || !inOrder(*low, price) || !inOrder(price, *high)
	}
	if contradict {
		*high, *low, found = value.Decimal{}, value.Decimal{}, true
	}
	return found
}

// inOrder reports whether low is at most high, as far as both are known.
func inOrder(low, high value.Decimal) bool {
	return low.IsNull() || high.IsNull() || low.Cmp(high) <= 0
}

// LeaveOut nulls impossible figures of a stored bar before anything is computed from it, and
// reports whether there were any.
func (b *Bar) LeaveOut() bool {
	return b.InstrumentID.Market().leaveOut(&b.Open, &b.High, &b.Low, &b.Close)
}

// Contradicts reports whether LeaveOut would null a figure of the bar.
func (b *Bar) Contradicts() bool {
	c := *b
	return c.LeaveOut()
}

// LeaveOut nulls impossible figures of an index bar, as (*Bar).LeaveOut does.
func (b *IndexBar) LeaveOut() bool { return Index.leaveOut(&b.Open, &b.High, &b.Low, &b.Close) }

// Contradicts reports whether LeaveOut would null a figure of the index bar.
func (b *IndexBar) Contradicts() bool {
	c := *b
	return c.LeaveOut()
}

// LeaveOut nulls impossible figures of an observation, as (*Bar).LeaveOut does. Without a valid
// previous close the changes are null, too.
func (o *Observation) LeaveOut() bool {
	m, hadPrevious := o.InstrumentID.Market(), !o.PrevClose.IsNull()
	found := m.leaveOut(&o.Open, &o.High, &o.Low, &o.Last, &o.PrevClose, &o.Bid, &o.Ask, &o.LimitUp, &o.LimitDown)
	if hadPrevious && o.PrevClose.IsNull() {
		o.Change, o.ChangePct = value.Decimal{}, value.Decimal{}
	}
	if !inOrder(o.LimitDown, o.LimitUp) {
		o.LimitDown, o.LimitUp, found = value.Decimal{}, value.Decimal{}, true
	}
	return found
}

// Contradicts reports whether LeaveOut would null a figure of the observation.
func (o *Observation) Contradicts() bool {
	c := *o
	return c.LeaveOut()
}
