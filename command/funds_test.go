package command_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"piyasa/db/dbtest"
	"piyasa/test/fixture/need"
)

// A fund that was never stored as an instrument is one wherever its answers
// name it: in the catalog, with its founder's logo, and with those that hold it.
func TestServeKnowsFundsByTheirOwnRecords(t *testing.T) {
	t.Parallel()
	var picture bytes.Buffer
	need.NoError(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 3, 3))))
	records := strings.Join([]string{
		`{"record":"instrument","instrument_id":"bist:DMALTF","symbol":"DMALTF","name":"Demo Altın","market":"bist","asset_type":"ETF","currency":"TRY","fund_code":"DMA"}`,
		`{"record":"fund","code":"DMF","name":"Demo Fon","founder":"Demo Portföy","currency":"TRY","returns":{"1m":"8.1"}}`,
		`{"record":"fund","code":"DMX","name":"Demo X","currency":"TRY","returns":{"1m":"9"}}`,
		`{"record":"fund","code":"DMA","name":"Demo Altın Fonu","currency":"TRY","returns":{"1m":"99"}}`,
		`{"record":"fund_holding","fund_code":"DMX","instrument_id":"fund:DMF","report_month":"2026-02","market_value":"5"}`,
		`{"record":"logo","founder":"Demo Portföy","png":"` + base64.StdEncoding.EncodeToString(picture.Bytes()) + `"}`,
	}, "\n")
	dbtest.Each(t, func(t *testing.T, url string) {
		key, _ := newKey(t, url, "--scopes", "assets:logos,quotes:fund")
		if res := run(t, url, records, nil, "ingest", "-"); res.status != 0 {
			t.Fatalf("%d %s %s", res.status, res.stdout, res.err)
		}
		s := start(t, url)
		_, ranking := s.get("/v1/funds/ranking", key)
		items, _ := ranking["items"].([]any)
		if len(items) != 2 {
			t.Fatalf("ranked %v", ranking)
		}
		for _, item := range items {
			id, _ := item.(map[string]any)["instrument_id"].(string)
			if status, in := s.get("/v1/instruments/"+id, key); status != http.StatusOK || in["market"] != "fund" ||
				in["asset_type"] != "FUND" || in["currency"] != "TRY" {
				t.Errorf("%s: %d %v", id, status, in)
			}
			if status, _ := s.get("/v1/funds/holders-of/"+id, key); status != http.StatusOK {
				t.Errorf("holders of %s: %d", id, status)
			}
		}
		if _, in := s.get("/v1/instruments/fund:DMF", key); in["founder"] != "Demo Portföy" || in["logo_url"] != s.base+
			"/v1/logos/fund:DMF" {
			t.Errorf("fund:DMF %v", in)
		}
		if _, held := s.get("/v1/funds/holders-of/fund:DMF", key); held["count"] != 1.0 {
			t.Errorf("holders of fund:DMF %v", held)
		}
		for path, want := range map[string]int{"/v1/logos/fund:DMF": 200, "/v1/logos/fund:DMX": 404, "/v1/instruments/fund:DMA": 404} {
			r, err := http.NewRequestWithContext(t.Context(), "GET", s.base+path, nil)
			need.NoError(t, err)
			r.Header.Set("X-API-Key", key)
			res, err := http.DefaultClient.Do(r)
			need.NoError(t, err)
			_ = res.Body.Close()
			if res.StatusCode != want {
				t.Errorf("%s: %d, want %d", path, res.StatusCode, want)
			}
		}
		if _, list := s.get("/v1/instruments?market=fund", key); list["count"] != 2.0 {
			t.Errorf("the catalog lists %v", list)
		}
	})
}

// The price that a record of a fund states is its quote, until a quote is newer.
func TestServeQuotesFundsByTheirOwnRecords(t *testing.T) {
	t.Parallel()
	fund := func(code, currency, price, date string) string {
		return `{"record":"fund","code":"` + code + `","name":"Fon","currency":"` + currency + `","price":"` + price +
			`","price_date":"` + date + `"}`
	}
	records := strings.Join([]string{
		`{"record":"instrument","instrument_id":"bist:DMALTF","symbol":"DMALTF","name":"Demo Altın","market":"bist","asset_type":"ETF",` +
			`"currency":"TRY","fund_code":"DMA"}`,
		fund("NAVF", "TRY", "3.415602", "2026-03-17"), fund("NAVH", "USD", "1.000001", "2026-03-17"),
		fund("NAVG", "TRY", "0", "2026-03-17"),
		fund("NAVO", "TRY", "2.50", "2026-03-17"), fund("NAVN", "TRY", "2.50", "2026-03-17"), fund("DMA", "TRY", "7", "2026-03-17"),
		`{"record":"quote","instrument_id":"fund:NAVO","as_of":"2026-03-16T06:00:00Z","last":"2.40"}`,
		`{"record":"quote","instrument_id":"fund:NAVN","as_of":"2026-03-17T06:00:00Z","last":"2.60"}`,
	}, "\n")
	dbtest.Each(t, func(t *testing.T, url string) {
		key, _ := newKey(t, url, "--scopes", "quotes:fund,quotes:bist")
		if res := run(t, url, records, nil, "ingest", "-"); res.status != 0 {
			t.Fatalf("%d %s %s", res.status, res.stdout, res.err)
		}
		s := start(t, url)
		for id, want := range map[string][3]string{
			"NAVF": {"3.415602", "TRY", "2026-03-17T00:00:00Z"}, "NAVH": {"1.000001", "USD", "2026-03-17T00:00:00Z"},
			"NAVO": {"2.50", "TRY", "2026-03-17T00:00:00Z"}, "NAVN": {"2.60", "TRY", "2026-03-17T06:00:00Z"},
		} {
			status, q := s.get("/v1/quotes/fund:"+id, key)
			if status != http.StatusOK || q["last"] != want[0] || q["currency"] != want[1] || q["as_of"] != want[2] {
				t.Errorf("%s: %d %v, want %v", id, status, q, want)
			}
		}
		for _, id := range []string{"NAVG", "DMA"} {
			if status, q := s.get("/v1/quotes/fund:"+id, key); status != http.StatusNotFound {
				t.Errorf("%s: %d %v", id, status, q)
			}
		}
	})
}
