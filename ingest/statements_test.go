package ingest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"piyasa/db"
	"piyasa/domain/fundamentals"
	"piyasa/ingest"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// statement returns a line about a filing of bist:DMOST with these members besides
// its currency.
func statement(currency, members string) string {
	return `{"record":"statement","instrument_id":"bist:DMOST","fiscal_year":2025,"fiscal_month":12,"currency":"` + currency +
		`","end_date":"2025-12-31","basis":"nominal","template":"industrial",` + members + `}`
}

// filedLine returns a line of a statement with these members besides those that it
// needs.
func filedLine(code, members string) string {
	return `{"code":"` + code + `","label_tr":"Hasılat","group":"income_statement","kind":"flow"` + members + `}`
}

const filedAt = `"filed_at":"2026-03-10T16:00:00Z"`

func TestStatementsThatCannotBe(t *testing.T) {
	one := func(line string) string { return statement("TRY", filedAt+`,"items":[`+line+`]`) }
	with := func(right, wrong string) string { return strings.Replace(one(filedLine("3C", "")), right, wrong, 1) }
	refuse(t, []refusal{
		{"a currency that is none", statement("TL", filedAt+`,"items":[]`), "currency", `such as TRY; got "TL"`},
		{"no company", with(`bist:DMOST`, `fx:USDTRY`), "instrument_id", "must be an id of bist or us; got fx:USDTRY"},
		{"a month that ends no quarter", with(`"fiscal_month":12`, `"fiscal_month":5`), "fiscal_month",
			"must be 3, 6, 9 or 12, or with start_date the number of months that the statement covers; got 5"},
		{"no month", with(`"fiscal_month":12`, `"fiscal_month":0`), "fiscal_month", "a whole number from 1 to 23; got"},
		{"two years", with(`"fiscal_month":12`, `"fiscal_month":24`), "fiscal_month", "a whole number from 1 to 23; got"},
		{"other months than between the days", with(`"fiscal_month":12`, `"fiscal_month":5,"start_date":"2025-07-01"`), "fiscal_month",
			"must be 3, 6, 9 or 12, or the number of months from start_date to end_date, 6; got 5"},
		{"longer than a fiscal year may be", with(`"fiscal_month":12`, `"fiscal_month":12,"start_date":"2024-01-01"`), "start_date",
			"must be at most 23 months before end_date, 2025-12-31; got 2024-01-01"},
		{"begun after its end", with(`"fiscal_month":12`, `"fiscal_month":12,"start_date":"2026-01-01"`), "start_date",
			"must not be after end_date, 2025-12-31; got 2026-01-01"},
		{"no day", with(`"fiscal_month":12`, `"fiscal_month":12,"start_date":"2025-02-30"`), "start_date", "must be a calendar date"},
		{"another consolidation", with(`"basis"`, `"consolidation":"solo","basis"`), "consolidation", "must be one of CS, NC; got"},
		{"a year that is none", with(`2025,`, `202,`), "fiscal_year", "a whole number from 1900 to 2200"},
		{"of another age", with(`2025-12-31`, `1799-12-31`), "end_date", "must be from 1800"},
		{"filed in another age", with(`2026-03-10`, `1799-03-10`), "filed_at", "must be from 1800"},
		{"another basis", with(`nominal`, `real`), "basis", "one of nominal, inflation_adjusted"},
		{"another template", with(`industrial`, `broker`), "template", "one of industrial, bank, insurer"},
		{"no items", statement("TRY", filedAt), "items", "is missing"},
		{"items of null", statement("TRY", filedAt+`,"items":null`), "items", "is missing"},
		{"an item of null", one("null"), "items[0]", "must not be null"},
		{"a line twice", one(filedLine("3C", "") + "," + filedLine("3D", "") + "," + filedLine("3C", "")), "items[2].code",
			"3C is already in the statement"},
		{"a long code", one(filedLine("3D", "") + "," + filedLine(strings.Repeat("x", 101), "")), "items[1].code", "at most 100 bytes"},
		{"another group", with(`"group":"income_statement"`, `"group":"notes"`), "items[0].group",
			"one of income_statement, balance_sheet, cash_flow"},
		{"another kind", with(`"kind":"flow"`, `"kind":"ratio"`), "items[0].kind", "one of flow, stock, per_share"},
		{"another role", one(filedLine("3C", `,"role":"sales"`)), "items[0].role", "one of revenue, operating_profit"},
		{"a number", one(filedLine("3C", `,"value":1`)), "items[0].value", "JSON string"},
		{"an exponent", one(filedLine("3C", `,"value":"1e9"`)), "items[0].value", "no exponent"},
		{"no number", one(filedLine("3C", `,"value":"NaN"`)), "items[0].value", "decimal"},
		{"a member of another record", one(filedLine("3C", `,"label":"x"`)), "items[0].label",
			"the members are code, label_tr, group, kind, role, value"},
		{"a market cap below nothing",
			`{"record":"market_metrics","instrument_id":"bist:DMOST","date":"2026-03-18","market_cap":"-0.01","as_of":"2026-03-18T15:00:00Z"}`, "market_cap", "must be 0 or above"},
		{"metrics of a coin", `{"record":"market_metrics","instrument_id":"crypto:1","date":"2026-03-18","as_of":"2026-03-18T15:00:00Z"}`,
			"instrument_id", "must be an id of bist or us"},
		{"metrics of another age",
			`{"record":"market_metrics","instrument_id":"bist:DMOST","date":"1799-12-31","as_of":"2026-03-18T15:00:00Z"}`, "date",
			"must be from 1800"},
		{"metrics of no moment", `{"record":"market_metrics","instrument_id":"bist:DMOST","date":"2026-03-18"}`, "as_of", "is missing"},
		{"metrics of a day to come",
			`{"record":"market_metrics","instrument_id":"bist:DMOST","date":"2026-03-19","as_of":"2026-03-18T15:00:00Z"}`, "date",
			"must not be after the day of as_of, 2026-03-18; got 2026-03-19"},
		{"filed before its end", with(`2026-03-10`, `2025-12-30`), "end_date",
			"must not be after the day of filed_at, 2025-12-30; got 2025-12-31"},
	})
}

// The same lines again are unchanged, other figures replace, older metrics are
// stale.
func TestStatementsAgain(t *testing.T) {
	s := openFile(t)
	input := strings.Join([]string{
		statement("TRY", filedAt+`,"items":[`+filedLine("3C", `,"value":"100.50"`)+`]`),
		statement("USD", filedAt+`,"items":[`+filedLine("3C", `,"value":null,"role":null`)+`]`),
		statement("TRY", `"filed_at":"2026-03-11T16:00:00Z","items":[]`),
		statement("TRY", filedAt+`,"consolidation":"NC","start_date":"2025-01-01","items":[]`),
		strings.Replace(statement("TRY", filedAt+`,"consolidation":"CS","start_date":"2025-08-01","items":[]`), `"fiscal_month":12`,
			`"fiscal_month":5`, 1),
		`{"record":"market_metrics","instrument_id":"bist:DMOST","date":"2026-03-18","market_cap":"52500000000","pe_ratio":"-12.40","as_of":"2026-03-18T11:45:00Z"}`,
	}, "\n")
	run(t, s, strings.NewReader(input)).counts(t, ingest.Counts{Read: 6, Stored: 6})
	run(t, s, strings.NewReader(input)).counts(t, ingest.Counts{Read: 6, Unchanged: 6})
	newer := strings.NewReplacer("100.50", "100.5", "T11:45", "T11:46").Replace(input)
	run(t, s, strings.NewReader(newer)).counts(t, ingest.Counts{Read: 6, Stored: 2, Unchanged: 4})
	run(t, s, strings.NewReader(input)).counts(t, ingest.Counts{Read: 6, Stored: 1, Unchanged: 4, Stale: 1})
}

// FuzzStatement: whatever a line about a statement says, it is refused at a
// member of it, or it is stored and comes back digit for digit.
func FuzzStatement(f *testing.F) {
	whole := filedLine("3C", `,"role":"revenue","value":"-7640250000.750"`) + "," + filedLine("3D", `,"value":null`) + "," +
		filedLine("3E", "")
	for _, members := range []string{
		filedAt + `,"items":[` + whole + `]`, filedAt + `,"items":[]`, filedAt + `,"items":[` + whole + "," + whole + `]`, `"items":[null]`,
		filedAt + `,"items":[` + filedLine(" ", `,"value":"0.0"`) + `]`,
	} {
		f.Add([]byte(statement("TRY", members)))
	}
	f.Add([]byte(`{"record":"statement","items":{}}`))
	d, store := ingest.NewDecoder(), openFile(f)
	f.Fuzz(func(t *testing.T, line []byte) {
		kind, record, fault := d.Decode(line)
		if fault != nil {
			// What is no JSON has no members to name, nor has what follows the object.
			if json.Valid(line) && kind == "statement" && fault.Member == "" && !strings.Contains(fault.Must, "JSON") {
				t.Errorf("refused without a member: %+v", *fault)
			}
			return
		}
		if kind != "statement" {
			return
		}
		s := record.(*fundamentals.Statement)
		b, out := new(db.Batch), new(db.Outcome)
		db.Put(b, s, out)
		if err := store.Store(context.Background(), b); err != nil {
			t.Fatalf("accepted and not stored: %v", err)
		}
		if got, want := readBack(t, store, s), spellStatement(s.Heading, s.Items); got != want {
			t.Errorf("%v\ngot  %s\nwant %s", out.Result, got, want)
		}
	})
}

// spellStatement is everything that a statement says.
func spellStatement(h fundamentals.Heading, items []fundamentals.Item) string {
	var text bytes.Buffer
	fmt.Fprintf(&text, "%+v", h)
	for _, i := range items {
		role := "-"
		if i.Role != nil {
			role = string(*i.Role)
		}
		fmt.Fprintf(&text, "\n%q %q %q %q %q %q", i.Code, i.LabelTr, i.Group, i.Kind, role, i.Value)
	}
	return text.String()
}

// readBack returns what a store says about a statement.
func readBack(t *testing.T, store *db.Store, s *fundamentals.Statement) string {
	t.Helper()
	key := fundamentals.HistoryKey{Company: s.InstrumentID, Currency: s.Currency}
	books, _, err := store.Statements(context.Background(), []fundamentals.HistoryKey{key})
	need.NoError(t, err)
	for _, f := range books[key] {
		if f.Period() != s.Period() || f.FiledAt != s.FiledAt {
			continue
		}
		items := make([]fundamentals.Item, len(f.Lines))
		words := strings.Split(f.Figures, " ")
		for i, l := range f.Lines {
			items[i].Line = l
			if words[i] != "" {
				items[i].Value = value.MustDecimal(words[i])
			}
		}
		return spellStatement(f.Heading, items)
	}
	return "nothing"
}
