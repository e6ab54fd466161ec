package market

import (
	"slices"

	"piyasa/internal/value"
)

// Catalog holds all instruments as of one moment. It is immutable and safe for
// concurrent use.
type Catalog struct {
	byID       map[ID]*Instrument
	byTicker   map[string][]*Instrument // coins by upper-case ticker
	successors map[ID]ID                // of funds that an ETF replaced
	sorted     []listed                 // by market name, then symbol; coins by number
	sizes      []MarketSize
}

// listed is an instrument with its folded search text.
type listed struct {
	*Instrument
	text string
}

// MarketSize is the number of instruments of a market in the whole catalog.
type MarketSize struct {
	Market Market
	Size   int
}

// NewCatalog arranges instruments. It leaves out funds that an ETF replaced.
func NewCatalog(instruments map[ID]*Instrument) *Catalog {
	c := &Catalog{byID: make(map[ID]*Instrument, len(instruments)), byTicker: map[string][]*Instrument{}, successors: map[ID]ID{}}
	for id, in := range instruments {
		if in.Market == BIST && in.AssetType == ETF && in.FundCode != nil {
			fund := FundID(*in.FundCode)
			if other, ok := c.successors[fund]; !ok || id < other { // two ETFs with one code: always the same one
				c.successors[fund] = id
			}
		}
	}
	for id, in := range instruments {
		if _, gone := c.successors[id]; gone {
			continue
		}
		c.byID[id] = in
		c.sorted = append(c.sorted, listed{in, searchText(in)})
	}
	slices.SortFunc(c.sorted, func(a, b listed) int { return standingOf(a.Instrument).compare(standingOf(b.Instrument)) })
	counts := map[Market]int{}
	for _, in := range c.sorted {
		counts[in.Market]++
		if in.Market == Crypto && in.Ticker != nil {
			t := value.UpperASCII(*in.Ticker)
			c.byTicker[t] = append(c.byTicker[t], in.Instrument)
		}
	}
	for _, row := range marketTable {
		if n := counts[row.market]; n > 0 {
			c.sizes = append(c.sizes, MarketSize{row.market, n})
		}
	}
	return c
}

// Twin returns the other code of an ETF of Istanbul: its fund code for its own, its own for its
// fund code; empty for any other code.
func (c *Catalog) Twin(code string) string {
	if in := c.byID[ID(string(BIST)+":"+code)]; in != nil && in.AssetType == ETF && in.FundCode != nil {
		return *in.FundCode
	}
	if etf, ok := c.successors[FundID(code)]; ok {
		return etf.Symbol()
	}
	return ""
}

// coinNumber returns the number by which a coin is sorted; 0 for other
// instruments.
func coinNumber(in *Instrument) int {
	if in.Market != Crypto || in.CmcID == nil {
		return 0
	}
	return *in.CmcID
}

// Len returns the number of instruments.
func (c *Catalog) Len() int { return len(c.sorted) }

// ByID returns the instrument with a canonical id, or nil.
func (c *Catalog) ByID(id ID) *Instrument { return c.byID[id] }

// Of returns the instruments of a market.
func (c *Catalog) Of(m Market) []*Instrument {
	var all []*Instrument
	for _, in := range c.sorted {
		if in.Market == m {
			all = append(all, in.Instrument)
		}
	}
	return all
}
