package access

import (
	"slices"
	"strings"
)

// Scope is a right of a key.
type Scope string

// The scopes that routes ask for. Other strings may stand on a key; they are
// kept and grant nothing.
const (
	QuotesBIST   Scope = "quotes:bist"   // bist prices, movers, indices, IPOs, bist sector members
	QuotesCrypto Scope = "quotes:crypto" // coin prices
	QuotesIndex  Scope = "quotes:index"  // world-index levels
	QuotesCmdty  Scope = "quotes:cmdty"  // commodity prices
	QuotesUS     Scope = "quotes:us"     // US prices and sector members
	QuotesFund   Scope = "quotes:fund"   // fund prices, profiles, rankings, holders
	FX           Scope = "fx"            // fx prices
	History      Scope = "history"       // candles, end of day, statements, valuations, dividends, indicators, windows, sector returns, fund flows
	CalendarRead Scope = "calendar:read" // economic calendar and price indices
	AssetsLogos  Scope = "assets:logos"  // logos
	KAP          Scope = "kap"           // disclosures, filings, companies
	IPORead      Scope = "ipo:read"      // IPOs without prices
	Live         Scope = "live"          // the price stream
	News         Scope = "news"          // the news product
)

// Scopes lists every scope that grants something.
var Scopes = []Scope{
	QuotesBIST, QuotesCrypto, QuotesIndex, QuotesCmdty, QuotesUS, QuotesFund, FX,
	History, CalendarRead, AssetsLogos, KAP, IPORead, Live, News,
}

// ParseScopes reads a comma-separated list; "all" stands for every scope there
// is today. Unknown strings are kept. Empty items are dropped.
func ParseScopes(list string) []Scope {
	var out []Scope
	for _, item := range strings.Split(list, ",") {
		switch s := Scope(strings.TrimSpace(item)); s {
		case "":
		case "all":
			out = append(out, Scopes...)
		default:
			out = append(out, s)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Known reports whether s grants something.
func (s Scope) Known() bool { return slices.Contains(Scopes, s) }
