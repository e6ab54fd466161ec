package cmc_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"piyasa/collect"
	"piyasa/collect/cmc"
	"piyasa/collect/collecttest"
	"piyasa/collect/standin"
	"piyasa/test/fixture/need"
)

var noon = time.Date(2031, 6, 2, 12, 0, 30, 0, time.UTC)

func source(t testing.TB, settings string) collect.Source {
	t.Helper()
	t.Setenv("CMC_KEY", standin.CMCKey)
	s, err := cmc.New(json.RawMessage(`{"key": {"env": "CMC_KEY"}, ` + settings + `}`))
	need.NoError(t, err)
	return s
}

const (
	good = `"price":101234.56789012345,"volume_24h":1.23e10,"percent_change_24h":-0.83120044,"market_cap":2024691357802.4,"last_updated":"2031-06-02T11:59:00.000Z"`
	fine = `{"error_code":"0","error_message":"","credit_count":1}`
	head = `"id":1,"name":"Ornek","symbol":"ORN","slug":"ornek"`
)

// v3 returns an answer of version 3 with a coin whose quote is given.
func v3(quote string) string {
	return `{"status":` + fine + `,"data":[{` + head + `,"tags":["x"],"quote":[{"symbol":"USD",` + quote + `}]}]}`
}

func parse(s collect.Source, kept string, status int, body string) (*collect.Result, error) {
	return s.Parse(json.RawMessage(kept), &collect.Request{Path: "v3/cryptocurrency/listings/latest"},
		&collect.Answer{Status: status, At: noon, Body: []byte(body)})
}

// shown returns records as text.
func shown(r *collect.Result) string {
	if r == nil {
		return ""
	}
	text, _ := json.Marshal(r.Records)
	return string(text)
}

func TestAnswers(t *testing.T) {
	s := source(t, `"top": 3`)
	usd := `{"USD":{` + good + `}}`
	number := `{"status":{"error_code":0,"credit_count":1},"data":`
	for name, c := range map[string]struct {
		body  string
		has   []string
		lacks string
	}{
		"version 3: lists, and a code as text": {v3(good),
			[]string{`"last":"101234.56789012345"`, `"turnover":"12300000000"`, `"change_pct":"-0.83120044"`,
				`"market_cap":"2024691357802.4"`, `"as_of":"2031-06-02T11:59:00.000Z"`, `"data_delay_seconds":0`}, `"change"`},
		"version 2: objects, and a code": {number + `{"1":{` + head + `,"quote":` + usd + `}}}`,
			[]string{`"last":"101234.56789012345"`}, "null"},
		"version 1: a listing": {number + `[{` + head + `,"quote":` + usd + `}]}`,
			[]string{`"last":"101234.56789012345"`}, "null"},
		"by symbol: two coins have it": {number + `{"ORN":[{` + head + `,"quote":` + usd +
			`},{"id":2,"name":"B","symbol":"ORN","slug":"b","quote":` + usd + `}]}}`, []string{"crypto:1", "crypto:2"}, "null"},
		"tags as objects": {strings.Replace(v3(good), `"x"`, `{"slug":"x"}`, 1), []string{"crypto:1"}, "null"},
		"a tiny price": {v3(strings.Replace(good, "101234.56789012345", "3.1e-08", 1)),
			[]string{`"last":"0.000000031"`}, "e-"},
		"a price of null": {v3(strings.Replace(good, "101234.56789012345", "null", 1)),
			[]string{"instrument"}, `"quote"`},
		"a price of 0": {v3(strings.Replace(good, "101234.56789012345", "0", 1)),
			[]string{"instrument"}, `"quote"`},
		"a price of 0 with an exponent": {v3(strings.Replace(good, "101234.56789012345", "0E-10", 1)),
			[]string{"instrument"}, `"quote"`},
		"a market capitalization of null": {v3(strings.Replace(good, "2024691357802.4", "null", 1)), []string{`"last"`},
			"market_cap"},
		"minus zero": {v3(strings.Replace(good, "-0.83120044", "-0.00", 1)),
			[]string{`"change_pct":"0.00"`}, `"-0`},
		"an exponent within the digits": {v3(strings.Replace(good, "-0.83120044", "-1.2345e2", 1)),
			[]string{`"change_pct":"-123.45"`}, "e2"},
		"an exponent of 0 and zeros at the end": {v3(strings.Replace(good, "-0.83120044", "0.0120E+1", 1)),
			[]string{`"change_pct":"0.120"`}, "E+"},
		"the instrument has its number as symbol": {v3(good),
			[]string{`"asset_type":"CRYPTO"`, `"cmc_id":1`, `"symbol":"1"`, `"ticker":"ORN"`, `"slug":"ornek"`, `"market":"crypto"`,
				`"currency":"USD"`}, "null"},
	} {
		result, err := parse(s, "", 200, c.body)
		got := shown(result)
		for _, part := range c.has {
			if err != nil || !strings.Contains(got, part) {
				t.Errorf("%s: %v: %s lacks %s", name, err, got, part)
			}
		}
		if strings.Contains(got, c.lacks) {
			t.Errorf("%s: %s has %s", name, got, c.lacks)
		}
	}
}

func TestAnswersThatHaveChanged(t *testing.T) {
	s := source(t, `"top": 3`)
	for name, body := range map[string]string{
		"no status":              `{"data":[]}`,
		"no code":                `{"status":{"credit_count":1},"data":[]}`,
		"no cost":                strings.Replace(v3(good), "credit_count", "credits", 1),
		"no data":                `{"status":` + fine + `}`,
		"no coin":                `{"status":` + fine + `,"data":[]}`,
		"a price as text":        v3(strings.Replace(good, "101234.56789012345", `"101234.5"`, 1)),
		"a price below 0":        v3(strings.Replace(good, "101234.56789012345", "-1", 1)),
		"a huge exponent":        v3(strings.Replace(good, "101234.56789012345", "1e999", 1)),
		"no volume":              v3(strings.Replace(good, "volume_24h", "volume", 1)),
		"no moment":              v3(strings.Replace(good, "2031-06-02T11:59:00.000Z", "today", 1)),
		"another currency":       strings.Replace(v3(good), `"USD"`, `"EUR"`, 1),
		"no slug":                strings.Replace(v3(good), `"slug":"ornek"`, `"slug":""`, 1),
		"a coin twice":           strings.Replace(v3(good), `"data":[`, `"data":[{`+head+`,"quote":{"USD":{`+good+`}}},`, 1),
		"another number as name": `{"status":` + fine + `,"data":{"2":{` + head + `,"quote":{"USD":{` + good + `}}}}}`,
		"half":                   v3(good)[:120],
	} {
		if result, err := parse(s, "", 200, body); err == nil {
			t.Errorf("%s: %s", name, shown(result))
		}
	}
	asked := &collect.Request{Path: "v3/cryptocurrency/quotes/latest", Query: url.Values{"id": {"2"}}}
	if _, err := s.Parse(nil, asked, &collect.Answer{Status: 200, At: noon, Body: []byte(v3(good))}); err == nil {
		t.Error("a coin that was not asked for is taken")
	}
}

// What the service calls an error, and how long to wait then.
func TestErrorsOfTheService(t *testing.T) {
	s := source(t, `"top": 3`)
	for name, c := range map[string]struct {
		status int
		body   string
		says   string
		wait   time.Duration
		final  bool
	}{
		"200 with a code": {200, `{"status":{"error_code":"1002","error_message":"bad ` + standin.CMCKey + `"}}`,
			"error_code 1002", 0, true},
		"an invalid number": {400, `{"status":{"error_code":400,"error_message":"Invalid value for \"id\""}}`,
			"Invalid value", 0, true},
		"a wrong key":               {401, `{"status":{"error_code":1001,"error_message":"x"}}`, "error_code 1001", 0, true},
		"to be paid":                {402, `{"status":{"error_code":1003,"error_message":"x"}}`, "error_code 1003", 0, true},
		"forbidden":                 {403, `{"status":{"error_code":1006,"error_message":"x"}}`, "error_code 1006", 0, true},
		"the limit of a minute":     {429, `{"status":{"error_code":1008,"error_message":"x"}}`, "error_code 1008", time.Minute, false},
		"the limit of a day":        {429, `{"status":{"error_code":"1009","error_message":"x"}}`, "error_code 1009", time.Hour, false},
		"the limit of a month":      {429, `{"status":{"error_code":1010,"error_message":"x"}}`, "error_code 1010", time.Hour, false},
		"the limit of an address":   {429, `{"status":{"error_code":1011,"error_message":"x"}}`, "error_code 1011", time.Minute, false},
		"a page instead of a limit": {429, `<html></html>`, "status 429", time.Minute, false},
		"an error of the service":   {500, `{"status":{"error_code":500,"error_message":"x"}}`, "error_code 500", 0, false},
		"a page of the edge":        {403, `<html></html>`, "status 403", 0, true},
	} {
		_, err := parse(s, "", c.status, c.body)
		trouble, ok := errors.AsType[*collect.Trouble](err)
		if !ok || !strings.Contains(err.Error(), c.says) || trouble.Wait != c.wait || trouble.Final != c.final ||
			strings.Contains(err.Error(), standin.CMCKey) {
			t.Errorf("%s: %+v", name, err)
		}
	}
}

// A coin is reported again only when its name, symbol or slug has changed.
func TestRenamed(t *testing.T) {
	s := source(t, `"top": 3`)
	first, err := parse(s, "", 200, v3(good))
	need.NoError(t, err)
	same, err := parse(s, string(first.Keep), 200, v3(good))
	if err != nil || strings.Contains(shown(same), "instrument\"") {
		t.Errorf("%v %s", err, shown(same))
	}
	renamed := strings.NewReplacer(`"ORN"`, `"YENI"`, `"ornek"`, `"yeni"`).Replace(v3(good))
	after, err := parse(s, string(same.Keep), 200, renamed)
	if err != nil || !strings.Contains(shown(after), `"ticker":"YENI"`) || !strings.Contains(shown(after), `"slug":"yeni"`) {
		t.Errorf("%v %s", err, shown(after))
	}
}

// Credits that are used up are reported, until the month ends in UTC.
func TestBudget(t *testing.T) {
	s := source(t, `"top": 3, "credits_per_month": 2`)
	kept := ""
	for range 2 {
		if asked, err := s.Ask(json.RawMessage(kept), noon); err != nil || asked == nil {
			t.Fatal(err)
		}
		result, err := parse(s, kept, 200, v3(good))
		need.NoError(t, err)
		kept = string(result.Keep)
	}
	_, err := s.Ask(json.RawMessage(kept), noon)
	if trouble, ok := errors.AsType[*collect.Trouble](err); !ok || trouble.Wait != time.Hour ||
		!strings.Contains(err.Error(), "2 of the 2 credits of 2031-06") {
		t.Errorf("%v", err)
	}
	if _, err := s.Ask(json.RawMessage(kept), time.Date(2031, 7, 1, 0, 30, 0, 0, collect.Istanbul)); err == nil {
		t.Error("the month ends in UTC")
	}
	if asked, err := s.Ask(json.RawMessage(kept), time.Date(2031, 7, 1, 0, 0, 0, 0, time.UTC)); err != nil || asked == nil {
		t.Error(err)
	}
}

func TestSchedule(t *testing.T) {
	var many []string
	for id := range 808 {
		many = append(many, fmt.Sprint(id+1))
	}
	for settings, want := range map[string]time.Duration{
		`"ids": [1]`: 5 * time.Minute, `"top": 1000`: 23 * time.Minute, `"ids": [` + strings.Join(many, ",") + `]`: 41 * time.Minute,
		`"top": 200, "credits_per_month": 1000000`: time.Minute, `"top": 1, "credits_per_month": 1`: 7 * 24 * time.Hour,
	} {
		if got := source(t, settings).Plan().Schedule.Every; got != want {
			t.Errorf("%.40s: %s, want %s", settings, got, want)
		}
	}
}

func TestSettingsThatCannotBe(t *testing.T) {
	t.Setenv("CMC_KEY", "x")
	for text, says := range map[string]string{
		`{"top": 1}`: `"key"`, `{"key": {"env": "CMC_KEY"}}`: "either", `{"key": {"env": "CMC_KEY"}, "top": 1, "ids": [1]}`: "either",
		`{"key": {"env": "CMC_KEY"}, "top": 5001}`: "from 1 to 5000", `{"key": {"env": "CMC_KEY"}, "top": 0}`: "from 1 to 5000",
		`{"key": {"env": "CMC_KEY"}, "ids": []}`: "from 1 to 5000", `{"key": {"env": "CMC_KEY"}, "ids": [0]}`: "above 0",
		`{"key": {"env": "CMC_KEY"}, "ids": [1, 1]}`:                        "twice",
		`{"key": {"env": "CMC_KEY"}, "top": 5000, "credits_per_month": 24}`: "from 25", `{"key": "secret"}`: "never the secret",
		`{"currency": "EUR"}`: "is unknown; known are ",
	} {
		if _, err := cmc.New(json.RawMessage(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Days of collecting bring what the stand-in has, in requests of 100 numbers.
func TestDays(t *testing.T) {
	var ids []string
	for id := 1; id <= 230; id++ {
		ids = append(ids, fmt.Sprint(id))
	}
	ids = append(ids, "9999") // there is none
	now := noon.AddDate(0, 0, -2)
	requests := 0
	upstream := standin.CMC(func() time.Time { return now })
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		if n := len(strings.Split(r.URL.Query().Get("id"), ",")); n > 100 || strings.Contains(r.RequestURI, standin.CMCKey) {
			t.Errorf("%d numbers: %s", n, r.RequestURI)
		}
		upstream.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	s := source(t, `"logos": false, "ids": [`+strings.Join(ids, ",")+`]`)
	plan := s.Plan()
	plan.Base, plan.Pace = server.URL, 0
	store := collecttest.NewStore()
	c := &collect.Collector{
		Config: &collect.Config{Sources: []collect.Named{{Name: "coins", Source: s, Own: plan}}},
		Store:  store, Emit: store.Emit, Holder: "one", Agent: "piyasa/test", Now: func() time.Time { return now },
	}
	for day := range 4 {
		if o := c.Once(t.Context())[0]; o.Err != nil || o.Answers != 3 || o.Records < 228 {
			t.Fatalf("day %d: %+v", day, o)
		}
		r := httptest.NewRequest("GET", "/v1/cryptocurrency/listings/latest?start=1&limit=230", nil)
		r.Header.Set("X-CMC_PRO_API_KEY", standin.CMCKey)
		got := httptest.NewRecorder()
		upstream.ServeHTTP(got, r)
		result, err := parse(s, "", 200, got.Body.String())
		need.NoError(t, err)
		for _, r := range result.Records {
			if r.Kind != "quote" {
				continue
			}
			l, ok := store.Quote(r.Fields["instrument_id"].(string))
			if !ok || l.Get("last") != r.Fields["last"] || l.Get("as_of") != r.Fields["as_of"] {
				t.Errorf("%v, and stored %s", r.Fields, l.Text)
			}
		}
		now = now.AddDate(0, 0, 1)
	}
	if all := store.All(); requests != 12 || !strings.Contains(all, `"ticker":"YENI"`) || strings.Contains(all, standin.CMCKey) {
		t.Errorf("%d requests", requests)
	}
	collecttest.Ingest(t, now, store.All())
}

var plain = regexp.MustCompile(`^-?(0|[1-9]\d*)(\.\d+)?$`)

// Whatever is taken has plain figures, and a price above 0.
func FuzzParse(f *testing.F) {
	f.Add([]byte(v3(good)))
	f.Add([]byte(strings.Replace(v3(good), "101234.56789012345", "3.1e-08", 1)))
	f.Add([]byte(`{"status":{"error_code":0,"credit_count":1},"data":{"1":{` + head + `,"quote":{"USD":{` + good + `}}}}}`))
	s := source(f, `"top": 3`)
	f.Fuzz(func(t *testing.T, body []byte) {
		result, err := parse(s, "", 200, string(body))
		if err != nil {
			return
		}
		for _, r := range result.Records {
			for _, member := range []string{"last", "turnover", "change_pct", "market_cap"} {
				if text, ok := r.Fields[member].(string); ok &&
					(!plain.MatchString(text) || strings.HasPrefix(text, "-") && strings.Trim(text, "-0.") == "") {
					t.Errorf("%s %q", member, text)
				}
			}
			if last, _ := r.Fields["last"].(string); r.Kind == "quote" && strings.Trim(last, "0.") == "" {
				t.Errorf("last %q", last)
			}
		}
	})
}
