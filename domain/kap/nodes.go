package kap

import (
	"context"
	"strconv"

	"piyasa/account/access"
)

// IsNode implements value.Node.
func (*Disclosure) IsNode() {}

// GlobalID returns the id of the disclosure among all objects.
func (d *Disclosure) GlobalID() string { return "disclosure:" + strconv.Itoa(d.DisclosureIndex) }

// IsNode implements value.Node.
func (*CompanyProfile) IsNode() {}

// GlobalID returns the id of the company among all objects.
func (p *CompanyProfile) GlobalID() string { return "company:" + p.Identity.CompanyID }

// DisclosuresByNumber returns the stored disclosures among some numbers, read together. Needs
// kap; each costs one unit.
func (s *Service) DisclosuresByNumber(ctx context.Context, numbers []int) (map[int]*Disclosure, error) {
	if err := access.Enter(ctx, access.KAP); err != nil {
		return nil, err
	}
	found, err := s.byNumber(ctx, numbers)
	if err != nil {
		return nil, err
	}
	access.Charge(ctx, len(found)*access.Unit)
	return found, nil
}

// CompanyByID returns the company with an id of the platform, or nil. Needs kap; costs one
// unit.
func (s *Service) CompanyByID(ctx context.Context, id string) (*CompanyProfile, error) {
	if err := access.Enter(ctx, access.KAP); err != nil {
		return nil, err
	}
	r := s.Live.Companies().byID[id]
	if r != nil {
		access.Charge(ctx, access.Unit)
	}
	return r.profile(), nil
}
