package ingest_test

import (
	"strings"
	"testing"

	"piyasa/db/dbtest"
	"piyasa/domain/market"
	"piyasa/ingest"
	"piyasa/test/fixture/need"
)

// dividend returns a line about a dividend of bist:DMOST with these members besides
// its currency.
func dividend(currency, members string) string {
	return `{"record":"dividend","instrument_id":"bist:DMOST","currency":"` + currency + `",` + members + `}`
}

func TestDividendsThatCannotBe(t *testing.T) {
	refuse(t, []refusal{
		{"a currency that is none", dividend("TL", `"ex_date":"2026-04-10"`), "currency", `such as TRY; got "TL"`},
		{"less than nothing", dividend("TRY", `"ex_date":"2026-04-10","gross_per_share":"-0.01"`), "gross_per_share", "must be above 0"},
		{"less than nothing after tax", dividend("TRY", `"ex_date":"2026-04-10","net_per_share":"-0.01"`), "net_per_share",
			"must be above 0"},
		{"nothing", dividend("TRY", `"ex_date":"2026-04-10","gross_per_share":"0.00"`), "gross_per_share",
			"must be above 0, or left out while it is not known; got 0.00"},
		{"nothing after tax", dividend("TRY", `"ex_date":"2026-04-10","gross_per_share":"1","net_per_share":"0"`), "net_per_share",
			"must be above 0"},
		{"more after tax", dividend("TRY", `"ex_date":"2026-04-10","gross_per_share":"1.00","net_per_share":"1.01"`),
			"net_per_share", "must not be above gross_per_share, 1.00"},
		{"paid before", dividend("TRY", `"ex_date":"2026-04-10","payment_date":"2026-04-09"`), "payment_date",
			"must not be before ex_date, 2026-04-10; got 2026-04-09"},
		{"a kind in words", dividend("TRY", `"ex_date":"2026-04-10","kind":"Özel"`), "kind", "must be lower-case words"},
		{"an empty id", dividend("TRY", `"ex_date":"2026-04-10","dividend_id":""`), "dividend_id", "must not be empty"},
		{"a long id", dividend("TRY", `"ex_date":"2026-04-10","dividend_id":"`+strings.Repeat("x", 101)+`"`),
			"dividend_id", "at most 100 bytes"},
		{"of another age", dividend("TRY", `"ex_date":"1799-12-31"`), "ex_date", "must be from 1800-01-01 to 2199-12-31; got 1799-12-31"},
		{"in another age", dividend("TRY", `"ex_date":"2199-12-31","payment_date":"2200-01-01"`), "payment_date",
			"must be from 1800-01-01 to 2199-12-31; got 2200-01-01"},
		{"too many installments", dividend("TRY", `"ex_date":"2026-04-10","installment":101`), "installment",
			"a whole number from 1 to 100"},
	})
}

// An installment that is null is one that is left out, and no first one.
func TestDividendsAgain(t *testing.T) {
	s := openFile(t)
	input := strings.Join([]string{
		dividend("TRY", `"ex_date":"2026-04-10","installment":null,"gross_per_share":"4.25"`),
		dividend("TRY", `"ex_date":"2026-04-10","gross_per_share":"4.25"`),
		dividend("TRY", `"ex_date":"2026-04-10","installment":1,"gross_per_share":"4.25"`),
		dividend("TRY", `"ex_date":"1800-01-01","payment_date":"1800-01-01","gross_per_share":"1","net_per_share":"1.00"`),
		dividend("USD", `"ex_date":"2199-12-31","payment_date":"2199-12-31"`),
	}, "\n")
	run(t, s, strings.NewReader(input)).counts(t, ingest.Counts{Read: 5, Stored: 4, Unchanged: 1})
	run(t, s, strings.NewReader(input)).counts(t, ingest.Counts{Read: 5, Unchanged: 5})
	newer := strings.ReplaceAll(input, `"4.25"`, `"4.250"`)
	run(t, s, strings.NewReader(newer)).counts(t, ingest.Counts{Read: 5, Stored: 2, Unchanged: 3})
}

// Dividends of one share and ex date are several where the source's id, or else kind and
// installment, tell them apart; the same identity with other content is a correction.
func TestDividendsOfOneDay(t *testing.T) {
	t.Parallel()
	line := func(members, gross string) string {
		return dividend("TRY", members+`"ex_date":"2026-03-10","gross_per_share":"`+gross+`"`) + "\n"
	}
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		input := line("", "1.00") + line(`"kind":"special",`, "2.00") + line(`"kind":"special","installment":1,`, "3.00") +
			line(`"installment":1,`, "4.00") + line(`"dividend_id":"a b",`, "5.00") + line(`"dividend_id":"c","kind":"special",`, "6.00")
		run(t, s, strings.NewReader(input)).counts(t, ingest.Counts{Read: 6, Stored: 6})
		run(t, s, strings.NewReader(input)).counts(t, ingest.Counts{Read: 6, Unchanged: 6})
		corrected := line(`"kind":"special",`, "2.50") + line(`"dividend_id":"c","installment":2,`, "6.50")
		run(t, s, strings.NewReader(corrected)).counts(t, ingest.Counts{Read: 2, Stored: 2})
		amounts := func() (all []string) {
			found, err := s.Dividends(t.Context(), []market.ID{"bist:DMOST"}, 100)
			need.NoError(t, err)
			for _, d := range found["bist:DMOST"] {
				all = append(all, d.GrossPerShare.String())
			}
			return all
		}
		if got := strings.Join(amounts(), " "); got != "6.50 3.00 4.00 2.50 5.00 1.00" {
			t.Errorf("stored %s", got)
		}
		gone := dividend("TRY", `"ex_date":"2026-03-10","dividend_id":"a b","withdrawn":true`) + "\n" +
			dividend("TRY", `"ex_date":"2026-03-10","withdrawn":true`)
		run(t, s, strings.NewReader(gone)).counts(t, ingest.Counts{Read: 2, Stored: 2})
		if got := strings.Join(amounts(), " "); got != "6.50 3.00 4.00 2.50" {
			t.Errorf("left are %s", got)
		}
	})
}
