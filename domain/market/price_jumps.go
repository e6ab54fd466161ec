package market

import (
	"slices"

	"piyasa/internal/value"
)

// PriceJump is two consecutive closes of a series. LacksAction finds jumps that look like an
// unrecorded corporate action.
type PriceJump struct {
	InstrumentID       ID
	Before, Day        value.Date
	From, To           value.Decimal
	LimitUp, LimitDown value.Decimal // of Day; null: not known
}

// By which part a close may change from one session to the next before it looks like a
// corporate action: twice what the exchange allows, at least a fifth; without limits, a part
// that closes hardly ever change by.
var (
	mostOfBist   = value.MustDecimal("0.2")
	mostOfOthers = value.MustDecimal("0.45")
	mostOfAny    = value.MustDecimal("0.9")
	twice        = value.MustDecimal("2")
)

// longestJump is the most sessions for which limits are compounded if a share did not trade in
// between.
const longestJump = 10

// LacksAction reports whether an unadjusted series jumps by more than its price limits allow
// and none of its actions explains it.
func (j PriceJump) LacksAction(actions []*CorporateAction) bool {
	if j.From.Sign() <= 0 || j.To.Sign() <= 0 || slices.ContainsFunc(actions, func(a *CorporateAction) bool {
		return a.Kind.changesShare() && j.Before.Before(a.ExDate) && !j.Day.Before(a.ExDate)
	}) {
		return false
	}
	low, high := j.From, j.To
	if low.Cmp(high) > 0 {
		low, high = high, low
	}
	left := unscaled.Minus(j.most())
	allowed := high
	for range j.sessions() {
		allowed = allowed.Times(left)
	}
	return low.Cmp(allowed) < 0
}

// most returns the part by which a close may change in a session.
func (j PriceJump) most() value.Decimal {
	if j.InstrumentID.Market() != BIST {
		return mostOfOthers
	}
	if j.LimitUp.IsNull() || j.LimitDown.Sign() <= 0 {
		return mostOfBist
	}
	wide := j.LimitUp.Minus(j.LimitDown).Times(twice).Over(j.LimitUp.Plus(j.LimitDown), 4)
	switch {
	case wide.Cmp(mostOfBist) < 0:
		return mostOfBist
	case wide.Cmp(mostOfAny) > 0:
		return mostOfAny
	}
	return wide
}

// sessions returns the number of sessions over which the close moved, at most longestJump.
func (j PriceJump) sessions() int {
	n := 0
	for day := j.Before.AddDays(1); !j.Day.Before(day) && n < longestJump; day = day.AddDays(1) {
		if !day.IsWeekend() {
			n++
		}
	}
	return max(1, n)
}

// CorporateActions returns the actions of a subject by ex date.
func (s *Snapshot) CorporateActions(id ID) []*CorporateAction { return s.actions.of[id] }
