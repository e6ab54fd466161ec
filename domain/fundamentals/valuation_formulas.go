package fundamentals

import (
	"fmt"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

// ratioDecimals is the number of decimals of ratios and percentages.
const ratioDecimals = 4

var (
	hundred  = value.MustDecimal("100")
	thousand = value.MustDecimal("1000")
)

// value computes the valuation of a company of the Istanbul exchange, in lira.
func (v *valuer) value(in *market.Instrument) *Valuation {
	out := v.newValuation(in)
	out.CoverageFrom = historyStart
	out.PeRatio = v.distributorPE()
	marketCap := named("market_cap", out.MarketCap.Value)
	out.PbRatio = v.pb(marketCap)
	out.EBITDA = v.industrial(v.cumulative, v.ebitda)
	out.EBITDATTM = v.industrial(v.ttm, v.ebitda)
	out.NetDebt = v.industrial(v.cumulative, v.netDebt)
	out.EV = v.ev(marketCap, out.NetDebt)
	out.EVEBITDA = v.evEBITDA(out.EV, out.EBITDATTM)
	out.EPSGrowthPct = v.growth()
	out.PEG = v.peg(out.PeRatio, out.EPSGrowthPct)
	return out
}

// valueUS computes the valuation of a US company: only P/E and P/B.
func (v *valuer) valueUS(in *market.Instrument) *Valuation {
	out := v.newValuation(in)
	marketCap := named("market_cap", out.MarketCap.Value)
	out.PeRatio = v.overMarketCap(marketCap, v.ttm, "net_profit_parent_ttm", NetProfitParent)
	out.PbRatio = v.overMarketCap(marketCap, v.cumulative, string(EquityParent), EquityParent)
	for _, m := range []**Metric{&out.EBITDA, &out.NetDebt, &out.EV, &out.EBITDATTM, &out.EVEBITDA, &out.EPSGrowthPct, &out.PEG} {
		*m = &Metric{NullReason: new(NotCoveredForMarket), Inputs: []NamedValue{}}
	}
	return out
}

// newValuation returns a valuation with the market capitalisation and without
// metrics.
func (v *valuer) newValuation(in *market.Instrument) *Valuation {
	of := market.EquityMarket(in.Market)
	out := &Valuation{InstrumentID: in.InstrumentID, Market: of, Currency: in.Currency, MarketCap: newMarketCap(v.metrics, in, v.changed),
		Disclaimer: disclaimer}
	if v.metrics != nil {
		out.Source, out.AsOf, out.DataDate = v.metrics.Source, v.metrics.AsOf, v.metrics.Date
	}
	return out
}

// distributorPE returns the distributor's P/E unchanged. The P/E of a loss is null, as in
// overMarketCap, because it says nothing.
func (v *valuer) distributorPE() *Metric {
	reason := unstated(v.metrics, func(m *Metrics) value.Decimal { return m.PeRatio })
	if reason == "" && v.metrics.PeRatio.Sign() < 0 {
		reason = value.NonPositiveBase
	}
	if reason != "" {
		return &Metric{NullReason: &reason, Inputs: []NamedValue{}}
	}
	return &Metric{Value: v.metrics.PeRatio, Inputs: []NamedValue{}}
}

// ebitda computes operating profit plus depreciation and amortisation.
func (v *valuer) ebitda(s source) *Metric {
	profit, depreciation := s.input(OperatingProfit), s.input(DepreciationAndAmortisation)
	return v.computed(s, []input{profit, depreciation}, func() (value.Decimal, string) {
		return profit.Value.Plus(depreciation.Value), ""
	})
}

// netDebt computes financial debt less cash and short-term financial
// investments.
func (v *valuer) netDebt(s source) *Metric {
	short, long := s.input(ShortTermFinancialDebt), s.input(LongTermFinancialDebt)
	cash, investments := s.input(CashAndEquivalents), s.input(ShortTermFinancialInvestments)
	return v.computed(s, []input{short, long, cash, investments}, func() (value.Decimal, string) {
		return short.Value.Plus(long.Value).Minus(cash.Value).Minus(investments.Value), ""
	})
}

// ev computes market capitalisation plus net debt.
func (v *valuer) ev(marketCap input, netDebt *Metric) *Metric {
	s := v.cumulative()
	if v.financial() {
		return v.null(s, BankOrInsurerTemplate)
	}
	debt := named("net_debt", netDebt.Value)
	m := v.computed(s, []input{marketCap, debt}, func() (value.Decimal, string) { return marketCap.Value.Plus(debt.Value), "" })
	m.money = true
	return m
}

// evEBITDA computes enterprise value over the EBITDA of twelve months.
func (v *valuer) evEBITDA(ev, ttm *Metric) *Metric {
	s := v.ttm()
	if v.financial() || s.reason == MeasuringUnitMismatch || s.reason == value.MeaningChanged {
		return v.null(s, *ttm.NullReason)
	}
	worth, earned := named("ev", ev.Value), named("ebitda_ttm", ttm.Value)
	return v.ratio(s, []input{worth, earned}, func() (quotient, string) {
		switch {
		case worth.Value.Sign() <= 0:
			return quotient{}, NonPositiveEV
		case earned.Value.Sign() <= 0:
			return quotient{}, NonPositiveEBITDATTM
		}
		return quotient{worth.Value, earned.Value}, ""
	})
}

// pb computes market capitalisation over the equity of the parent, which is found by label for
// banks and insurers.
func (v *valuer) pb(marketCap input) *Metric {
	s := v.cumulative()
	if s.reason != "" {
		return v.null(s, s.reason)
	}
	var equity input
	var note *string
	if v.financial() {
		equity, note = v.labelledEquity()
	} else {
		equity = s.input(EquityParent)
	}
	m := v.ratio(s, []input{marketCap, equity}, func() (quotient, string) {
		// Compared as products: the bounds hold for the unrounded quotient.
		if equity.Value.Sign() <= 0 || marketCap.Value.Times(thousand).Cmp(equity.Value) <= 0 ||
			marketCap.Value.Cmp(equity.Value.Times(thousand)) >= 0 {
			return quotient{}, value.OutOfRange
		}
		return quotient{marketCap.Value, equity.Value}, ""
	})
	if note != nil && m.Note != nil {
		note = new(*m.Note + "; " + *note)
	}
	if note != nil {
		m.Note = note
	}
	return m
}

// labelledEquity returns the equity of the parent of a bank or an insurer, and a note that
// names the lines used.
func (v *valuer) labelledEquity() (input, *string) {
	equity := func(figure value.Decimal, note string, args ...any) (input, *string) {
		return input{NamedValue{string(EquityParent), figure, true}, v.lines.states(EquityParent, figure)}, new(fmt.Sprintf(note, args...))
	}
	if parent := v.lines.equity(v.newest, EquityParent); parent.stated {
		return equity(parent.figure, "equity of the parent is the line %q", parent.label)
	}
	total, minority := v.lines.equity(v.newest, TotalEquity), v.lines.equity(v.newest, MinorityInterest)
	switch {
	case total.label == "":
		return equity(value.Decimal{}, "no line is total equity by its role, or by a label such as %q", v.lines.labels[TotalEquity])
	case !total.stated:
		return equity(value.Decimal{}, "equity is the line %q", total.label)
	case minority.stated:
		return equity(total.figure.Minus(minority.figure), "equity of the parent is the line %q less %q", total.label, minority.label)
	case minority.label == "":
		return equity(total.figure, "total equity, the line %q: minorities are not shown separately", total.label)
	case minority.figure.IsNull():
		return equity(total.figure, "total equity, the line %q: the line %q has no figure", total.label, minority.label)
	}
	return equity(total.figure, "total equity, the line %q: the line %q is 0", total.label, minority.label)
}

const growthNote = "nominal, includes inflation"

// growth computes the yearly growth of the parent's net profit over twelve
// months, in percent.
func (v *valuer) growth() *Metric {
	s, before := v.ttm(), v.ttmBefore()
	for _, reason := range uncombined {
		if s.reason != reason && before.reason == reason {
			s.change = before.change
		}
		if s.reason == reason || before.reason == reason {
			return v.null(s, reason)
		}
	}
	if s.change = v.history.consolidated(append(s.inputs, before.inputs...)); s.change != nil {
		return v.null(s, value.MeaningChanged)
	}
	now, prior := s.input(NetProfitParent), before.input(NetProfitParent)
	now.Name, prior.Name = "net_profit_parent_ttm", "net_profit_parent_ttm_prior"
	m := v.ratio(s, []input{now, prior}, func() (quotient, string) {
		if prior.Value.Sign() <= 0 {
			return quotient{}, value.NonPositiveBase
		}
		return quotient{now.Value.Minus(prior.Value).Times(hundred), prior.Value}, ""
	})
	if m.NullReason == nil {
		m.Note = new(growthNote)
		if was := before.inputs[0].Basis; was != v.newest.Basis { // all inputs of the twelve months have the same basis
			m.Note = new(fmt.Sprintf("%s; the two years are in different measuring units (%s, %s)", growthNote, v.newest.Basis, was))
		}
	}
	return m
}

// peg computes P/E over the unrounded growth.
func (v *valuer) peg(pe, growth *Metric) *Metric {
	s := v.ttm()
	if s.reason == MeasuringUnitMismatch || growth.NullReason != nil && *growth.NullReason == MeasuringUnitMismatch {
		return v.null(s, MeasuringUnitMismatch)
	}
	if growth.MeaningChanged != nil {
		s.change = growth.MeaningChanged
		return v.null(s, value.MeaningChanged)
	}
	ratio, pct := named("pe_ratio", pe.Value), named("eps_growth_pct", growth.Value)
	ratio.money, pct.money = false, false
	return v.ratio(s, []input{ratio, pct}, func() (quotient, string) {
		exact := growth.exact
		if exact.num.Sign() <= 0 {
			return quotient{}, NonPositiveGrowth
		}
		return quotient{ratio.Value.Times(exact.den), exact.num}, ""
	})
}

// overMarketCap computes a ratio of a US company: market capitalisation over a
// figure above zero.
func (v *valuer) overMarketCap(marketCap input, from func() source, name string, role Role) *Metric {
	s := from()
	if s.reason != "" {
		return v.null(s, s.reason)
	}
	base := s.input(role)
	base.Name = name
	return v.ratio(s, []input{marketCap, base}, func() (quotient, string) {
		if base.Value.Sign() <= 0 {
			return quotient{}, value.NonPositiveBase
		}
		return quotient{marketCap.Value, base.Value}, ""
	})
}
