package services

import "piyasa/internal/cache"

// Caches returns the counters of the caches, by name.
func (s *Services) Caches() map[string]func() cache.Counts {
	return map[string]func() cache.Counts{
		"bars": s.Market.History.Counts, "statements": s.Fundamentals.Histories.Counts, "dividends": s.dividends.Counts,
		"disclosures": s.recent.Counts,
	}
}
