package kap

import (
	"context"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/attachment"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// Detail is a disclosure with all its members but the body.
type Detail struct {
	Disclosure
	Attachments []*attachment.Attachment `json:"attachments"`
	Facts       []*Fact                  `json:"facts"`    // null but for financial reports
	Contexts    []*Context               `json:"contexts"` // null but for financial reports
	HasBody     bool                     `json:"has_body"`
	BodyFormat  *string                  `json:"body_format"` // flatData, presentation or html; null without a body
	// that name the disclosure as their announcement
	CorporateActions []*market.ShownAction `json:"corporate_actions,omitempty"`
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
	return s.detail(ctx, r), nil
}

// detail returns a record as answers show it, with new links to its attachments.
func (s *Service) detail(ctx context.Context, r *Record) *Detail {
	d := &Detail{Disclosure: r.Disclosure, Attachments: s.links().To(attachmentsPath(r.DisclosureIndex), r.Attachments)}
	d.CorporateActions = s.ActionsOf(ctx, r.DisclosureIndex)
	if r.Type == FR {
		d.Facts, d.Contexts = value.List(r.Facts), value.List(r.Contexts)
	} else if r.Body != nil {
		d.HasBody, d.BodyFormat = true, &r.Body.SourceFormat
	}
	return d
}

// ActionsOf returns the corporate actions that name a disclosure as their announcement.
func (s *Service) ActionsOf(ctx context.Context, index int) []*market.ShownAction {
	if s.Actions == nil {
		return []*market.ShownAction{}
	}
	return s.Actions(ctx, index)
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
