package news

import (
	"context"

	"piyasa/account/access"
	"piyasa/internal/value"
)

// Connection is a part of the list of news that can be paged in both directions.
type Connection struct {
	Edges         []*Edge
	PageInfo      *access.PageInfo
	MissingReason *value.MissingReason // nil unless it is empty
}

// Edge is an item with the cursor of its place in the list.
type Edge struct {
	Cursor string
	Node   *Item
}

// IsNode implements value.Node.
func (*Item) IsNode() {}

// GlobalID returns the id of the item among all objects.
func (i *Item) GlobalID() string { return "news:" + i.NewsID }

// Connection returns a part of the list that News pages through. Needs news. Problems as for News.
func (s *Service) Connection(ctx context.Context, filter Filter, args access.PageArgs) (*Connection, error) {
	if err := access.Enter(ctx, access.News); err != nil {
		return nil, err
	}
	q, err := s.query(filter, nil)
	if err != nil {
		return nil, err
	}
	pages := access.Pages{Signer: s.Signer, Epochs: s.Epochs, List: "news", Query: q.name()}
	found, cursors, info, err := access.Connected(pages, args, Limit, func(key string, backward bool, rows int) ([]*Stored, error) {
		part := q
		part.Limit, part.Ascending = rows, backward
		if key != "" {
			part.After = placeOf(key)
		}
		return s.Store.News(ctx, part)
	}, placeKey)
	if err != nil {
		return nil, err
	}
	c := &Connection{Edges: make([]*Edge, len(found)), PageInfo: info}
	for i, stored := range found {
		c.Edges[i] = &Edge{cursors[i], &stored.Item}
	}
	c.MissingReason = value.MissingFrom(len(found), q.Of != nil || args.After != nil || args.Before != nil || !q.From.IsNull() ||
		!q.To.IsNull())
	access.Charge(ctx, access.Unit)
	return c, nil
}

// ItemsByID returns the stored items with the given ids, in one read; unknown ids are left out.
// Needs news. Each item costs one request unit.
func (s *Service) ItemsByID(ctx context.Context, ids []string) (map[string]*Item, error) {
	if err := access.Enter(ctx, access.News); err != nil {
		return nil, err
	}
	found, err := s.Store.NewsItems(ctx, ids)
	if err != nil {
		return nil, err
	}
	access.Charge(ctx, len(found)*access.Unit)
	return found, nil
}
