package rest_test

import (
	"fmt"
	"net/url"
	"piyasa/test/fixture"
	"strings"
	"testing"
)

// G-67: the whole answer.
func TestFilingsText(t *testing.T) {
	const want = `{"symbol":"DMOST","basis":"yiufe_adjusted","unit":"thousand","as_of":"2025-12","consolidation":"consolidated","items":[` +
		`{"disclosure_index":1444,"published_at":"2025-08-11T15:00:00.500Z","year":"2025","period":"6 Months","end_date":"2025-06-30","consolidation":"CS","currency":"TRY",` +
		`"template":"industrial","tms29_applied":true,"measuring_month":"2025-06","restatement":{"index":"YI_UFE","from_month":"2025-06","to_month":"2025-12","factor":"1.10716526047"},` +
		`"balance_sheet":[{"code":"share_count","label":{"tr":"Hasılat & <şey>","en":null},"value":"200000000","value_type":"non_monetary","null_reason":null}],` +
		`"income_statement":[{"code":"revenue","label":{"tr":"Hasılat & <şey>","en":null},"value":"1107.16526","value_type":"monetary","null_reason":null},` +
		`{"code":"eps","label":{"tr":"Hasılat & <şey>","en":null},"value":"1.30","value_type":"per_share","null_reason":null}],` +
		`"cash_flow":[{"code":"net_cash_operating","label":{"tr":"Hasılat & <şey>","en":null},"value":null,"value_type":"monetary","null_reason":"not_provided_by_source"}]}` +
		`],"count":1,"next_cursor":null}` + "\n"
	a := fixture.New(t)
	if got := a.Get("/v1/kap-feed/financials/DMOSR?basis=yiufe_adjusted&unit=thousand&period=6+Months", fixture.All); got.Text != want {
		t.Errorf("got  %s\nwant %s", got.Text, want)
	}
}

// LA-01, LA-02, LA-10: the older path gives the same, says so, and takes the
// newer one's cursors.
func TestFormerPathOfFilings(t *testing.T) {
	a := fixture.New(t)
	for _, rest := range []string{"DMOST?limit=1", "DMOST?basis=tufe_adjusted", "ZZZZZ", "DMOST?limit=13", "DMOST?as_of=2025-12"} {
		old, now := a.Get("/v1/kap/financials/"+rest, fixture.All), a.Get("/v1/kap-feed/financials/"+rest, fixture.All)
		for _, name := range []string{"request_id", "instance"} {
			delete(old.JSON, name)
			delete(now.JSON, name)
		}
		code, _, _ := strings.Cut(rest, "?")
		if old.StatusCode != now.StatusCode || fmt.Sprint(old.JSON) != fmt.Sprint(now.JSON) {
			t.Errorf("%s: %s\n%s", rest, old.Text, now.Text)
		}
		if old.Header.Get("Deprecation") != "true" || old.Header.Get("Link") != "</v1/kap-feed/financials/"+code+
			`>; rel="successor-version"` || now.Header.Get("Deprecation") != "" {
			t.Errorf("%s: %v", rest, old.Header)
		}
	}
	cursor := url.QueryEscape(a.Get("/v1/kap-feed/financials/DMOST?limit=1", fixture.All).JSON["next_cursor"].(string))
	if res := a.Get("/v1/kap/financials/DMOST?cursor="+cursor, fixture.All); res.StatusCode != 200 ||
		!strings.Contains(res.Text, `"disclosure_index":1444`) {
		t.Errorf("%d %s", res.StatusCode, res.Text)
	}
}

// KF-03, KF-06, G-05: an empty word is wrong, and so is an empty cursor; another empty text is none.
func TestEmptyFilingParameters(t *testing.T) {
	a := fixture.New(t)
	for _, name := range []string{"basis", "unit", "consolidation", "as_of", "limit"} {
		a.Get("/v1/kap-feed/financials/DMOST?"+name+"=", fixture.All).WantProblem(t, 422, "invalid-parameter")
	}
	if res := a.Get("/v1/kap-feed/financials/DMOST?year=&period=", fixture.All); res.StatusCode != 200 {
		t.Errorf("%d %s", res.StatusCode, res.Text)
	}
	a.Get("/v1/kap-feed/financials/DMOST?cursor=", fixture.All).WantProblem(t, 400, "invalid-cursor")
	a.Get("/v1/kap-feed/financials/DMOST?year=2025&year=2025", fixture.All).WantProblem(t, 400, "repeated-parameter")
}
