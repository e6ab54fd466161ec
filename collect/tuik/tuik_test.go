package tuik_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"piyasa/collect"
	"piyasa/collect/collecttest"
	"piyasa/collect/tuik"
	"piyasa/test/fixture/need"
)

func trt(year int, month time.Month, day, hour, minute int) time.Time {
	return time.Date(year, month, day, hour, minute, 0, 0, collect.Istanbul)
}

// A year of the calendar, with history, a release that moves, and the next year's list.
func TestYear(t *testing.T) {
	w := newWorld(t, `{"from": 2029}`)
	for _, step := range []struct {
		name  string
		at    time.Time
		asked string
		told  string // +: new, -: withdrawn; empty: nothing, *: more than that
		years []int
	}{
		{"history and this year", trt(2031, 5, 19, 7, 0), "2029 2030 2031", "*", []int{2029, 2030, 2031}},
		{"the same day", trt(2031, 5, 19, 9, 0), "", "", []int{2029, 2030, 2031}},
		{"a release has moved", trt(2031, 5, 20, 7, 0), "2031", "+792001 2031-06-04T07:00:00Z\n-792001 2031-06-03T07:00:00Z",
			[]int{2029, 2030, 2031}},
		{"nothing is new", trt(2031, 5, 21, 7, 0), "2031", "", []int{2029, 2030, 2031}},
		{"releases are out, and have numbers", trt(2031, 9, 1, 7, 0), "2031", "", []int{2029, 2030, 2031}},
		{"the next year's list is there", trt(2031, 12, 1, 7, 0), "2031 2032", "*", []int{2029, 2030, 2031, 2032}},
		{"the next day", trt(2031, 12, 2, 7, 0), "2031 2032", "", []int{2029, 2030, 2031, 2032}},
		{"the old year once more", trt(2032, 1, 1, 7, 0), "2031 2032", "", []int{2029, 2030, 2031, 2032}},
		{"the new year only", trt(2032, 1, 2, 7, 0), "2032", "", []int{2029, 2030, 2031, 2032}},
		{"two years of absence", trt(2034, 2, 2, 7, 0), "2032 2033 2034", "*", []int{2029, 2030, 2031, 2032, 2033, 2034}},
	} {
		told, err := w.at(t, step.at)
		if err != nil || strings.Join(w.asked, " ") != step.asked || step.told != "*" && told != step.told || step.told == "*" &&
			strings.Count(told, "\n") < 100 {
			t.Errorf("%s: %v, asked %v, told\n%s", step.name, err, w.asked, told)
		}
		w.check(t, step.years...)
	}
	if len(w.store.State(w.Config.Sources[0].Name)) > 60_000 {
		t.Errorf("the state has %d bytes", len(w.store.State(w.Config.Sources[0].Name)))
	}
}

// A list that is not published yet, in December, is no error.
func TestNextYearIsNotThereYet(t *testing.T) {
	w := newWorld(t, `{}`)
	w.change = func(body string) string {
		if len(w.asked) == 2 {
			return `{"yayindaOlanlarList":[],"yayindaOlmayanlarList":[]}`
		}
		return body
	}
	if _, err := w.at(t, trt(2031, 12, 5, 7, 0)); err != nil || strings.Join(w.asked, " ") != "2031 2032" {
		t.Errorf("%v, asked %v", err, w.asked)
	}
	w.check(t, 2031)
}

// An event that the list has no more under its name keeps its items, and is reported each day,
// after the others are stored.
func TestEventWithAnotherName(t *testing.T) {
	w := newWorld(t, `{}`)
	if _, err := w.at(t, trt(2031, 5, 19, 7, 0)); err != nil {
		t.Fatal(err)
	}
	renamed := strings.NewReplacer("Tüketici Güven Endeksi", "Tüketici Güveni").Replace
	w.change = renamed
	for _, at := range []time.Time{trt(2031, 5, 20, 7, 0), trt(2031, 5, 21, 7, 0)} {
		told, err := w.at(t, at)
		if err == nil || !strings.Contains(err.Error(), `the list of 2031 has "Tüketici Güven Endeksi" of TÜİK no more, under this name`) {
			t.Errorf("%v", err)
		}
		if at.Day() == 20 && !strings.Contains(told, "+792001 2031-06-04T07:00:00Z") {
			t.Errorf("the others do not go on: %s", told)
		}
		w.check(t, 2031)
	}
	// So is one that this year does not have, and last year had.
	if _, err := w.at(t, trt(2032, 1, 2, 7, 0)); err == nil || !strings.Contains(err.Error(), "the list of 2032 has") {
		t.Errorf("%v", err)
	}
	w.change = func(body string) string { return body }
	if _, err := w.at(t, trt(2032, 1, 3, 7, 0)); err != nil {
		t.Error(err)
	}
	w.check(t, 2031, 2032)
}

func TestThrottle(t *testing.T) {
	w := newWorld(t, `{"from": 2005}`)
	if _, err := w.at(t, trt(2031, 5, 19, 7, 0)); err == nil || !strings.Contains(err.Error(), "a page instead of JSON") ||
		len(w.asked) != 21 {
		t.Errorf("%v, asked %v", err, w.asked)
	}
	if _, err := w.at(t, trt(2031, 5, 19, 7, 2)); err != nil || len(w.asked) != 7 { // goes on where it was
		t.Errorf("%v, asked %v", err, w.asked)
	}
	w.Config.Sources[0].Own.Base += "/elsewhere"
	if _, err := w.at(t, trt(2031, 5, 20, 7, 0)); err == nil || !strings.Contains(err.Error(), "status 500") {
		t.Errorf("a wrong path: %v", err)
	}
}

func row(agency, title, period, at string) string {
	return fmt.Sprintf(`{"sorumluKisaAd":%q,"sorumluKurum":"x","link":null,"dilId":1,"gTarih":%q,"donemi":%q,"birimi":null,"adi":%q,"id":0}`, agency, at, period, title)
}

func lists(published, planned string) string {
	return `{"yayindaOlanlarList":[` + published + `],"yayindaOlmayanlarList":[` + planned + `]}`
}

func parse(t testing.TB, kept, body string) (*collect.Result, error) {
	t.Helper()
	asked := &collect.Request{Path: "Kurumsal/GetYillikHaberBulteniListesi", Query: url.Values{"yil": {"2031"}}}
	return source(t, `{}`).Parse(json.RawMessage(kept), asked, &collect.Answer{Status: 200, At: trt(2031, 5, 20, 6, 0), Body: []byte(body)})
}

// items returns what was told, in short.
func items(result *collect.Result) string {
	var all []string
	for _, r := range result.Records {
		switch {
		case r.Kind == "calendar_event":
			all = append(all, fmt.Sprint(r.Fields["event_id"]))
		case r.Fields["withdrawn"] == true:
			all = append(all, fmt.Sprint("-", r.Fields["time"]))
		default:
			all = append(all, fmt.Sprint("+", r.Fields["time"]))
		}
	}
	return strings.Join(all, " ")
}

func TestRows(t *testing.T) {
	const at = "2031-06-10T10:00:00"
	const told = "792006 +2031-06-10T07:00:00Z"
	for name, c := range map[string]struct{ row, want string }{
		"a month":                      {row("TÜİK", "Sanayi Üretim Endeksi", "Nisan 2031", at), told},
		"trailing and leading blanks":  {row("TÜİK", " Sanayi Üretim  Endeksi   ", " Nisan 2031 ", at), told},
		"a blank that does not break":  {row("TÜİK", "Sanayi\u00a0Üretim Endeksi\u00a0", "Nisan 2031", at), told},
		"capitals of Turkish":          {row("TÜİK", "SANAYİ ÜRETİM ENDEKSİ", "NİSAN 2031", at), told},
		"capitals of another language": {row("TÜIK", "SANAYI ÜRETIM ENDEKSI", "Nisan 2031", at), told},
		"a dot of its own":             {row("TÜİK", "Sanayi\u0307 Üretim Endeksi", "Nisan 2031", at), told},
		"the same for a year":          {row("TÜİK", "Sanayi Üretim Endeksi", "2030", at), ""},
		"another agency's":             {row("SPK", "Sanayi Üretim Endeksi", "Nisan 2031", at), ""},
		"an unknown title":             {row("TÜİK", "Kümes Hayvancılığı Üretimi", "???", "soon"), ""},
		"labour by month":              {row("TÜİK", "İşgücü İstatistikleri", "Nisan 2031", at), "792003 +2031-06-10T07:00:00Z"},
		"labour by quarter":            {row("TÜİK", "İşgücü İstatistikleri", "I. Çeyrek: Ocak-Mart 2031", at), ""},
		"labour by year":               {row("TÜİK", "İşgücü İstatistikleri", "2030", at), "792004 +2031-06-10T07:00:00Z"},
		"a quarter": {row("TÜİK", "Dönemsel Gayrisafi Yurt İçi Hasıla", "I. Çeyrek: Ocak-Mart 2031", at),
			"792005 +2031-06-10T07:00:00Z"},
		"a quarter without months": {row("TÜİK", "Dönemsel Gayrisafi Yurt İçi Hasıla", "2. Çeyrek 2031", at),
			"792005 +2031-06-10T07:00:00Z"},
		"a quarter without a year": {row("TÜİK", "Dönemsel Gayrisafi Yurt İçi Hasıla", "III. Çeyrek", at),
			"792005 +2031-06-10T07:00:00Z"},
		"a week": {row("TCMB", "Haftalık Para ve Banka İstatistikleri ",
			"23. Hafta 2031", "2031-06-12T14:30:00"), "792027 +2031-06-12T11:30:00Z"},
		"a day":  {row("TCMB", "Menkul Kıymet İstatistikleri", "01-06-2031", at), ""},
		"years":  {row("TÜİK", "Sanayi Üretim Endeksi", "2029-2030", at), ""},
		"months": {row("TÜİK", "Sanayi Üretim Endeksi", "Ocak-Şubat-Mart 2031", at), ""},
		"midnight": {row("TÜİK", "Sanayi Üretim Endeksi", "Nisan 2031", "2031-01-01T00:00:00"),
			"792006 +2030-12-31T21:00:00Z"},
		"a release of the balance": {row("TCMB", "Ödemeler Dengesi İstatistikleri   ", " Nisan 2031", at),
			"792022 +2031-06-10T07:00:00Z"},
		"twice, for two periods": {row("TÜİK", "Sanayi Üretim Endeksi", "Mart 2031", at) + "," +
			row("TÜİK", "Sanayi Üretim Endeksi", "Nisan 2031", at), told},
		"the events in order, times sorted": {row("TÜİK", "Sanayi Üretim Endeksi", "Nisan 2031", at) + "," +
			row("TÜİK", "Tüketici Fiyat Endeksi (TÜFE)", "Mayıs 2031", "2031-06-03T10:00:00") + "," +
			row("TÜİK", "Sanayi Üretim Endeksi", "Mart 2031", "2031-05-09T10:00:00"),
			"792001 +2031-06-03T07:00:00Z 792006 +2031-05-09T07:00:00Z +2031-06-10T07:00:00Z"},
	} {
		for list, body := range map[string]string{"published": lists(c.row, ""), "planned": lists("", c.row)} {
			if result, err := parse(t, "", body); err != nil || items(result) != c.want {
				t.Errorf("%s, %s: %v %+v", name, list, err, result)
			}
		}
	}
	result, err := parse(t, "", lists("", row("TCMB", "Ödemeler Dengesi İstatistikleri", "Nisan 2031", at)))
	need.NoError(t, err)
	event, _ := json.Marshal(result.Records[0].Fields)
	if want := `{"country":{"code":"TR","name":"Türkiye"},"currency":"TRY","event_id":792022,"importance":3,"is_speaking":false,"name":"Ödemeler Dengesi"}`; string(event) != want {
		t.Errorf("%s", event)
	}
}

func TestTimesThatMove(t *testing.T) {
	kept := `{"2031":{"asked":"2031-05-19T03:00:00Z","times":{"792006":["2031-06-10T07:00:00Z"]}}}`
	for name, c := range map[string]struct{ row, want string }{
		"it stays": {row("TÜİK", "Sanayi Üretim Endeksi", "Nisan 2031", "2031-06-10T10:00:00"), "792006"},
		"it moves": {row("TÜİK", "Sanayi Üretim Endeksi", "Nisan 2031", "2031-06-11T10:00:00"),
			"792006 +2031-06-11T07:00:00Z -2031-06-10T07:00:00Z"},
		"one more": {row("TÜİK", "Sanayi Üretim Endeksi", "Nisan 2031", "2031-06-10T10:00:00") + "," +
			row("TÜİK", "Sanayi Üretim Endeksi", "Mayıs 2031", "2031-07-10T10:00:00"), "792006 +2031-07-10T07:00:00Z"},
		"no row is left":    {row("TÜİK", "Tüketici Güven Endeksi", "Mayıs 2031", "2031-05-22T10:00:00"), "792009 +2031-05-22T07:00:00Z"},
		"it becomes yearly": {row("TÜİK", "Sanayi Üretim Endeksi", "2030", "2031-06-10T10:00:00"), ""},
	} {
		result, err := parse(t, kept, lists("", c.row))
		if err != nil || items(result) != c.want {
			t.Errorf("%s: %v %+v", name, err, result)
			continue
		}
		if missing := strings.Contains(string(result.Keep), `"missing":[792006]`); missing == strings.Contains(c.want, "792006") ||
			missing && !strings.Contains(string(result.Keep), "2031-06-10T07:00:00Z") {
			t.Errorf("%s: %s", name, result.Keep)
		}
	}
}

// Nothing is emitted for a list that is not what it is known to be.
func TestListsThatHaveChanged(t *testing.T) {
	const at = "2031-06-10T10:00:00"
	good := row("TÜİK", "Sanayi Üretim Endeksi", "Nisan 2031", at)
	for name, c := range map[string]struct{ body, says string }{
		"this year is empty":       {lists("", ""), "is empty"},
		"one list only":            {`{"yayindaOlanlarList":[` + good + `]}`, "does not have both"},
		"a null list":              {`{"yayindaOlanlarList":[` + good + `],"yayindaOlmayanlarList":null}`, "does not have both"},
		"an array":                 {`[]`, "cannot unmarshal"},
		"a row that is none":       {lists("1", ""), "row 0"},
		"no title":                 {lists(good+","+strings.Replace(good, "adi", "ad", 1), ""), "row 1 must have"},
		"no agency":                {lists(row("", "x", "2031", at), ""), "row 0 must have"},
		"no period":                {lists(strings.Replace(good, `"Nisan 2031"`, "null", 1), ""), "donemi must be"},
		"another form of a period": {lists(row("TÜİK", "Sanayi Üretim Endeksi", "2031/04", at), ""), "donemi must be"},
		"a month in English":       {lists(row("TÜİK", "Sanayi Üretim Endeksi", "April 2031", at), ""), "donemi must be"},
		"a day only":               {lists(row("TÜİK", "Sanayi Üretim Endeksi", "Nisan 2031", "2031-06-10"), ""), "gTarih must be"},
		"a time with a zone":       {lists(row("TÜİK", "Sanayi Üretim Endeksi", "Nisan 2031", at+"Z"), ""), "gTarih must be"},
		"a time in words":          {lists(row("TÜİK", "Sanayi Üretim Endeksi", "Nisan 2031", "10.06.2031 10:00"), ""), "gTarih must be"},
		"another year": {lists(row("TÜİK", "Sanayi Üretim Endeksi", "Nisan 2031", "2032-06-10T10:00:00"), ""),
			"is not in 2031"},
		"half a list": {lists(good, good)[:90], "unexpected end"},
	} {
		if result, err := parse(t, "", c.body); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v %+v", name, err, result)
		}
	}
	if result, err := parse(t, `[]`, lists(good, "")); err == nil {
		t.Errorf("a state that is none: %+v", result)
	}
	if result, err := source(t, `{}`).Parse(nil, &collect.Request{}, &collect.Answer{Body: []byte(lists(good, ""))}); err == nil {
		t.Errorf("no year: %+v", result)
	}
}

func TestSettingsThatCannotBe(t *testing.T) {
	for text, says := range map[string]string{
		`{"from": 2004}`: "a year from 2005 on", `{"from": 99999}`: "a year from 2005 on", `{"from": "2031"}`: "must be a whole number; got text",
		`{"year": 2031}`: "is unknown; known are ", `1`: "must be an object; got 1",
	} {
		if _, err := tuik.New(json.RawMessage(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// What is collected can be stored: planned times are not taken for observed ones.
func TestIngest(t *testing.T) {
	w := newWorld(t, `{}`)
	for _, at := range []time.Time{trt(2026, 5, 19, 7, 0), trt(2026, 5, 20, 7, 0)} {
		if _, err := w.at(t, at); err != nil {
			t.Fatal(err)
		}
	}
	if stored := collecttest.Ingest(t, w.now, w.store.All()); stored < 200 {
		t.Errorf("%d lines are stored", stored)
	}
}

// Whatever is taken, the same list says nothing of items the second time.
func FuzzList(f *testing.F) {
	f.Add([]byte(lists(row("TÜİK", "Sanayi Üretim Endeksi", "Nisan 2031", "2031-06-10T10:00:00"),
		row("TCMB", "Menkul Kıymet İstatistikleri ", "23. Hafta 2031", "2031-06-12T14:30:00"))))
	f.Fuzz(func(t *testing.T, body []byte) {
		result, err := parse(t, "", string(body))
		if err != nil {
			return
		}
		for _, r := range result.Records {
			if at, ok := r.Fields["time"].(string); ok && (at < "2030-12-31T21" || at >= "2031-12-31T21") {
				t.Errorf("%s", at)
			}
		}
		again, err := parse(t, string(result.Keep), string(body))
		if err != nil || strings.ContainsAny(items(again), "+-") || string(again.Keep) != string(result.Keep) {
			t.Errorf("again: %v %+v", err, again)
		}
	})
}
