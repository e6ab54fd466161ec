package market

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"piyasa/account/access"
	"piyasa/internal/value"
)

// InstrumentConnection is a part of the catalog, with cursors in both directions.
type InstrumentConnection struct {
	Edges         []*InstrumentEdge
	PageInfo      *access.PageInfo
	MissingReason *value.MissingReason // nil unless it is empty
}

// InstrumentEdge is an instrument with its place in the catalog.
type InstrumentEdge struct {
	Cursor string
	Node   *Instrument
}

// InstrumentConnection returns a part of the list that Instruments returns, at the same cost.
// If an instrument leaves the catalog, the places of the others do not change. Any key.
// Problems: invalid-parameter, conflicting-parameters, invalid-cursor.
func (s *Service) InstrumentConnection(ctx context.Context, filter InstrumentFilter, args access.PageArgs) (*InstrumentConnection, error) {
	if err := access.Enter(ctx); err != nil {
		return nil, err
	}
	catalog := s.Live.Snapshot().Catalog
	pages := access.Pages{Signer: s.Signer, List: "instruments", Query: filter.name()} // rows have no numbers
	found, cursors, info, err := access.Connected(pages, args, InstrumentLimit,
		func(key string, backward bool, rows int) ([]*Instrument, error) {
			return filter.list(catalog.from(key, backward), rows), nil
		}, func(in *Instrument) (string, int64) { return standingOf(in).key(), 0 })
	if err != nil {
		return nil, err
	}
	c := &InstrumentConnection{Edges: make([]*InstrumentEdge, len(found)), PageInfo: info,
		MissingReason: value.MissingFrom(len(found), catalog.Len() > 0)}
	for i, in := range found {
		c.Edges[i] = &InstrumentEdge{cursors[i], in}
	}
	access.Charge(ctx, access.Unit)
	return c, nil
}

// name identifies the filter; cursors are bound to it.
func (f InstrumentFilter) name() string {
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	of := ""
	if f.Market != nil {
		of = string(*f.Market)
	}
	return fmt.Sprintf("%q %q %q", of, strings.ToUpper(text(f.AssetType)), Fold(text(f.Search)))
}

// from returns the rows after a key or, if backward, the rows before it from the nearest on. An
// empty key starts at the end that is read from.
func (c *Catalog) from(key string, backward bool) iter.Seq[listed] {
	rows := c.sorted
	if key != "" {
		at, is := slices.BinarySearchFunc(rows, parseStanding(key), func(in listed, p standing) int {
			return standingOf(in.Instrument).compare(p)
		})
		switch {
		case backward:
			rows = rows[:at]
		case is:
			rows = rows[at+1:]
		default:
			rows = rows[at:]
		}
	}
	return func(yield func(listed) bool) {
		for i := range rows {
			if backward {
				i = len(rows) - 1 - i
			}
			if !yield(rows[i]) {
				return
			}
		}
	}
}

// standing is the place of an instrument in the catalog: by market name, then symbol; coins by
// number.
type standing struct {
	market Market
	coin   int
	symbol string
	id     ID
}

func standingOf(in *Instrument) standing {
	return standing{in.Market, coinNumber(in), in.Symbol, in.InstrumentID}
}

func (p standing) compare(other standing) int {
	return cmp.Or(cmp.Compare(p.market, other.market), cmp.Compare(p.coin, other.coin), cmp.Compare(p.symbol, other.symbol),
		cmp.Compare(p.id, other.id))
}

// key encodes a standing for a cursor.
func (p standing) key() string {
	return strings.Join([]string{string(p.market), strconv.Itoa(p.coin), string(p.id), p.symbol}, " ")
}

// parseStanding decodes what key encodes.
func parseStanding(key string) standing {
	parts := strings.SplitN(key, " ", 4)
	coin, _ := strconv.Atoi(parts[1])
	return standing{Market(parts[0]), coin, parts[3], ID(parts[2])}
}
