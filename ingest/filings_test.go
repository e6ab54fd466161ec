package ingest_test

import (
	"strings"
	"testing"
)

// filing returns a line about a filing with these members, and nothing in its
// statements.
func filing(symbol, currency string) string {
	return `{"record":"filing","disclosure_index":1,"symbol":"` + symbol +
		`","year":"2025","period":"Annual","end_date":"2025-12-31","consolidation":"CS","currency":"` + currency +
		`","template":"bank","tms29_applied":false,"balance_sheet":[],"income_statement":[],"cash_flow":[]}`
}

func TestFilingsThatCannotBe(t *testing.T) {
	refuse(t, []refusal{
		{"a symbol in small letters", filing("dmost", "TRY"), "symbol", "must be a code of 2 to 10 letters A-Z and digits"},
		{"an id for a symbol", filing("bist:DMOST", "TRY"), "symbol", "must be a code"},
		{"a currency that is none", filing("DMOST", "TL"), "currency", `such as TRY; got "TL"`},
	})
}

func TestFilingsAgain(t *testing.T) {
	again(t, filing("DMOST", "TRY"), strings.Replace(filing("DMOST", "TRY"), `"bank"`, `"insurer"`, 1))
}
