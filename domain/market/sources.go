package market

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"

	"piyasa/account/access"
	"piyasa/internal/value"
)

// Source is the status of a source as answers show it.
type Source struct {
	Name         string        `json:"name"`
	Up           bool          `json:"up"`            // when it was last checked
	AsOf         value.Instant `json:"as_of"`         // of that check
	LastSuccess  value.Instant `json:"last_success"`  // when everything due was collected; null: unknown
	NewestRecord value.Instant `json:"newest_record"` // when its newest record was observed or published; null: unknown
	NextDue      value.Instant `json:"next_due"`      // when the next success is due; null: unknown
	LagSeconds   *int          `json:"lag_seconds"`   // how long next_due has passed, 0 before; null: unknown
	Error        *string       `json:"error"`         // why it is not up; null: unknown, or it is up
}

// SourceList is all sources with their status.
type SourceList struct {
	Sources []*Source `json:"sources"`
	Count   int       `json:"count"`
}

// Sources holds the newest status of each source. The zero value has none.
type Sources struct {
	known atomic.Pointer[[]*SourceStatus] // by name
}

// Set replaces all statuses.
func (s *Sources) Set(all []*SourceStatus) {
	all = slices.SortedFunc(slices.Values(all), func(a, b *SourceStatus) int { return cmp.Compare(a.Source, b.Source) })
	s.known.Store(&all)
}

// At returns the sources as of a moment, by name.
func (s *Sources) At(now value.Instant) []*Source {
	known := s.known.Load()
	if known == nil {
		return []*Source{}
	}
	all := make([]*Source, len(*known))
	for i, k := range *known {
		one := &Source{Name: k.Source, Up: k.Up, AsOf: k.AsOf, LastSuccess: k.LastSuccess, NewestRecord: k.NewestRecord, NextDue: k.NextDue,
			Error: k.Error}
		if !k.NextDue.IsNull() {
			one.LagSeconds = new(max(0, int(now.Sub(k.NextDue).Seconds())))
		}
		all[i] = one
	}
	return all
}

// AllSources lists the sources that records name. Any key.
func (s *Service) AllSources(ctx context.Context) (*SourceList, error) {
	if err := access.Enter(ctx); err != nil {
		return nil, err
	}
	all := s.Sources.At(s.Now())
	access.Charge(ctx, access.Unit)
	return &SourceList{all, len(all)}, nil
}
