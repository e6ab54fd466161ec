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
	byISIN     map[string][]*Instrument
	successors map[ID]ID      // of funds that an ETF replaced
	renamed    map[ID]*Rename // by former ids
	sorted     []listed       // by market name, then symbol; coins by number
	sizes      []MarketSize
}

// listed is an instrument with its folded search text, once as it is and once without blanks
// and signs.
type listed struct {
	*Instrument
	text, plain string
}

// MarketSize is the number of instruments of a market in the whole catalog.
type MarketSize struct {
	Market Market
	Size   int
}

// NewCatalog arranges instruments. It leaves out funds that an ETF replaced.
func NewCatalog(instruments map[ID]*Instrument) *Catalog {
	c := &Catalog{byID: make(map[ID]*Instrument, len(instruments)), byTicker: map[string][]*Instrument{},
		byISIN: map[string][]*Instrument{}, successors: map[ID]ID{}}
	for id, in := range instruments {
		if in.Market == BIST && in.AssetType == ETF && in.FundCode != nil {
			fund := FundID(*in.FundCode)
			if other, ok := c.successors[fund]; !ok || id < other { // of two ETFs with one code always choose the same
				c.successors[fund] = id
			}
		}
	}
	for id, in := range instruments {
		if _, gone := c.successors[id]; gone {
			continue
		}
		c.byID[id] = in
		text := searchText(in)
		c.sorted = append(c.sorted, listed{in, text, plain(text)})
	}
	slices.SortFunc(c.sorted, func(a, b listed) int { return standingOf(a.Instrument).compare(standingOf(b.Instrument)) })
	counts := map[Market]int{}
	for _, in := range c.sorted {
		counts[in.Market]++
		if in.Market == Crypto && in.Ticker != nil {
			t := value.UpperASCII(*in.Ticker)
			c.byTicker[t] = append(c.byTicker[t], in.Instrument)
		}
		if in.ISIN != nil {
			c.byISIN[*in.ISIN] = append(c.byISIN[*in.ISIN], in.Instrument)
		}
	}
	for _, row := range marketTable {
		if n := counts[row.market]; n > 0 {
			c.sizes = append(c.sizes, MarketSize{row.market, n})
		}
	}
	return c
}

// OtherCodes returns the other codes that mean the same as a code of the disclosure platform:
// an ETF has its own code and a fund code, and each of them may have former or later codes.
func (c *Catalog) OtherCodes(code string) []string {
	codes := []string{code}
	for i := 0; i < len(codes); i++ {
		for _, other := range c.sameThing(codes[i]) {
			if !slices.Contains(codes, other) {
				codes = append(codes, other)
			}
		}
	}
	return codes[1:]
}

// sameThing returns codes that mean the same as a code.
func (c *Catalog) sameThing(code string) (others []string) {
	for _, id := range []ID{BistID(code), FundID(code)} {
		in := c.byID[id]
		if in != nil && in.Market == BIST && in.AssetType == ETF && in.FundCode != nil {
			others = append(others, *in.FundCode)
		}
		if in != nil && in.Predecessor != nil && c.renamed[*in.Predecessor] != nil {
			others = append(others, in.Predecessor.Symbol())
		}
		if r := c.renamed[id]; r != nil && in == nil {
			others = append(others, r.InstrumentID.Symbol())
		}
	}
	if etf, ok := c.successors[FundID(code)]; ok {
		others = append(others, etf.Symbol())
	}
	return others
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

// named returns the instrument that a record names by its present or a former id, or nil if the
// catalog lacks it.
func (c *Catalog) named(id ID) *Instrument {
	if in := c.byID[id]; in != nil || len(c.renamed) == 0 {
		return in
	}
	return c.byID[latestID(c.renamed, id)]
}

// Bearing returns the instrument that had an id on a day, even if it has another id now, or
// nil. Without a day it is the instrument that has the id now, or else had it last.
func (c *Catalog) Bearing(id ID, day value.Date) *Instrument {
	var until *Rename
	for was, r := range c.renamed {
		if !day.IsNull() && was.Stated() == id && day.Before(r.RenamedOn) && (until == nil || r.RenamedOn.Before(until.RenamedOn)) {
			until = r
		}
	}
	if until == nil {
		return c.named(id)
	}
	return c.byID[latestID(c.renamed, until.InstrumentID)]
}

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
