package market_test

import (
	"slices"
	"testing"

	"piyasa/account/access"
	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

// part asks for a part of the catalog.
func part(t *testing.T, d *fixture, f market.InstrumentFilter, args access.PageArgs) (c *market.InstrumentConnection, rows []string) {
	t.Helper()
	c, err := d.InstrumentConnection(calls.Anyone(), f, args)
	need.NoError(t, err)
	for _, e := range c.Edges {
		rows = append(rows, string(e.Node.InstrumentID))
	}
	return c, rows
}

// Parts of the catalog are those of the list, in both directions and of every length.
func TestConnectionWalksTheList(t *testing.T) {
	d := filled()
	d.Live.PutCatalog([]*market.Instrument{record("crypto:10"), record("crypto:9"), record("bist:A1CAP"), record("bist:A.B")}, nil)
	for _, f := range []market.InstrumentFilter{{}, {Market: new(market.Crypto)}, {AssetType: new("stock"), Search: new("dm")}} {
		want := listed(t, d, f, nil)
		for n := 1; n <= len(want)+1; n++ {
			var forward, backward []string
			for args := (access.PageArgs{First: &n}); ; {
				c, rows := part(t, d, f, args)
				if c.PageInfo.HasPreviousPage != (len(forward) > 0) {
					t.Errorf("after %v: %+v", forward, c.PageInfo)
				}
				forward = append(forward, rows...)
				if !c.PageInfo.HasNextPage || len(forward) > len(want) {
					break
				}
				args.After = c.PageInfo.EndCursor
			}
			for args := (access.PageArgs{Last: &n}); ; {
				c, rows := part(t, d, f, args)
				if c.PageInfo.HasNextPage != (len(backward) > 0) {
					t.Errorf("before %v: %+v", backward, c.PageInfo)
				}
				backward = append(rows, backward...)
				if !c.PageInfo.HasPreviousPage || len(backward) > len(want) {
					break
				}
				args.Before = c.PageInfo.StartCursor
			}
			if !slices.Equal(forward, want) || !slices.Equal(backward, want) {
				t.Errorf("by %d: forward %v, backward %v, want %v", n, forward, backward, want)
			}
		}
	}
	if c, rows := part(t, d, market.InstrumentFilter{Search: new("no such thing")}, access.PageArgs{}); rows != nil ||
		c.PageInfo.StartCursor != nil || c.MissingReason == nil {
		t.Errorf("%v %+v %v", rows, c.PageInfo, c.MissingReason)
	}
}

// The row of a cursor may leave the catalog, and others may come: what follows stays.
func TestConnectionOverAChangedCatalog(t *testing.T) {
	d := filled()
	of := market.InstrumentFilter{Market: new(market.FX)}
	c, rows := part(t, d, of, access.PageArgs{First: new(2)})
	if !slices.Equal(rows, []string{"fx:EURTRY", "fx:EURUSD"}) {
		t.Fatal(rows)
	}

	d.Live.SetCatalog([]*market.Instrument{record("fx:AUDTRY"), record("fx:EURTRY"), record("fx:GBPTRY"), record("fx:USDTRY")}, nil)
	if _, rows := part(t, d, of, access.PageArgs{After: c.PageInfo.EndCursor}); !slices.Equal(rows, []string{"fx:GBPTRY", "fx:USDTRY"}) {
		t.Errorf("after the one that left: %v", rows)
	}
	if _, rows := part(t, d, of, access.PageArgs{Before: c.PageInfo.EndCursor}); !slices.Equal(rows, []string{"fx:AUDTRY", "fx:EURTRY"}) {
		t.Errorf("before the one that left: %v", rows)
	}
}

// A cursor belongs to its filter, but for letter case, which the filter ignores.
func TestConnectionCursorsBelongToTheirFilter(t *testing.T) {
	d := filled()
	c, _ := part(t, d, market.InstrumentFilter{AssetType: new("STOCK"), Search: new("DM")}, access.PageArgs{First: new(1)})
	part(t, d, market.InstrumentFilter{AssetType: new("stock"), Search: new("dm")}, access.PageArgs{After: c.PageInfo.EndCursor})
	for _, args := range []access.PageArgs{{After: c.PageInfo.EndCursor}, {Before: c.PageInfo.EndCursor}, {After: new("garbage")}} {
		_, err := d.InstrumentConnection(calls.Anyone(), market.InstrumentFilter{}, args)
		calls.WantProblem(t, err, problem.InvalidCursor)
	}
	_, err := d.InstrumentConnection(calls.Anyone(), market.InstrumentFilter{}, access.PageArgs{First: new(5001)})
	calls.WantProblem(t, err, problem.InvalidParameter)
}
