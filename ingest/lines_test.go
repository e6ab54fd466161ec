package ingest_test

import (
	"fmt"
	"strings"
	"testing"

	"piyasa/db/dbtest"
	"piyasa/ingest"
)

// refusal is a line that must be refused, at which member, and what the reason
// must say.
type refusal struct{ name, line, field, says string }

// refuse ingests the lines together and checks each refusal.
func refuse(t *testing.T, cases []refusal) {
	t.Helper()
	var input strings.Builder
	for _, c := range cases {
		fmt.Fprintln(&input, c.line)
	}
	r := run(t, openFile(t), strings.NewReader(input.String()))
	r.counts(t, ingest.Counts{Read: len(cases), Rejected: len(cases)})
	for i, c := range cases {
		if i >= len(r.rejects) || r.rejects[i].Line != i+1 {
			t.Fatalf("%s: was not refused", c.name)
		}
		field := ""
		if f := r.rejects[i].Member; f != nil {
			field = *f
		}
		if field != c.field || !strings.Contains(r.rejects[i].Reason, c.says) {
			t.Errorf("%s: %q: %s, want it at %q saying %q", c.name, field, r.rejects[i].Reason, c.field, c.says)
		}
	}
}

// What is not one JSON object, or does not say which record it is.
func TestLinesThatAreNoRecord(t *testing.T) {
	const q, noJSON, allKinds = `"instrument_id":"bist:A","as_of":"2026-03-18T11:45:00Z"`, "is not one valid JSON object",
		"one of bar, calendar_event"
	refuse(t, []refusal{
		{"text", `hello`, "", noJSON},
		{"a number", `12`, "", noJSON + ": got 12"},
		{"null", `null`, "", noJSON + ": got null"},
		{"a string", `"record"`, "", noJSON},
		{"a list", `[{"record":"quote"}]`, "", noJSON},
		{"an open object", `{"record":"quote"`, "", noJSON},
		{"an open string", `{"record":"quo`, "", noJSON},
		{"a cut value", `{"record":"quote",` + q + `,"last":`, "", noJSON},
		{"a closing comma", `{"record":"quote",` + q + `,}`, "", noJSON},
		{"single quotes", `{'record':'quote'}`, "", noJSON},
		{"a comment", `{"record":"quote"/**/}`, "", noJSON},
		{"a number of JavaScript", `{"record":"quote",` + q + `,"last":NaN}`, "", noJSON},
		{"a control character", "{\"record\":\"quote\"," + q + ",\"currency\":\"T\tRY\"}", "", noJSON},
		{"invalid UTF-8 in a value", "{\"record\":\"quote\"," + q + ",\"currency\":\"\xff\"}", "", "UTF-8"},
		{"Latin-5 letters", "{\"record\":\"sector\",\"code\":\"gida\",\"name\":\"G\xfdda\",\"members\":[]}", "", "UTF-8"},
		{"invalid UTF-8 in a name", "{\"record\":\"quote\"," + q + ",\"\xff\":\"1\"}", "", "UTF-8"},
		{"half a surrogate pair", `{"record":"quote",` + q + `,"currency":"\ud83d"}`, "", "surrogate"},
		{"two objects", `{"record":"quote",` + q + `}{"record":"quote",` + q + `}`, "", "something follows"},
		{"two objects with a blank", `{"record":"quote",` + q + `} {"record":"quote",` + q + `}`, "", "something follows"},
		{"an object and a number", `{"record":"quote",` + q + `} 1`, "", "something follows"},
		{"an object and a word", `{"record":"quote",` + q + `} x`, "", "something follows"},
		{"an object and a brace", `{"record":"quote",` + q + `}}`, "", "something follows"},
		{"an object and a comma", `{"record":"quote",` + q + `},`, "", "something follows"},
		{"an object and half a one", `{"record":"quote",` + q + `}{"rec`, "", "something follows"},
		{"an object and a NUL", `{"record":"quote",` + q + "}\x00", "", "something follows"},
		{"a member twice", `{"record":"quote",` + q + `,"last":"1","last":"1"}`, "", `duplicate object member name "last"`},
		{"a member twice, spelled differently", `{"record":"quote",` + q + `,"last":"1","l\u0061st":"2"}`, "", "duplicate"},
		{"a member of a member twice", `{"record":"calendar_event","event_id":1,"country":{"code":"US","code":"TR","name":"x"}}`, "",
			"duplicate"},
		{"a member of anything twice", `{"record":"disclosure","body":{"content":{"a":1,"a":2}}}`, "", "duplicate"},
		{"record twice", `{"record":"quote","record":"bar",` + q + `}`, "", "duplicate"},
		{"nothing", `{}`, "record", "is missing and must name the kind: " + allKinds},
		{"no record", `{` + q + `}`, "record", "is missing"},
		{"record null", `{"record":null,` + q + `}`, "record", "the name of a kind"},
		{"record a number", `{"record":1}`, "record", "the name of a kind; got 1"},
		{"record a list", `{"record":["quote"]}`, "record", "the name of a kind"},
		{"an unknown kind", `{"record":"quotes",` + q + `}`, "record", allKinds},
		{"another case", `{"record":"Quote",` + q + `}`, "record", `got "Quote"`},
		{"an empty kind", `{"record":""}`, "record", allKinds},
		{"another case of a member", `{"record":"quote",` + q + `,"Last":"1"}`, "Last", "the members are instrument_id, as_of, last,"},
		{"a member with blanks", `{"record":"quote",` + q + `," last":"1"}`, " last", "the members are"},
		{"a member of the answers, not of records", `{"record":"instrument","logo_url":"x"}`, "logo_url", "the members are"},
		{"too deep", `{"record":"disclosure","body":{"content":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}}`,
			"", "depth"},
	})
}

// Members that contradict each other, and numbers out of their range.
func TestLinesThatContradictThemselves(t *testing.T) {
	instrument := func(id, symbol, market, currency, more string) string {
		return `{"record":"instrument","instrument_id":"` + id + `","symbol":"` + symbol + `","name":"x","market":"` + market +
			`","asset_type":"STOCK","currency":"` + currency + `"` + more + `}`
	}
	day := func(hours string) string {
		return `{"record":"trading_day","market":"bist","date":"2026-03-19"` + hours + `}`
	}
	statement := func(year, month string) string {
		return `{"record":"statement","instrument_id":"bist:A","fiscal_year":` + year + `,"fiscal_month":` + month + `}`
	}
	bar := func(id, resolution, t, closing string) string {
		return fmt.Sprintf(`{"record":"bar","instrument_id":"%s","resolution":"%s","t":"%s","close":"%s"}`, id, resolution, t, closing)
	}
	logo := func(owner string) string {
		return `{"record":"logo",` + owner +
			`,"png":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAADklEQVR4nGJiAAQAAP//AAYAA/rQWa4AAAAASUVORK5CYII="}`
	}
	refuse(t, []refusal{
		{"another market", instrument("bist:A", "A", "us", "TRY", ""), "market", "must be bist, as the id bist:A says; got us"},
		{"another symbol", instrument("bist:A", "B", "bist", "TRY", ""), "symbol", `must be A, as the id bist:A says; got "B"`},
		{"a ticker for a symbol", instrument("crypto:1", "BTC", "crypto", "USD", `,"cmc_id":1`), "symbol", "must be 1"},
		{"the first leg", instrument("fx:USDTRY", "USDTRY", "fx", "USD", ""), "currency",
			`must be TRY, the second leg of the pair fx:USDTRY; got "USD"`},
		{"a coin without its number", instrument("crypto:1", "1", "crypto", "USD", ""), "cmc_id", "is missing"},
		{"a coin with another number", instrument("crypto:1", "1", "crypto", "USD", `,"cmc_id":2`), "cmc_id",
			"must be the number in the id crypto:1; got 2"},
		{"a stock with a coin's number", instrument("bist:1", "1", "bist", "TRY", `,"cmc_id":1`), "cmc_id", "must be the number in the id"},
		{"only open", day(`,"open":"10:00"`), "close", "state both open and close"},
		{"only close", day(`,"close":"10:00"`), "close", "state both open and close"},
		{"only close, open null", day(`,"open":null,"close":"10:00"`), "close", "state both open and close"},
		{"no time between", day(`,"open":"10:00","close":"10:00"`), "close", "must be later than open, 10:00; got 10:00"},
		{"the hours swapped", day(`,"open":"18:00","close":"10:00"`), "close", "must be later than open"},
		{"an unknown zone", instrument("bist:A", "A", "bist", "TRY", `,"session":{"timezone":"Mars/Olympus","always_open":false}`),
			"session.timezone", "such as Europe/Istanbul"},
		{"the machine's zone", instrument("bist:A", "A", "bist", "TRY", `,"session":{"timezone":"Local","always_open":false}`),
			"session.timezone", "such as Europe/Istanbul"},
		{"a negative interval", instrument("bist:A", "A", "bist", "TRY", `,"delay":-1`), "delay", "0 or more"},
		{"a delay of more than 32 bits", instrument("bist:A", "A", "bist", "TRY", `,"delay":2147483648`), "delay", "32 bits"},
		{"a currency in small letters", instrument("bist:A", "A", "bist", "try", ""), "currency", "such as TRY"},
		{"a coin in lira", instrument("crypto:1", "1", "crypto", "TRY", `,"cmc_id":1`), "currency", "must be USD"},
		{"a stock that is a coin", strings.Replace(instrument("bist:A", "A", "bist", "TRY", ""), "STOCK", "CRYPTO", 1), "asset_type",
			"STOCK ETF"},
		{"a quote in another currency than its pair's", `{"record":"quote","instrument_id":"fx:USDTRY","as_of":"` + t1 +
			`","currency":"USD"}`, "currency", "must be TRY"},
		{"the year 0", `{"record":"quote","instrument_id":"bist:A","as_of":"0000-03-18T11:45:00Z"}`, "as_of", "an instant"},
		{"a date of the year 0", `{"record":"trading_day","market":"bist","date":"0000-01-01"}`, "date", "a calendar date"},
		{"U+0000 in a text", `{"record":"sector","code":"x","name":"a\u0000b"}`, "name", "U+0000"},
		{"U+0000 in a list", `{"record":"index","code":"x","members":[{"symbol":"\u0000"}]}`, "members[0].symbol", "U+0000"},
		{"a negative delay", `{"record":"quote","instrument_id":"bist:A","as_of":"` + t1 + `","data_delay_seconds":-1}`,
			"data_delay_seconds", "must be "},
		{"a logo of two owners", logo(`"instrument_id":"bist:A","founder":"X"`), "instrument_id", "either instrument_id or founder"},
		{"a logo of nobody", logo(`"founder":null`), "instrument_id", "either instrument_id or founder"},
		{"a logo of a fund", logo(`"instrument_id":"fund:AAL"`), "instrument_id", "so state founder instead"},
		{"a founder of too many words", logo(`"founder":"` + strings.Repeat("x", 101) + `"`), "founder", "at most 100 bytes"},
		{"a year too early", statement("1899", "3"), "fiscal_year", "a whole number from 1900 to 2200; got"},
		{"a year too late", statement("2201", "3"), "fiscal_year", "a whole number from 1900 to 2200"},
		{"importance 0", `{"record":"calendar_event","importance":0}`, "importance", "a whole number from 1 to 3"},
		{"importance 4", `{"record":"calendar_event","importance":4}`, "importance", "a whole number from 1 to 3"},
		{"instalment 0", `{"record":"dividend","installment":0}`, "installment", "a whole number from 1 to 100"},
		{"a negative index", `{"record":"disclosure","disclosure_index":-1}`, "disclosure_index", "from 0 to"},
		{"a daily bar dated at midnight in UTC", bar("bist:X", "1d", "2026-03-18T00:00:00Z", "1"), "t",
			"the start of a bar of 1d in the market bist, such as 2026-03-17T21:00:00Z"},
		{"a daily bar dated at the opening", bar("us:X", "1d", "2026-03-18T13:30:00Z", "1"), "t", "such as 2026-03-18T00:00:00Z"},
		{"a coin dated in Turkey", bar("crypto:1", "1d", "2026-03-17T21:00:00Z", "1"), "t", "such as 2026-03-17T00:00:00Z"},
		{"a coin between its slots", bar("crypto:1", "2h", "2026-03-18T10:00:00Z", "1"), "t", "such as 2026-03-18T09:00:00Z"},
		{"a bar between five-minute marks", bar("fx:USDTRY", "5m", "2026-03-18T10:04:00Z", "1"), "t", "such as 2026-03-18T10:00:00Z"},
		{"a bar shorter than a second's mark", bar("fx:USDTRY", "5m", "2026-03-18T10:00:00.001Z", "1"), "t",
			"such as 2026-03-18T10:00:00Z"},
		{"a coin every five minutes", bar("crypto:1", "5m", "2026-03-18T10:00:00Z", "1"), "resolution", "2h or 1d for the market crypto"},
		{"a fund every two hours", bar("fund:AAL", "2h", "2026-03-18T09:00:00Z", "1"), "resolution", "must be 1d for the market fund"},
		{"a close of nothing", bar("bist:X", "1d", "2026-03-17T21:00:00Z", "0"), "close", "above 0"},
		{"a close below nothing", bar("us:X", "1d", "2026-03-18T00:00:00Z", "-1.5"), "close", "above 0"},
		{"an index of no level", `{"record":"index_bar","code":"XU100","date":"2026-03-18","close":"0"}`, "close", "above 0"},
		{"bars of a name", `{"record":"index_bar","code":"xu 100","date":"2026-03-18","close":"1"}`, "code", "capital letters and digits"},
		{"a sector's name for its code", `{"record":"sector","code":"Gıda","name":"Gıda","members":[]}`, "code",
			"lower-case words of a-z and digits, joined by hyphens, such as gida-icecek"},
		{"a sector of a hyphen", `{"record":"sector","code":"gida-","name":"x","members":[]}`, "code", "joined by hyphens"},
		{"a successor that is no code", `{"record":"sector","code":"gida","name":"x","members":[],"successors":["icecek","Gıda"]}`,
			"successors[1]", "joined by hyphens"},
		{"its own successor", `{"record":"sector","code":"gida","name":"x","members":[],"successors":["gida"]}`, "successors[0]",
			"a sector other than the retired one"},
		{"the 5m bars of a statement", `{"record":"bar","resolution":"1h"}`, "resolution",
			"one of 5m (bist, fx, index, cmdty), 2h (crypto), 1d"},
	})
}

// Good lines that look unusual are stored.
func TestUnusualLinesAreStored(t *testing.T) {
	input := strings.Join([]string{
		` { "as_of" : "2026-03-18T11:45:00Z" , "last":"1" ,"instrument_id":"bist:A","record":"quote"}	`,
		`{"instrument_id":"bist:B","as_of":"2026-03-18T11:45:00.5Z","l\u0061st":"2.50","record":"qu\u006fte"}`,
		`{"record":"quote","instrument_id":"index:000001.SS","as_of":"2026-03-18T11:45:00.000Z","last":null,"currency":null}`,
		`{"record":"quote","instrument_id":"crypto:999999999","as_of":"1800-01-01T00:00:00Z","last":"` + strings.Repeat("9", 100) + `"}`,
		`{"record":"trading_day","market":"bist","date":"2026-03-20","open":null,"close":null}`,
		`{"record":"trading_day","market":"us","date":"2026-03-20","open":"00:00","close":"23:59"}`,
		`{"record":"bar","instrument_id":"cmdty:CL","resolution":"1d","t":"2020-04-20T00:00:00Z","close":"-37.63"}`,
		`{"record":"sector","code":"x","name":"\u0131\u011f\u00fc\u015f\u00f6\u00e7 \ud83d\ude00","members":[],"successors":[]}`,
	}, "\n")
	s := openFile(t)
	run(t, s, strings.NewReader(input)).counts(t, ingest.Counts{Read: 8, Stored: 8})
	run(t, s, strings.NewReader(input)).counts(t, ingest.Counts{Read: 8, Unchanged: 8})
	if got := lasts(t, s); got["A"] != "1" || got["B"] != "2.50" || got["000001.SS"] != "" || len(got["999999999"]) != 100 {
		t.Errorf("stored %v", got)
	}
	if got := kept(t, s, "B")[0].AsOf.String(); got != "2026-03-18T11:45:00.500Z" {
		t.Errorf("stored %s", got)
	}
	sectors, err := s.Sectors(t.Context())
	if err != nil || sectors[0].Name != "ığüşöç 😀" {
		t.Errorf("stored %v, %v", sectors, err)
	}
}

// trailing text after the object is accepted.
func TestTextAfterTheObject(t *testing.T) {
	const q = `{"record":"quote","instrument_id":"bist:A","as_of":"2026-03-18T11:45:00Z","last":"1"}`
	refuse(t, []refusal{
		{"a word", q + ` garbage`, "", "something follows"},
		{"a brace", q + `}`, "", "something follows"},
		{"a comma", q + `,`, "", "something follows"},
		{"a comma and an object", q + `,` + q, "", "something follows"},
		{"the start of an object", q + `{"record":"quo`, "", "something follows"},
		{"a NUL", q + "\x00", "", "something follows"},
	})
}

// one line that the decoder accepts and a store cannot hold ends the whole run, every time.
func TestLinesThatNoStoreHolds(t *testing.T) {
	key := randomText(9000)
	good := quote("GOOD", t1, "1")
	for name, line := range map[string]string{
		"NUL in text":    `{"record":"sector","code":"x","name":"a\u0000b","members":[]}`,
		"NUL in a quote": `{"record":"quote","instrument_id":"bist:A","as_of":"` + t1 + `","currency":"T\u0000"}`,
		"NUL in a member": `{"record":"index","code":"x","name":"x","verified":true,"synced_at":"` + t1 +
			`","members":[{"symbol":"A\u0000B"}]}`,
		"a delay over 31 bits":  `{"record":"instrument","instrument_id":"bist:A","symbol":"A","name":"x","market":"bist","asset_type":"STOCK","currency":"TRY","delay":2147483648}`,
		"a negative delay":      `{"record":"instrument","instrument_id":"bist:A","symbol":"A","name":"x","market":"bist","asset_type":"STOCK","currency":"TRY","delay":-1}`,
		"another over 31 bits":  `{"record":"quote","instrument_id":"bist:A","as_of":"` + t1 + `","data_delay_seconds":2147483648}`,
		"an instant of year 0":  `{"record":"quote","instrument_id":"bist:A","as_of":"0000-03-18T11:45:00Z"}`,
		"a date of year 0":      `{"record":"trading_day","market":"bist","date":"0000-01-01"}`,
		"a key of 9000 letters": `{"record":"sector","code":"` + key + `","name":"x","members":[]}`,
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, url string) {
				s := open(t, url)
				run(t, s, strings.NewReader(good+line+"\n")).counts(t, ingest.Counts{Read: 2, Stored: 1, Rejected: 1})
				if lasts(t, s)["GOOD"] != "1" {
					t.Error("the good line beside it is not stored")
				}
			})
		})
	}
}

func randomText(n int) string {
	b, x := make([]byte, n), uint32(7)
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = "abcdefghijklmnopqrstuvwxyz0123456789"[(x>>16)%36]
	}
	return string(b)
}

// two backslashes before u0000 in a member of a list: bun rewrites it.
func TestBackslashesInLists(t *testing.T) {
	line := `{"record":"index","code":"X","name":"x","verified":true,"synced_at":"` + t1 +
		`","members":[{"symbol":"A","sector":"a\\\\u0000b"}]}`
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		run(t, s, strings.NewReader(line)).counts(t, ingest.Counts{Read: 1, Stored: 1})
		run(t, s, strings.NewReader(line)).counts(t, ingest.Counts{Read: 1, Unchanged: 1})
	})
}

// the name of an unknown member is repeated whole and raw.
func TestUnknownMemberNamesAreShort(t *testing.T) {
	for _, name := range []string{strings.Repeat("x", 10_000), `a\nfile:9: last: forged`, `a\u001b[31m`} {
		r := run(t, openFile(t), strings.NewReader(`{"record":"quote","`+name+`":1}`))
		if len(r.messages) > 800 || strings.Count(r.messages, "\n") != 1 || strings.Contains(r.messages, "\x1b") {
			t.Errorf("told %.900q", r.messages)
		}
	}
}
