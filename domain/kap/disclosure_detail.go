package kap

import (
	"context"

	"piyasa/account/access"
	"piyasa/internal/attachment"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// Detail is a disclosure with everything but its body.
type Detail struct {
	Disclosure
	Attachments []*attachment.Attachment `json:"attachments"`
	Facts       []*Fact                  `json:"facts"`    // null but for financial reports
	Contexts    []*Context               `json:"contexts"` // null but for financial reports
	HasBody     bool                     `json:"has_body"`
	BodyFormat  *string                  `json:"body_format"` // flatData, presentation or html; null without a body
}

// Disclosure returns one disclosure by the platform's number. Needs kap.
// Problems: not-found.
func (s *Service) Disclosure(ctx context.Context, index int) (*Detail, error) {
	if err := access.Enter(ctx, access.KAP); err != nil {
		return nil, err
	}
	r, err := s.known(ctx, index)
	if err != nil {
		return nil, err
	}
	access.Charge(ctx, access.Unit)
	return s.detail(r), nil
}

// detail presents a record, with new links to its attachments.
func (s *Service) detail(r *Record) *Detail {
	d := &Detail{Disclosure: r.Disclosure, Attachments: s.links().To(attachmentsPath(r.DisclosureIndex), r.Attachments)}
	if r.Type == FR {
		d.Facts, d.Contexts = value.List(r.Facts), value.List(r.Contexts)
	} else if r.Body != nil {
		d.HasBody, d.BodyFormat = true, &r.Body.SourceFormat
	}
	return d
}

func (s *Service) known(ctx context.Context, index int) (*Record, error) {
	found, err := s.Store.DisclosureRecords(ctx, []int{index})
	if err != nil {
		return nil, err
	}
	if found[index] == nil {
		return nil, unknownNumber(index)
	}
	return found[index], nil
}

func unknownNumber(index int) error {
	return problem.New(problem.NotFound, "%d is an unknown disclosure number.", index)
}
