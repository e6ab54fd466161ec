package ecb_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"piyasa/collect"
	"piyasa/collect/collecttest"
	"piyasa/collect/ecb"
	"piyasa/collect/standin"
	"piyasa/test/fixture/need"
)

const (
	head = `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
	<gesmes:subject>Reference rates</gesmes:subject><gesmes:Sender><gesmes:name>European Central Bank</gesmes:name></gesmes:Sender>
	<Cube>`
	monday = `<Cube time='2031-06-02'><Cube currency='USD' rate='1.1501'/><Cube currency='SEK' rate='57.6490'/></Cube>`
	friday = `<Cube time="2031-05-30"><Cube currency="USD" rate="1.15"></Cube><Cube currency="HUF" rate="366.90"></Cube></Cube>`
	winter = `<Cube time="2031-01-15"><Cube currency="USD" rate="1.1"></Cube></Cube>`
	tail   = `</Cube></gesmes:Envelope>`
)

// daily and history are files of the bank: of one day and in single quotes; of days that
// begin with the newest, and in double quotes.
var (
	daily   = head + monday + tail
	history = head + strings.ReplaceAll(monday, "'", `"`) + friday + winter + tail
	now     = time.Date(2031, 6, 2, 14, 30, 0, 0, time.UTC)
)

func source(t *testing.T, settings string) collect.Source {
	t.Helper()
	s, err := ecb.New(json.RawMessage(settings))
	need.NoError(t, err)
	return s
}

func parse(t *testing.T, settings, kept, body string) (*collect.Result, error) {
	t.Helper()
	return source(t, settings).Parse(json.RawMessage(kept), &collect.Request{Path: "eurofxref-daily.xml"},
		&collect.Answer{Status: 200, At: now, Body: []byte(body)})
}

// told returns records, in short.
func told(result *collect.Result) string {
	var all []string
	for _, r := range result.Records {
		f := r.Fields
		switch r.Kind {
		case "instrument":
			all = append(all, fmt.Sprint(f["instrument_id"], " ", f["symbol"], " ", f["market"], " ", f["currency"]))
		case "bar":
			all = append(all, fmt.Sprint("bar ", f["instrument_id"], " ", f["t"], " ", f["close"]))
		case "quote":
			all = append(all, fmt.Sprint("quote ", f["instrument_id"], " ", f["as_of"], " ", f["last"], " ", f["currency"], " until ",
				f["current_until"]))
		}
	}
	return strings.Join(all, "\n")
}

func expect(t *testing.T, settings, kept, body, want, keep string) {
	t.Helper()
	result, err := parse(t, settings, kept, body)
	need.NoError(t, err)
	if got := told(result); got != want || string(result.Keep) != keep || result.More {
		t.Errorf("kept %s, more %t\n%s\nwant\n%s", result.Keep, result.More, got, want)
	}
}

const (
	read = `{"day":"2031-06-02","until":"2031-06-03T15:00:00Z"}`
	want = `fx:EURUSD EURUSD fx USD
fx:EURSEK EURSEK fx SEK
bar fx:EURUSD 2031-06-01T21:00:00Z 1.1501
bar fx:EURSEK 2031-06-01T21:00:00Z 57.6490
quote fx:EURUSD 2031-06-02T12:15:00Z 1.1501 USD until 2031-06-03T15:00:00Z
quote fx:EURSEK 2031-06-02T12:15:00Z 57.6490 SEK until 2031-06-03T15:00:00Z`
)

func TestSingleAndDoubleQuotes(t *testing.T) {
	expect(t, `{}`, ``, daily, want, read)
	expect(t, `{}`, ``, strings.ReplaceAll(daily, "'", `"`), want, read)
}

// HUF ends with Friday, SEK begins on Monday: HUF has a bar and no quote.
func TestNewestDayFirstAndCurrenciesThatComeAndGo(t *testing.T) {
	expect(t, `{"from": "2031-05-01"}`, ``, history, `fx:EURUSD EURUSD fx USD
fx:EURHUF EURHUF fx HUF
fx:EURSEK EURSEK fx SEK
bar fx:EURUSD 2031-05-29T21:00:00Z 1.15
bar fx:EURHUF 2031-05-29T21:00:00Z 366.90
bar fx:EURUSD 2031-06-01T21:00:00Z 1.1501
bar fx:EURSEK 2031-06-01T21:00:00Z 57.6490
quote fx:EURUSD 2031-06-02T12:15:00Z 1.1501 USD until 2031-06-03T15:00:00Z
quote fx:EURSEK 2031-06-02T12:15:00Z 57.6490 SEK until 2031-06-03T15:00:00Z`, read)
}

func TestDaysThatWereRead(t *testing.T) {
	expect(t, `{"from": "2031-01-01"}`, `{"day":"2031-05-30"}`, history, want, read)
	expect(t, `{}`, ``, history, want, read) // without history, the newest day only
	expect(t, `{}`, read, daily, "", read)
	expect(t, `{}`, `{"day":"2031-06-03"}`, history, "", `{"day":"2031-06-03"}`)
}

// 16:00 in Frankfurt is 15:00Z in winter.
// A rate as old as the last one is not current.
func TestWinterAndSelection(t *testing.T) {
	expect(t, `{"currencies": ["USD"]}`, ``, head+winter+tail, `fx:EURUSD EURUSD fx USD
bar fx:EURUSD 2031-01-14T21:00:00Z 1.1
quote fx:EURUSD 2031-01-15T13:15:00Z 1.1 USD until <nil>`, `{"day":"2031-01-15","until":"2031-06-02T15:00:00Z"}`)
}

// The newest rates are reported even where history begins later.
func TestHistoryThatBeginsLater(t *testing.T) {
	expect(t, `{"from": "2031-06-03"}`, ``, daily, want, read)
}

// Nothing is emitted for a file that is not what the bank is known to give.
func TestFilesThatHaveChanged(t *testing.T) {
	replace := func(old, by string) string {
		if !strings.Contains(daily, old) {
			t.Fatalf("the file has no %s", old)
		}
		return strings.Replace(daily, old, by, 1)
	}
	for name, c := range map[string]struct{ body, says string }{
		"a page under 200":           {`<!DOCTYPE html><html lang="en"><body>Maintenance</body></html>`, "Envelope"},
		"an empty cube":              {head + tail, "no day"},
		"an empty day":               {head + `<Cube time='2031-06-02'/>` + tail, "no rate"},
		"another format of the day":  {replace("2031-06-02", "02 June 2031"), "must be a day"},
		"no day":                     {replace(" time='2031-06-02'", ""), "must be a day"},
		"a day that has not come":    {replace("2031-06-02", "2031-06-03"), "had not come"},
		"a day twice":                {head + monday + monday + tail, "twice"},
		"a decimal comma":            {replace("57.6490", "57,6490"), "must be a decimal"},
		"not available":              {replace("57.6490", "N/A"), "must be a decimal"},
		"an exponent":                {replace("57.6490", "5.7e1"), "must be a decimal"},
		"below zero":                 {replace("57.6490", "-57.6490"), "must be a decimal"},
		"nothing after the point":    {replace("57.6490", "57."), "must be a decimal"},
		"no rate":                    {replace(" rate='57.6490'", ""), "must be a decimal"},
		"a rate of zero":             {replace("57.6490", "0.0000"), "above 0"},
		"a currency that is not ISO": {replace("'SEK'", "'YTL2'"), "must be a code"},
		"small letters":              {replace("'SEK'", "'try'"), "must be a code"},
		"the euro itself":            {replace("'SEK'", "'EUR'"), "not EUR"},
		"a currency twice":           {replace("'SEK'", "'USD'"), "once"},
		"no namespace of the file":   {replace(` xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01"`, ""), "Envelope"},
		"no namespace of the rates":  {replace(` xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref"`, ""), "no day"},
		"cut off in a day":           {daily[:strings.Index(daily, "'SEK'")], "unexpected EOF"},
		"cut off behind the rates":   {head + monday, "unexpected EOF"},
	} {
		if result, err := parse(t, `{}`, ``, c.body); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v %+v", name, err, result)
		}
	}
	if result, err := parse(t, `{"currencies": ["RUB"]}`, ``, daily); err == nil {
		t.Errorf("no rate that is asked for: %+v", result)
	}
}

func TestAskForTheSmallestFile(t *testing.T) {
	const small, quarter, all = "eurofxref-daily.xml", "eurofxref-hist-90d.xml", "eurofxref-hist.xml"
	for name, c := range map[string]struct{ settings, kept, want string }{
		"the first time":               {`{}`, ``, small},
		"today's are there":            {`{}`, read, ""},
		"Friday's are there":           {`{}`, `{"day":"2031-05-30"}`, small},
		"Thursday's are there":         {`{}`, `{"day":"2031-05-29"}`, quarter},
		"from today on":                {`{"from": "2031-06-02"}`, ``, small},
		"from a Saturday on":           {`{"from": "2031-05-31"}`, ``, small},
		"the longest that 90 days are": {`{"from": "2031-03-10"}`, ``, quarter},
		"a working day longer":         {`{"from": "2031-03-07"}`, ``, all},
		"history that was read":        {`{"from": "2020-01-01"}`, `{"day":"2031-05-30"}`, small},
		"long away":                    {`{}`, `{"day":"2030-12-31"}`, all},
	} {
		asked, err := source(t, c.settings).Ask(json.RawMessage(c.kept), now)
		got := ""
		if asked != nil {
			got = asked.Path
		}
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if asked, err := source(t, `{}`).Ask(json.RawMessage(`{"day":"lately"}`), now); err == nil {
		t.Errorf("a kept day that is none: %+v", asked)
	}
}

// In summer and in winter, the source is asked within ten minutes of the publication, and
// not at the weekend.
func TestPlanCoversBothTimes(t *testing.T) {
	frankfurt := collect.Zone("Europe/Berlin")
	plan := source(t, `{}`).Plan()
	for _, month := range []time.Month{time.January, time.July} {
		published := time.Date(2031, month, 15, 16, 0, 0, 0, frankfurt)
		if next := plan.Schedule.Next(published); next.Sub(published) > 10*time.Minute {
			t.Errorf("%s is followed by %s", published, next)
		}
	}
	if next := plan.Schedule.Next(time.Date(2031, 6, 6, 20, 30, 0, 0, collect.Istanbul)); next.Weekday() != time.Monday {
		t.Errorf("Friday evening is followed by %s", next)
	}
}

func TestSettingsThatCannotBe(t *testing.T) {
	for _, text := range []string{`{"from": "2019-12-31"}`, `{"from": "02.06.2031"}`, `{"currencies": ["usd"]}`, `{"currencies": ["EURO"]}`,
		`{"currency": "USD"}`} {
		if _, err := ecb.New(json.RawMessage(text)); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}

func TestAgainstItsStandIn(t *testing.T) {
	collecttest.Check(t, collecttest.Case{
		Name: "ecb", New: ecb.New, StandIn: standin.ECB, Settings: `{"from": "2031-05-02"}`,
		Start: time.Date(2031, 5, 29, 21, 0, 0, 0, collect.Istanbul), Days: 7,
	})
}

// Whatever is taken has a day, and a bar for each quote.
func FuzzFile(f *testing.F) {
	f.Add([]byte(daily))
	f.Add([]byte(history))
	f.Fuzz(func(t *testing.T, body []byte) {
		result, err := parse(t, `{"from": "2020-01-01"}`, ``, string(body))
		if err != nil {
			return
		}
		count := map[string]int{}
		for _, r := range result.Records {
			count[r.Kind]++
		}
		if count["quote"] == 0 || count["bar"] < count["quote"] || count["instrument"] < count["quote"] ||
			count["bar"] < count["instrument"] {
			t.Errorf("%v", count)
		}
		if again, err := parse(t, `{}`, string(result.Keep), string(body)); err != nil || len(again.Records) != 0 {
			t.Errorf("again: %v %+v", err, again)
		}
	})
}

// The lira's pairs are those of the central bank of Turkey, unless somebody asks for them.
func TestLiraMustBeNamed(t *testing.T) {
	lira := strings.ReplaceAll(daily, "'SEK'", "'TRY'")
	for settings, want := range map[string]int{`{}`: 3, `{"currencies": ["TRY"]}`: 3, `{"currencies": ["USD", "TRY"]}`: 6} {
		result, err := parse(t, settings, "", lira)
		if err != nil || len(result.Records) != want {
			t.Errorf("%s: %v %+v", settings, err, result)
		}
	}
}
