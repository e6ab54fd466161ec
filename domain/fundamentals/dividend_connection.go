package fundamentals

import (
	"context"

	"piyasa/account/access"
	"piyasa/internal/value"
)

// DividendConnection is a part of the list of a market's dividends, with cursors in both
// directions.
type DividendConnection struct {
	Edges         []*DividendEdge
	PageInfo      *access.PageInfo
	NotFound      []string             // symbols that the list does not cover, as written, each once
	MissingReason *value.MissingReason // nil unless it is empty
}

// DividendEdge is a dividend with its place in the list.
type DividendEdge struct {
	Cursor string
	Node   *Dividend
}

// DividendConnection returns a part of the list that Dividends returns, at the same cost. All
// parts of one walk have the date range of the first. Needs history. Problems as for Dividends.
func (s *Service) DividendConnection(ctx context.Context, filter DividendFilter, args access.PageArgs) (*DividendConnection, error) {
	q, pages, ids, err := s.dividendQuery(ctx, &filter, func() error { return nil })
	if err != nil {
		return nil, err
	}
	c := &DividendConnection{}
	q.Instruments, c.NotFound = s.splitCovered(ids, filter.Symbols)
	found, cursors, info, err := access.Connected(pages, args, DividendLimit,
		func(key string, backward bool, rows int) (found []*StoredDividend, err error) {
			q.Limit, q.Backward = rows, backward
			if key != "" {
				q.resume(key)
			} else if q.From, q.To, err = filter.days(q.Today); err != nil {
				return nil, err
			}
			return s.Store.DividendPage(ctx, q)
		}, func(d *StoredDividend) (string, int64) { return q.key(d) })
	if err != nil {
		return nil, err
	}
	c.PageInfo, c.Edges = info, make([]*DividendEdge, len(found))
	for i, stored := range found {
		c.Edges[i] = &DividendEdge{cursors[i], stored.shown(q.Today)}
	}
	c.MissingReason = value.MissingFrom(len(found), filter.Symbols != nil || filter.Status != nil || args.After != nil ||
		args.Before != nil)
	access.Charge(ctx, access.RowUnits(len(found)))
	return c, nil
}
