package fundamentals

import (
	"context"
	"reflect"
	"slices"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/domain/segment"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// Valuation is the value of a company by its market capitalisation and its newest statements.
// It is shared: do not change it.
type Valuation struct {
	InstrumentID market.ID
	Market       market.EquityMarket
	Currency     string  // of the money below, after conversion
	Source       *string // of market cap and P/E
	AsOf         value.Instant
	DataDate     value.Date // trading day of the market cap
	MarketCap    *MarketCap
	PeRatio      *Metric
	PbRatio      *Metric
	EBITDA       *Metric
	NetDebt      *Metric
	EV           *Metric
	EBITDATTM    *Metric
	EVEBITDA     *Metric
	EPSGrowthPct *Metric
	PEG          *Metric
	CoverageFrom value.Date // start of the history of market cap and P/E
	Disclaimer   string
	FxRate       value.Decimal // null: nothing was converted
	FxAsOf       value.Instant
}

const disclaimer = "Not investment advice."

// converted returns v with each amount of money converted at rate r. Ratios, growth and the
// size category do not change.
func (v *Valuation) converted(target market.Currency, r market.Rate) *Valuation {
	out := *v
	out.Currency, out.FxRate, out.FxAsOf = string(target), r.Factor, r.AsOf
	c := *v.MarketCap
	out.MarketCap = &c
	if !c.Value.IsNull() {
		c.Billions = c.Value.Times(r.Factor).Over(billion, 2)
		c.Value = r.Amount(c.Value)
	}
	for _, metric := range []**Metric{&out.EBITDA, &out.NetDebt, &out.EV, &out.EBITDATTM, &out.PeRatio, &out.PbRatio, &out.EVEBITDA,
		&out.EPSGrowthPct, &out.PEG} {
		m := **metric
		*metric = &m
		if m.money {
			m.Value = r.Amount(m.Value)
		}
		m.Inputs = slices.Clone(m.Inputs)
		for i := range m.Inputs {
			if m.Inputs[i].money {
				m.Inputs[i].Value = r.Amount(m.Inputs[i].Value)
			}
		}
	}
	return &out
}

// Valuation returns the valuation of one company of bist or us, in currency
// unless that is nil. Needs history. Problems: not-found (unknown, an ETF, or
// without any data), unsupported-currency, fx-rate-unavailable.
func (s *Service) Valuation(ctx context.Context, id string, currency *market.Currency) (*Valuation, error) {
	if err := access.Enter(ctx, access.History); err != nil {
		return nil, err
	}
	in, err := s.resolveCompany(id)
	if err != nil {
		return nil, err
	}
	if !hasValuation(in) {
		return nil, problem.New(problem.NotFound, "%s is an ETF; ETFs have no valuation.", in.InstrumentID)
	}
	found, err := s.values(ctx, []*market.Instrument{in}, s.Market.Converter(currency))
	if err != nil {
		return nil, err
	}
	if found[0] == nil {
		return nil, problem.New(problem.NotFound, "There are neither market metrics nor statements of %s.", in.InstrumentID)
	}
	access.Charge(ctx, access.Unit)
	return found[0], nil
}

// ValuationsOf returns the valuations of instruments in their order, read together and
// converted at one rate; nil if there is none. Needs history; each costs one unit.
func (s *Service) ValuationsOf(ctx context.Context, instruments []*market.Instrument, currency *market.Currency) ([]*Valuation, []error) {
	rates := s.Market.Converter(currency)
	return access.Relation[*market.Instrument, *Valuation]{
		Enter:  access.Needs(access.History),
		Covers: hasValuation,
		Check:  rates.Check,
		Read:   func(some []*market.Instrument) ([]*Valuation, error) { return s.values(ctx, some, rates) },
	}.Answer(ctx, instruments)
}

// Values returns the valuations of companies in their order, unconverted; nil for a nil company
// and for one without data. The caller must have checked the scope.
func (s *Service) Values(ctx context.Context, companies []*market.Instrument) ([]*Valuation, error) {
	return s.values(ctx, companies, s.Market.Converter(nil))
}

func (s *Service) values(ctx context.Context, companies []*market.Instrument, rates *market.Converter) ([]*Valuation, error) {
	var some []*market.Instrument
	var currencies []string
	for _, in := range companies {
		if in != nil {
			some, currencies = append(some, in), append(currencies, in.Currency)
		}
	}
	histories, err := s.histories(ctx, some, currencies)
	if err != nil {
		return nil, err
	}
	values := make([]*Valuation, len(companies))
	for i, in := range companies {
		if in == nil {
			continue
		}
		history := histories[0]
		histories = histories[1:]
		if values[i] = s.valued(in, history); values[i] == nil {
			continue
		}
		rate, err := rates.From(in.Currency)
		if err != nil {
			return nil, err
		}
		if rate != nil {
			values[i] = values[i].converted(*rates.To, *rate)
		}
	}
	return values, nil
}

// valued returns the valuation of a company by its newest metrics and its history in the
// currency of its shares, unconverted, or nil. The history keeps the result.
func (s *Service) valued(in *market.Instrument, history *FilingHistory) *Valuation {
	metrics := s.Live.metrics(in.InstrumentID)
	var changed *segment.Change
	if metrics != nil {
		changed = s.Market.CurrencyChanged(in.InstrumentID, metrics.Date, s.Market.Today())
	}
	if known := history.valued.Load(); known != nil && known.metrics == metrics && reflect.DeepEqual(known.changed, changed) {
		return known.valuation
	}
	v := valuer{lines: s.Lines, metrics: metrics, history: history, period: history.newest(), adjusts: adjusts(in.Market),
		currency: in.Currency, changed: changed}
	if v.period != nil {
		v.newest = v.period.current(groupFirst)
	}
	out := &valued{metrics: metrics, changed: changed}
	switch {
	case v.metrics == nil && v.newest == nil:
	case in.Market == market.US:
		out.valuation = v.valueUS(in)
	default:
		out.valuation = v.value(in)
	}
	history.valued.Store(out)
	return out.valuation
}

// hasValuation reports whether an instrument can have a valuation.
func hasValuation(in *market.Instrument) bool { return isCompany(in) && in.AssetType == market.Stock }
