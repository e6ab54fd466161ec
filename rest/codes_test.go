package rest_test

import (
	"fmt"
	"net/url"
	"testing"

	"piyasa/db"
	"piyasa/domain/kap"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// An ETF's own code and its fund code read the same disclosures, alone and among others.
func TestCodesOfETFs(t *testing.T) {
	a := fixture.New(t)
	batch, outcomes := new(db.Batch), make([]db.Outcome, 2)
	for i, symbol := range []string{"DMA", "DMALTF"} {
		db.Put(batch, &kap.Record{Disclosure: kap.Disclosure{DisclosureIndex: 2001 + i, Type: kap.FON, Class: "FON",
			Symbols: []string{symbol}, FilerCodes: []string{}}}, &outcomes[i])
	}
	need.NoError(t, a.Store.Store(t.Context(), batch))
	want := ""
	for _, query := range []string{"symbol=DMA", "symbol=bist:DMALTF", "symbol=dmaltf", "symbol=fund:DMA", "symbols=DMALTF",
		"symbols=DMA,DMALTF,ZZZZZ"} {
		res := a.Get("/v1/kap-feed/disclosures?"+query, fixture.All)
		if want == "" {
			want = res.Text
		}
		if res.StatusCode != 200 || res.Text != want || fmt.Sprint(res.JSON["count"]) != "2" {
			t.Errorf("%s: %d %s", query, res.StatusCode, res.Text)
		}
	}
}

// Cursors stay valid when companies change between two pages.
func TestCursorsOutliveCompanies(t *testing.T) {
	a := fixture.New(t)
	lists := []string{"/v1/kap-feed/disclosures?symbol=DMOST&limit=1", "/v1/kap-feed/financials/DMOST?limit=1"}
	var next []string
	for _, list := range lists {
		next = append(next, a.Get(list, fixture.All).JSON["next_cursor"].(string))
	}
	for name, companies := range map[string][]*kap.CompanyRecord{
		"of another company": {{CompanyID: "K0009", Codes: []string{"DMOST", "DMNEW"}}}, "of none": nil,
	} {
		a.Services.KAP.Live.PutCompanies(companies)
		for i, list := range lists {
			if res := a.Get(list+"&cursor="+url.QueryEscape(next[i]), fixture.All); res.StatusCode != 200 ||
				fmt.Sprint(res.JSON["count"]) == "0" {
				t.Errorf("%s, %s: %d %s", name, list, res.StatusCode, res.Text)
			}
		}
	}
}
