package ipo

import (
	"context"
	"net/url"

	"piyasa/account/access"
	"piyasa/internal/attachment"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// Detail is all facts about one IPO, with its documents.
type Detail struct {
	Ipo
	DistributionMethod *string                  `json:"distribution_method"`
	UseOfProceeds      *string                  `json:"use_of_proceeds"`
	DiscountPct        value.Decimal            `json:"discount_pct"`
	FreeFloatPct       value.Decimal            `json:"free_float_pct"`
	Documents          []*attachment.Attachment `json:"documents"`
	Stale              bool                     `json:"stale"`
}

// IsStale reports the same as List.IsStale.
func (d *Detail) IsStale() bool { return d.Stale }

// Ipo returns one IPO. Needs quotes:bist or ipo:read. Problems: not-found; source-unavailable
// if the source is down and there is no copy.
func (s *Service) Ipo(ctx context.Context, id string) (*Detail, error) {
	if err := enter(ctx); err != nil {
		return nil, err
	}
	r := s.Live.record(id)
	if r == nil {
		if err := s.available(s.Live.all()); err != nil {
			return nil, err
		}
		return nil, problem.New(problem.NotFound, "There is no IPO %s.", problem.Shown(id))
	}
	today := s.Market.Today()
	debuts, err := s.debuts(ctx, []*Record{r}, today)
	if err != nil {
		return nil, err
	}
	d := &Detail{
		Ipo: *s.show(r, today, debuts[r]), DistributionMethod: r.DistributionMethod, UseOfProceeds: r.UseOfProceeds,
		DiscountPct: r.DiscountPct, FreeFloatPct: r.FreeFloatPct, Documents: s.links(r), Stale: s.Live.down.Load(),
	}
	access.Charge(ctx, access.Unit)
	return d, nil
}

// path returns the start of the paths of an IPO's documents.
func (r *Record) path() string { return "/v1/ipo/" + url.PathEscape(r.ID) + "/documents" }

// links returns signed links to the documents of an IPO.
func (s *Service) links(r *Record) []*attachment.Attachment {
	return s.Links.To(r.path(), r.Documents)
}

// Document returns the document of a signed link, which needs no key. Problems: not-found.
func (s *Service) Document(id string, n int, expires, signature string) (*attachment.Document, error) {
	r := s.Live.record(id)
	if r == nil {
		return nil, problem.New(problem.NotFound, "This link is not valid.")
	}
	if err := s.Links.Check(r.path(), n, expires, signature); err != nil {
		return nil, err
	}
	if n < 1 || n > len(r.Documents) {
		return nil, problem.New(problem.NotFound, "The IPO %s has no document %d.", r.ID, n)
	}
	return &r.Documents[n-1], nil
}
