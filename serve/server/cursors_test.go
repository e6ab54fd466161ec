package server_test

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/fundamentals"
	"piyasa/domain/kap"
	"piyasa/domain/news"
	"piyasa/internal/value"
	"piyasa/serve/stream"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// pagedList is a list in pages of one row, over REST and GraphQL.
type pagedList struct {
	path, field, row string
	first            func(nth int) any // a record that comes before all others, the higher nth the earlier
}

var pagedLists = map[string]pagedList{
	"disclosures": {"/v1/kap-feed/disclosures?", `disclosures(`, "items { disclosureIndex }", func(nth int) any {
		return &kap.Record{Disclosure: kap.Disclosure{
			DisclosureIndex: 1600 + nth, Type: kap.ODA, Class: "ODA", Symbols: []string{"DMOST"}, FilerCodes: []string{},
			PublishedAt: value.MustInstant("2026-03-18T08:00:00Z"),
		}}
	}},
	"filings": {"/v1/kap-feed/financials/DMOST?", `filings(symbol: "DMOST", `, "items { disclosureIndex }", func(nth int) any {
		return &kap.FilingRecord{Symbol: "DMOST", Filing: kap.Filing{
			DisclosureIndex: 1600 + nth, Year: fmt.Sprint(2026 + nth), Period: "Annual",
			EndDate: value.MustDate("2026-12-31").AddDays(365 * nth), Consolidation: "CS", Currency: "TRY", Template: "industrial",
			BalanceSheet: []*kap.FilingLine{}, IncomeStatement: []*kap.FilingLine{}, CashFlow: []*kap.FilingLine{},
		}}
	}},
	"news": {"/v1/kap?", `news(`, "items { newsId }", func(nth int) any {
		return &news.Item{NewsID: fmt.Sprint("n-9", nth), Title: "Yeni", PublishedAt: value.MustInstant("2026-03-18T08:00:00Z"),
			Symbols: []string{}}
	}},
	"dividends": {"/v1/dividends?", `dividends(`, "dividends { exDate }", func(nth int) any {
		return &fundamentals.DividendRecord{InstrumentID: "bist:DMBNK", ExDate: value.MustDate("2026-03-01").AddDays(-nth),
			GrossPerShare: value.MustDecimal("1"), Currency: "TRY"}
	}},
}

// A walk over any list goes on in another epoch as long as it has shown nothing that
// the store lost; else it begins again, and learns it.
func TestWalksOverAStoreThatWentBack(t *testing.T) {
	for name, list := range pagedLists {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "piyasa.db")
			a := fixture.New(t, fixture.On("sqlite:"+path))
			seen := ""
			look := func() {
				t.Helper()
				m, err := a.Store.Look(t.Context())
				need.NoError(t, err)
				rows := stream.Rows{Head: m.Heads[db.FeedDisclosures], Epochs: m.Epochs, Rebuild: seen != "" && seen != m.Epochs.Current()}
				need.NoError(t, a.Services.Feeds()[db.FeedDisclosures](t.Context(), rows))
				seen = m.Epochs.Current()
			}
			store := func(nth int) {
				storeOne(t, a.Store, list.first(nth))
				look()
			}
			rest := func(cursor string) fixture.Answer {
				if cursor != "" { // the first page has none
					cursor = "&cursor=" + url.QueryEscape(cursor)
				}
				return a.Get(list.path+"limit=1"+cursor, fixture.All)
			}
			graphQL := func(cursor string) string {
				if cursor != "" {
					cursor = fmt.Sprintf(", cursor: %q", cursor)
				}
				return a.Query(fmt.Sprintf("{ %slimit: 1%s) { %s nextCursor } }", list.field, cursor, list.row), fixture.All).Text
			}
			next := func(cursor string) string {
				t.Helper()
				answer := rest(cursor)
				following, _ := answer.JSON["next_cursor"].(string)
				if answer.StatusCode != 200 || fmt.Sprint(answer.JSON["count"]) != "1" || following == "" ||
					!strings.Contains(graphQL(cursor), following) {
					t.Fatalf("%d %s", answer.StatusCode, answer.Text)
				}
				return following
			}
			gone := func(cursor string) {
				t.Helper()
				answer := rest(cursor)
				if answer.StatusCode != 410 || !strings.HasSuffix(answer.JSON["type"].(string), "/position-gone") ||
					answer.JSON["parameter"] != "cursor" || answer.JSON["resume_from"] != nil {
					t.Errorf("%d %s", answer.StatusCode, answer.Text)
				}
				if text := graphQL(cursor); !strings.Contains(text, `"POSITION_GONE"`) || strings.Contains(text, "nextCursor") {
					t.Error(text)
				}
			}

			look()
			kept := next("")
			saved := filepath.Join(t.TempDir(), "saved.db")
			execute(t, path, "VACUUM INTO '"+saved+"'")
			store(1)
			lost := next("")
			second := next(lost) // its own row is in the copy

			need.NoError(t, os.Remove(path+"-witness"))
			look()
			if a.Services.Epochs.Begun() != 1 {
				t.Fatal("no epoch has begun")
			}
			if again := next(lost); again != second {
				t.Errorf("the same page has another cursor: %s, then %s", second, again)
			}
			store(2)
			unknown := next("")

			for _, file := range []string{path, path + "-wal", path + "-shm"} {
				need.NoError(t, os.Rename(file, file+".old"))
			}
			need.NoError(t, os.Rename(saved, path))
			look()
			gone(lost)
			gone(second)
			gone(unknown)
			if answer := rest(kept); answer.StatusCode != 200 || fmt.Sprint(answer.JSON["count"]) != "1" {
				t.Errorf("%d %s", answer.StatusCode, answer.Text)
			}
			if text := graphQL(kept); strings.Contains(text, "errors") {
				t.Error(text)
			}
			next("")
		})
	}
}

func execute(t *testing.T, path, statement string) {
	t.Helper()
	raw := dbtest.Raw(t, "sqlite:"+path)
	defer raw.Close()
	if _, err := raw.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

// storeOne stores a record of a list.
func storeOne(t *testing.T, store *db.Store, record any) {
	t.Helper()
	batch, outcome := new(db.Batch), new(db.Outcome)
	switch r := record.(type) {
	case *kap.Record:
		db.Put(batch, r, outcome)
	case *kap.FilingRecord:
		db.Put(batch, r, outcome)
	case *news.Item:
		db.Put(batch, r, outcome)
	case *fundamentals.DividendRecord:
		db.Put(batch, r, outcome)
	}
	if err := store.Store(t.Context(), batch); err != nil || outcome.Result != db.Stored {
		t.Fatal(err, outcome)
	}
}
