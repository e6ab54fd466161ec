package command_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"piyasa/db/dbtest"
	"piyasa/test/fixture/need"
)

// bulletin is a daily file of the central bank with one rate.
const bulletin = `<?xml version="1.0" encoding="UTF-8"?><Tarih_Date Tarih="18.03.2026" Date="03/18/2026" Bulten_No="2026/53">
<Currency Kod="USD" CurrencyCode="USD"><Unit>1</Unit><CurrencyName>US DOLLAR</CurrencyName><ForexBuying>41.2500</ForexBuying><ForexSelling>41.3243</ForexSelling></Currency>
</Tarih_Date>`

// upstream answers as the central bank does, until it is asked to answer something else.
type upstream struct {
	base   string
	asked  atomic.Int64
	answer atomic.Pointer[string]
}

// A template is a file of sources; one that is off says why, and the others go on.
func TestCollectTemplate(t *testing.T) {
	t.Parallel()
	list := run(t, "", "", nil, "collect", "template")
	if list.status != 0 || !strings.Contains(list.stdout, "tefas\n  Prices,") || !strings.Contains(list.stdout, "fred-indices\n  ") {
		t.Errorf("%+v", list)
	}
	if res := run(t, "", "", nil, "collect", "template", "yahoo"); res.status != 2 ||
		!strings.Contains(res.err, "there are bist-index-values, fred") {
		t.Errorf("%+v", res)
	}
	printed := run(t, "", "", nil, "collect", "template", "tefas")
	file := filepath.Join(t.TempDir(), "sources.json")
	need.NoError(t, os.WriteFile(file, []byte(printed.stdout), 0o600))
	const off = "tefas: off: TEFAS offers no interface"
	database := "sqlite:" + filepath.Join(t.TempDir(), "off.db")
	if res := run(t, database, "", nil, "ingest", "-"); res.status != 0 {
		t.Fatalf("%+v", res)
	}
	for _, arguments := range []string{"collect check", "collect --once", "collect --dry-run"} {
		if res := run(t, database, "", nil, append(strings.Fields(arguments), file)...); res.status != 0 ||
			!strings.Contains(res.stdout+res.err, off) {
			t.Errorf("%s: %+v", arguments, res)
		}
	}
	if res := run(t, database, "", nil, "collect", "reset", file, "tefas"); res.status == 0 ||
		!strings.Contains(res.err, "the source tefas is off") {
		t.Errorf("%+v", res)
	}
}

func newUpstream(t *testing.T) *upstream {
	u := new(upstream)
	u.answers(bulletin)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u.asked.Add(1)
		if r.URL.Path != "/kurlar/today.xml" || !strings.HasPrefix(r.UserAgent(), "piyasa/") {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, *u.answer.Load())
	}))
	t.Cleanup(server.Close)
	u.base = server.URL + "/kurlar"
	return u
}

func (u *upstream) answers(text string) { u.answer.Store(&text) }

// sources writes a configuration that collects from u.
func (u *upstream) sources(t *testing.T, folder string) string {
	t.Helper()
	file := filepath.Join(folder, "sources.json")
	text := `{"keep": {"folder": "` + filepath.Join(folder, "raw") + `"}, "sources": {"fx": {"connector": "tcmb", "base": "` +
		u.base + `"}}}`
	need.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

// What is collected is served; what was collected already is not asked for again; and raw
// answers and lines say the same.
func TestCollect(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, database string) {
		create(t, database)
		u := newUpstream(t)
		file := u.sources(t, t.TempDir())
		at := []string{"PIYASA_NOW=2026-03-18T12:35:00Z"}
		u.answers("<html><body>Bakım çalışması</body></html>")
		if res := run(t, database, "", at, "collect", "--once", file); res.status != 1 ||
			!strings.Contains(res.err, "source fx: the answer is a page instead of XML") {
			t.Errorf("a page: %+v", res)
		}
		u.answers(strings.Replace(bulletin, "41.2500", "41,2500", 1))
		if res := run(t, database, "", at, "collect", "--once", file); res.status != 1 ||
			!strings.Contains(res.err, "not what this upstream is known to give") || !strings.Contains(res.err, `got "41,2500"`) {
			t.Errorf("another format: %+v", res)
		}
		u.answers(bulletin)
		raw := filepath.Join(filepath.Dir(file), "raw")
		need.NoError(t, os.RemoveAll(raw))
		if res := run(t, database, "", at, "collect", "--once", file); res.status != 0 ||
			res.stdout != "fx: 1 answer, 3 records, 0 refused\n" {
			t.Fatalf("%+v", res)
		}
		asked := u.asked.Load()
		if res := run(t, database, "", at, "collect", "--once", file); res.status != 0 || res.stdout != "fx: nothing is due\n" ||
			u.asked.Load() != asked {
			t.Errorf("again: %+v", res)
		}
		later := []string{"PIYASA_NOW=2026-03-18T13:30:00Z"}
		if res := run(t, database, "", later, "collect", "--once", file); res.status != 0 || u.asked.Load() != asked {
			t.Errorf("the day's rates are there: %+v", res)
		}
		secret, _ := newKey(t, database, "--scopes", "all")
		s := start(t, database, at...)
		if status, body := s.get("/v1/quotes/fx:USDTRY", secret); status != 200 || body["last"] != "41.2500" || body["bid"] != "41.2500" ||
			body["ask"] != "41.3243" || body["as_of"] != "2026-03-18T12:30:00Z" {
			t.Error(status, body)
		}
		if status, body := s.get("/v1/eod/fx:USDTRY?from=2026-03-18&to=2026-03-18", secret); status != 200 ||
			!strings.Contains(fmt.Sprint(body), "41.25") {
			t.Error(status, body)
		}
		dry := run(t, database, "", at, "collect", "--dry-run", file)
		replayed := run(t, database, "", at, "collect", "--replay", raw, file)
		if dry.status != 0 || replayed.status != 0 || strings.Count(replayed.stdout, "\n") != 3 ||
			!strings.HasPrefix(dry.stdout, replayed.stdout) {
			t.Errorf("%+v\n%+v", dry, replayed)
		}
		if res := run(t, database, dry.stdout, at, "ingest", "-"); res.status != 0 || !strings.Contains(res.stdout, "unchanged") {
			t.Errorf("%+v", res)
		}
	})
}

// History and the newest quote come from one file of the European Central Bank; the next
// time, the file of a day is enough.
func TestCollectEuroRates(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, database string) {
		create(t, database)
		var mu sync.Mutex
		var asked []string
		const days = `<Cube time="2026-03-18"><Cube currency="USD" rate="1.1500"/></Cube><Cube time="2026-03-17"><Cube currency="USD" rate="1.1475"/></Cube>`
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			asked = append(asked, r.URL.Path)
			mu.Unlock()
			fmt.Fprintf(w, `<e:Envelope xmlns:e="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref"><Cube>%s</Cube></e:Envelope>`, days)
		}))
		defer server.Close()
		file := filepath.Join(t.TempDir(), "sources.json")
		if err := os.WriteFile(file, []byte(`{"sources": {"euro": {"connector": "ecb", "from": "2026-03-17", "pace": "0s", "base": "`+
			server.URL+`"}}}`), 0o600); err != nil {
			t.Fatal(err)
		}
		at := []string{"PIYASA_NOW=2026-03-18T15:10:00Z"}
		if res := run(t, database, "", at, "collect", "--once", file); res.status != 0 ||
			res.stdout != "euro: 1 answer, 4 records, 0 refused\n" {
			t.Fatalf("%+v", res)
		}
		res := run(t, database, "", []string{"PIYASA_NOW=2026-03-19T15:10:00Z"}, "collect", "--once", file)
		mu.Lock()
		defer mu.Unlock()
		if res.status != 0 || strings.Join(asked, " ") != "/eurofxref-hist-90d.xml /eurofxref-daily.xml" {
			t.Errorf("%+v, asked %v", res, asked)
		}
		secret, _ := newKey(t, database, "--scopes", "all")
		s := start(t, database, at...)
		if status, body := s.get("/v1/quotes/fx:EURUSD", secret); status != 200 || body["last"] != "1.1500" ||
			body["as_of"] != "2026-03-18T13:15:00Z" {
			t.Error(status, body)
		}
		if status, body := s.get("/v1/eod/fx:EURUSD?from=2026-03-17&to=2026-03-17", secret); status != 200 ||
			!strings.Contains(fmt.Sprint(body), "1.1475") {
			t.Error(status, body)
		}
	})
}

// A server that collects serves what it has collected, and says how the sources are.
func TestServeCollects(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, database string) {
		create(t, database)
		u := newUpstream(t)
		secret, _ := newKey(t, database, "--scopes", "all")
		s := start(t, database, "PIYASA_NOW=2026-03-18T12:35:00Z", "PIYASA_COLLECT="+u.sources(t, t.TempDir()))
		var sources map[string]any
		for end := time.Now().Add(20 * time.Second); time.Now().Before(end) &&
			!strings.Contains(fmt.Sprint(sources), "up:true"); time.Sleep(50 * time.Millisecond) {
			_, sources = s.get("/v1/sources", secret)
		}
		told := fmt.Sprint(sources)
		for _, want := range []string{"name:fx", "up:true", "newest_record:2026-03-18T12:30:00Z", "next_due:2026-03-18T12:36:00Z",
			"lag_seconds:0", "error:<nil>"} {
			if !strings.Contains(told, want) {
				t.Errorf("%s: %s is missing", told, want)
			}
		}
		s.eventually(deadline, "the quote is followed", func() bool {
			status, body := s.get("/v1/quotes/fx:USDTRY", secret)
			return status == 200 && body["last"] == "41.2500"
		})
	})
}

// The check tells of each source whether its upstream answers, and stores nothing.
func TestCollectCheck(t *testing.T) {
	u := newUpstream(t)
	file := u.sources(t, t.TempDir())
	at := []string{"PIYASA_NOW=2026-03-18T12:35:00Z"}
	if res := run(t, "", "", at, "collect", "check", file); res.status != 0 || res.stdout != "fx: ok; the first answer has 3 records\n" {
		t.Errorf("%+v", res)
	}
	u.answers("<html>Bakım")
	if res := run(t, "", "", at, "collect", "check", file); res.status != 1 ||
		!strings.Contains(res.stdout, "fx: the answer is a page instead of XML") {
		t.Errorf("%+v", res)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(file), "raw")); err == nil {
		t.Error("a raw answer is kept")
	}
}

func TestCollectOfMistakes(t *testing.T) {
	database := "sqlite:" + t.TempDir() + "/piyasa.db"
	file := filepath.Join(t.TempDir(), "sources.json")
	need.NoError(t, os.WriteFile(file, []byte(`{"sources": {"fx": {"connector": "tcmbb"}}}`), 0o600))
	if res := run(t, database, "", nil, "collect", file); res.status != 2 || !strings.Contains(res.err, `"connector" must be one of`) {
		t.Errorf("%+v", res)
	}
	if res := run(t, database, "", nil, "collect", filepath.Join(t.TempDir(), "none.json")); res.status != 2 {
		t.Errorf("%+v", res)
	}
	if _, err := os.Stat(strings.TrimPrefix(database, "sqlite:")); err == nil {
		t.Error("a database was made")
	}
}

// The check tells which records ingest would refuse, before anything is stored.
func TestCollectCheckOfRefusedRecords(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sources.json")
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `["gold", "silver"]`)
	}))
	defer upstream.Close()
	for program, want := range map[string]string{
		`.[] | {record: \"bars\"}`: "metals: 2 records of an answer were refused, the first because record must be one of ",
		`.[] | {record: \"bar\", instrument_id: \"cmdty:XAU\", resolution: \"1d\", t: \"2026-03-17\", close: \"1\"}`: "metals: 2 records of an answer were refused, the first because t must be ",
	} {
		text := fmt.Sprintf(`{"sources": {"metals": {"connector": "json", "base": %q, "request": {"path": "list"}, "records": "%s"}}}`,
			upstream.URL+"/", program)
		need.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		res := run(t, "", "", []string{"PIYASA_NOW=2026-03-18T12:35:00Z"}, "collect", "check", file)
		if res.status != 1 || !strings.Contains(res.stdout, want) || strings.Contains(res.stdout, "ok") {
			t.Errorf("%+v", res)
		}
	}
}

// The log names the source of a record that is refused, and shows no credential that the upstream repeats in it.
func TestCollectOfRefusedCredential(t *testing.T) {
	database := "sqlite:" + t.TempDir() + "/piyasa.db"
	create(t, database)
	file := filepath.Join(t.TempDir(), "sources.json")
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "[%q]", "https://upstream.example"+r.URL.String())
	}))
	defer upstream.Close()
	text := fmt.Sprintf(`{"sources": {"wire": {"connector": "json", "base": %q, "request": {"path": "list", "query": {"key": {"env": "WIRE_KEY"}}},
		"records": ".[] | {record: \"news\", news_id: \"1\", title: \"One\", published_at: ., symbols: []}"}}}`, upstream.URL+"/")
	need.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	at := []string{"PIYASA_NOW=2026-03-18T12:35:00Z", "WIRE_KEY=of-the-wire-4711"}
	res := run(t, database, "", at, "collect", "--once", file)
	if res.status != 3 || strings.Contains(res.err+res.stdout, "of-the-wire") || !strings.Contains(res.err, "source=wire") ||
		!strings.Contains(res.err, "published_at") || !strings.Contains(res.err, "list?key=…") {
		t.Errorf("%+v", res)
	}
}
