package market

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"piyasa/internal/value"
)

// ID is a canonical instrument id, "<market>:<symbol>": "bist:DMOST",
// "crypto:1", "fx:USDTRY". Answers carry canonical ids only; what clients
// write is resolved by Catalog.Resolve.
type ID string

// maxSymbol bounds the symbol part of an id.
const maxSymbol = 40

var errID = fmt.Errorf("a canonical instrument id such as bist:DMOST, crypto:1 or fx:USDTRY: a market (%s), a colon, and "+
	"a symbol of at most %d of A-Z, 0-9 and . _ - & = $ @ ^; a coin's is its number, without leading zeros, a pair's is six letters",
	value.ListOf(markets), maxSymbol)

// ParseID reads a canonical id; the error says what an id must be. Aliases,
// tickers and lower-case symbols are not canonical.
func ParseID(text string) (ID, error) {
	m, symbol, ok := splitID(text)
	if !ok || !isSymbol(symbol) || (m == Crypto && !isCoinNumber(symbol)) || (m == FX && !isPair(symbol)) {
		return "", errID
	}
	return ID(text), nil
}

// splitID cuts text at the first colon; ok is false unless the part before it
// is a known market.
func splitID(text string) (m Market, symbol string, ok bool) {
	prefix, symbol, found := strings.Cut(text, ":")
	m = Market(prefix)
	return m, symbol, found && m.known()
}

// FundID returns the id of the fund with a code.
func FundID(code string) ID { return ID(string(Fund) + ":" + code) }

// BistID returns the id of the instrument of the Istanbul exchange with a code.
func BistID(code string) ID { return ID(string(BIST) + ":" + code) }

// MarketOf returns the market that a client's text names before its colon;
// empty when it names none.
func MarketOf(text string) Market {
	m, _, ok := splitID(text)
	if !ok {
		return ""
	}
	return m
}

// isSymbol reports whether s may follow the colon of an id.
func isSymbol(s string) bool {
	if s == "" || len(s) > maxSymbol {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if (c < 'A' || c > 'Z') && (c < '0' || c > '9') && strings.IndexByte("._-&=$@^", c) < 0 {
			return false
		}
	}
	return true
}

// isCoinNumber reports whether s is a positive number without leading zeros.
func isCoinNumber(s string) bool {
	return s != "" && s[0] != '0' && len(s) <= 9 && value.Digits(s) == len(s)
}

// isPair reports whether s is six upper-case letters: two currency codes.
func isPair(s string) bool {
	if len(s) != 6 {
		return false
	}
	for i := range len(s) {
		if s[i] < 'A' || s[i] > 'Z' {
			return false
		}
	}
	return true
}

// Market returns the market that the id's prefix names.
func (id ID) Market() Market {
	m, _, _ := splitID(string(id))
	return m
}

// Symbol returns what follows the prefix: a symbol, a pair, or a coin's number.
func (id ID) Symbol() string {
	_, symbol, _ := splitID(string(id))
	return symbol
}

// String returns the id's text.
func (id ID) String() string { return string(id) }

// UnmarshalText implements encoding.TextUnmarshaler for canonical ids.
func (id *ID) UnmarshalText(text []byte) (err error) {
	*id, err = ParseID(string(text))
	if err != nil {
		return errors.New("must be " + err.Error())
	}
	return nil
}

// AppendJSON appends the id, which needs no escaping, as a JSON string.
func (id ID) AppendJSON(b []byte) []byte { return strconv.AppendQuote(b, string(id)) }

// MarshalGQL writes the scalar ID.
func (id ID) MarshalGQL(w io.Writer) { _, _ = w.Write(id.AppendJSON(nil)) }

// UnmarshalGQL reads the scalar ID.
func (id *ID) UnmarshalGQL(v any) error { return value.UnmarshalScalar(v, id, "ID") }
