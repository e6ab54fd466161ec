package market

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"piyasa/problem"
	"piyasa/value"
)

// Catalog is the whole of the instruments at one moment. It is immutable and
// safe for concurrent use.
type Catalog struct {
	byID     map[ID]*Instrument
	byTicker map[string][]*Instrument // coins by upper-case ticker
	retired  map[ID]ID                // fund twins of ETFs, with the ETF that replaced them
	sorted   []listed                 // by market name, then symbol; coins by number
	sizes    []MarketSize
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

// NewCatalog arranges instruments. Funds that live on as an ETF are left out.
func NewCatalog(instruments map[ID]*Instrument) *Catalog {
	c := &Catalog{byID: make(map[ID]*Instrument, len(instruments)), byTicker: map[string][]*Instrument{}, retired: map[ID]ID{}}
	for id, in := range instruments {
		if in.Market == BIST && in.AssetType == ETF && in.FundCode != nil {
			twin := FundID(*in.FundCode)
			if other, ok := c.retired[twin]; !ok || id < other { // two ETFs with one code: always the same one
				c.retired[twin] = id
			}
		}
	}
	for id, in := range instruments {
		if _, gone := c.retired[id]; gone {
			continue
		}
		c.byID[id] = in
		c.sorted = append(c.sorted, listed{in, searchText(in)})
	}
	slices.SortFunc(c.sorted, func(a, b listed) int {
		return cmp.Or(cmp.Compare(a.Market, b.Market), cmp.Compare(coinNumber(a.Instrument), coinNumber(b.Instrument)), cmp.Compare(a.Symbol, b.Symbol))
	})
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

func coinNumber(in *Instrument) int {
	if in.Market != Crypto || in.CmcID == nil {
		return 0
	}
	return *in.CmcID
}

// Len is the number of instruments.
func (c *Catalog) Len() int { return len(c.sorted) }

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

// InstrumentFilter narrows the catalog; nil members do not.
type InstrumentFilter struct {
	Market    *Market
	AssetType *string // exact, ignoring case
	Search    *string // part of symbol, ticker, name or slug; case and Turkish letters folded
}

// list returns the first limit instruments that pass the filter.
func (c *Catalog) list(f InstrumentFilter, limit int) []*Instrument {
	found := []*Instrument{}
	search := ""
	if f.Search != nil {
		if strings.ContainsRune(*f.Search, 0) || !utf8.ValidString(*f.Search) { // which no text is
			return found
		}
		search = Fold(*f.Search)
	}
	for _, in := range c.sorted {
		if len(found) == limit {
			break
		}
		if (f.Market == nil || in.Market == *f.Market) &&
			(f.AssetType == nil || *f.AssetType == "" || strings.EqualFold(string(in.AssetType), *f.AssetType)) &&
			strings.Contains(in.text, search) {
			found = append(found, in.Instrument)
		}
	}
	return found
}

// searchText joins what search looks at; searches hold no NUL, so no match
// spans two members.
func searchText(in *Instrument) string {
	parts := []string{in.Symbol, in.Name}
	for _, p := range []*string{in.Ticker, in.Slug} {
		if p != nil {
			parts = append(parts, *p)
		}
	}
	return Fold(strings.Join(parts, "\x00"))
}

// turkishToASCII folds the letters that a Turkish keyboard adds.
var turkishToASCII = strings.NewReplacer(
	"ç", "c", "Ç", "c", "ğ", "g", "Ğ", "g", "ı", "i", "İ", "i", "ö", "o", "Ö", "o", "ş", "s", "Ş", "s", "ü", "u", "Ü", "u",
	"â", "a", "Â", "a", "î", "i", "Î", "i", "û", "u", "Û", "u",
)

// Fold makes text comparable: letter case and Turkish letters do not matter.
func Fold(s string) string { return strings.ToLower(turkishToASCII.Replace(s)) }
