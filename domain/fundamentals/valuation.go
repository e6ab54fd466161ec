package fundamentals

import (
	"context"
	"piyasa/access"
	"piyasa/domain/market"
	"piyasa/problem"
	"piyasa/value"
)

// Valuation is the value of a company by its market capitalisation and its
// newest statements.
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

// convert converts each amount of money at rate r. Ratios, growth and the size
// category stay.
func (v *Valuation) convert(target market.Currency, r market.Rate) {
	v.Currency, v.FxRate, v.FxAsOf = string(target), r.Factor, r.AsOf
	if c := v.MarketCap; !c.Value.IsNull() {
		c.Billions = c.Value.Times(r.Factor).Over(billion, 2)
		c.Value = r.Amount(c.Value)
	}
	for _, m := range []*Metric{v.EBITDA, v.NetDebt, v.EV, v.EBITDATTM, v.PeRatio, v.PbRatio, v.EVEBITDA, v.EPSGrowthPct, v.PEG} {
		if m.money {
			m.Value = r.Amount(m.Value)
		}
		for i := range m.Inputs {
			if m.Inputs[i].money {
				m.Inputs[i].Value = r.Amount(m.Inputs[i].Value)
			}
		}
	}
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

// ValuationsOf returns the valuations of instruments in their order, read
// together and converted at one rate; nil where there is none. Needs history;
// each costs one unit.
func (s *Service) ValuationsOf(ctx context.Context, instruments []*market.Instrument, currency *market.Currency) ([]*Valuation, []error) {
	rates := s.Market.Converter(currency)
	return access.Relation[*market.Instrument, *Valuation]{
		Enter:  access.Needs(access.History),
		Covers: hasValuation,
		Check:  rates.Check,
		Read:   func(some []*market.Instrument) ([]*Valuation, error) { return s.values(ctx, some, rates) },
	}.Answer(ctx, instruments)
}

// Values returns the valuations of companies in their order, unconverted; nil
// for a nil company and for one without data. It is for services that have
// checked the scope.
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
		v := valuer{s.Lines, s.Live.metrics(in.InstrumentID), history, history.newest(), measuringUnitOf(in.Market), in.Currency}
		switch {
		case v.metrics == nil && v.newest == nil:
			continue
		case in.Market == market.US:
			values[i] = v.valueUS(in)
		default:
			values[i] = v.value(in)
		}
		rate, err := rates.From(in.Currency)
		if err != nil {
			return nil, err
		}
		if rate != nil {
			values[i].convert(*rates.To, *rate)
		}
	}
	return values, nil
}

// hasValuation reports whether an instrument can have a valuation.
func hasValuation(in *market.Instrument) bool { return isCompany(in) && in.AssetType == market.Stock }
