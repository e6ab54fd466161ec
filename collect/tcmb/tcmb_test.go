package tcmb_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/charmap"

	"piyasa/collect"
	"piyasa/collect/collecttest"
	"piyasa/collect/standin"
	"piyasa/collect/tcmb"
	"piyasa/test/fixture/need"
)

// file is a daily file of dollars, yen and the special drawing right, with every way to leave
// something empty.
const file = `<?xml version="1.0" encoding="UTF-8"?>
<?xml-stylesheet type="text/xsl" href="isokur.xsl"?>
<Tarih_Date Tarih="02.06.2031" Date="06/02/2031"  Bulten_No="2031/104" >
	<Currency CrossOrder="0" Kod="USD" CurrencyCode="USD"><Unit>1</Unit><Isim>ABD DOLARI</Isim><CurrencyName>US DOLLAR</CurrencyName>
		<ForexBuying>50.1230</ForexBuying><ForexSelling>50.2137</ForexSelling><BanknoteBuying>50.0883</BanknoteBuying><CrossRateUSD/><CrossRateOther/></Currency>
	<Currency CrossOrder="9" Kod="JPY" CurrencyCode="JPY"><Unit>100</Unit><CurrencyName>JAPENESE YEN</CurrencyName>
		<ForexBuying>33.14</ForexBuying><ForexSelling>
		</ForexSelling><CrossRateUSD>151.25</CrossRateUSD></Currency>
	<Currency CrossOrder="0" Kod="XDR" CurrencyCode="XDR"><Unit>1</Unit><Isim>ÖZEL ÇEKME HAKKI (SDR)                            </Isim>
		<CurrencyName>SPECIAL DRAWING RIGHT (SDR)                       </CurrencyName><ForexBuying>66.1</ForexBuying><ForexSelling></ForexSelling></Currency>
	<Currency CrossOrder="0" Kod="AZN" CurrencyCode="AZN"><Unit>1</Unit><CurrencyName>AZERBAIJANI NEW MANAT</CurrencyName><ForexBuying/><ForexSelling/></Currency>
</Tarih_Date>`

func source(t *testing.T, settings string) collect.Source {
	t.Helper()
	s, err := tcmb.New(json.RawMessage(settings))
	need.NoError(t, err)
	return s
}

// told returns records, in short.
func told(records []collect.Record) string {
	var all []string
	for _, r := range records {
		f := r.Fields
		switch r.Kind {
		case "instrument":
			all = append(all, fmt.Sprint(f["instrument_id"], " ", f["name"]))
		case "quote":
			all = append(all, fmt.Sprint(f["as_of"], " until ", f["current_until"], " ", f["last"], " ", f["bid"], " ", f["ask"]))
		case "bar":
			all = append(all, fmt.Sprint(f["t"], " ", f["close"]))
		}
	}
	return strings.Join(all, "\n")
}

// evening is after the publication of the file.
var evening = time.Date(2031, 6, 2, 13, 0, 0, 0, time.UTC)

// read is what is kept of the file.
const read = `{"day":"2031-06-02","until":"2031-06-03T13:00:00Z","newest":"2031-06-02"}`

const want = `fx:USDTRY US DOLLAR / Turkish lira
2031-06-02T12:30:00Z until 2031-06-03T13:00:00Z 50.1230 50.1230 50.2137
2031-06-01T21:00:00Z 50.1230
fx:JPYTRY JAPENESE YEN / Turkish lira
2031-06-02T12:30:00Z until 2031-06-03T13:00:00Z 0.3314 0.3314 <nil>
2031-06-01T21:00:00Z 0.3314
fx:XDRTRY SPECIAL DRAWING RIGHT (SDR) / Turkish lira
2031-06-02T12:30:00Z until 2031-06-03T13:00:00Z 66.1 66.1 <nil>
2031-06-01T21:00:00Z 66.1`

func TestDailyFile(t *testing.T) {
	latin, err := charmap.ISO8859_9.NewEncoder().String(strings.Replace(file, "UTF-8", "ISO-8859-9", 1))
	need.NoError(t, err)
	for encoding, text := range map[string]string{"UTF-8": file, "ISO-8859-9": latin} {
		result, err := source(t, `{}`).Parse(nil, &collect.Request{Path: "today.xml"},
			&collect.Answer{Status: 200, At: evening, Body: []byte(text)})
		if err != nil || told(result.Records) != want || string(result.Keep) != read || result.More {
			t.Errorf("%s: %v %+v\n%s", encoding, err, result, told(result.Records))
		}
	}
	result, err := source(t, `{"currencies": ["JPY"]}`).Parse(nil, &collect.Request{Path: "today.xml"},
		&collect.Answer{Status: 200, At: evening, Body: []byte(file)})
	if err != nil || len(result.Records) != 3 {
		t.Errorf("one currency: %v %+v", err, result)
	}
	// Before 15:30, and on holidays, it is an earlier day's.
	result, err = source(t, `{}`).Parse(json.RawMessage(`{"day":"2031-06-02"}`), &collect.Request{Path: "today.xml"},
		&collect.Answer{Status: 200, At: evening, Body: []byte(file)})
	if err != nil || len(result.Records) != 0 || string(result.Keep) != `{"day":"2031-06-02"}` {
		t.Errorf("again: %v %+v", err, result)
	}
}

// A Monday that is a holiday follows days without a file, and Friday's rates stay current.
func TestHolidayOnAMonday(t *testing.T) {
	s := source(t, `{}`)
	friday := strings.NewReplacer(`Tarih="02.06.2031"`, `Tarih="06.06.2031"`).Replace(file)
	kept := json.RawMessage(`{"day":"2031-06-05","until":"2031-06-06T13:00:00Z","newest":"2031-06-05"}`)
	told := ""
	for _, now := range []time.Time{time.Date(2031, 6, 6, 12, 31, 0, 0, time.UTC), time.Date(2031, 6, 9, 12, 31, 0, 0, time.UTC),
		time.Date(2031, 6, 9, 13, 0, 1, 0, time.UTC)} {
		for range 5 {
			asked, err := s.Ask(kept, now)
			need.NoError(t, err)
			if asked == nil {
				break
			}
			answer := &collect.Answer{Status: 404, At: now}
			if asked.Path == "today.xml" {
				answer = &collect.Answer{Status: 200, At: now, Body: []byte(friday)}
			}
			result, err := s.Parse(kept, asked, answer)
			need.NoError(t, err)
			for _, r := range result.Records {
				if r.Kind == "quote" && r.Fields["instrument_id"] == "fx:USDTRY" {
					told += fmt.Sprint(r.Fields["current_until"], " ")
				}
			}
			if kept = result.Keep; !result.More {
				break
			}
		}
	}
	if want := "2031-06-09T13:00:00Z 2031-06-10T13:00:00Z "; told != want {
		t.Errorf("current until %s, want %s", told, want)
	}
}

// On a holiday the bank's newest file is that of the day before: its rates stay current.
func TestHoliday(t *testing.T) {
	for at, want := range map[string]string{
		"2031-06-03T12:59:59Z": "",                     // the bulletin may be late
		"2031-06-03T13:00:01Z": "2031-06-04T13:00:00Z", // there is none today
		"2031-06-04T13:00:01Z": "2031-06-05T13:00:00Z",
		"2031-06-06T16:00:00Z": "2031-06-09T13:00:00Z", // a Friday
	} {
		asked, err := time.Parse(time.RFC3339, at)
		need.NoError(t, err)
		result, err := source(t, `{}`).Parse(json.RawMessage(read), &collect.Request{Path: "today.xml"},
			&collect.Answer{Status: 200, At: asked, Body: []byte(file)})
		if err != nil || result.More {
			t.Fatal(err)
		}
		if want == "" && len(result.Records) > 0 || want != "" &&
			!strings.Contains(told(result.Records), "T12:30:00Z until "+want+" 50.1230 ") {
			t.Errorf("%s: %s", at, told(result.Records))
		}
	}
}

func TestFilesThatHaveChanged(t *testing.T) {
	for name, text := range map[string]string{
		"a page":            "<html><body>404</body></html>",
		"no day":            strings.Replace(file, `Tarih="02.06.2031"`, "", 1),
		"an American day":   strings.Replace(file, `Tarih="02.06.2031"`, `Tarih="06/02/2031"`, 1),
		"nothing in it":     `<Tarih_Date Tarih="02.06.2031"></Tarih_Date>`,
		"a decimal comma":   strings.Replace(file, "50.1230", "50,1230", 1),
		"a unit of seven":   strings.Replace(file, "<Unit>100</Unit>", "<Unit>7</Unit>", 1),
		"no unit":           strings.Replace(file, "<Unit>100</Unit>", "", 1),
		"cut off":           file[:len(file)/2],
		"another encoding":  strings.Replace(file, "UTF-8", "EBCDIC-X", 1),
		"no rates any more": strings.NewReplacer("ForexBuying", "Buying").Replace(file),
		"of tomorrow":       strings.Replace(file, `Tarih="02.06.2031"`, `Tarih="03.06.2031"`, 1),
	} {
		if result, err := source(t, `{}`).Parse(nil, &collect.Request{Path: "today.xml"},
			&collect.Answer{Status: 200, At: evening, Body: []byte(text)}); err == nil {
			t.Errorf("%s: %+v", name, result)
		}
	}
}

// History is read day by day; what is no working day has no file.
func TestHistory(t *testing.T) {
	s := source(t, `{"from": "2031-05-31"}`)
	now := time.Date(2031, 6, 2, 13, 0, 0, 0, time.UTC)
	var kept json.RawMessage
	var asked []string
	for range 10 {
		r, err := s.Ask(kept, now)
		need.NoError(t, err)
		if r == nil {
			break
		}
		asked = append(asked, r.Path)
		answer := &collect.Answer{Status: 404}
		if r.Path == "today.xml" {
			answer = &collect.Answer{Status: 200, At: evening, Body: []byte(file)}
		}
		result, err := s.Parse(kept, r, answer)
		need.NoError(t, err)
		kept = result.Keep
	}
	if got := strings.Join(asked, " "); got != "203105/31052031.xml 203106/01062031.xml today.xml" || string(kept) != read {
		t.Errorf("%s, kept %s", got, kept)
	}
	if _, err := s.Parse(nil, &collect.Request{Path: "203105/31052031.xml"},
		&collect.Answer{Status: 200, At: evening, Body: []byte(file)}); err == nil {
		t.Error("the file of another day is taken")
	}
}

// A working day that has no file is asked for once more when the newest file is there, since
// the upstream may have lost it for a while; a holiday has none then, either.
func TestWorkingDayWithoutFile(t *testing.T) {
	friday := strings.Replace(file, `Tarih="02.06.2031"`, `Tarih="30.05.2031"`, 1)
	for name, c := range map[string]struct {
		again   *collect.Answer
		records int
	}{
		"a file that was away": {&collect.Answer{Status: 200, At: evening, Body: []byte(friday)}, 18},
		"a holiday":            {&collect.Answer{Status: 404, At: evening}, 9},
	} {
		s := source(t, `{"from": "2031-05-30"}`)
		answers := map[string][]*collect.Answer{
			"203105/30052031.xml": {{Status: 404, At: evening}, c.again}, "203105/31052031.xml": {{Status: 404, At: evening}},
			"203106/01062031.xml": {{Status: 404, At: evening}},
			"today.xml":           {{Status: 200, At: evening, Body: []byte(file)}},
		}
		var kept json.RawMessage
		var asked []string
		records := 0
		for {
			r, err := s.Ask(kept, evening)
			need.NoError(t, err)
			if r == nil {
				break
			}
			asked = append(asked, r.Path)
			result, err := s.Parse(kept, r, answers[r.Path][0])
			if err != nil || !result.More && r.Path == "today.xml" {
				t.Fatalf("%s: %+v %v", r.Path, result, err)
			}
			answers[r.Path] = answers[r.Path][1:]
			kept = result.Keep
			records += len(result.Records)
		}
		if got := strings.Join(asked,
			" "); got != "203105/30052031.xml 203105/31052031.xml 203106/01062031.xml today.xml 203105/30052031.xml" ||
			string(kept) != read || records != c.records {
			t.Errorf("%s: %s, %d records, kept %s", name, got, records, kept)
		}
	}
	// An upstream that has no files at all is an error in the end.
	s := source(t, `{"from": "2020-01-01"}`)
	var kept json.RawMessage
	for n := 0; ; n++ {
		r, err := s.Ask(kept, evening)
		if err != nil || n > 1000 {
			t.Fatal(n, err)
		}
		result, err := s.Parse(kept, r, &collect.Answer{Status: 404, At: evening})
		if err != nil {
			if !strings.Contains(err.Error(), "300 working days have no file; the last is 2021-02-24") {
				t.Error(err)
			}
			break
		}
		kept = result.Keep
	}
}

func TestSettingsThatCannotBe(t *testing.T) {
	for _, text := range []string{`{"from": "2019-12-31"}`, `{"from": "yesterday"}`, `{"currencies": ["usd"]}`,
		`{"currency": "USD"}`, `1`} {
		if _, err := tcmb.New(json.RawMessage(text)); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}

func TestAgainstItsStandIn(t *testing.T) {
	collecttest.Check(t, collecttest.Case{
		Name: "tcmb", New: tcmb.New, StandIn: standin.TCMB, Settings: `{"from": "2031-05-02"}`,
		Start: time.Date(2031, 5, 29, 21, 0, 0, 0, collect.Istanbul), Days: 7,
	})
}

func FuzzFile(f *testing.F) {
	f.Add([]byte(file))
	f.Fuzz(func(t *testing.T, body []byte) {
		s := source(t, `{}`)
		result, err := s.Parse(nil, &collect.Request{Path: "today.xml"}, &collect.Answer{Status: 200, At: evening, Body: body})
		if err == nil && (len(result.Records) == 0 || len(result.Records)%3 != 0) {
			t.Errorf("%d records", len(result.Records))
		}
	})
}
