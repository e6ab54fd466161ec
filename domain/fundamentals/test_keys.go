package fundamentals

import (
	"context"
	"slices"
	"strings"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// enterDividends begins an operation on the dividends of single instruments.
func enterDividends(ctx context.Context) error {
	if err := access.Enter(ctx, access.History); err != nil {
		return err
	}
	if access.CallOf(ctx).Key.Test {
		return problem.New(problem.TestPlan, "The test plan does not include the dividends of one instrument; use the list of dividends.")
	}
	return nil
}

// dividendIDsOfTests returns the stocks whose dividends a test key lists, or a problem if f
// asks for others by ids.
func (s *Service) dividendIDsOfTests(f DividendFilter, ids []market.ID) ([]market.ID, error) {
	outside := func(id market.ID) bool { return !slices.Contains(s.TestStocks, id) }
	if *f.Market != market.EquityBIST || slices.ContainsFunc(ids, outside) {
		allowed := value.Texts(s.TestStocks)
		e := problem.New(problem.TestPlan, "A test key sees the dividends of %s only.", strings.Join(allowed, ", "))
		if len(allowed) == 0 {
			e.Detail = "A test key sees the dividends of the test stocks only; this server has none."
		}
		e.Members.Available = allowed
		return nil, e
	}
	if f.Symbols == nil {
		ids = append([]market.ID{}, s.TestStocks...) // not nil, even when the plan has none
	}
	return ids, nil
}
