package standin_test

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"piyasa/collect/standin"
	"piyasa/test/fixture/need"
)

// The quirks of EVDS that its connector takes care not to meet.
func TestQuirksOfEVDS(t *testing.T) {
	now := time.Date(2031, 6, 2, 9, 0, 0, 0, time.UTC)
	ask := func(path, key string) (int, string) {
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("key", key)
		w := httptest.NewRecorder()
		standin.EVDS(func() time.Time { return now }).ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	rows := func(path string) (all []map[string]any) {
		_, body := ask(path, standin.EVDSKey)
		var in struct{ Items []map[string]any }
		need.NoError(t, json.Unmarshal([]byte(body), &in))
		return in.Items
	}
	for name, c := range map[string]struct {
		path, key string
		status    int
		says      string
	}{
		"no key": {"/series=TP.FG.J0&type=json", "", 403,
			`{"status":"403","message":"Required request header 'key' is not present"}`},
		"a query":              {"/?series=TP.FG.J0&type=json", standin.EVDSKey, 400, "Missing parameters"},
		"a wrong path":         {"/service/evds/", standin.EVDSKey, 200, "<!doctype html>"},
		"an unknown series":    {"/series=TP.X&type=json", standin.EVDSKey, 200, `"items":[]`},
		"a series of no group": {"/series=X&type=json", standin.EVDSKey, 500, "error"},
		"a quarter":            {"/series=TP.GSYIH01.GY&type=json", standin.EVDSKey, 200, `"Tarih":"2031-Q1"`},
		"a frozen series":      {"/series=TP.FG.J0&startDate=01-02-2026&type=json", standin.EVDSKey, 200, `"items":[]`},
		"a month to come": {"/series=TP.TUKFIY2025.GENEL&startDate=01-06-2031&type=json", standin.EVDSKey, 200,
			`"TP_TUKFIY2025_GENEL":null`},
		"no rate on a Saturday": {"/series=TP.DK.USD.A.YTL&startDate=31-05-2031&endDate=31-05-2031", standin.EVDSKey, 200,
			`"TP_DK_USD_A_YTL":null`},
		"two series in one table": {"/series=TP.DK.USD.A.YTL-TP.DK.EUR.A.YTL&startDate=30-05-2031&endDate=30-05-2031", standin.EVDSKey, 200,
			`"TP_DK_EUR_A_YTL":"36.`},
	} {
		if status, body := ask(c.path, c.key); status != c.status || !strings.Contains(body, c.says) {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
	if all := rows("/series=TP.DK.USD.A.YTL&startDate=01-01-2020&endDate=30-05-2031"); len(all) != 1000 ||
		all[999]["Tarih"] != "30-05-2031" || all[0]["Tarih"] != "03-09-2028" {
		t.Errorf("a long range: %d rows from %v", len(all), all[0])
	}
	if all := rows("/series=TP.TUFE1YI.T1&startDate=2031-01-01&endDate=31/12/2030"); all[0]["Tarih"] != "1982-1" ||
		all[len(all)-1]["Tarih"] != "2031-4" {
		t.Errorf("dates in other formats: from %v to %v", all[0], all[len(all)-1])
	}
}
