package funds

import (
	"context"
	"strings"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// Profile is what a fund reports about itself.
type Profile struct {
	InstrumentID     market.ID     `json:"instrument_id"` // fund:CODE
	Code             string        `json:"code" record:"required"`
	Name             string        `json:"name" record:"required"`
	Founder          *string       `json:"founder"`
	Category         *string       `json:"category"`
	Currency         string        `json:"currency" record:"required"` // of price and portfolio size
	Price            value.Decimal `json:"price"`                      // of one share
	PriceDate        value.Date    `json:"price_date" time:"past"`
	PortfolioSize    value.Decimal `json:"portfolio_size"`
	InvestorCount    *int          `json:"investor_count" range:"0 2147483647"`
	ShareCount       value.Decimal `json:"share_count"`
	ManagementFeePct value.Decimal `json:"management_fee_pct"` // a year
	RiskLevel        *int          `json:"risk_level" range:"1 7"`
	IsParticipation  *bool         `json:"is_participation"`
	InceptionDate    value.Date    `json:"inception_date" time:"any"`
	AsOf             value.Instant `json:"as_of" time:"past"`
}

// Profile returns the profile and returns of a fund by its code, bare or after fund:. Needs
// quotes:fund. Problems: not-found, which names the successor if an ETF replaced the fund.
func (s *Service) Profile(ctx context.Context, code string) (*Fund, error) {
	if err := access.Enter(ctx, access.QuotesFund); err != nil {
		return nil, err
	}
	f, err := s.fund(code)
	if err != nil {
		return nil, err
	}
	access.Charge(ctx, access.Unit)
	return f, nil
}

// fund returns the fund with a client's code.
func (s *Service) fund(text string) (*Fund, error) {
	code := value.UpperASCII(strings.TrimPrefix(text, string(market.Fund)+":"))
	if etf, replaced := s.Market.Catalog().Successor(code); replaced {
		return nil, market.ErrReplaced(market.FundID(code), etf)
	}
	if f := s.Live.fund(code); f != nil {
		return f, nil
	}
	return nil, problem.New(problem.NotFound, "There is no fund %s.", problem.Shown(text))
}

// listed reports whether the catalog has a fund; a fund that an ETF replaced has left it.
func (s *Service) listed(f *Fund) bool { return s.Market.ByID(f.InstrumentID) != nil }
