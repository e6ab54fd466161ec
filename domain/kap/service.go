package kap

import (
	"context"
	"sync/atomic"

	"piyasa/access"
	"piyasa/domain/macro"
	"piyasa/domain/market"
)

// Store is where disclosures are read from.
type Store interface {
	// Disclosures are the first q.Limit disclosures that q selects, in its order.
	Disclosures(ctx context.Context, q Query) ([]*Stored, error)
	// Disclosure is everything but the body of one disclosure, or nil; its body
	// then has no content, only its formats.
	Disclosure(ctx context.Context, index int) (*Record, error)
	// Content is the body of a disclosure, or nil.
	Content(ctx context.Context, index int) (*Content, error)
	// FilingHeads are all filings under any of the codes, in no order.
	FilingHeads(ctx context.Context, codes []string) ([]*FilingHead, error)
	// Filings are the filings of these numbers, as filed, in no order.
	Filings(ctx context.Context, numbers []int) ([]*Filing, error)
}

// Service answers questions about disclosures. Each method checks the scope of
// the caller, then its arguments, then what there is; it returns a
// *problem.Error.
type Service struct {
	Store     Store
	Live      *Live
	Inflation *macro.Live // restates filings
	Signer    access.Signer
	Now       market.Clock
	BaseURL   string // start of the links to attachments
}

// Live holds the companies, which filters resolve codes with.
type Live struct {
	companies atomic.Pointer[Companies]
}

// NewLive returns a Live that knows no company.
func NewLive() *Live {
	l := &Live{}
	l.companies.Store(newCompanies(nil))
	return l
}

// Companies are the companies known now.
func (l *Live) Companies() *Companies { return l.companies.Load() }

// PutCompanies replaces the companies.
func (l *Live) PutCompanies(all []*CompanyRecord) { l.companies.Store(newCompanies(all)) }
