package kap

import (
	"context"
	"fmt"
	"time"

	"piyasa/account/access"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// ListLimit is the range of a page of disclosures.
var ListLimit = value.Limit{Min: 1, Max: 100, Default: 25}

// MaxSymbols is how many codes one list may ask for, counted as written.
const MaxSymbols = 20

// Filter selects disclosures. A nil member does not restrict.
type Filter struct {
	Symbol    *string
	Symbols   []string // not together with Symbol
	CompanyID *string
	Type      *Type
	Class     *string
	Reason    *Reason
	From, To  *Bound  // of the publication time, inclusive
	Q         *string // text to search for, as parseSearch reads it
}

// Query is a Filter prepared for the store.
type Query struct {
	Of        *Reach // selects by company or code; nil: all
	CompanyID *string
	Type      *Type
	Class     *string
	Reason    *Reason
	From, To  value.Instant // null: open
	Search    *Search       // nil: any text
	Ascending bool
	After     *Place // only disclosures after it in the order
	Limit     int
}

// ReachOnly reports whether only Of restricts the query.
func (q Query) ReachOnly() bool {
	return q.CompanyID == nil && q.Type == nil && q.Class == nil && q.Reason == nil && q.Search == nil && !q.Dated()
}

// Dated reports whether the query has a time range. A time range selects no disclosure without
// a publication time.
func (q Query) Dated() bool { return !q.From.IsNull() || !q.To.IsNull() }

// Place is the position of a disclosure in lists, which are ordered by
// effective time, then by number.
type Place struct {
	EffectiveAt     value.Instant
	DisclosureIndex int
}

// placeKey encodes the place of a disclosure for a cursor, and returns its number.
func placeKey(d *Stored) (key string, seq int64) {
	return fmt.Sprintf("%d %d", d.EffectiveAt.Time().UnixMilli(), d.DisclosureIndex), d.Seq
}

// placeOf decodes a key of placeKey.
func placeOf(key string) *Place {
	var p Place
	var ms int64
	_, _ = fmt.Sscanf(key, "%d %d", &ms, &p.DisclosureIndex)
	p.EffectiveAt = value.At(time.UnixMilli(ms))
	return &p
}

// Page is one page of disclosures.
type Page struct {
	Items      []*Disclosure `json:"items"`
	Count      int           `json:"count"`
	NextCursor *string       `json:"next_cursor"` // null: there is no more

	MissingReason *value.MissingReason `json:"-"` // nil unless it is empty or cut
}

// Disclosures returns one page of the disclosures that match filter, by
// publication time, newest first unless order says otherwise. Following
// NextCursor until it is null returns each matching disclosure once. Needs kap.
// Problems: invalid-parameter, too-many-values, conflicting-parameters,
// malformed-code, inverted-window, invalid-cursor,
// position-gone.
func (s *Service) Disclosures(ctx context.Context, filter Filter, order *value.SortOrder, cursor *string, limit *int) (*Page, error) {
	if err := access.Enter(ctx, access.KAP); err != nil {
		return nil, err
	}
	q, err := s.query(filter, order, limit)
	if err != nil {
		return nil, err
	}
	walk, err := access.Pages{Signer: s.Signer, Epochs: s.Epochs, List: "disclosures", Query: q.name()}.Start(cursor)
	if err != nil {
		return nil, err
	}
	if walk.Key != "" {
		q.After = placeOf(walk.Key)
	}
	wanted := q.Limit
	q.Limit++ // to know whether there are more
	found, err := s.Store.Disclosures(ctx, q)
	if err != nil {
		return nil, err
	}
	found, next := access.Cut(walk, found, wanted, placeKey)
	page := &Page{Items: make([]*Disclosure, len(found)), Count: len(found), NextCursor: next,
		MissingReason: value.MissingFrom(len(found), q.Of != nil || q.After != nil || !q.ReachOnly())}
	for i, d := range found {
		page.Items[i] = &d.Disclosure
	}
	access.Charge(ctx, access.Unit)
	return page, nil
}

// query checks a filter, single values before combinations, and resolves its
// codes.
func (s *Service) query(f Filter, order *value.SortOrder, limit *int) (Query, error) {
	f.Class = value.NonEmpty(f.Class)
	q := Query{CompanyID: f.CompanyID, Type: f.Type, Class: f.Class, Reason: f.Reason, Ascending: order != nil && *order == value.Asc}
	var err error
	if q.Limit, err = ListLimit.Of(limit); err != nil {
		return q, err
	}
	if f.CompanyID != nil && *f.CompanyID == "" {
		return q, problem.Parameter("companyId", "", "the platform's id of a filer")
	}
	if f.Q != nil {
		if q.Search, err = parseSearch(*f.Q); err != nil {
			return q, err
		}
	}
	if f.Symbols != nil {
		if err := value.CheckCount("symbols", "codes", f.Symbols, MaxSymbols); err != nil {
			return q, err
		}
	}
	if f.Symbol != nil && f.Symbols != nil {
		return q, problem.New(problem.ConflictingParameters, "Give symbol or symbols, not both; symbols takes 1 to %d codes.", MaxSymbols)
	}
	parameter, codes := "symbols", f.Symbols
	if f.Symbol != nil {
		parameter, codes = "symbol", []string{*f.Symbol}
	}
	if codes != nil {
		if q.Of, err = s.Live.Resolve(parameter, codes...); err != nil {
			return q, err
		}
	}
	if f.From != nil {
		q.From = f.From.first
	}
	if f.To != nil {
		q.To = f.To.last
	}
	return q, value.CheckOrder(f.From, f.To)
}

// name identifies the filters and the order; cursors are bound to it.
func (q Query) name() string {
	text := func(p *string) string {
		if p == nil {
			return ""
		}
		return *p
	}
	query := ""
	if q.Of != nil {
		query = q.Of.Asked
	}
	name := fmt.Sprintf("%q %q %q %q %q %v %v %v", query, text(q.CompanyID), text((*string)(q.Type)), text(q.Class),
		text((*string)(q.Reason)), q.From, q.To, q.Ascending)
	if q.Search != nil {
		name += fmt.Sprintf(" %q", *q.Search)
	}
	return name
}
