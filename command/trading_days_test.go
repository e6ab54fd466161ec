package command_test

import (
	"fmt"
	"strings"
	"testing"

	"piyasa/db/dbtest"
)

// Trading days and sessions say which days there are, of every market: what is observed is
// recorded on them, and bars of other days, loaded ones too, are not shown. It does not matter
// whether a trading day comes before or after what it rules, and it may change or go away.
func TestTradingDaysRuleEveryMarket(t *testing.T) {
	t.Parallel()
	instrument := func(id, kind, currency, more string) string {
		m, symbol, _ := strings.Cut(id, ":")
		return fmt.Sprintf(`{"record":"instrument","instrument_id":"%s","symbol":"%s","name":"%s","market":"%s","asset_type":"%s","currency":"%s"%s}`, id, symbol, id, m, kind, currency, more)
	}
	quote := func(id, at, last string) string {
		return fmt.Sprintf(`{"record":"quote","instrument_id":"%s","as_of":"2026-03-%s:00Z","last":"%s"}`, id, at, last)
	}
	bar := func(id, at, closes string) string {
		return fmt.Sprintf(`{"record":"bar","instrument_id":"%s","resolution":"1d","t":"2026-03-%s:00Z","close":"%s"}`, id, at, closes)
	}
	day := func(m, date, more string) string {
		return fmt.Sprintf(`{"record":"trading_day","market":"%s","date":"2026-03-%s"%s}`, m, date, more)
	}
	hours := func(opens, closes string) string { return `,"open":"` + opens + `","close":"` + closes + `"` }
	const gone = `,"withdrawn":true`
	background := []string{ // 2026-03-14 is a Saturday
		instrument("index:NSEI", "INDEX", "INR",
			`,"session":{"timezone":"Asia/Kolkata","open":"09:15","close":"15:30","always_open":false}`),
		quote("index:NSEI", "13T03:46", "100"), quote("index:NSEI", "13T09:59", "101"), quote("index:NSEI", "14T03:46", "90"),
		quote("index:NSEI", "14T09:59", "80"), quote("index:NSEI", "16T03:46", "85"),
		instrument("index:TASI", "INDEX", "SAR",
			`,"session":{"timezone":"Asia/Riyadh","open":"10:00","close":"15:00","always_open":false,"days":"sun-thu"}`),
		quote("index:TASI", "12T08:00", "1"), quote("index:TASI", "13T08:00", "2"), quote("index:TASI", "15T08:00", "3"),
		bar("index:TASI", "06T00:00", "9"), bar("index:TASI", "08T00:00", "10"),
		instrument("index:PLAIN", "INDEX", "USD", ""), quote("index:PLAIN", "13T10:00", "1"), quote("index:PLAIN", "14T10:00", "2"),
		quote("index:PLAIN", "16T10:00", "3"),
		instrument("index:OPEN", "INDEX", "USD", `,"session":{"timezone":"UTC","always_open":true}`), quote("index:OPEN", "14T10:00", "2"),
		quote("index:OPEN", "16T10:00", "3"),
		instrument("cmdty:SATC", "COMMODITY", "USD", ""), quote("cmdty:SATC", "13T20:00", "101"), quote("cmdty:SATC", "14T10:00", "80"),
		quote("cmdty:SATC", "15T22:30", "70"), quote("cmdty:SATC", "16T10:00", "75"),
		bar("cmdty:SATC", "08T00:00", "9"),
		instrument("fx:USDTRY", "FX", "TRY", ""), quote("fx:USDTRY", "13T10:00", "41"), quote("fx:USDTRY", "14T10:00", "42"),
		quote("fx:USDTRY", "16T10:00", "43"),
		instrument("crypto:1", "CRYPTO", "USD", `,"cmc_id":1,"slug":"bitcoin"`), quote("crypto:1", "14T10:00", "5"),
		quote("crypto:1", "16T10:00", "6"),
		instrument("bist:DMOST", "STOCK", "TRY", ""), bar("bist:DMOST", "05T21:00", "290"), bar("bist:DMOST", "12T21:00", "300"),
		bar("bist:DMOST", "13T21:00", "999"), bar("bist:DMOST", "15T21:00", "303"),
		instrument("us:DMAP", "STOCK", "USD", ""), bar("us:DMAP", "13T00:00", "7"), bar("us:DMAP", "14T00:00", "8"),
		bar("us:DMAP", "16T00:00", "9"),
		day("bist", "02", ""),
		`{"record":"index","code":"XU100","name":"BIST 100","verified":true,"synced_at":"2026-03-01T00:00:00Z","members":[]}`,
		`{"record":"index_bar","code":"XU100","date":"2026-03-06","close":"8000"}`,
		`{"record":"index_bar","code":"XU100","date":"2026-03-13","close":"9000"}`,
		`{"record":"index_bar","code":"XU100","date":"2026-03-14","close":"9999"}`,
	}
	week := map[string]string{
		"index:NSEI": "13=80 16=85", "index:TASI": "08=10 12=2 15=3", "index:PLAIN": "13=1 16=3", "index:OPEN": "14=2 16=3",
		"cmdty:SATC": "13=101 16=75", "fx:USDTRY": "13=41 14=42 16=43", "crypto:1": "14=5 16=6",
		"bist:DMOST": "06=290 13=300 16=303", "us:DMAP": "13=7 16=9",
	}
	steps := []struct {
		what, line string
		other      map[string]string // than in the plain week
	}{
		{"a special Saturday", day("index", "14", hours("09:15", "15:30")),
			map[string]string{"index:NSEI": "13=101 14=80 16=85", "index:PLAIN": "13=1 14=2 16=3"}},
		{"it opens later", day("index", "14", hours("15:00", "15:30")),
			map[string]string{"index:NSEI": "13=90 14=80 16=85", "index:PLAIN": "13=1 14=2 16=3"}},
		{"it is none", day("index", "14", gone), nil},
		{"a holiday on Monday", day("index", "16", ""), map[string]string{"index:NSEI": "13=85", "index:PLAIN": "13=1"}},
		{"a half day on Monday", day("index", "16", hours("09:15", "11:00")), nil},
		{"no more", day("index", "16", gone), nil},
		{"metals on Saturday", day("cmdty", "14", hours("10:00", "12:00")), map[string]string{"cmdty:SATC": "13=101 14=80 16=75"}},
		{"metals on a Sunday long ago", day("cmdty", "08", hours("10:00", "12:00")),
			map[string]string{"cmdty:SATC": "08=9 13=101 14=80 16=75"}},
		{"no metals on Saturday", day("cmdty", "14", gone), map[string]string{"cmdty:SATC": "08=9 13=101 16=75"}},
		{"a holiday instead", day("cmdty", "08", ""), nil},
		{"metals on no Friday", day("cmdty", "13", ""), map[string]string{"cmdty:SATC": "16=75"}},
		{"on all weekdays", day("cmdty", "13", gone), nil},
		{"no currencies on Saturday", day("fx", "14", ""), map[string]string{"fx:USDTRY": "13=41 16=43"}},
		{"currencies again", day("fx", "14", gone), nil},
		{"shares on Saturday", day("bist", "14", hours("10:00", "13:00")), map[string]string{"bist:DMOST": "06=290 13=300 14=999 16=303"}},
		{"no shares on Saturday", day("bist", "14", gone), nil},
		{"no shares on Friday", day("bist", "13", ""), map[string]string{"bist:DMOST": "06=290 16=303"}},
		{"shares on Friday", day("bist", "13", gone), nil},
		{"no shares in America", day("us", "16", ""), map[string]string{"us:DMAP": "13=7"}},
		{"shares in America", day("us", "16", gone), nil},
	}
	dbtest.Each(t, func(t *testing.T, url string) {
		create(t, url)
		key, _ := newKey(t, url, "--scopes", "all")
		s := start(t, url)
		res := run(t, url, strings.Join(background, "\n"), nil, "ingest", "-")
		if want := "bars of days on which their market does not trade, which are not shown: 5\n"; res.status != 0 ||
			!strings.Contains(res.stdout+res.err, want) {
			t.Fatalf("%d %s %s", res.status, res.stdout, res.err)
		}
		eod := func(id string) string {
			_, body := s.get("/v1/eod/"+id+"?from=2026-03-01", key)
			var days []string
			records, _ := body["records"].([]any)
			for _, r := range records {
				of := r.(map[string]any)
				days = append(days, fmt.Sprintf("%s=%s", of["date"].(string)[8:], of["close"]))
			}
			return strings.Join(days, " ")
		}
		check := func(what string, other map[string]string) {
			t.Helper()
			for id, want := range week {
				if special, ok := other[id]; ok {
					want = special
				}
				got := ""
				s.eventually(deadline, fmt.Sprintf("%s: %s has %s", what, id, want), func() bool { got = eod(id); return got == want })
			}
		}
		periodic := func(path string) string {
			_, body := s.get(path, key)
			return fmt.Sprint(body["windows"])
		}
		check("before", nil)
		if got := periodic("/v1/indices/XU100/periodic"); strings.Contains(got, "9999") {
			t.Errorf("the index has the level of a Saturday: %s", got)
		}
		for _, step := range steps {
			if res := run(t, url, step.line, nil, "ingest", "-"); res.status != 0 {
				t.Fatalf("%s: %d %s", step.what, res.status, res.err)
			}
			check(step.what, step.other)
			if step.what == "shares on Saturday" {
				for _, path := range []string{"/v1/indices/XU100/periodic", "/v1/periodic/bist:DMOST"} {
					s.eventually(deadline, path+" has the Saturday", func() bool { return strings.Contains(periodic(path), ":999") })
				}
			}
		}
		if res := run(t, url, "", nil, "verify"); res.status != 0 ||
			!strings.Contains(res.err, "does not trade, which are not shown: 5\n") {
			t.Errorf("verify: %d %s %s", res.status, res.stdout, res.err)
		}
		res = run(t, url, day("crypto", "14", ""), nil, "ingest", "-")
		if !strings.Contains(res.stdout+res.err, "market: must be one with sessions: coins trade every day, without exceptions") {
			t.Errorf("coins: %s %s", res.stdout, res.err)
		}
		check("coins", nil)
		s = start(t, url) // which keeps nothing in memory
		check("after a start", nil)
	})
}
