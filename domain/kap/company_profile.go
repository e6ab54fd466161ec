package kap

import (
	"context"

	"piyasa/account/access"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// CompanyRecord is a company as it is ingested: the codes that it files under,
// and its profile.
type CompanyRecord struct {
	CompanyID    string           `json:"company_id" record:"required"`
	Codes        []string         `json:"codes" record:"required" most:"10000"`
	Symbol       *string          `json:"symbol"`
	Identity     *CompanyIdentity `json:"identity"`
	Sector       *string          `json:"sector"`
	Capital      *CompanyCapital  `json:"capital"`
	FreeFloat    *FreeFloat       `json:"free_float"`
	Shareholders []*Shareholder   `json:"shareholders"`
	ShareGroups  []*ShareGroup    `json:"share_groups"`
	Board        []*Person        `json:"board"`
	Executives   []*Person        `json:"executives"`
	AsOf         value.Instant    `json:"as_of" time:"past"`
}

// Normalize writes codes and symbol in capital letters, each code once.
func (r *CompanyRecord) Normalize() {
	r.Codes = Codes(r.Codes)
	if r.Symbol != nil {
		*r.Symbol = value.UpperASCII(*r.Symbol)
	}
}

// Validate returns the value.Invalid of the record, if any.
func (r *CompanyRecord) Validate() error { return value.CheckKey("company_id", r.CompanyID) }

// CompanyIdentity identifies a company.
type CompanyIdentity struct {
	Title           string     `json:"title" record:"required"`
	CompanyID       string     `json:"company_id"`
	Codes           []string   `json:"codes" most:"10000"`
	TradeRegistryNo *string    `json:"trade_registry_no"`
	FoundedAt       value.Date `json:"founded_at" time:"past"`
	Address         *string    `json:"address"`
	Website         *string    `json:"website"`
	Auditor         *string    `json:"auditor"`
}

// CompanyCapital is a company's capital.
type CompanyCapital struct {
	PaidIn            value.Decimal `json:"paid_in"`
	RegisteredCeiling value.Decimal `json:"registered_ceiling"`
	Currency          string        `json:"currency" record:"required"`
}

// FreeFloat is the part of the capital that trades freely.
type FreeFloat struct {
	Pct    value.Decimal `json:"pct"` // percent
	Amount value.Decimal `json:"amount"`
	AsOf   value.Instant `json:"as_of" time:"past"`
}

// Shareholder is an owner with the shares and votes it holds.
type Shareholder struct {
	Name        string        `json:"name" record:"required"`
	ShareAmount value.Decimal `json:"share_amount"`
	SharePct    value.Decimal `json:"share_pct"`  // percent
	VotingPct   value.Decimal `json:"voting_pct"` // percent
}

// ShareGroup is a class of shares.
type ShareGroup struct {
	Group        string        `json:"group" record:"required"`
	NominalValue value.Decimal `json:"nominal_value"`
	Amount       value.Decimal `json:"amount"`
	SharePct     value.Decimal `json:"share_pct"` // percent
	Privileged   *bool         `json:"privileged"`
	Traded       *bool         `json:"traded"`
}

// Person is a director or a manager.
type Person struct {
	Name          string     `json:"name" record:"required"`
	Title         *string    `json:"title"`
	AppointedAt   value.Date `json:"appointed_at" time:"any"`
	IsIndependent *bool      `json:"is_independent"`
}

// CompanyProfile is what is known about a company.
type CompanyProfile struct {
	Symbol       string           `json:"symbol"`
	Identity     *CompanyIdentity `json:"identity"`
	Sector       *string          `json:"sector"`
	Capital      *CompanyCapital  `json:"capital"`
	FreeFloat    *FreeFloat       `json:"free_float"`
	Shareholders []*Shareholder   `json:"shareholders"`
	ShareGroups  []*ShareGroup    `json:"share_groups"`
	Board        []*Person        `json:"board"`
	Executives   []*Person        `json:"executives"`
	AsOf         value.Instant    `json:"as_of"`
}

// Company returns the profile of the company that files under a code, bare or
// behind bist:. Needs kap. Problems: malformed-code, not-found.
func (s *Service) Company(ctx context.Context, symbol string) (*CompanyProfile, error) {
	if err := access.Enter(ctx, access.KAP); err != nil {
		return nil, err
	}
	code, err := parseFilterCode("symbol", symbol)
	if err != nil {
		return nil, err
	}
	codes, companies := []string{code}, s.Live.Companies()
	if s.Live.OtherCodes != nil {
		codes = append(codes, s.Live.OtherCodes(code)...)
	}
	for _, code := range codes {
		if r := companies.byCode[code]; r != nil {
			access.Charge(ctx, access.Unit)
			return r.profile(), nil
		}
	}
	return nil, unknownCode(code)
}

func unknownCode(code string) error {
	return problem.New(problem.NotFound, "No company files under the code %s.", code)
}

// profile returns a new profile of the record; nil for a nil record.
func (r *CompanyRecord) profile() *CompanyProfile {
	if r == nil {
		return nil
	}
	p := &CompanyProfile{
		Symbol: r.name(), Sector: r.Sector, Capital: r.Capital, FreeFloat: r.FreeFloat, AsOf: r.AsOf,
		Shareholders: value.List(r.Shareholders), ShareGroups: value.List(r.ShareGroups), Board: value.List(r.Board),
		Executives: value.List(r.Executives),
	}
	identity := CompanyIdentity{Title: p.Symbol}
	if r.Identity != nil {
		identity = *r.Identity
	}
	identity.CompanyID, identity.Codes = r.CompanyID, value.List(r.Codes)
	p.Identity = &identity
	return p
}

// name returns the code that names the company in answers.
func (r *CompanyRecord) name() string {
	switch {
	case r.Symbol != nil:
		return *r.Symbol
	case len(r.Codes) > 0:
		return r.Codes[0]
	}
	return r.CompanyID
}
