package vyk_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"piyasa/collect"
	"piyasa/collect/collecttest"
	"piyasa/collect/standin"
	"piyasa/test/fixture/need"
)

// ornek is what is stored of company 777 of the stand-in.
const ornek = `{"as_of": "2021-05-03T06:00:00Z", "company_id": "777", "codes": ["ORNKA", "ORNKB", "ORNKC"], "sector": "İMALAT",
	"identity": {"title": "ÖRNEK IŞIK A.Ş.", "address": "İstanbul", "auditor": "ÖRNEK DENETİM A.Ş.", "website": "www.ornek.example", "trade_registry_no": "123456", "founded_at": "1970-01-05"},
	"capital": {"currency": "TRY", "paid_in": "1250000000", "registered_ceiling": "2000000000"},
	"free_float": {"pct": "34.51", "amount": "431375000.50", "as_of": "2021-06-01T21:00:00Z"},
	"shareholders": [{"name": "ÖRNEK HOLDİNG", "share_amount": "625000000", "share_pct": "50.00", "voting_pct": "61.2"}, {"name": "DİĞER", "share_amount": "625000000", "share_pct": "50.00"}],
	"share_groups": [{"group": "A", "nominal_value": "0.01", "amount": "125000000", "share_pct": "10", "traded": false},
		{"group": "B", "nominal_value": "0.01", "amount": "1125000000", "share_pct": "90", "traded": true}],
	"board": [{"name": "A. ÖRNEK", "title": "Başkan", "appointed_at": "2024-04-01", "is_independent": false}, {"name": "B. ÖRNEK", "title": "Üye", "is_independent": true}],
	"executives": [{"name": "C. ÖRNEK", "title": "Genel Müdür"}], "record": "company"}`

// stored returns the records of a kind, without what they have in common, as texts that sort.
func (w *world) stored(kind string) (all []string) {
	for _, l := range w.store.Lines() {
		if l.Kind == kind {
			text, _ := json.Marshal(l.Fields)
			all = append(all, string(text))
		}
	}
	slices.Sort(all)
	return all
}

// Companies with all that the service says of them that records have, and the names of funds,
// once a day, after the disclosures.
func TestCompaniesAndFunds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin()
		w := newWorld(t, fmt.Sprintf(`, "companies": true, "funds": true, "type": "DUY", "from": %d, "schedule": {"every": "1m"}`,
			standin.VYKNewest(time.Now())-6))
		w.Config.Keep = collect.Keep{Folder: filepath.Join(t.TempDir(), "raw"), Days: 9}
		o := w.Once(t.Context())[0]
		if says := `company 779 (ÖRNEK TUHAF A.Ş.) has what cannot be read, and is stored without it: kpy41_acc5_odenmis_sermaye: must be a number such as 1.250.000,50; got "12.5"; kpy41_acc6_yonetim_kurulu_uyeleri has another form than usual`; o.Err != nil || o.Warning == nil || !strings.Contains(o.Warning.Error(), says) {
			t.Errorf("%+v", o)
		}
		want := []string{
			ornek, `{"as_of":"2021-05-03T06:00:00Z","codes":["ORNEB"],"company_id":"779","identity":{"title":"ÖRNEK TUHAF A.Ş."},"record":"company","sector":"HOLDİNG"}`,
			`{"codes":["ORNYK"],"company_id":"780","identity":{"title":"ÖRNEK YOK A.Ş."},"record":"company"}`,
			`{"code":"OR5","currency":"TRY","founder":"ÖRNEK PORTFÖY YÖNETİMİ A.Ş.","name":"ÖRNEK PORTFÖY BİRİNCİ FON","record":"fund"}`,
			`{"code":"ORN","currency":"TRY","founder":"ÖRNEK PORTFÖY YÖNETİMİ A.Ş.","name":"ÖRNEK PORTFÖY BİRİNCİ FON","record":"fund"}`,
		}
		got := append(w.stored("company"), w.stored("fund")...)
		for i := range want {
			want[i] = ordered(t, want[i])
		}
		if slices.Sort(want[:3]); !slices.Equal(got, want) {
			t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if first := w.store.Lines()[0].Kind; first != "disclosure" || strings.Contains(w.store.All(), standin.VYKPersonal) {
			t.Errorf("%s first: %s", first, w.store.All())
		}
		var replayed strings.Builder
		if err := w.Config.Replay(w.Config.Keep.Folder, &replayed); err != nil ||
			strings.Count(replayed.String(), `"record":"company"`) != 3 {
			t.Errorf("%v %s", err, replayed.String())
		}
		w.asked, w.Config.Keep = nil, collect.Keep{}
		time.Sleep(20 * time.Hour)
		w.run(2 * time.Minute)
		if slices.Contains(w.asked, "/api/vyk/members") {
			t.Error("members are asked for again too early")
		}
		time.Sleep(5 * time.Hour)
		w.run(2 * time.Minute)
		if len(w.stored("company")) != 6 || len(w.stored("fund")) != 4 {
			t.Errorf("a day later: %v", w.asked)
		}
	})
}

// ordered returns JSON with its members in order.
func ordered(t *testing.T, text string) string {
	t.Helper()
	var v any
	need.NoError(t, json.Unmarshal([]byte(text), &v))
	out, _ := json.Marshal(v)
	return string(out)
}

// listing is a service whose catalog has been changed.
func listing(odd map[string]http.HandlerFunc) http.Handler {
	upstream := standin.VYK(time.Now)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if one := odd[strings.TrimPrefix(r.URL.Path, "/api/vyk/")]; one != nil {
			one(w, r)
			return
		}
		upstream.ServeHTTP(w, r)
	})
}

// Whatever is wrong with companies is reported, and disclosures and other companies come.
func TestCompaniesThatCannotBeHad(t *testing.T) {
	says := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) }
	}
	fails := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }
	hangs := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	for name, c := range map[string]struct {
		path      string
		answer    http.HandlerFunc
		says      string
		companies string
	}{
		"details that fail": {"memberDetail/777", fails,
			"the details of company 777 (ÖRNEK IŞIK A.Ş.): the upstream failed (status 500)", "779 780"},
		"details that are a page": {"memberDetail/777", says("<html>"),
			"the details of company 777 (ÖRNEK IŞIK A.Ş.): the answer is a page", "779 780"},
		"details that are others": {"memberDetail/777", says(`[{"name": "x"}]`), "field 1 has no key", "779 780"},
		"details that are empty":  {"memberDetail/777", says(`[]`), "it has no fields", "779 780"},
		"details that hang": {"memberDetail/777", hangs,
			"vyk/memberDetail/777: no answer came before the source was due again", ""},
		"no list of members":     {"members", says(`{"members": []}`), "members: the answer is not what", ""},
		"members without number": {"members", says(`[{"id": "a", "stockCode": "A"}]`), "id must be a number", ""},
		"members that fail":      {"members", fails, "members: the upstream failed (status 500)", ""},
		"no list of securities":  {"memberSecurities", says(`[{"id": 1}]`), "a row has no member", "777 779 780"},
		"securities with an odd ceiling": {"memberSecurities", says(`[{"member": {"id": 777, "kayitliSermayeTavani": "x"}}]`),
			"must be a decimal", "777 779 780"},
		"securities of an object, as told": {"memberSecurities",
			says(`{"member": {"id": "777", "kayitliSermayeTavani": 5}, "securities": []}`), "", "777 779 780"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin()
				w := newWorld(t, `, "companies": true, "schedule": {"every": "1m"}`)
				w.Transport = collecttest.NewNetwork(t,
					map[string]http.Handler{host: listing(map[string]http.HandlerFunc{c.path: c.answer})})
				told, ids := "", map[string]bool{}
				for end := time.Now().Add(12 * time.Minute); time.Now().Before(end); {
					o := w.Once(t.Context())[0]
					if o.Err != nil {
						t.Fatalf("%+v", o)
					}
					if o.Warning != nil {
						told += o.Warning.Error() + "\n"
					}
					time.Sleep(time.Until(time.Now().Truncate(time.Minute).Add(time.Minute)))
				}
				for _, l := range w.store.Lines() {
					if l.Kind == "company" {
						ids[l.Get("company_id")] = true
					}
				}
				if got := strings.Join(slices.Sorted(maps.Keys(ids)), " "); got != c.companies || !strings.Contains(told, c.says) ||
					len(w.numbers()) < 1 {
					t.Errorf("companies %s, %q, disclosures %v", got, told, w.numbers())
				}
			})
		})
	}
}

// Funds of other states, exchange traded ones and those without a code are left out; a list that
// has none of them is another list.
func TestFunds(t *testing.T) {
	s := source(t, `, "funds": true`)
	asked, err := s.(collect.Extras).Extra(state(``), at)
	if err != nil || asked.Path != "vyk/funds" {
		t.Fatal(asked, err)
	}
	for body, want := range map[string]string{
		`[{"fundId": 1, "fundName": "A", "fundCode": "ORN", "fundType": "EYF", "fundState": "Y"}]`: `[{"Kind":"fund","Fields":{"code":"ORN","currency":"TRY","name":"A"}}]`,
		`[{"fundId": 1, "fundName": "A", "fundCode": "ORN", "fundType": "BYF", "fundState": "Y"}]`: "it has no active funds",
		`[{"fundId": 1, "fundCode": "ORN", "fundType": "EYF"}]`:                                    "must not be empty",
		`[]`: "from 1 to", `null`: "from 1 to", `{}`: "cannot unmarshal",
	} {
		got := ""
		r, err := s.Parse(state(``), asked, &collect.Answer{Status: 200, At: at, Body: []byte(body)})
		if err != nil {
			got = err.Error()
		} else {
			got = told(r)
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s", body, got)
		}
	}
}

// Of the details of a company, what is kept names people as records do, and has the same records.
func TestDetailsThatAreKept(t *testing.T) {
	s := source(t, `, "companies": true`)
	kept := state(`, "catalog": {"members": "` + at.Format(time.RFC3339) +
		`", "secured": true, "firms": [{"id": "777", "title": "Ö", "codes": ["ORN"]}]}`)
	asked, err := s.(collect.Extras).Extra(kept, at)
	if err != nil || asked.Path != "vyk/memberDetail/777" {
		t.Fatal(asked, err)
	}
	got := &collect.Answer{Status: 200, At: at,
		Body: []byte(`[{"key": "kpy41_acc1_yatirimci_iliskileri", "value": [{"nameSurname": "X", "phone": "555"}]},
		{"key": "kpy41_acc6_yonetim_kurulu_uyeleri", "value": [{"nameSurname": "A", "title": {"key": "1", "text": "Üye"}, "tcknYknVkn": "12345678901"}]}, {"key": "kpy41_acc2_sektor", "value": "S"}]`)}
	first, err := s.Parse(kept, asked, got)
	if err != nil || len(first.Records) != 1 {
		t.Fatal(first, err)
	}
	body := s.(collect.Discreet).Redact(asked, got)
	again, err := s.Parse(kept, asked, &collect.Answer{Status: 200, At: at, Body: body})
	if err != nil || told(again) != told(first) || strings.Contains(string(body), "555") || strings.Contains(string(body), "12345678901") {
		t.Errorf("%s: %v; want %s; %v", body, told(again), told(first), err)
	}
	if body := s.(collect.Discreet).Redact(asked, &collect.Answer{Status: 200, At: at, Body: got.Body[:50]}); body != nil {
		t.Errorf("%s", body)
	}
}
