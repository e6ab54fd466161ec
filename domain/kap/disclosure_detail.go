package kap

import (
	"context"
	"fmt"

	"piyasa/access"
	"piyasa/attachment"
	"piyasa/problem"
	"piyasa/value"
)

// Detail is everything about one disclosure but its body.
type Detail struct {
	Disclosure
	Attachments []*attachment.Attachment `json:"attachments"`
	Facts       []*Fact                  `json:"facts"`    // null but for financial reports
	Contexts    []*Context               `json:"contexts"` // null but for financial reports
	HasBody     bool                     `json:"has_body"`
	BodyFormat  *string                  `json:"body_format"` // flatData, presentation or html; null without a body
}

// Disclosure is one disclosure by the platform's number. Needs kap. Problems:
// not-found.
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

// detail shows a record, with new links to its attachments.
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

func (s *Service) links() attachment.Links {
	return attachment.Links{Signer: s.Signer, Now: s.Now, BaseURL: s.BaseURL}
}

// attachmentsPath is where the attachments of a disclosure are.
func attachmentsPath(index int) string {
	return fmt.Sprintf("/v1/kap-feed/disclosures/%d/attachments", index)
}

// Attachment is the document behind a signed link, which is all that it takes:
// there is no key. Problems: not-found, for a link that is damaged or expired
// as for one that never was.
func (s *Service) Attachment(ctx context.Context, index, n int, expires, signature string) (*attachment.Document, error) {
	if err := s.links().Check(attachmentsPath(index), n, expires, signature); err != nil {
		return nil, err
	}
	r, err := s.known(ctx, index)
	if err != nil {
		return nil, err
	}
	if n < 1 || n > len(r.Attachments) {
		return nil, problem.New(problem.NotFound, "Disclosure %d has no attachment %d.", index, n)
	}
	return &r.Attachments[n-1], nil
}
