package services

import "piyasa/internal/cache"

// Caches returns the counts of what is kept of the store, by its name.
func (s *Services) Caches() map[string]func() cache.Counts {
	return map[string]func() cache.Counts{
		"bars": s.Market.History.Counts, "statements": s.Fundamentals.Histories.Counts, "dividends": s.dividends.Counts,
		"disclosures": s.recent.Counts,
	}
}
