package kap

import (
	"context"
	"slices"

	"piyasa/account/access"
	"piyasa/internal/value"
)

// Connection is a part of the list of disclosures, with cursors in both directions.
type Connection struct {
	Edges         []*Edge
	PageInfo      *access.PageInfo
	MissingReason *value.MissingReason // nil unless it is empty
}

// Edge is a disclosure with its place in the list.
type Edge struct {
	Cursor string
	Node   *Disclosure
}

// Connection returns a part of the list that Disclosures returns. Needs kap. Problems as for
// Disclosures.
func (s *Service) Connection(ctx context.Context, filter Filter, order *value.SortOrder, args access.PageArgs) (*Connection, error) {
	if err := access.Enter(ctx, access.KAP); err != nil {
		return nil, err
	}
	q, err := s.query(filter, order, nil)
	if err != nil {
		return nil, err
	}
	pages := access.Pages{Signer: s.Signer, Epochs: s.Epochs, List: "disclosures", Query: q.name()}
	found, cursors, info, err := access.Connected(pages, args, ListLimit, func(key string, backward bool, rows int) ([]*Stored, error) {
		part := q
		part.Limit, part.Ascending = rows, q.Ascending != backward
		if key != "" {
			part.After = placeOf(key)
		}
		return s.Store.Disclosures(ctx, part)
	}, placeKey)
	if err != nil {
		return nil, err
	}
	c := &Connection{Edges: make([]*Edge, len(found)), PageInfo: info}
	for i, d := range found {
		c.Edges[i] = &Edge{cursors[i], &d.Disclosure}
	}
	c.MissingReason = value.MissingFrom(len(found), q.Of != nil || args.After != nil || args.Before != nil || !q.ReachOnly())
	access.Charge(ctx, access.Unit)
	return c, nil
}

// FilingConnection is a part of the list of a company's filings, with cursors in both
// directions.
type FilingConnection struct {
	Edges         []*FilingEdge
	PageInfo      *access.PageInfo
	MissingReason *value.MissingReason // nil unless it is empty
}

// FilingEdge is a filing with its place in the list.
type FilingEdge struct {
	Cursor string
	Node   *Filing
}

// FilingConnection returns a part of the list that Filings returns. Needs kap. Problems as for
// Filings.
func (s *Service) FilingConnection(ctx context.Context, symbol string, filter FilingArgs, args access.PageArgs) (*FilingConnection, error) {
	if err := access.Enter(ctx, access.KAP); err != nil {
		return nil, err
	}
	l, err := s.filingList(ctx, symbol, filter, func(p access.Pages) error { return args.CheckFor(p, FilingLimit) })
	if err != nil {
		return nil, err
	}
	rows, cursors, info, err := access.Connected(l.pages, args, FilingLimit,
		func(key string, backward bool, _ int) ([]*FilingSummary, error) {
			if backward {
				return l.before(key), nil
			}
			return l.after(key), nil
		}, (*FilingSummary).place)
	if err != nil {
		return nil, err
	}
	filings, err := s.stated(ctx, l, rows)
	if err != nil {
		return nil, err
	}
	c := &FilingConnection{Edges: []*FilingEdge{}, PageInfo: info, MissingReason: l.head.MissingReason}
	for _, f := range filings { // without filings that have been deleted since
		i := slices.IndexFunc(rows, func(h *FilingSummary) bool { return h.DisclosureIndex == f.DisclosureIndex })
		c.Edges = append(c.Edges, &FilingEdge{cursors[i], f})
	}
	access.Charge(ctx, access.Unit)
	return c, nil
}
