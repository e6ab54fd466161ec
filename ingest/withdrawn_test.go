package ingest_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/ingest"
	"piyasa/test/fixture/need"
)

// withdrawal is how a kind is withdrawn: by the members of its key, or, saying
// why, not at all.
type withdrawal struct {
	key   string // members that must be stated
	more  string // members that belong to it where a record states them
	order string // the member that orders versions, if one does
	why   string
}

var withdrawals = map[string]withdrawal{
	"instrument":       {key: "instrument_id"},
	"quote":            {why: "last is null"},
	"bar":              {key: "instrument_id resolution t"},
	"index":            {key: "code", order: "synced_at"},
	"index_bar":        {key: "code date"},
	"sector":           {key: "code"},
	"trading_day":      {key: "market date"},
	"price_limits":     {key: "instrument_id date"},
	"corporate_action": {key: "instrument_id", more: "action_id"},
	"market_metrics":   {key: "instrument_id date", order: "as_of"},
	"statement":        {key: "instrument_id fiscal_year fiscal_month currency filed_at", more: "consolidation"},
	"dividend":         {key: "instrument_id ex_date", more: "dividend_id kind installment"},
	"calendar_event":   {key: "event_id"},
	"calendar_item":    {key: "event_id time"},
	"inflation_point":  {key: "series_id month"},
	"index_link":       {key: "series_id from_base to_base"},
	"disclosure":       {why: "CANC"},
	"company":          {key: "company_id"},
	"filing":           {key: "disclosure_index"},
	"fund":             {key: "code", order: "as_of"},
	"fund_flow":        {key: "code date"},
	"fund_holding":     {key: "fund_code report_month instrument_id"},
	"ipo":              {key: "id", order: "as_of"},
	"source_status":    {why: "a newer status replaces it"},
	"state":            {why: "a newer state replaces it"},
	"news":             {key: "news_id"},
	"logo":             {more: "instrument_id founder"},
}

// example returns the example line of a kind; the instrument is no coin.
func example(t testing.TB, kind string) map[string]any {
	t.Helper()
	line := strings.ReplaceAll(exampleLines(t)[kind], "@N", "7")
	if kind == "instrument" {
		line = `{"record":"instrument","instrument_id":"bist:DMOST","symbol":"DMOST","name":"x","market":"bist","asset_type":"STOCK","currency":"TRY"}`
	}
	var members map[string]any
	d := json.NewDecoder(strings.NewReader(line))
	d.UseNumber()
	need.NoError(t, d.Decode(&members))
	return members
}

// only returns the members of a record that names list, and what it is, withdrawn.
func only(record map[string]any, names ...string) map[string]any {
	line := map[string]any{"record": record["record"], "withdrawn": true}
	for _, name := range names {
		for _, one := range strings.Fields(name) {
			if v, ok := record[one]; ok {
				line[one] = v
			}
		}
	}
	return line
}

// spell returns a record as a line.
func spell(t testing.TB, record map[string]any) string {
	t.Helper()
	text, err := json.Marshal(record)
	need.NoError(t, err)
	return string(text) + "\n"
}

// with is record with a member that is set, or with nil left out.
func with(record map[string]any, name string, value any) map[string]any {
	record = maps.Clone(record)
	if record[name] = value; value == nil {
		delete(record, name)
	}
	return record
}

// What is stored is withdrawn by its key, with or without the rest of its line,
// once; and another line of it brings it back, unless it is not newer than what
// was withdrawn.
func TestEveryKindIsWithdrawn(t *testing.T) {
	if got, want := slices.Sorted(maps.Keys(withdrawals)), slices.Sorted(maps.Keys(contract)); !slices.Equal(got, want) {
		t.Fatalf("%v, want %v", got, want)
	}
	dbtest.Each(t, everyKindIsWithdrawn)
}

// The role for ingest stores and withdraws records of every kind.
func TestIngestRoleStoresEveryKind(t *testing.T) {
	roles := dbtest.WithRoles(t, "../docs/postgres-roles.sql", func(owner string) {
		if _, err := db.Migrate(t.Context(), owner); err != nil {
			t.Fatal(err)
		}
	})
	everyKindIsWithdrawn(t, roles.Ingest)
}

func everyKindIsWithdrawn(t *testing.T, url string) {
	one := func(r string) ingest.Counts {
		return map[string]ingest.Counts{"stored": {Read: 1, Stored: 1}, "unchanged": {Read: 1, Unchanged: 1}, "stale": {Read: 1, Stale: 1},
			"rejected": {Read: 1, Rejected: 1}}[r]
	}
	s := open(t, url)
	send := func(what string, record map[string]any, result string) string {
		t.Helper()
		r := run(t, s, strings.NewReader(spell(t, record)))
		if r.err != nil || r.Counts != one(result) {
			t.Errorf("%s %s: %+v, %v, %s; want it %s", record["record"], what, r.Counts, r.err, r.messages, result)
		}
		return r.messages
	}
	for kind, of := range withdrawals {
		record := example(t, kind)
		if of.why != "" {
			send("stored", record, "stored")
			if said := send("withdrawn", with(record, "withdrawn", true), "rejected"); !strings.Contains(said,
				": withdrawn: does not apply to "+kind) || !strings.Contains(said, of.why) {
				t.Errorf("%s: %s", kind, said)
			}
			continue
		}
		withdrawn := only(record, of.key, of.more)
		send("withdrawn before it is there", withdrawn, "unchanged")
		send("stored", with(record, "withdrawn", false), "stored")
		send("again", with(record, "withdrawn", nil), "unchanged")
		send("withdrawn", withdrawn, "stored")
		send("withdrawn again", withdrawn, "unchanged")
		send("withdrawn again as a whole", with(record, "withdrawn", true), "unchanged")
		if of.order == "" {
			send("back", record, "stored")
			send("withdrawn as a whole", with(record, "withdrawn", true), "stored")
			send("back again", record, "stored")
		} else {
			stated := record[of.order]
			send("the line that was withdrawn", record, "stale")
			send("an older one", with(record, of.order, "2025-10-15T14:59:59Z"), "stale")
			send("back", with(record, of.order, "2026-03-18T12:00:00Z"), "stored")
			send("withdrawn too late", with(withdrawn, of.order, stated), "stale")
			send("withdrawn from then", with(withdrawn, of.order, "2026-03-18T13:00:00Z"), "stored")
			send("withdrawn from then, again", with(withdrawn, of.order, "2026-03-18T13:00:00Z"), "unchanged")
			send("withdrawn later still", with(withdrawn, of.order, "2026-03-18T14:00:00Z"), "stored")
			send("between", with(record, of.order, "2026-03-18T13:30:00Z"), "stale")
			send("back at last", with(record, of.order, "2026-03-18T14:00:00.001Z"), "stored")
			record = with(record, of.order, "2026-03-18T14:00:00.001Z")
		}
		send("and there", record, "unchanged")
		for _, name := range strings.Fields(of.key) {
			if said := send("withdrawn without "+name, with(withdrawn, name, nil), "rejected"); !strings.Contains(said, name+
				": is missing") {
				t.Errorf("%s: %s", kind, said)
			}
		}
		if said := send("withdrawn maybe", with(record, "withdrawn", "yes"), "rejected"); !strings.Contains(said,
			"withdrawn: must be true or false") {
			t.Errorf("%s: %s", kind, said)
		}
		// In one batch the last line counts.
		r := run(t, s, strings.NewReader(spell(t, withdrawn)+spell(t, withdrawn)))
		r.counts(t, ingest.Counts{Read: 2, Stored: 1, Unchanged: 1})
	}
}

func TestWithdrawalsThatCannotBe(t *testing.T) {
	refuse(t, []refusal{
		{"a coin", `{"record":"instrument","instrument_id":"crypto:1","withdrawn":true}`, "withdrawn",
			"the number of crypto:1 is never reused"},
		{"a logo of nobody", `{"record":"logo","withdrawn":true}`, "instrument_id", "either instrument_id or founder"},
		{"a bar between bars",
			`{"record":"bar","instrument_id":"bist:DMOST","resolution":"5m","t":"2026-03-18T08:01:00Z","withdrawn":true}`, "t",
			"must be the start of a bar"},
		{"an unknown member", `{"record":"news","news_id":"n","withdrawn":true,"reason":"x"}`, "reason", "is not a member of this record"},
		{"a wrong member", `{"record":"dividend","instrument_id":"bist:DMOST","ex_date":"2026-05-04","installment":0,"withdrawn":true}`,
			"installment", "from 1 to 100"},
		{"a part of a record", `{"record":"ipo","id":"x","documents":[{"name":"a","location":"b","withdrawn":true}],"withdrawn":true}`,
			"documents[0].withdrawn", "is not a member of this record"},
	})
}
