package access

import (
	"slices"
	"strings"
)

// Scope is a right of a key.
type Scope string

// The scopes that routes ask for. A key may have other strings; they are kept and grant
// nothing.
const (
	QuotesBIST   Scope = "quotes:bist"
	QuotesCrypto Scope = "quotes:crypto"
	QuotesIndex  Scope = "quotes:index"
	QuotesCmdty  Scope = "quotes:cmdty"
	QuotesUS     Scope = "quotes:us"
	QuotesFund   Scope = "quotes:fund"
	FX           Scope = "fx"
	History      Scope = "history"
	CalendarRead Scope = "calendar:read"
	AssetsLogos  Scope = "assets:logos"
	KAP          Scope = "kap"
	IPORead      Scope = "ipo:read"
	Live         Scope = "live"
	News         Scope = "news"
	Operate      Scope = "operate" // for operators; "all" does not include it
)

// grants describes what each scope opens.
var grants = map[Scope]string{
	QuotesBIST:   "bist prices, movers, indices, IPOs, bist sector members",
	QuotesCrypto: "coin prices",
	QuotesIndex:  "world-index levels",
	QuotesCmdty:  "commodity prices",
	QuotesUS:     "US prices and sector members",
	QuotesFund:   "fund prices, profiles, rankings, holders, holdings",
	FX:           "fx prices",
	History:      "candles, end of day, statements, valuations, dividends, indicators, windows, sector returns, fund flows",
	CalendarRead: "economic calendar and price indices",
	AssetsLogos:  "logos",
	KAP:          "disclosures, filings, companies",
	IPORead:      "IPOs without prices",
	Live:         "the price stream",
	News:         "the news product",
	Operate:      "how many requests all keys send; all does not stand for it",
}

// Scopes lists every scope that opens data.
var Scopes = []Scope{
	QuotesBIST, QuotesCrypto, QuotesIndex, QuotesCmdty, QuotesUS, QuotesFund, FX,
	History, CalendarRead, AssetsLogos, KAP, IPORead, Live, News,
}

// Grantable lists every scope that grants something.
var Grantable = append(slices.Clip(Scopes), Operate)

// ParseScopes reads a comma-separated list; "all" stands for every scope that currently opens
// data. It keeps unknown strings and drops empty items.
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

// Nothing is the scope of a key that only identifies its owner: it opens only what every key
// opens.
const Nothing Scope = "nothing"

// Known reports whether s grants something.
func (s Scope) Known() bool { return slices.Contains(Grantable, s) }

// Grants describes what s opens, for help; "" for an unknown scope.
func (s Scope) Grants() string { return grants[s] }
