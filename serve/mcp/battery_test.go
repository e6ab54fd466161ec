package mcp_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"piyasa/serve/mcp"
)

// one returns the member of the first record of a kind whose members are equal to those in
// pairs.
func (w *world) one(t *testing.T, kind, member string, pairs ...string) string {
	t.Helper()
	for _, r := range w.records[kind] {
		if has(r, pairs) {
			return at(r, member)
		}
	}
	t.Fatalf("no %s record has %v", kind, pairs)
	return ""
}

// count returns how many records of a kind have such members.
func (w *world) count(kind string, pairs ...string) string {
	n := 0
	for _, r := range w.records[kind] {
		if has(r, pairs) {
			n++
		}
	}
	return fmt.Sprint(n)
}

// most returns a member of the record with the greatest text at by, among those that have
// such members.
func (w *world) most(t *testing.T, kind, by, member string, pairs ...string) string {
	t.Helper()
	var best map[string]any
	for _, r := range w.records[kind] {
		if has(r, pairs) && (best == nil || at(r, by) > at(best, by)) {
			best = r
		}
	}
	if best == nil {
		t.Fatalf("no %s record has %v", kind, pairs)
	}
	return at(best, member)
}

func has(r map[string]any, pairs []string) bool {
	for i := 0; i < len(pairs); i += 2 {
		if at(r, pairs[i]) != pairs[i+1] {
			return false
		}
	}
	return true
}

// Questions of people, each answered by one call; what is right follows from the records of
// the data.
func TestBattery(t *testing.T) {
	w := demoWorld(t)
	type args = map[string]any
	graph := func(query string) args { return args{"query": query} }
	ost, bnk := "bist:DMOST", "bist:DMBNK"
	bar := func(id, start, member string) string {
		return w.one(t, "bar", member, "instrument_id", id, "resolution", "1d", "t", start)
	}
	days := func(id string) (all []string) { // of its daily bars, by their start
		for _, r := range w.records["bar"] {
			if has(r, []string{"instrument_id", id, "resolution", "1d"}) {
				all = append(all, at(r, "t"))
			}
		}
		slices.Sort(all)
		return all
	}
	members := func(kind, code, market string) string {
		n := 0
		for _, r := range w.records[kind] {
			if at(r, "code") == code {
				for _, m := range r["members"].([]any) {
					if s, ok := m.(string); !ok || strings.HasPrefix(s, market) {
						n++
					}
				}
			}
		}
		return fmt.Sprint(n)
	}
	ofSymbol := func(symbol string) (numbers []string) { // of disclosures, oldest first
		for _, r := range w.records["disclosure"] {
			if strings.Contains(at(r, "symbols"), `"`+symbol+`"`) {
				numbers = append(numbers, at(r, "disclosure_index"))
			}
		}
		slices.Sort(numbers)
		return numbers
	}
	newest := func(all []string) string { return all[len(all)-1] }
	disclosure := func(number, member string) string {
		return w.one(t, "disclosure", member, "disclosure_index", number)
	}
	idOf := func(name string) string { return w.one(t, "instrument", "instrument_id", "name", name) }
	corrected := w.one(t, "disclosure", "disclosure_index", "reason", "CORR")
	ostDays, coin := days(ost), w.one(t, "instrument", "instrument_id", "ticker", "DMC")
	if ostDays[len(ostDays)-1] != "2026-03-16T21:00:00Z" { // the demo's day before
		t.Fatal(newest(ostDays))
	}

	asked := 0
	ask := func(question, tool string, arguments args, path, want string) {
		t.Helper()
		asked++
		got := call(t, w, tool, arguments)
		answer := got.text
		if path != "" {
			answer = at(got.json, path)
		}
		if got.wrong || answer != want && (path != "" || !strings.Contains(answer, want)) {
			t.Errorf("%s\n%s %v: %s is %q, want %q\n%.1000s", question, tool, arguments, path, answer, want, got.text)
		}
	}
	find := func(question, text, want string) {
		t.Helper()
		ask(question, "search_instruments", args{"query": text}, "instruments.0.instrument_id", want)
	}
	find("Which id has Işık Enerji?", "demo isik enerji", idOf("Demo Işık Enerji"))
	find("And the maker of cars?", "OTOMOTİV SANAYİ", idOf("Demo Otomotiv Sanayi"))
	find("Çarşı?", "carsi", idOf("Demo Çarşı Mağazaları"))
	find("The coin of lightning?", "ŞİMŞEK", idOf("Demo Şimşek"))
	find("DMC?", "dmc", coin)
	find("Dollars in lira?", "usd/try", "fx:USDTRY")
	find("bist:dmbnk?", "bist:dmbnk", bnk)
	find("As other services write it?", "DMOST.IS", ost)
	find("Words in another order?", "bankasi ticaret demo", idOf("Demo Ticaret Bankası"))
	banks := 0
	for _, r := range w.records["instrument"] {
		if strings.Contains(at(r, "name"), "Bankası") {
			banks++
		}
	}
	ask("How many have Bankası in their name?", "search_instruments", args{"query": "bankasi", "limit": 50}, "count", fmt.Sprint(banks))
	ask("Is there a Zürafa?", "search_instruments", args{"query": "zürafa"}, "count", "0")
	ask("In what is palm oil traded?", "search_instruments", args{"query": "palm yagi"}, "instruments.0.currency",
		w.one(t, "instrument", "currency", "symbol", "PALM"))

	closeOf := args{"ids": []string{ost}}
	ask("What did DMOST close at last?", "series", closeOf, "series.0.columns.close.-1", bar(ost, newest(ostDays), "close"))
	ask("When was that?", "series", closeOf, "series.0.as_of", "2026-03-17")
	since := 0
	for _, day := range ostDays {
		if day >= "2026-02-28T21:00:00Z" {
			since++
		}
	}
	ask("How many sessions had March?", "series", args{"ids": ost, "from": "2026-03-01"}, "series.0.count", fmt.Sprint(since))
	ask("What volume did it have on the 10th?", "series", args{"ids": ost, "from": "2026-03-10", "to": "2026-03-10"},
		"series.0.columns.volume.0", bar(ost, "2026-03-09T21:00:00Z", "volume"))
	ask("Where did it open?", "series", args{"ids": ost, "from": "2026-03-10", "columns": "open,close"}, "series.0.null_columns.0", "open")
	ask("USDTRY on 10 March?", "series", args{"ids": "fx:USDTRY", "from": "2026-03-10", "to": "2026-03-10"}, "series.0.columns.close.0",
		bar("fx:USDTRY", "2026-03-09T21:00:00Z", "close"))
	ask("The high of gold on the 11th?", "series", args{"ids": "cmdty:XAU", "from": "2026-03-11", "to": "2026-03-11", "columns": "high"},
		"series.0.columns.high.0", bar("cmdty:XAU", "2026-03-11T00:00:00Z", "high"))
	ask("The volume of Demo Chips?", "series", args{"ids": "us:DMCH", "from": "2026-03-10", "to": "2026-03-10"},
		"series.0.columns.volume.0", bar("us:DMCH", "2026-03-10T00:00:00Z", "volume"))
	ask("The coin's close on the 10th, by ticker?", "series", args{"ids": "crypto:dmc", "from": "2026-03-10", "to": "2026-03-10"},
		"series.0.columns.close.0", bar(coin, "2026-03-10T00:00:00Z", "close"))
	ask("How old is its price?", "series", args{"ids": "crypto:dmc", "from": "2026-03-10"}, "series.0.delay_seconds",
		w.one(t, "instrument", "delay", "ticker", "DMC"))
	ask("Two at once?", "series", args{"ids": []string{ost, bnk}, "from": "2026-03-10"}, "series.1.instrument_id", bnk)
	ask("An id that does not exist?", "series", args{"ids": []string{ost, "bist:NOPE"}, "from": "2026-03-10"}, "unknown_ids.0", "bist:NOPE")
	ask("Before there was anything?", "series", args{"ids": ost, "from": "2019-01-01", "to": "2019-01-31"}, "series.0.count", "0")

	quote := func(member string) string { return w.one(t, "quote", member, "instrument_id", ost) }
	ask("What does DMOST cost?", "graphql", graph(`{quote(id:"bist:DMOST"){last asOf dataDelaySeconds}}`), "data.quote.last", quote("last"))
	ask("As of when?", "graphql", graph(`{quote(id:"bist:DMOST"){last asOf}}`), "data.quote.asOf", quote("as_of"))
	ask("How far may it rise today?", "graphql", graph(`{quote(id:"bist:DMOST"){limitUp}}`), "data.quote.limitUp", quote("limit_up"))
	ask("And what was it yesterday?", "graphql", graph(`{quote(id:"bist:DMOST"){prevClose}}`), "data.quote.prevClose", quote("prev_close"))
	ask("Its P/E?", "graphql", graph(`{valuation(id:"bist:DMOST"){peRatio{value nullReason}}}`), "data.valuation.peRatio.value",
		w.most(t, "market_metrics", "date", "pe_ratio", "instrument_id", ost))
	ask("What is it worth?", "graphql", graph(`{valuation(id:"bist:DMOST"){marketCap{value}}}`), "data.valuation.marketCap.value",
		w.most(t, "market_metrics", "date", "market_cap", "instrument_id", ost))
	if w.one(t, "statement", "template", "instrument_id", bnk) != "bank" {
		t.Fatal("the bank files as none")
	}
	ask("The EBITDA of the bank?", "graphql", graph(`{valuation(id:"bist:DMBNK"){ebitda{value nullReason}}}`),
		"data.valuation.ebitda.nullReason", "bank_or_insurer_template")
	ask("Which dividend comes next?", "graphql", graph(`{instrument(id:"bist:DMOST"){dividends(first:1){exDate grossPerShare}}}`),
		"data.instrument.dividends.0.grossPerShare", w.most(t, "dividend", "ex_date", "gross_per_share", "instrument_id", ost))
	ask("When?", "graphql", graph(`{instrument(id:"bist:DMOST"){dividends(first:1){exDate}}}`), "data.instrument.dividends.0.exDate",
		w.most(t, "dividend", "ex_date", "ex_date", "instrument_id", ost))
	ask("How many dividends are known?", "graphql", graph(`{dividendHistory(id:"bist:DMOST"){count}}`), "data.dividendHistory.count",
		w.count("dividend", "instrument_id", ost))
	ask("How many car makers are there?", "graphql", graph(`{sectorConstituents(code:"otomotiv"){memberCount}}`),
		"data.sectorConstituents.memberCount", members("sector", "otomotiv", "bist:"))
	ask("How many are in the index?", "graphql", graph(`{indexConstituents(code:"xd030"){memberCount}}`),
		"data.indexConstituents.memberCount", members("index", "XD030", ""))
	fund := func(member string) string { return w.one(t, "fund", member, "code", "DMB") }
	ask("How risky is the fund DMB?", "graphql", graph(`{fundProfile(code:"DMB"){riskLevel}}`), "data.fundProfile.riskLevel",
		fund("risk_level"))
	ask("Its price, exactly?", "graphql", graph(`{fundProfile(code:"DMB"){price priceDate}}`), "data.fundProfile.price", fund("price"))
	ask("Who runs it?", "graphql", graph(`{fundProfile(code:"DMB"){founder}}`), "data.fundProfile.founder", fund("founder"))
	company := func(member string) string { return w.one(t, "company", member, "symbol", "DMOST") }
	ask("The capital of DMOST?", "graphql", graph(`{company(symbol:"DMOST"){capital{paidIn}}}`), "data.company.capital.paidIn",
		company("capital.paid_in"))
	ask("Since when is there one?", "graphql", graph(`{company(symbol:"DMOST"){identity{foundedAt}}}`), "data.company.identity.foundedAt",
		company("identity.founded_at"))
	ask("Who owns it?", "graphql", graph(`{company(symbol:"DMOST"){shareholders{name sharePct}}}`), "data.company.shareholders.0.sharePct",
		company("shareholders.0.share_pct"))
	ask("The newest producer prices?", "graphql", graph(`{producerPriceIndex(limit:1){points{month value}}}`),
		"data.producerPriceIndex.points.0.value", w.most(t, "inflation_point", "month", "value"))
	ask("The price of the offering?", "graphql", graph(`{ipo(id:"dmdep"){price lots}}`), "data.ipo.price",
		w.one(t, "ipo", "price", "id", "dmdep"))
	ask("How many offerings are known?", "graphql", graph(`{ipos{count}}`), "data.ipos.count", w.count("ipo"))
	ask("How important is event 900001?", "graphql", graph(`{calendarEvent(eventId:900001){importance}}`), "data.calendarEvent.importance",
		w.one(t, "calendar_event", "importance", "event_id", "900001"))

	all := w.records["disclosure"]
	ask("What was disclosed last?", "disclosures", args{"limit": 1}, "disclosures.0.disclosure_index",
		at(all[len(all)-1], "disclosure_index"))
	ask("And by DMOST?", "disclosures", args{"symbols": "DMOST", "limit": 1}, "disclosures.0.disclosure_index", newest(ofSymbol("DMOST")))
	ask("When?", "disclosures", args{"symbols": "DMOST", "limit": 1}, "disclosures.0.published_at",
		disclosure(newest(ofSymbol("DMOST")), "published_at"))
	ask("How many financial reports?", "disclosures", args{"type": "fr", "limit": 50}, "count", w.count("disclosure", "type", "FR"))
	ask("What does the correction correct?", "disclosures", args{"index": corrected}, "related_index", disclosure(corrected,
		"related_index"))
	ask("What does it say?", "disclosures", args{"index": corrected}, "body.fields.2.value.tr",
		disclosure(corrected, "body.content.2.value.tr"))
	ask("About what?", "disclosures", args{"index": corrected}, "subject.en", disclosure(corrected, "subject.en"))

	opened := map[string]bool{}
	for _, r := range all { // each kind of disclosure opens, also one whose body cannot be read
		if kind := at(r, "type"); !opened[kind] {
			opened[kind] = true
			ask("What is it?", "disclosures", args{"index": at(r, "disclosure_index")}, "type", kind)
		}
	}
	report := at(call(t, w, "disclosures", args{"type": "FR", "limit": 1}).json, "disclosures.0.disclosure_index")
	ask("Why has it no body?", "disclosures", args{"index": report}, "body_reason", "Disclosure "+report+
		": financial reports have no body.")

	ask("How many coins are there?", "coverage", nil, "markets.1.size", w.count("instrument", "market", "crypto"))
	ask("Since when is there history?", "coverage", args{"ids": ost}, "instruments.0.first_day", "2025-03-10")
	if ostDays[0] != "2025-03-09T21:00:00Z" {
		t.Error(ostDays[0])
	}
	ask("Of how many days?", "coverage", args{"ids": ost}, "instruments.0.days", fmt.Sprint(len(ostDays)))
	ask("How do I ask for dividends?", "search_schema", args{"query": "dividends of a stock"}, "",
		"Query.dividendHistory(id: ID!, knownAt: DateTime): DividendHistory")
	ask("What does a valuation have?", "search_schema", args{"query": "Valuation"}, "", "peRatio: Metric!")
	ask("And the calendar?", "search_schema", args{"query": "Query.calendar"}, "", "importance: Int")
	if asked < 50 {
		t.Errorf("%d questions", asked)
	}

	t.Run("long answers", func(t *testing.T) { testLongAnswers(t, w) })
}

// What is too long for a model becomes tables, then shorter, and says so.
func testLongAnswers(t *testing.T, w *world) {
	type args = map[string]any
	for _, c := range []struct {
		tool      string
		arguments args
		path      string // of what must be there
		says      []string
	}{
		{"graphql", args{"query": `{instruments(limit:150){instruments{instrumentId name sector sectorCode}}}`},
			"data.instruments.instruments.rows.0.0", nil},
		{"graphql", args{"query": `{instruments(limit:150){instruments{instrumentId name sector source segment currency coverageFrom}}}`},
			"data.instruments.instruments.rows.20.1", []string{`"cut"`, "data.instruments.instruments: the first", "of 150",
				"/graphql?query="}},
		{"graphql", args{"query": `{candles(id:"bist:DMOST"){columns{t close high low turnover}}}`}, "data.candles.columns.turnover.50",
			[]string{"data.candles.columns.t: the first"}},
		{"graphql", args{"query": `query ($ids: [ID!]!) {watchlist(ids:$ids){name candles{bars{t close}}}}`,
			"variables": args{"ids": []string{"bist:DMOST", "bist:DMBNK"}}}, "data.watchlist.rows.1.1.bars.rows.20.0",
			[]string{"POST https://api.example.test/graphql"}},
		{"graphql", args{"query": `{__schema{types{name description fields{name description}}}}`}, "data.__schema.types",
			[]string{`"cut"`}},
		{"series", args{"ids": []string{"bist:DMOST", "us:DMCH"}, "columns": "high,low,close,volume"}, "series.1.columns.close.30",
			[]string{"the newest", "Older rows", "format=csv"}},
		{"disclosures", args{"limit": 50}, "disclosures.rows.30.0", []string{"next_cursor", "Ask for a lower limit"}},
		{"search_instruments", args{"query": "demo", "limit": 50}, "instruments", []string{"There are more"}},
	} {
		got := call(t, w, c.tool, c.arguments)
		if got.wrong || got.json == nil || at(got.json, c.path) == "missing" {
			t.Errorf("%s %v has no %s: %.700s", c.tool, c.arguments, c.path, got.text)
		}
		for _, want := range c.says {
			if !strings.Contains(got.text, want) {
				t.Errorf("%s %v does not say %q: …%s", c.tool, c.arguments, want, got.text[max(0, len(got.text)-700):])
			}
		}
		if n := mcp.Tokens([]byte(got.text)); c.says != nil && strings.Contains(got.text, `"cut"`) && n < mcp.MaxAnswer/2 {
			t.Errorf("%s %v is cut to %d tokens", c.tool, c.arguments, n)
		}
	}
	newest := call(t, w, "series", args{"ids": []string{"bist:DMOST"}})
	long := call(t, w, "series", args{"ids": []string{"bist:DMOST"}, "columns": "high,low,close,volume,turnover"})
	if at(newest.json, "series.0.columns.close.-1") != at(long.json, "series.0.columns.close.-1") {
		t.Errorf("what is cut has lost its newest row: %.600s", long.text)
	}
}
