package kap

import (
	"context"
	"sync/atomic"

	"piyasa/account/access"
	"piyasa/domain/macro"
	"piyasa/domain/market"
	"piyasa/internal/epoch"
	"piyasa/internal/value"
)

// Store reads disclosures.
type Store interface {
	// Disclosures returns the first q.Limit disclosures that q selects, in its order.
	Disclosures(ctx context.Context, q Query) ([]*Stored, error)
	// NewestDisclosures returns, for each list of origins, the first disclosures of any of its
	// origins, the newest first.
	NewestDisclosures(ctx context.Context, of [][]Origin, first int) ([][]*Stored, error)
	// DisclosuresByNumber returns the stored disclosures among these numbers.
	DisclosuresByNumber(ctx context.Context, numbers []int) (map[int]*Stored, error)
	// DisclosureRecords returns the stored disclosures among these numbers with everything but
	// their bodies: a body has only its formats.
	DisclosureRecords(ctx context.Context, numbers []int) (map[int]*Record, error)
	// Contents returns the stored bodies of the disclosures of these numbers.
	Contents(ctx context.Context, numbers []int) (map[int]*Content, error)
	// FilingSummaries returns all filings of any of the origins, unordered. A filing names the
	// code of its symbol.
	FilingSummaries(ctx context.Context, of []Origin) ([]*FilingSummary, error)
	// Filings returns the filings of these numbers, as filed, unordered.
	Filings(ctx context.Context, numbers []int) ([]*Filing, error)
}

// Service answers questions about disclosures. Each method checks the scope of the caller, then
// the arguments, then what exists; its errors are *problem.Error.
type Service struct {
	Store     Store
	Live      *Live
	Inflation *macro.Live                                                // restates filings
	Actions   func(ctx context.Context, index int) []*market.ShownAction // that a disclosure announced; nil: none
	Signer    access.Signer
	Epochs    *epoch.View // of the store; nil: not known
	Now       value.Clock
	BaseURL   string // start of the links to attachments
}

// Live holds the companies. Filters resolve codes with it.
type Live struct {
	// OtherCodes returns the other codes that mean the same as a code: an ETF has its own code
	// and a fund code, and an instrument may have had another. It may be nil.
	OtherCodes func(code string) []string

	companies atomic.Pointer[Companies]
}

// NewLive returns a Live without companies.
func NewLive() *Live {
	l := &Live{}
	l.companies.Store(newCompanies(nil, nil))
	return l
}

// Companies returns the companies known now.
func (l *Live) Companies() *Companies { return l.companies.Load() }

// PutCompanies replaces the companies. held are codes that they have or had, the last one
// latest; it need not repeat the codes in their records.
func (l *Live) PutCompanies(all []*CompanyRecord, held ...CodeHeld) {
	l.companies.Store(newCompanies(all, held))
}
