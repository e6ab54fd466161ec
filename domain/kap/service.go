package kap

import (
	"context"
	"sync/atomic"

	"piyasa/access"
	"piyasa/domain/macro"
	"piyasa/value"
)

// Store is where disclosures are read from.
type Store interface {
	// Disclosures are the first q.Limit disclosures that q selects, in its order.
	Disclosures(ctx context.Context, q Query) ([]*Stored, error)
	// NewestDisclosures are, for each list of origins in turn, the first
	// disclosures of any of them, the newest first.
	NewestDisclosures(ctx context.Context, of [][]Origin, first int) ([][]*Stored, error)
	// DisclosuresByNumber are the disclosures of these numbers that are stored.
	DisclosuresByNumber(ctx context.Context, numbers []int) (map[int]*Disclosure, error)
	// DisclosureRecords are everything but the bodies of the disclosures of these
	// numbers that are stored; a body then has no content, only its formats.
	DisclosureRecords(ctx context.Context, numbers []int) (map[int]*Record, error)
	// Contents are the bodies that are stored of the disclosures of these numbers.
	Contents(ctx context.Context, numbers []int) (map[int]*Content, error)
	// FilingSummaries are all filings of any of the origins, in no order: a filing
	// names the code of its symbol.
	FilingSummaries(ctx context.Context, of []Origin) ([]*FilingSummary, error)
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
	Now       value.Clock
	BaseURL   string // start of the links to attachments
}

// Live holds the companies, which filters resolve codes with.
type Live struct {
	companies atomic.Pointer[Companies]
}

// NewLive returns a Live that knows no company.
func NewLive() *Live {
	l := &Live{}
	l.companies.Store(newCompanies(nil, nil))
	return l
}

// Companies are the companies known now.
func (l *Live) Companies() *Companies { return l.companies.Load() }

// PutCompanies replaces the companies. held are codes that they have or had, the
// last one latest; of what their records state now nothing need be said.
func (l *Live) PutCompanies(all []*CompanyRecord, held ...CodeHeld) {
	l.companies.Store(newCompanies(all, held))
}
