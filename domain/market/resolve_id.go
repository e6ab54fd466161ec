package market

import (
	"fmt"
	"slices"
	"strings"

	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// Form says which forms of ids an operation accepts.
type Form int

// The forms. The letter case of a symbol never matters, and a coin's ticker
// denotes the coin if no other has it.
const (
	AnyForm       Form = iota // an ETF may be written without its final F, or with .F
	CanonicalForm             // an ETF only by its own id
	OwnID                     // and a coin only by its number
)

// Match is the result of Find: the instrument, or its successor, or the candidates; nothing if
// the text denotes nothing.
type Match struct {
	Instrument *Instrument
	Successor  ID            // the ETF that replaced the fund, or the id that the instrument has now
	Candidates []*Instrument // the coins that share the ticker
}

// Find looks up what a client's text denotes.
func (c *Catalog) Find(text string, form Form) Match {
	m, symbol, ok := splitID(text)
	if !ok {
		return Match{}
	}
	symbol = value.UpperASCII(symbol)
	if isTicker(m, symbol, form) {
		if coins := c.byTicker[symbol]; len(coins) != 1 {
			return Match{Candidates: coins}
		}
		return Match{Instrument: c.byTicker[symbol][0]}
	}
	id := ID(string(m) + ":" + symbol)
	if in := c.byID[id]; in != nil {
		return Match{Instrument: in}
	}
	if now := c.renamedTo(id); now != nil {
		return Match{Successor: now.InstrumentID}
	}
	if form == AnyForm && m == BIST {
		return Match{Instrument: c.alias(symbol)}
	}
	return Match{Successor: c.successors[id]}
}

// RenamedTo returns the present id of the instrument that a client names by a former id; nil if
// the text is no former id.
func (c *Catalog) RenamedTo(text string) *ID {
	m, symbol, _ := splitID(text)
	id := ID(string(m) + ":" + value.UpperASCII(symbol))
	if c.byID[id] != nil {
		return nil
	}
	if now := c.renamedTo(id); now != nil {
		return &now.InstrumentID
	}
	return nil
}

// renamedTo returns the instrument that had the id before and has another one now, or nil.
func (c *Catalog) renamedTo(id ID) *Instrument {
	if c.renamed[id] == nil {
		return nil
	}
	return c.byID[latestID(c.renamed, id)]
}

// Resolve returns the instrument that a client's text denotes. Problems:
// not-found, for a fund that became an ETF with its successor; ambiguous-ticker
// with the candidates.
func (c *Catalog) Resolve(text string, form Form) (*Instrument, error) {
	found := c.Find(text, form)
	m, symbol, ok := splitID(text)
	switch {
	case found.Instrument != nil:
		return found.Instrument, nil
	case found.Candidates != nil:
		return nil, errShared(found)
	case found.Successor != "":
		return nil, c.errSucceeded(ID(string(m)+":"+value.UpperASCII(symbol)), found.Successor)
	case !ok:
		return nil, problem.New(problem.NotFound, "%s is not an instrument id: it must start with a market (%s) and a colon.",
			problem.Shown(text), value.ListOf(markets))
	case isTicker(m, symbol, form):
		return nil, problem.New(problem.NotFound, "There is no coin %s.", problem.Shown(text))
	}
	return nil, problem.New(problem.NotFound, "There is no instrument %s.", problem.Shown(text))
}

// isTicker reports whether a symbol is read as the ticker of a coin.
func isTicker(m Market, symbol string, form Form) bool {
	return m == Crypto && value.Digits(symbol) != len(symbol) && form != OwnID
}

// alias returns the ETF that is written without its final F or with a .F
// suffix, or nil.
func (c *Catalog) alias(symbol string) *Instrument {
	if strings.TrimSuffix(symbol, ".F") == "" {
		return nil
	}
	for _, code := range []string{strings.TrimSuffix(symbol, ".F") + "F", symbol + "F"} {
		if in := c.byID[ID(string(BIST)+":"+code)]; in != nil && in.AssetType == ETF {
			return in
		}
	}
	return nil
}

// Successor returns the ETF that replaced the fund with a code.
func (c *Catalog) Successor(code string) (etf ID, replaced bool) {
	etf, replaced = c.successors[FundID(code)]
	return etf, replaced
}

// errSucceeded returns the problem of an id that another has replaced.
func (c *Catalog) errSucceeded(id, by ID) error {
	r := c.renamed[id]
	if r == nil {
		return ErrReplaced(id, by)
	}
	e := problem.New(problem.NotFound, "%s was renamed on %s: it is %s.", id, r.RenamedOn, by)
	e.Members.Successor = []string{string(by)}
	return e
}

// ErrReplaced returns the problem of a fund that an ETF replaced.
func ErrReplaced(fund, etf ID) error {
	e := problem.New(problem.NotFound, "%s left the fund market: it is the exchange-traded fund %s.", fund, etf)
	e.Members.Successor = []string{string(etf)}
	return e
}

// errShared returns one problem of several shared tickers, which must differ.
func errShared(shared ...Match) error {
	e := problem.New(problem.AmbiguousTicker, "")
	var details []string
	for _, match := range shared {
		var ids []string
		for _, in := range match.Candidates {
			ids = append(ids, string(in.InstrumentID))
		}
		ticker := value.UpperASCII(*match.Candidates[0].Ticker)
		details = append(details, fmt.Sprintf("Several coins share the ticker %s; use one of %s.", ticker, strings.Join(ids, ", ")))
		e.Members.Candidates = slices.Concat(e.Members.Candidates, ids)
	}
	e.Detail = strings.Join(details, " ")
	return e
}

// errOfISIN returns the problem of an ISIN of several instruments.
func errOfISIN(isin string, of []*Instrument) error {
	e := problem.New(problem.AmbiguousTicker, "")
	for _, in := range of {
		e.Members.Candidates = append(e.Members.Candidates, string(in.InstrumentID))
	}
	e.Detail = fmt.Sprintf("Several instruments have the ISIN %s; use one of %s.", isin, strings.Join(e.Members.Candidates, ", "))
	return e
}
