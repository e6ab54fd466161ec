package fundamentals

import (
	"context"
	"math"
	"slices"

	"piyasa/domain/market"
)

// CashDividends returns the cash dividends of instruments, by ex date, to adjust prices for.
// The caller must have checked the scope.
func (s *Service) CashDividends(ctx context.Context, ids []market.ID) (map[market.ID][]market.CashDividend, error) {
	found, err := s.Store.Dividends(ctx, ids, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	all := make(map[market.ID][]market.CashDividend, len(found))
	for id, of := range found {
		for _, d := range slices.Backward(of) { // the newest comes first
			all[id] = append(all[id], market.CashDividend{ExDate: d.ExDate, Amount: d.GrossPerShare, Currency: d.Currency})
		}
	}
	return all, nil
}
