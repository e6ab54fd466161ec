package db_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/domain/news"
	"piyasa/internal/attachment"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// verified returns what Verify finds, a line each.
func verified(t testing.TB, url string) (found []string) {
	t.Helper()
	if _, err := db.Verify(t.Context(), url, func(f db.Finding) {
		found = append(found, f.Check+" "+f.Subject+": "+f.Problem)
	}); err != nil {
		t.Fatal(err)
	}
	return found
}

// everything stores something that each check looks at.
func everything(t testing.TB, s *db.Store) {
	t.Helper()
	with := func(index, attachments int) *kap.Record {
		r := disclosure(index, t1, "A1", "B1", "A1")
		r.AttachmentCount = attachments
		for range attachments {
			r.Attachments = append(r.Attachments, attachment.Document{Name: "x", Location: "/x"})
		}
		return r
	}
	body := with(3, 0)
	body.Body = &kap.Content{SourceFormat: "html", FileType: "html", Content: json.RawMessage(`"text"`)}
	putDisclosures(t, s, false, with(1, 0), with(2, 0), body)
	putDisclosures(t, s, false, with(1, 1)) // takes number 4
	putDisclosures(t, s, false, with(2, 1)) // 5
	putDisclosures(t, s, true, with(9, 0))  // 6
	items := []any{
		stock("THYAO"), stock("GARAN"), day("2026-03-16T21:00:00Z", "10"), statement("bist:THYAO", "TRY", 2025, 12, 1, "A 1"),
		&news.Item{NewsID: "n1", Title: "t", PublishedAt: value.MustInstant(t1), Symbols: []string{"A1"}},
		&kap.CompanyRecord{CompanyID: "c1", Codes: []string{"A1", "A2"}},
		&market.IndexBar{Code: "XU100", Date: value.MustDate("2026-03-17"), Close: value.MustDecimal("1")},
	}
	at := value.MustInstant("2026-03-18T07:00:00Z")
	for i, last := range []string{"40", "41.5", "39", "42", "41"} {
		items = append(items, price("fx:USDTRY", at.Add(time.Duration(i)*37*time.Minute).String(), last))
		items = append(items, price("crypto:1", at.Add(time.Duration(i)*37*time.Minute).String(), last))
	}
	for _, o := range put(t, s, items...) {
		if o.Result != db.Stored {
			t.Fatalf("%+v", o)
		}
	}
	want(t, put(t, s, price("fx:USDTRY", "2026-03-18T07:20:00Z", "39.5")), db.Stale) // late
}

// Each sort of damage is named, and nothing else is; a healthy store, also one that
// went back, has no findings.
func TestVerifyNamesDamage(t *testing.T) {
	t.Parallel()
	damages := []struct{ name, do, undo, says string }{
		{"a lost disclosure", "UPDATE disclosures SET seq = 100 WHERE seq = 3", "UPDATE disclosures SET seq = 3 WHERE seq = 100",
			"numbers disclosures: no row has number 3"},
		{"a lost last one", "UPDATE heads SET seq = seq + 2 WHERE feed = 'disclosures'",
			"UPDATE heads SET seq = seq - 2 WHERE feed = 'disclosures'", "numbers disclosures: no row has numbers 7 to 8"},
		{"a number above the last", "UPDATE heads SET seq = 5 WHERE feed = 'disclosures'",
			"UPDATE heads SET seq = 6 WHERE feed = 'disclosures'", "numbers disclosures: number 6 is above 5"},
		{"a number used twice", "UPDATE disclosures SET completed_seq = 3 WHERE completed_seq = 4",
			"UPDATE disclosures SET completed_seq = 4 WHERE completed_seq = 3", "numbers disclosures: several rows have number 3"},
		{"a number in two tables", "UPDATE instruments SET seq = 1",
			"UPDATE instruments SET seq = CASE symbol WHEN 'THYAO' THEN 1 ELSE 2 END", "numbers instruments: several rows have number 1"},
		{"a feed without a last number", "DELETE FROM heads WHERE feed = 'logos'", "INSERT INTO heads (feed, seq) VALUES ('logos', 0)",
			"numbers logos: the feed has no last number"},
		{"a code that is gone", "DELETE FROM disclosure_codes WHERE code = 'B1' AND disclosure_index = 2", "",
			"disclosures disclosure 2: it is not found under its code B1"},
		{"a code that is another", "UPDATE disclosure_codes SET code = 'C1' WHERE code = 'B1' AND disclosure_index = 1",
			"UPDATE disclosure_codes SET code = 'B1' WHERE code = 'C1'", "disclosures disclosure 1: it is found under C1"},
		{"parts that are gone", "UPDATE disclosure_parts SET disclosure_index = 77 WHERE disclosure_index = 3",
			"UPDATE disclosure_parts SET disclosure_index = 3 WHERE disclosure_index = 77",
			"disclosures disclosure 3: its row and its parts disagree"},
		{"parts of nothing", "UPDATE disclosure_parts SET disclosure_index = 77 WHERE disclosure_index = 3",
			"UPDATE disclosure_parts SET disclosure_index = 3 WHERE disclosure_index = 77",
			"references disclosure_parts: parts of disclosure 77"},
		{"a code of another type", "UPDATE disclosure_codes SET type = 'DUY' WHERE code = 'B1' AND disclosure_index = 1",
			"UPDATE disclosure_codes SET type = 'ODA'", "disclosures disclosure 1: it is not found under its code B1"},
		{"words that are gone", "UPDATE disclosure_words SET disclosure_index = 77 WHERE disclosure_index = 2",
			"UPDATE disclosure_words SET disclosure_index = 2 WHERE disclosure_index = 77",
			"references disclosure_words: the words of disclosure 2, which no search finds"},
		{"codes of nothing", "UPDATE disclosure_codes SET disclosure_index = 77 WHERE disclosure_index = 9",
			"UPDATE disclosure_codes SET disclosure_index = 9 WHERE disclosure_index = 77",
			"references disclosure_codes: codes of disclosure 77"},
		{"news that is gone", "UPDATE news SET news_id = 'n2'", "UPDATE news SET news_id = 'n1'",
			"references news_codes: codes of news n1"},
		{"a layout that is gone", "UPDATE statements SET layout = 'x' || layout", "UPDATE statements SET layout = substr(layout, 2)",
			"references statements: the layout x"},
		{"a change that is not noted", "UPDATE bar_changes SET subject = 'x' WHERE subject = 'XU100'",
			"UPDATE bar_changes SET subject = 'XU100' WHERE subject = 'x'", "references bar_changes: XU100 has daily bars"},
		{"a code of a company", "UPDATE company_codes SET code = 'A3' WHERE code = 'A2'",
			"UPDATE company_codes SET code = 'A2' WHERE code = 'A3'", "references company_codes: c1 is not found under its code A2"},
		{"a recording that is gone", "UPDATE recordings SET instrument_id = 'fx:X' WHERE instrument_id = 'fx:USDTRY'",
			"UPDATE recordings SET instrument_id = 'fx:USDTRY' WHERE instrument_id = 'fx:X'",
			"references recordings: fx:USDTRY has recorded bars"},
		{"a recorded bar", "UPDATE bars SET high = '99' WHERE instrument_id = 'fx:USDTRY' AND resolution = '1d'",
			"UPDATE bars SET high = '42' WHERE instrument_id = 'fx:USDTRY' AND resolution = '1d'",
			"bars fx:USDTRY: the 1d bar of 2026-03-17T21:00:00Z is not the one"},
		{"a recorded bar that is gone",
			"UPDATE bars SET resolution = '9h' WHERE instrument_id = 'crypto:1' AND resolution = '2h' AND t = (SELECT " +
				"min(t) FROM bars WHERE " +
				"instrument_id = 'crypto:1' AND resolution = '2h')", "UPDATE bars SET resolution = '2h' WHERE resolution = '9h'",
			"bars crypto:1: the 2h bar of 2026-03-18T07:00:00Z is missing"},
		{"an observation that is gone", "UPDATE observations SET instrument_id = 'fx:X' WHERE instrument_id = 'fx:USDTRY' AND last = '42'",
			"UPDATE observations SET instrument_id = 'fx:USDTRY' WHERE instrument_id = 'fx:X'",
			"bars fx:USDTRY: no observation makes the 5m bar of"},
	}
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		everything(t, s)
		raw := dbtest.Raw(t, url)
		if found := verified(t, url); len(found) > 0 {
			t.Fatalf("healthy: %q", found)
		}
		for _, d := range damages {
			if d.undo == "" || dbtest.IsPostgres(url) && strings.Contains(d.do, "layout") { // which Postgres lets nobody break
				continue
			}
			for _, step := range []string{d.do, d.undo} {
				result, err := raw.Exec(step)
				if err != nil {
					t.Fatalf("%s: %v", d.name, err)
				}
				if n, err := result.RowsAffected(); err != nil || n == 0 {
					t.Fatalf("%s: nothing is changed, %v", d.name, err)
				}
				found := verified(t, url)
				if step == d.undo && len(found) > 0 {
					t.Fatalf("%s: repaired, and still %q", d.name, found)
				}
				if step == d.do && !strings.Contains(strings.Join(found, "\n"), d.says) {
					t.Errorf("%s: found %q, want %q", d.name, found, d.says)
				}
			}
		}
		execute := func(statement string) {
			t.Helper()
			if _, err := raw.Exec(statement); err != nil {
				t.Fatal(err)
			}
		}
		move(t, url)
		putDisclosures(t, s, false, disclosure(10, t1, "A1"))
		if found := verified(t, url); len(found) > 0 {
			t.Errorf("in another epoch: %q", found)
		}
		execute("UPDATE disclosures SET seq = 1000 WHERE disclosure_index = 10")
		if found := verified(t, url); len(found) != 2 || !strings.HasSuffix(found[0], "number 1000 of disclosures belongs to no epoch") {
			t.Errorf("between two epochs: %q", found)
		}
		for _, d := range damages {
			if d.undo == "" {
				execute(d.do)
				if found := verified(t, url); !strings.Contains(strings.Join(found, "\n"), d.says) {
					t.Errorf("%s: found %q, want %q", d.name, found, d.says)
				}
			}
		}
	})
}

// Every table with numbers of a feed is looked at.
func TestVerifyKnowsNumberedTables(t *testing.T) {
	url := "sqlite:" + filepath.Join(t.TempDir(), "piyasa.db")
	open(t, url)
	rows, err := dbtest.Raw(t,
		url).Query("SELECT m.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table' AND c.name = 'seq' AND " +
		"m.name NOT IN ('heads', 'withdrawn', 'sqlite_sequence')")
	need.NoError(t, err)
	defer rows.Close()
	known := map[string]bool{}
	for _, name := range db.NumberedTables() {
		known[name] = true
	}
	n := 0
	for ; rows.Next(); n++ {
		var name string
		need.NoError(t, rows.Scan(&name))
		if !known[name] {
			t.Errorf("%s is not looked at", name)
		}
	}
	if n != len(known) || rows.Err() != nil {
		t.Errorf("%d tables, and %d are known; %v", n, len(known), rows.Err())
	}
}

// A damaged file is a finding; a database that is none, or of another version, an
// error.
func TestVerifyOfDamagedFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "piyasa.db")
	s := open(t, "sqlite:"+path)
	everything(t, s)
	need.NoError(t, s.Close())
	whole, err := os.ReadFile(path)
	need.NoError(t, err)
	torn := append([]byte{}, whole...)
	for i := len(torn) / 2; i < len(torn)/2+20_000; i++ {
		torn[i] = 0x55
	}
	damaged := filepath.Join(t.TempDir(), "damaged.db")
	need.NoError(t, os.WriteFile(damaged, torn, 0o600))
	if found := verified(t, "sqlite:"+damaged); len(found) == 0 || !strings.HasPrefix(found[0], "integrity database: ") {
		t.Errorf("found %q", found)
	}
	nothing := func(db.Finding) {}
	if _, err := db.Verify(t.Context(), "sqlite:"+path+"-none", nothing); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	raw := dbtest.Raw(t, "sqlite:"+path)
	for _, c := range []struct{ statement, says string }{
		{"INSERT INTO bun_migrations (name, group_id) VALUES ('9999', 99)", "newer version"},
		{"DELETE FROM bun_migrations WHERE name IN ('9999', '0016')", "older version"},
		{"DROP TABLE bun_migrations", "no database of piyasa"},
	} {
		if _, err := raw.Exec(c.statement); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Verify(t.Context(), "sqlite:"+path, nothing); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.statement, err)
		}
	}
}

// Figures that an older version stored longer than they may be are read; what cannot be
// read is named, and the rest is looked at.
func TestVerifyNamesFigures(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		everything(t, s)
		raw := dbtest.Raw(t, url)
		long := strings.Repeat("9", 150) + "." + strings.Repeat("1", 98)
		if _, err := raw.Exec("UPDATE bars SET volume = '" + long + "' WHERE instrument_id = 'bist:DMOST'"); err != nil {
			t.Fatal(err)
		}
		span := market.Span{ID: "bist:DMOST", First: value.MustInstant("2026-03-16T21:00:00Z"),
			Last: value.MustInstant("2026-03-16T21:00:00Z")}
		bars, err := barsIn(s.Bars(t.Context(), market.Day, []market.Span{span}))
		if err != nil || len(bars[0]) != 1 || bars[0][0].Volume.String() != long {
			t.Errorf("read %v, %v", bars, err)
		}
		if found := verified(t, url); len(found) > 0 {
			t.Errorf("found %q", found)
		}
		if dbtest.IsPostgres(url) {
			return // which keeps nothing else than numbers
		}
		for _, damage := range []string{
			"UPDATE bars SET high = 'many' WHERE instrument_id = 'crypto:1' AND resolution = '2h'",
			"UPDATE observations SET last = '1e3' WHERE instrument_id = 'fx:USDTRY' AND last = '39'",
			"UPDATE index_bars SET close = '01'",
		} {
			if _, err := raw.Exec(damage); err != nil {
				t.Fatal(err)
			}
		}
		found := strings.Join(verified(t, url), "\n")
		for _, says := range []string{
			"figures crypto:1: high of the 2h bar of 2026-03-18T07:00:00Z cannot be read: must be an exact decimal",
			"figures fx:USDTRY: last of the observation of 2026-03-18T08:14:00Z cannot be read",
			"figures XU100: close of the bar of 2026-03-17 cannot be read",
		} {
			if !strings.Contains(found, says) {
				t.Errorf("found %s, want %s", found, says)
			}
		}
	})
}

// What is not shown because it cannot be is counted, and is no damage.
func TestVerifyCountsWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		d := value.MustDecimal
		day := &market.Bar{InstrumentID: "cmdty:XAU", Resolution: market.Day, T: value.MustInstant("2026-03-17T00:00:00Z"), High: d("9"),
			Low: d("11"), Close: d("10")}
		put(t, s, day, &market.Bar{InstrumentID: "cmdty:XAU", Resolution: market.Day, T: value.MustInstant("2026-03-16T00:00:00Z"),
			High: d("11"), Low: d("9"), Close: d("10")},
			&market.IndexBar{Code: "XU100", Date: value.MustDate("2026-03-17"), High: d("1"), Close: d("2")},
			&market.Observation{InstrumentID: "bist:THYAO", AsOf: value.MustInstant(t1), Last: d("10"), Bid: d("0")})
		looked, err := db.Verify(t.Context(), url, func(f db.Finding) { t.Errorf("%+v", f) })
		if err != nil || looked.LeftOut != 3 {
			t.Errorf("%+v, %v", looked, err)
		}
	})
}
