package db_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// anyStatement states anything under a key.
func anyStatement(heading fundamentals.Heading) *rapid.Generator[*fundamentals.Statement] {
	return rapid.Custom(func(t *rapid.T) *fundamentals.Statement {
		s := &fundamentals.Statement{Heading: heading, Items: []fundamentals.Item{}}
		if rapid.Bool().Draw(t, "begins") {
			s.StartDate = dates.Draw(t, "start_date")
		}
		s.EndDate, s.Basis, s.Template = dates.Draw(t, "end_date"), fundamentals.AccountingBasis(texts.Draw(t, "basis")),
			fundamentals.Template(texts.Draw(t, "template"))
		for _, code := range rapid.SliceOfNDistinct(texts, 0, 5, rapid.ID).Draw(t, "codes") {
			s.Items = append(s.Items, fundamentals.Item{
				Line: fundamentals.Line{
					Code: code, LabelTr: texts.Draw(t, "label"), Group: fundamentals.Group(texts.Draw(t, "group")),
					Kind: fundamentals.LineKind(texts.Draw(t, "kind")),
					Role: rapid.Ptr(rapid.Map(texts, func(s string) fundamentals.Role { return fundamentals.Role(s) }),
						true).Draw(t, "role"),
				},
				Value: figures.Draw(t, "value"),
			})
		}
		return s
	})
}

// statement returns a filing of some lines, each written as "code value"; the value
// may be -. It is filed on the day of March 2026.
func statement(company, currency string, year, month, day int, items ...string) *fundamentals.Statement {
	s := &fundamentals.Statement{Heading: fundamentals.Heading{
		InstrumentID: market.ID(company), Currency: currency, FiscalYear: year, FiscalMonth: month, EndDate: value.MustDate("2025-12-31"),
		Basis: fundamentals.Nominal, Template: fundamentals.Industrial,
		FiledAt: value.MustInstant(fmt.Sprintf("2026-03-%02dT06:00:00Z", day)),
	}}
	for _, text := range items {
		code, figure, _ := strings.Cut(text, " ")
		i := fundamentals.Item{Line: fundamentals.Line{Code: code, LabelTr: "x", Group: fundamentals.IncomeStatement,
			Kind: fundamentals.Flow}}
		if figure != "-" {
			i.Value = value.MustDecimal(figure)
		}
		s.Items = append(s.Items, i)
	}
	return s
}

func bookOf(s *fundamentals.Statement) fundamentals.HistoryKey {
	return fundamentals.HistoryKey{Company: s.InstrumentID, Currency: s.Currency}
}

// histories returns the filings under keys.
func histories(t rapid.TB, s *db.Store, keys ...fundamentals.HistoryKey) map[fundamentals.HistoryKey][]*fundamentals.Filed {
	t.Helper()
	all, _, err := s.Statements(background, keys)
	need.NoError(t, err)
	return all
}

// stored returns the filings under keys, as the statements that they came from, in
// order.
func stored(t rapid.TB, s *db.Store, keys ...fundamentals.HistoryKey) []*fundamentals.Statement {
	t.Helper()
	all := []*fundamentals.Statement{}
	for key, filings := range histories(t, s, keys...) {
		for _, f := range filings {
			one := &fundamentals.Statement{Heading: f.Heading, Items: []fundamentals.Item{}}
			words := strings.Split(f.Figures, " ")
			for i, line := range f.Lines {
				item := fundamentals.Item{Line: line}
				if words[i] != "" {
					item.Value = value.MustDecimal(words[i])
				}
				one.Items = append(one.Items, item)
			}
			if bookOf(one) != key {
				t.Fatalf("a filing of %v under %v", bookOf(one), key)
			}
			all = append(all, one)
		}
	}
	slices.SortFunc(all, compareFilings)
	return all
}

func compareFilings(a, b *fundamentals.Statement) int {
	return cmp.Or(cmp.Compare(a.InstrumentID, b.InstrumentID), cmp.Compare(a.Currency, b.Currency), cmp.Compare(a.FiscalYear, b.FiscalYear),
		cmp.Compare(a.FiscalMonth, b.FiscalMonth), a.FiledAt.Time().Compare(b.FiledAt.Time()),
		cmp.Compare(a.Consolidation, b.Consolidation))
}

func TestStatementsComeBackExactly(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, url string) {
		s, round := open(t, url), 0
		rapid.Check(t, func(t *rapid.T) {
			round++
			one := anyStatement(fundamentals.Heading{
				InstrumentID: market.ID(fmt.Sprintf("bist:S%d", round)), Currency: "TRY",
				FiscalYear:  rapid.IntRange(1900, 2200).Draw(t, "year"),
				FiscalMonth: rapid.IntRange(1, 23).Draw(t, "month"), FiledAt: instants.Draw(t, "filed_at"),
				Consolidation: rapid.SampledFrom([]string{"", "CS", "NC"}).Draw(t, "consolidation"),
			}).Draw(t, "statement")
			before := heads(t, s)[db.FeedStatements]
			want(t, put(t, s, one), db.Stored)
			same(t, "statement", stored(t, s, bookOf(one)), []*fundamentals.Statement{one})
			want(t, put(t, s, one), db.Unchanged)
			same(t, "head", heads(t, s)[db.FeedStatements], before+1)
		})
	})
}

// What tells filings apart, and what of one replaces it.
func TestStatementsReplace(t *testing.T) {
	first := func(items ...string) *fundamentals.Statement {
		return statement("bist:A", "TRY", 2025, 12, 1, items...)
	}
	later := statement("bist:A", "TRY", 2025, 12, 2, "rev 1")
	dollars := statement("bist:A", "USD", 2025, 12, 1, "rev 1")
	quarter := statement("bist:A", "TRY", 2025, 9, 1, "rev 1")
	other := statement("bist:B", "TRY", 2025, 12, 1, "rev 1")
	alone, group := statement("bist:C", "TRY", 2025, 12, 1, "rev 1"), statement("bist:C", "TRY", 2025, 12, 1, "rev 2")
	alone.Consolidation, group.Consolidation = "NC", "CS"
	labelled := first("rev 1.0")
	labelled.Items[0].LabelTr = "y"
	bank := first("rev 1.0")
	bank.Template = fundamentals.Bank
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		a, b := bookOf(first()), bookOf(dollars)
		want(t, put(t, s, first("rev 1"), later, dollars, quarter, other, first("rev 1")), db.Stored, db.Stored, db.Stored, db.Stored,
			db.Stored, db.Unchanged)
		same(t, "filings", stored(t, s, a), []*fundamentals.Statement{quarter, first("rev 1"), later})
		same(t, "filings in dollars", stored(t, s, b), []*fundamentals.Statement{dollars})
		want(t, put(t, s, first("rev 1.0"), quarter, first("rev 1", "np 2"), first("rev 1", "np 2")), db.Stored, db.Unchanged, db.Stored,
			db.Unchanged)
		same(t, "filings", stored(t, s, a, b), []*fundamentals.Statement{quarter, first("rev 1", "np 2"), later, dollars})
		// of the group and of the company alone, at one moment
		want(t, put(t, s, alone, group, alone), db.Stored, db.Stored, db.Unchanged)
		same(t, "filings", stored(t, s, bookOf(group)), []*fundamentals.Statement{group, alone})
		// another label, no figure, another template
		for _, one := range []*fundamentals.Statement{first("rev 1.0"), labelled, first("rev -"), bank} {
			want(t, put(t, s, one), db.Stored)
			same(t, "filings", stored(t, s, a), []*fundamentals.Statement{quarter, one, later})
		}
	})
}

// Statements with the same lines share one row for them, of any company,
// and another server that stores the same at the same time changes nothing.
func TestLayoutsAreShared(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s, raw := open(t, url), dbtest.Raw(t, url)
		layouts := func() (n int) {
			need.NoError(t, raw.QueryRow("SELECT count(*) FROM statement_layouts").Scan(&n))
			return n
		}
		put(t, s, statement("bist:A", "TRY", 2025, 12, 1, "rev 1", "np 2"), statement("bist:B", "USD", 2024, 3, 2, "rev -", "np 9.50"))
		if n := layouts(); n != 1 {
			t.Errorf("%d layouts of the same lines", n)
		}
		put(t, s, statement("bist:A", "TRY", 2025, 9, 1, "np 2", "rev 1")) // another order
		put(t, s, statement("bist:C", "TRY", 2025, 9, 1))                  // none
		if n := layouts(); n != 3 {
			t.Errorf("%d layouts, want 3", n)
		}
		all := histories(t, s, fundamentals.HistoryKey{Company: "bist:A", Currency: "TRY"},
			fundamentals.HistoryKey{Company: "bist:B", Currency: "USD"})
		a, b := all[fundamentals.HistoryKey{Company: "bist:A", Currency: "TRY"}],
			all[fundamentals.HistoryKey{Company: "bist:B", Currency: "USD"}]
		if i := slices.IndexFunc(a, func(f *fundamentals.Filed) bool { return f.FiscalMonth == 12 }); len(a) != 2 || len(b) != 1 ||
			a[i].Layout != b[0].Layout || a[1-i].Layout == b[0].Layout {
			t.Errorf("layouts in memory: %s, %s", encoded(a), encoded(b))
		}
		second := open(t, url)
		errs := make(chan error, 2)
		for i, store := range []*db.Store{s, second} {
			go func() {
				b, _ := batch(t, statement(fmt.Sprint("bist:N", i), "TRY", 2025, 12, 1, "new 1"),
					statement(fmt.Sprint("bist:N", i), "TRY", 2025, 9, 1, "newer 1"))
				errs <- store.Store(background, b)
			}()
		}
		for range 2 {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
		if n := layouts(); n != 5 {
			t.Errorf("%d layouts, want 5", n)
		}
	})
}

// Many books are read with one statement, and lines that are new with one more.
func TestManyBooksWithOneStatement(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		var keys []fundamentals.HistoryKey
		var all []any
		for i := range 120 {
			one := statement(fmt.Sprint("bist:S", i), []string{"TRY", "USD"}[i%2], 2025, 12, 1, fmt.Sprint("line", i%3, " 1"))
			all, keys = append(all, one), append(keys, bookOf(one))
		}
		put(t, s, all...)
		keys = append(keys, fundamentals.HistoryKey{Company: "bist:S0", Currency: "USD"},
			fundamentals.HistoryKey{Company: "bist:NONE", Currency: "TRY"})
		statements := 0
		watched := s.Watched(func(string) { statements++ })
		for _, c := range []struct {
			keys              []fundamentals.HistoryKey
			books, statements int
		}{{keys, 120, 5}, {keys, 120, 4}, {keys[:1], 1, 4}, {keys[120:], 0, 4}, {nil, 0, 0}} {
			statements = 0
			books := histories(t, watched, c.keys...)
			if len(books) != c.books || statements != c.statements {
				t.Errorf("%d books of %d keys with %d statements, want %d with %d",
					len(books), len(c.keys), statements, c.books, c.statements)
			}
		}
	})
}

// Whatever is stored, the books asked for come back, and no others.
func TestSomeBooks(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, url string) {
		s, all := open(t, url), map[string]*fundamentals.Statement{}
		companies := rapid.SampledFrom([]string{"bist:A", "bist:B", "us:A"})
		currencies := rapid.SampledFrom([]string{"TRY", "USD"})
		rapid.Check(t, func(t *rapid.T) {
			for range rapid.IntRange(0, 4).Draw(t, "new") {
				one := statement(companies.Draw(t, "company"), currencies.Draw(t, "currency"), 2024,
					rapid.SampledFrom([]int{3, 12}).Draw(t, "month"), rapid.IntRange(1, 3).Draw(t, "day"),
					rapid.SampledFrom([]string{"rev ", "np "}).Draw(t, "line")+decimals.Draw(t, "value").String())
				all[fmt.Sprint(bookOf(one), one.Period(), one.FiledAt)] = one
				put(t, s, one)
			}
			keys := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) fundamentals.HistoryKey {
				return fundamentals.HistoryKey{Company: market.ID(companies.Draw(t, "company")), Currency: currencies.Draw(t, "currency")}
			}), 0, 5).Draw(t, "keys")
			expected := []*fundamentals.Statement{}
			for _, one := range all {
				if slices.Contains(keys, bookOf(one)) {
					expected = append(expected, one)
				}
			}
			slices.SortFunc(expected, compareFilings)
			same(t, "statements", stored(t, s, keys...), expected)
		})
	})
}

// Each book whose statements changed after a number, once.
func TestBooksAfter(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		after := func(seq int64, want ...string) {
			t.Helper()
			got := []string{}
			for _, k := range must[[]fundamentals.HistoryKey](t)(s.HistoriesAfter(background, seq)) {
				got = append(got, string(k.Company)+" "+k.Currency)
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("after %d: %q, want %q", seq, got, want)
			}
		}
		put(t, s, statement("bist:A", "TRY", 2025, 12, 1, "rev 1"), statement("bist:A", "TRY", 2025, 9, 1, "rev 1"),
			statement("bist:A", "USD", 2025, 9, 1, "rev 1"))
		after(0, "bist:A TRY", "bist:A USD")
		head := heads(t, s)[db.FeedStatements]
		after(head)
		put(t, s, statement("bist:A", "TRY", 2025, 12, 1, "rev 1"), statement("bist:B", "TRY", 2025, 12, 1, "rev 1"))
		after(head, "bist:B TRY")
		put(t, s, statement("bist:A", "TRY", 2025, 12, 1, "rev 2"))
		after(head, "bist:A TRY", "bist:B TRY")
		after(head+1, "bist:A TRY")
	})
}
