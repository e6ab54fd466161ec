package funds

import (
	"context"
	"strings"

	"piyasa/access"
	"piyasa/domain/market"
	"piyasa/problem"
	"piyasa/value"
)

// Store is where flows and holdings are read from.
type Store interface {
	// Flows are the flows of a fund from first to last, both included, by date.
	Flows(ctx context.Context, code string, first, last value.Date) ([]*Flow, error)
	// NewestFlow is the newest day of a fund's flows up to last; null when there
	// is none.
	NewestFlow(ctx context.Context, code string, last value.Date) (value.Date, error)
	// Holders are the holdings of each instrument in the newest report of each
	// fund, in no order.
	Holders(ctx context.Context, ids []market.ID) (map[market.ID][]*Holding, error)
}

// Service answers questions about funds. Each method checks the scope of the
// caller, then its arguments, then what there is; it returns a *problem.Error.
type Service struct {
	Market *market.Service
	Store  Store
	Live   *Live
}

// Profile is what a fund says about itself, by its code, bare or behind fund:.
// Needs quotes:fund. Problems: not-found, for a fund that lives on as an ETF
// with its successor.
func (s *Service) Profile(ctx context.Context, code string) (*Profile, error) {
	if err := access.Enter(ctx, access.QuotesFund); err != nil {
		return nil, err
	}
	f, err := s.fund(code)
	if err != nil {
		return nil, err
	}
	access.Charge(ctx, access.Unit)
	return &f.Profile, nil
}

// fund is the fund with a client's code.
func (s *Service) fund(text string) (*Fund, error) {
	code := value.UpperASCII(strings.TrimPrefix(text, string(market.Fund)+":"))
	if gone := s.successor(code); gone != nil {
		return nil, gone
	}
	if f := s.Live.fund(code); f != nil {
		return f, nil
	}
	return nil, problem.New(problem.NotFound, "There is no fund %s.", problem.Shown(text))
}

// listed reports whether the catalog has a fund: one that lives on as an ETF has
// left it.
func (s *Service) listed(f *Fund) bool { return s.Market.ByID(f.InstrumentID) != nil }

// twin is the problem of a fund that lives on as an ETF; nil for others.
func (s *Service) successor(code string) error {
	_, err := s.Market.Catalog().Resolve(string(market.FundID(code)), market.CanonicalForm)
	if err != nil && problem.From(err).Members.Successor != nil {
		return err
	}
	return nil
}
