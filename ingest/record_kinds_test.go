package ingest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"piyasa/test/fixture/need"
)

// contract is every kind with its members as the ingest contract lists them:
// path, ! where it must be stated, sort. testdata/kinds.ndjson holds a line of
// each kind that states them all.
var contract = map[string]string{
	"instrument": `instrument_id! id, symbol! text, ticker text, name! text, market! market, asset_type! asset_type, currency! text,
		source text, session object, session.timezone! text, session.open clock, session.close clock, session.always_open! bool,
		delay int, coverage_from date, sector text, sector_code text, price_mechanism text, fund_code text, founder text,
		category text, underlying_index text, is_participation bool, segment text, unit text, region text, cmc_id! int, slug text,
		isin isin, valid_from date, predecessor! id, renamed_on date`,
	"quote": `instrument_id! id, as_of! instant, last decimal, currency text, prev_close decimal, change decimal,
		change_pct decimal, open decimal, high decimal, low decimal, bid decimal, ask decimal, volume decimal, turnover decimal,
		limit_up decimal, limit_down decimal, market_cap decimal, data_delay_seconds int, current_until instant`,
	"bar": `instrument_id! id, resolution! choice, t! instant, open decimal, high decimal, low decimal, close decimal,
		volume decimal, trade_count int, turnover decimal, adjustment choice`,
	"index": `code! text, name! text, verified! bool, synced_at! instant, members! list, members[0] object,
		members[0].symbol! text, members[0].sector text`,
	"index_bar":    `code! text, date! date, open decimal, high decimal, low decimal, close! decimal`,
	"sector":       `code! text, name! text, name_en text, members! list, members[0] id, successors list, successors[0] text`,
	"trading_day":  `market! market, date! date, open! clock, close! clock`,
	"price_limits": `instrument_id! id, date! date, limit_up! decimal, limit_down! decimal`,
	"corporate_action": `instrument_id! subject, action_id text, kind! choice, ex_date! date, new! decimal, old! decimal, price! decimal,
		currency! text, order int, disclosure_index int`,
	"market_metrics": `instrument_id! id, date! date, market_cap decimal, pe_ratio decimal, as_of! instant,
		source text`,
	"statement": `instrument_id! id, fiscal_year! int, fiscal_month! int, currency! text, start_date date, end_date! date,
		consolidation choice, basis! choice, template! choice, filed_at! instant, items! list, items[0] object, items[0].code! text, items[0].label_tr! text,
		items[0].group! choice, items[0].kind! choice, items[0].value decimal, items[0].role choice`,
	"dividend": `instrument_id! id, ex_date! date, dividend_id text, kind text, installment int, payment_date date, gross_per_share decimal,
		net_per_share decimal, currency! text`,
	"calendar_event": `event_id! int, name! text, country! object, country.name! text, country.code! text, currency! text,
		importance! int, is_speaking! bool`,
	"calendar_item":   `event_id! int, time! instant, actual number, forecast number, previous number, unit any_text`,
	"inflation_point": `series_id! choice, month! month, value decimal, unit text, source text, fetched_at instant`,
	"index_link":      `series_id! choice, from_base! text, to_base! text, factor! decimal, divisor decimal, month month, source text`,
	"disclosure": `disclosure_index! int, type! choice, class! text, symbols! list, symbols[0] text, filer_codes! list,
		filer_codes[0] text, filer_title text, company_id text, published_at instant, reason choice, related_index int,
		subject object, subject.tr any_text, subject.en any_text, summary object, summary.tr any_text, summary.en any_text,
		link link, year text, period text, consolidation text, attachments list, attachments[0] object,
		attachments[0].name! text, attachments[0].content_type text, attachments[0].size_bytes int,
		attachments[0].location! text, attachment_count int, facts list, facts[0] object, facts[0].concept! text,
		facts[0].label object, facts[0].label.tr any_text, facts[0].value any_text, facts[0].unit any_text,
		facts[0].decimals any_text, facts[0].context_id! text, contexts list, contexts[0] object, contexts[0].id! text,
		contexts[0].period_type! text, contexts[0].instant date, contexts[0].start_date date, contexts[0].end_date date,
		contexts[0].dimensions list, contexts[0].dimensions[0] object, contexts[0].dimensions[0].axis! text,
		contexts[0].dimensions[0].member! text, body object,
		body.source_format! choice, body.file_type! text, body.content! anything`,
	"company": `company_id! text, codes! list, codes[0] text, symbol text, identity object, identity.title! text,
		identity.company_id text, identity.codes list, identity.trade_registry_no text, identity.founded_at date,
		identity.address text, identity.website text, identity.auditor text, sector text, capital object,
		capital.paid_in decimal, capital.registered_ceiling decimal, capital.currency! text, free_float object,
		free_float.pct decimal, free_float.amount decimal, free_float.as_of instant, shareholders list,
		shareholders[0] object, shareholders[0].name! text, shareholders[0].share_amount decimal,
		shareholders[0].share_pct decimal, shareholders[0].voting_pct decimal, share_groups list, share_groups[0] object,
		share_groups[0].group! text, share_groups[0].nominal_value decimal, share_groups[0].amount decimal,
		share_groups[0].share_pct decimal, share_groups[0].privileged bool, share_groups[0].traded bool, board list,
		board[0] object, board[0].name! text, board[0].title text, board[0].appointed_at date, board[0].is_independent bool,
		executives list, executives[0] object, executives[0].name! text, executives[0].title text,
		executives[0].appointed_at date, executives[0].is_independent bool, as_of instant`,
	"filing": `disclosure_index! int, symbol! text, year! text, period! text, end_date! date, consolidation! choice,
		currency! text, template! text, tms29_applied! bool, measuring_month month, balance_sheet! list,
		balance_sheet[0] object, balance_sheet[0].code! text, balance_sheet[0].label! object, balance_sheet[0].label.tr any_text,
		balance_sheet[0].label.en any_text, balance_sheet[0].value decimal, balance_sheet[0].value_type! choice,
		income_statement! list, income_statement[0].code! text, income_statement[0].value_type! choice, cash_flow! list,
		cash_flow[0].code! text, cash_flow[0].value_type! choice`,
	"fund": `code! text, instrument_id id, name! text, founder text, category text, currency! text, price decimal,
		price_date date, portfolio_size decimal, investor_count int, share_count decimal, management_fee_pct decimal,
		risk_level int, is_participation bool, inception_date date, as_of instant, returns object, returns.1w decimal,
		returns.2w decimal, returns.1m decimal, returns.3m decimal, returns.6m decimal, returns.1y decimal, returns.3y decimal,
		returns.5y decimal`,
	"fund_flow":    `code! text, date! date, net_flow! decimal, inflow decimal, outflow decimal, investor_count int`,
	"fund_holding": `fund_code! text, instrument_id! id, report_month! month, weight_pct decimal, market_value decimal`,
	"ipo": `id! text, company! text, symbol text, instrument_id id, price decimal, price_low decimal, price_high decimal,
		currency! text, lots decimal, offer_size decimal, demand_start date, demand_end date, first_trade_date date,
		lead_underwriter text, as_of instant, distribution_method text, use_of_proceeds text, discount_pct decimal,
		free_float_pct decimal, documents list, documents[0] object, documents[0].name! text, documents[0].content_type text,
		documents[0].size_bytes int, documents[0].location! text`,
	"source_status": `source! text, up! bool, as_of! instant, last_success instant, newest_record instant, next_due instant, error any_text`,
	"state":         `source! text, state! anything, as_of! instant`,
	"news": `news_id! text, title! text, published_at! instant, symbols! list, symbols[0] text, summary text,
		sentiment object, sentiment.label! text, sentiment.score decimal, link link`,
	"logo": `instrument_id! id, founder text, png! png`,
}

// wrong values of each sort, as JSON, and what the reason must then say is
// allowed.
var wrong = map[string][][2]string{
	"text": {{`1`, "a JSON string"}, {`true`, "a JSON string"}, {`["x"]`, "a JSON string"}, {`{}`, "a JSON string"},
		{`""`, "leave the member out"}},
	"link": {
		{`1`, "a JSON string"}, {`""`, "leave the member out"}, {`"javascript:alert(1)"`, "with http or https"},
		{`" javascript:x"`, "with http or https"}, {`"data:text/html,x"`, "with http or https"},
		{`"//example.test/1"`, "with http or https"}, {`"example.test/1"`, "with http or https"}, {`"http:"`, "with http or https"},
	},
	"any_text": {{`1`, "a JSON string"}, {`{"tr":"x"}`, "a JSON string"}},
	"decimal": {{`1`, `such as "305.25"`}, {`1.5`, `such as "305.25"`}, {`"1e3"`, "no exponent"}, {`"1E3"`, "no exponent"},
		{`"1,5"`, "no separator"},
		{`"1.234,50"`, "no separator"}, {`"-0"`, "no -0"}, {`"-0.00"`, "no -0"}, {`"+1"`, "optional minus"}, {`".5"`, "decimal"},
		{`"1."`, "decimal"},
		{`"01"`, "decimal"}, {`""`, "decimal"}, {`" 1"`, "decimal"}, {`"NaN"`, "decimal"}, {`"Infinity"`, "decimal"}, {`"١"`, "decimal"},
		{`false`, "decimal"}},
	"instant": {{`1742298300`, "a JSON string"}, {`"2026-03-18T11:45:00"`, "in UTC such as"},
		{`"2026-03-18T14:45:00+03:00"`, "in UTC such as"},
		{`"2026-03-18T11:45:00+00:00"`, "in UTC such as"}, {`"2026-03-18 11:45:00Z"`, "in UTC such as"},
		{`"2026-03-18T11:45Z"`, "in UTC such as"},
		{`"2026-02-30T11:45:00Z"`, "in UTC such as"}, {`"2026-03-18T11:45:00.1234Z"`, "at most milliseconds"},
		{`"2026-03-18"`, "in UTC such as"}, {`""`, "in UTC such as"}},
	"date": {{`20260318`, "a JSON string"}, {`"2026-02-30"`, "YYYY-MM-DD"}, {`"18.03.2026"`, "YYYY-MM-DD"}, {`"2026-3-18"`, "YYYY-MM-DD"},
		{`"2026-03-18T00:00:00Z"`, "YYYY-MM-DD"}, {`""`, "YYYY-MM-DD"}},
	"month": {{`202603`, "a JSON string"}, {`"2026-13"`, "YYYY-MM"}, {`"2026-3"`, "YYYY-MM"}, {`"2026-03-18"`, "YYYY-MM"},
		{`""`, "YYYY-MM"}},
	"int": {{`"1"`, "number"}, {`1.5`, "number"}, {`1e2`, "number"}, {`true`, "number"}, {`9007199254740993`, "number"},
		{`-9007199254740993`, "number"},
		{`2147483648`, "number"}, {`-2147483649`, "number"}, {`99999999999999999999`, "number"}},
	"number": {{`"1"`, "a JSON number"}, {`true`, "a JSON number"}, {`[1]`, "a JSON number"}},
	"bool":   {{`"true"`, "true or false"}, {`0`, "true or false"}, {`1`, "true or false"}},
	"id": {{`1`, "a JSON string"}, {`"DMOST"`, "a canonical instrument id"}, {`"bist:dmost"`, "a canonical"},
		{`"nyse:KO"`, "a market (bist, crypto, fx"}, {`"crypto:BTC"`, "a canonical"}, {`"crypto:01"`, "a canonical"},
		{`"crypto:0"`, "a canonical"}, {`"fx:USDTR"`, "a canonical"}, {`"bist:"`, "a canonical"}, {`"bist:ÇELIK"`, "a canonical"},
		{`""`, "a canonical"}},
	"subject": {{`1`, "a JSON string"}, {`"bist:dmost"`, "a canonical"}, {`"dmost"`, "the code of an index"}, {`""`, "a canonical"}},
	"market": {{`1`, "a JSON string"}, {`"nyse"`, "one of bist, crypto, fx"}, {`"BIST"`, "one of bist, crypto, fx"},
		{`""`, "one of bist"}},
	"asset_type": {{`1`, "a JSON string"}, {`"stock"`, "one of STOCK, ETF"}, {`""`, "one of STOCK, ETF"}},
	"clock": {{`1000`, "a JSON string"}, {`"9:00"`, "HH:MM"}, {`"24:00"`, "HH:MM"}, {`"10:60"`, "HH:MM"}, {`"10:00:00"`, "HH:MM"},
		{`""`, "HH:MM"}},
	"choice": {{`true`, "must be"}, {`"nothing-of-this"`, "one of "}, {`""`, "one of "}, {`7`, "must be"}},
	"object": {{`[]`, "an object"}, {`"x"`, "an object"}, {`1`, "an object"}},
	"list":   {{`{}`, "a list"}, {`"x"`, "a list"}, {`1`, "a list"}},
	"png": {{`1`, "a JSON string"}, {`"AAAA"`, "a PNG image in base64"}, {`"%%"`, "a PNG image in base64"},
		{`""`, "a PNG image in base64"}, {`"iVBORw0KGgo="`, "a PNG image in base64"},
		{`"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAADklEQVR4nGJiAAQAAP//AAYAA/rQWa4A"`, "a complete PNG image"}},
	"isin": {{`1`, "a JSON string"}, {`"US0378331004"`, "the check digit"}, {`"US037833100"`, "the check digit"},
		{`"us0378331005"`, "two letters"}, {`"080378331005"`, "two letters"}},
	"anything": {},
}

// member is one of a kind's.
type member struct {
	path, sort string
	required   bool
}

func membersOf(kind string) []member {
	var out []member
	for _, item := range strings.Split(contract[kind], ",") {
		path, sort, _ := strings.Cut(strings.TrimSpace(item), " ")
		m := member{path: path, sort: sort}
		m.path, m.required = strings.CutSuffix(path, "!")
		out = append(out, m)
	}
	return out
}

// attempt is a line with what must become of it: accepted when field is empty.
type attempt struct{ name, line, field, says string }

// attempts are everything that can be wrong with one member of the line of a
// kind, one at a time. @N in a line becomes the number of the attempt.
func attempts(t *testing.T, kind, line string) []attempt {
	t.Helper()
	all := []attempt{{name: "the whole line", line: line}}
	add := func(name, path, value, field, says string) {
		fresh := strings.ReplaceAll(line, "@N", strconv.Itoa(len(all)+1))
		all = append(all, attempt{name, changed(t, fresh, path, value), field, says})
	}
	parents := []string{""}
	for _, m := range membersOf(kind) {
		switch _, isElement := strings.CutSuffix(m.path, "]"); {
		case isElement:
			add(m.path+" null", m.path, "null", m.path, "must not be null")
		case m.required:
			add(m.path+" missing", m.path, "", reported(kind, m.path), "")
			add(m.path+" null", m.path, "null", reported(kind, m.path), "")
		default:
			add(m.path+" missing", m.path, "", "", "")
			add(m.path+" null", m.path, "null", "", "")
		}
		values, ok := wrong[m.sort]
		if !ok {
			t.Fatalf("%s: no wrong values for %q", m.path, m.sort)
		}
		for _, w := range values {
			add(m.path+" "+w[0], m.path, w[0], m.path, w[1])
		}
		if m.sort == "object" {
			parents = append(parents, m.path+".")
		}
	}
	for _, parent := range parents {
		add("unknown member of "+parent, parent+"lastt", `"1"`, parent+"lastt", "is not a member of this record; the members are ")
		if parent != "" {
			add("record inside "+parent, parent+"record", `"quote"`, parent+"record", "is not a member of this record")
		}
	}
	return all
}

// reported returns the field that is named when a required one is missing: half of
// the hours of a day, or of a logo's owner, is reported at one of the two.
func reported(kind, path string) string {
	if kind == "trading_day" && path == "open" {
		return "close"
	}
	return path
}

// changed returns the line with the member at path set to value, or removed. It
// spells the members in another order than the line.
func changed(t *testing.T, line, path, value string) string {
	t.Helper()
	var root any
	d := json.NewDecoder(strings.NewReader(line))
	d.UseNumber()
	if err := d.Decode(&root); err != nil {
		t.Fatalf("%v in %s", err, line)
	}
	at := root
	steps := strings.FieldsFunc(strings.ReplaceAll(path, "[0]", ".0"), func(r rune) bool { return r == '.' })
	for i, step := range steps {
		last := i == len(steps)-1
		switch of := at.(type) {
		case map[string]any:
			switch {
			case last && value == "":
				delete(of, step)
			case last:
				of[step] = json.RawMessage(value)
			default:
				at = of[step]
			}
		case []any:
			if last {
				of[0] = json.RawMessage(value)
			} else {
				at = of[0]
			}
		default:
			t.Fatalf("%s: no %s in %s", path, step, line)
		}
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	need.NoError(t, e.Encode(root))
	return strings.TrimSpace(out.String())
}

func exampleLines(t testing.TB) map[string]string {
	t.Helper()
	text, err := os.ReadFile("testdata/kinds.ndjson")
	need.NoError(t, err)
	found := map[string]string{}
	for _, line := range lines(string(text)) {
		_, rest, _ := strings.Cut(line, `"record":"`)
		kind, _, _ := strings.Cut(rest, `"`)
		found[kind] = line
	}
	return found
}

// Every kind, every member: stated, left out, null, and wrong in every way.
func TestEveryMemberOfEveryKind(t *testing.T) {
	s, examples := openFile(t), exampleLines(t)
	if len(examples) != len(contract) {
		t.Fatalf("%d example lines for %d kinds", len(examples), len(contract))
	}
	for kind := range contract {
		t.Run(kind, func(t *testing.T) {
			all := attempts(t, kind, examples[kind])
			var input strings.Builder
			for i, a := range all {
				fmt.Fprintln(&input, strings.ReplaceAll(a.line, "@N", strconv.Itoa(i+1)))
			}
			r := run(t, s, strings.NewReader(input.String()))
			if r.err != nil || r.Read != len(all) {
				t.Fatalf("read %d of %d: %v", r.Read, len(all), r.err)
			}
			got := map[int]string{}
			for _, reject := range r.rejects {
				field := ""
				if reject.Member != nil {
					field = *reject.Member
				}
				got[reject.Line] = field + ": " + reject.Reason
			}
			if got[1] != "" {
				t.Fatalf("the whole line: %s", got[1])
			}
			for i, a := range all {
				switch said := got[i+1]; {
				case a.field == "" && said != "":
					t.Errorf("%s: %q, want it accepted", a.name, said)
				case a.field != "" && (!strings.HasPrefix(said, a.field+": ") || !strings.Contains(said, a.says)):
					t.Errorf("%s: %q, want it refused at %s saying %q", a.name, said, a.field, a.says)
				}
			}
			checkNames(t, kind, r.messages)
		})
	}
}

// checkNames compares the members that a refusal of an unknown one lists with
// those of the contract.
func checkNames(t *testing.T, kind, messages string) {
	t.Helper()
	_, rest, _ := strings.Cut(messages, ": lastt: is not a member of this record; the members are ")
	list, _, _ := strings.Cut(rest, "\n")
	told := slices.Sorted(slices.Values(strings.Split(list, ", ")))
	var names []string
	if withdrawals[kind].why == "" {
		names = append(names, "withdrawn")
	}
	for _, m := range membersOf(kind) {
		if !strings.ContainsAny(m.path, ".[") {
			names = append(names, m.path)
		}
	}
	if slices.Sort(names); !slices.Equal(told, names) {
		t.Errorf("the members told are  %s\nthe members of it are %s", told, names)
	}
}
