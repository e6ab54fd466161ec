package ingest_test

import (
	"strings"
	"testing"

	"piyasa/ingest"
)

// dividend returns a line about a dividend of bist:DMOST with these members besides
// its currency.
func dividend(currency, members string) string {
	return `{"record":"dividend","instrument_id":"bist:DMOST","currency":"` + currency + `",` + members + `}`
}

func TestDividendsThatCannotBe(t *testing.T) {
	refuse(t, []refusal{
		{"a currency that is none", dividend("TL", `"ex_date":"2026-04-10"`), "currency", `such as TRY; got "TL"`},
		{"less than nothing", dividend("TRY", `"ex_date":"2026-04-10","gross_per_share":"-0.01"`), "gross_per_share", "must be 0 or more"},
		{"less than nothing after tax", dividend("TRY", `"ex_date":"2026-04-10","net_per_share":"-0.01"`), "net_per_share", "must be 0 or more"},
		{"of another age", dividend("TRY", `"ex_date":"1799-12-31"`), "ex_date", "must be from 1800-01-01 to 2199-12-31; got 1799-12-31"},
		{"in another age", dividend("TRY", `"ex_date":"2199-12-31","payment_date":"2200-01-01"`), "payment_date", "must be from 1800-01-01 to 2199-12-31; got 2200-01-01"},
		{"too many installments", dividend("TRY", `"ex_date":"2026-04-10","installment":101`), "installment", "a whole number from 1 to 100"},
	})
}

// An installment that is null is one that is left out, and no first one; and a
// share may be paid for before it trades without the dividend, or for nothing.
func TestDividendsAgain(t *testing.T) {
	s := openFile(t)
	input := strings.Join([]string{
		dividend("TRY", `"ex_date":"2026-04-10","installment":null,"gross_per_share":"4.25"`),
		dividend("TRY", `"ex_date":"2026-04-10","gross_per_share":"4.25"`),
		dividend("TRY", `"ex_date":"2026-04-10","installment":1,"gross_per_share":"4.25"`),
		dividend("TRY", `"ex_date":"1800-01-01","payment_date":"1800-01-01","gross_per_share":"0","net_per_share":"0.00"`),
		dividend("USD", `"ex_date":"2199-12-31","payment_date":"2199-12-30"`),
	}, "\n")
	run(t, s, strings.NewReader(input)).counts(t, ingest.Counts{Read: 5, Stored: 4, Unchanged: 1})
	run(t, s, strings.NewReader(input)).counts(t, ingest.Counts{Read: 5, Unchanged: 5})
	newer := strings.ReplaceAll(input, `"4.25"`, `"4.250"`)
	run(t, s, strings.NewReader(newer)).counts(t, ingest.Counts{Read: 5, Stored: 2, Unchanged: 3})
}
