package market

import (
	"fmt"
	"strings"

	"piyasa/problem"
	"piyasa/value"
)

// Spelling says which spellings of an id an operation accepts.
type Form int

// The spellings. Letter case of the symbol never matters, and a coin's ticker
// stands for its number wherever only one coin has it.
const (
	AnyForm       Form = iota // an ETF may be written without its final F, or with .F
	CanonicalForm             // an ETF only by its own id
	OwnID                     // and a coin only by its number
)

// Resolve returns the instrument that a client's text denotes. Unknown ids are
// the problem not-found, shared tickers ambiguous-ticker with the candidates.
func (c *Catalog) Resolve(text string, spelling Form) (*Instrument, error) {
	m, symbol, ok := splitID(text)
	if !ok {
		return nil, problem.New(problem.NotFound, "%s is not an instrument id: it must start with a market (%s) and a colon.", problem.Shown(text), marketNames)
	}
	if m == Crypto && value.Digits(symbol) != len(symbol) && spelling != OwnID {
		return c.coin(text, value.UpperASCII(symbol))
	}
	symbol = value.UpperASCII(symbol)
	id := ID(string(m) + ":" + symbol)
	if in := c.byID[id]; in != nil {
		return in, nil
	}
	if in := c.alias(m, symbol); in != nil && spelling == AnyForm {
		return in, nil
	}
	e := problem.New(problem.NotFound, "There is no instrument %s.", problem.Shown(text))
	if etf, ok := c.retired[id]; ok {
		e.Detail = fmt.Sprintf("%s left the fund market: it is the exchange-traded fund %s.", id, etf)
		e.Members.Successor = []string{string(etf)}
	}
	return nil, e
}

// coin is the one coin with this ticker.
func (c *Catalog) coin(text, ticker string) (*Instrument, error) {
	switch coins := c.byTicker[ticker]; len(coins) {
	case 0:
		return nil, problem.New(problem.NotFound, "There is no coin %s.", problem.Shown(text))
	case 1:
		return coins[0], nil
	default:
		var ids []string
		for _, in := range coins {
			ids = append(ids, string(in.InstrumentID))
		}
		e := problem.New(problem.AmbiguousTicker, "Several coins share the ticker %s; use one of %s.", ticker, strings.Join(ids, ", "))
		e.Members.Candidates = ids
		return nil, e
	}
}

// alias is the ETF that is written without its final F or with a .F suffix.
func (c *Catalog) alias(m Market, symbol string) *Instrument {
	if m != BIST || strings.TrimSuffix(symbol, ".F") == "" {
		return nil
	}
	for _, code := range []string{strings.TrimSuffix(symbol, ".F") + "F", symbol + "F"} {
		if in := c.byID[ID(string(BIST)+":"+code)]; in != nil && in.AssetType == ETF {
			return in
		}
	}
	return nil
}
