package server_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"piyasa/account/access"
	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/demo"
	"piyasa/domain/market"
	"piyasa/ingest"
	"piyasa/internal/problem"
	"piyasa/internal/value"
	"piyasa/serve/bulk"
	"piyasa/serve/server"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// newBulk returns an API over all that the demo has, and a stock that left the catalog.
func newBulk(t *testing.T) *fixture.Server {
	t.Helper()
	a := fixture.New(t)
	load(t, a, string(demo.New(clock).Records())+
		`{"record":"bar","instrument_id":"bist:GONE","resolution":"1d","t":"2026-03-15T21:00:00Z","close":"1.50"}`+"\n"+
		`{"record":"bar","instrument_id":"fx:USDTRY","resolution":"1d","t":"2019-12-30T21:00:00Z","close":"5.9"}`)
	fixture.Apply(t, a.Services)
	a.Keys(fixture.Unlimited(), fixture.Key(fixture.None))
	return a
}

func clock() value.Instant { return fixture.Now }

// load stores lines.
func load(t *testing.T, a *fixture.Server, lines string) {
	t.Helper()
	summary, err := ingest.Run(t.Context(), a.Store, ingest.Options{Paths: []string{ingest.Stdin}, Stdin: strings.NewReader(lines + "\n"),
		Messages: t.Output(), BackFill: true, Now: clock})
	if err != nil || summary.Rejected > 0 {
		t.Fatalf("%+v, %v", summary, err)
	}
}

// rowsOf reads CSV as rows by column.
func rowsOf(t *testing.T, text string) (rows []map[string]string) {
	t.Helper()
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	need.NoError(t, err)
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// barText states a bar for comparison.
func barText(row map[string]string) string {
	return fmt.Sprint(row["t"], row["open"], row["high"], row["low"], row["close"], row["volume"], row["turnover"], row["trade_count"])
}

// A file has exactly the bars that candles show, of every instrument, in every market and range.
func TestBulkBarsAreThoseOfCandles(t *testing.T) {
	a := newBulk(t)
	for _, c := range []struct {
		of     string
		window string // of candles
	}{
		{"resolution=1d", "from=1800-01-01"},
		{"resolution=1d&month=2026-03", "from=2026-03-01&to=2026-03-31"},
		{"resolution=1d&to=2025-12-31", "from=1800-01-01&to=2025-12-31"},
		{"resolution=5m&year=2026", "resolution=5m&from=2026-01-01&to=2026-12-31"},
		{"resolution=2h&from=2026-02-01", "resolution=2h&from=2026-02-01"},
	} {
		compared := 0
		for _, m := range market.Markets() {
			res := a.Get(fmt.Sprintf("/v1/bulk/bar?format=csv&market=%s&%s", m, c.of), fixture.All)
			if res.StatusCode == 422 && !strings.Contains(c.of, "1d") {
				continue // the market has none
			}
			if res.StatusCode != 200 {
				t.Fatalf("%s of %s: %d %s", c.of, m, res.StatusCode, res.Text)
			}
			files := map[string][]string{}
			last := ""
			for _, row := range rowsOf(t, res.Text) {
				id := row["instrument_id"]
				if place := id + " " + row["t"]; place <= last {
					t.Fatalf("%s comes after %s", place, last)
				} else {
					last = place
				}
				files[id] = append(files[id], barText(row))
			}
			if (m == market.BIST && c.of == "resolution=1d") != (len(files["bist:GONE"]) == 1) && c.window == "from=1800-01-01" {
				t.Errorf("of what left the catalog: %v", files["bist:GONE"])
			}
			for _, in := range a.Services.Market.Live.Snapshot().Catalog.Of(m) {
				id := string(in.InstrumentID)
				candles := a.Get("/v1/candles/"+id+"?format=csv&"+c.window, fixture.All)
				var want []string
				for _, row := range rowsOf(t, candles.Text) {
					want = append(want, barText(row))
				}
				if compared += len(want); candles.StatusCode != 200 || !slices.Equal(files[id], want) {
					t.Errorf("%s of %s: %d bars in the file, %d candles (%d)", c.of, id, len(files[id]), len(want), candles.StatusCode)
				}
			}
		}
		if compared < 40 {
			t.Errorf("%s: %d bars were compared", c.of, compared)
		}
	}
}

// Every kind is there in every format, which have as many records.
func TestBulkKinds(t *testing.T) {
	a := newBulk(t)
	for of, least := range map[string]int{"bar?market=us": 100, "index_bar?": 100, "dividend?market=bist": 5,
		"corporate_action?market=bist": 1, "trading_day?market=bist": 1, "instrument?market=bist": 10, "statement?market=bist": 10,
		"market_metrics?market=bist": 5, "fund?": 2, "fund_flow?": 10} {
		table := a.Get("/v1/bulk/"+of+"&format=csv", fixture.All)
		lines := a.Get("/v1/bulk/"+of+"&format=ndjson", fixture.All)
		columns := a.Get("/v1/bulk/"+of, fixture.All)
		if table.StatusCode != 200 || lines.StatusCode != 200 || columns.StatusCode != 200 {
			t.Errorf("%s: %d %d %d %.300s", of, table.StatusCode, lines.StatusCode, columns.StatusCode, table.Text)
			continue
		}
		rows := rowsOf(t, table.Text)
		file, err := parquet.OpenFile(strings.NewReader(columns.Text), int64(len(columns.Text)))
		if err != nil || len(rows) < least || int(file.NumRows()) != len(rows) || strings.Count(lines.Text, "\n") != len(rows) {
			t.Errorf("%s: %d rows, %d lines, %v", of, len(rows), strings.Count(lines.Text, "\n"), err)
		}
		keys := map[string]bool{}
		for _, row := range rows {
			if keys[row["key"]] || row["withdrawn"] != "false" {
				t.Errorf("%s: %s stands twice, or is withdrawn", of, row["key"])
			}
			keys[row["key"]] = true
		}
		for header, want := range map[string]string{"Content-Type": "application/vnd.apache.parquet", "X-Usage-Units": "1",
			"Cache-Control": "private, no-cache"} {
			if got := columns.Header.Get(header); got != want {
				t.Errorf("%s: %s: %s", of, header, got)
			}
		}
	}
}

// Records that were replaced or withdrawn are in no file, and a change makes another tag.
func TestBulkHasTheNewest(t *testing.T) {
	a := newBulk(t)
	const bars, dividends = "/v1/bulk/bar?market=us&format=csv", "/v1/bulk/dividend?market=us&day=2026-03-02&format=csv"
	for _, gross := range []string{"1", "2", ""} {
		line := `{"record":"dividend","instrument_id":"us:ODD","ex_date":"2026-03-02","dividend_id":"x",`
		if gross != "" {
			load(t, a, line+`"gross_per_share":"`+gross+`","currency":"USD"}`)
		} else {
			load(t, a, line+`"withdrawn":true}`)
		}
		rows := rowsOf(t, a.Get(dividends, fixture.All).Text)
		if len(rows) > 1 || (len(rows) == 1) != (gross != "") || gross != "" && rows[0]["gross_per_share"] != gross {
			t.Errorf("%q: %v", gross, rows)
		}
	}
	before := a.Get(bars, fixture.All)
	row := rowsOf(t, before.Text)[0]
	fixture.PutBars(t, a.Store, &market.Bar{InstrumentID: market.ID(row["instrument_id"]), Resolution: market.Day,
		T: value.MustInstant(row["t"]), Close: value.MustDecimal("7.125")})
	after := a.Get(bars, fixture.All)
	if after.Header.Get("ETag") == before.Header.Get("ETag") || after.Header.Get("X-Position") == before.Header.Get("X-Position") ||
		rowsOf(t, after.Text)[0]["close"] != "7.125" || len(rowsOf(t, after.Text)) != len(rowsOf(t, before.Text)) {
		t.Errorf("%v\n%v\n%v", before.Header, after.Header, rowsOf(t, after.Text)[0])
	}
	if m, err := a.Store.Look(t.Context()); err != nil ||
		after.Header.Get("X-Position") != m.Epochs.Position(db.FeedBars, m.Heads[db.FeedBars]).String() {
		t.Errorf("position %s, %v", after.Header.Get("X-Position"), err)
	}
	same := a.Send("GET", bars, fixture.All, "", "If-None-Match", after.Header.Get("ETag"))
	older := a.Send("GET", bars, fixture.All, "", "Range", "bytes=10-19", "If-Range", before.Header.Get("ETag"))
	if same.StatusCode != http.StatusNotModified || older.StatusCode != http.StatusPartialContent || older.Text != before.Text[10:20] {
		t.Errorf("%d; %d %q", same.StatusCode, older.StatusCode, older.Text)
	}
}

// A file is made again when something changes that it has, and only then; who goes on from its position misses nothing.
func TestBulkIsMadeAgain(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		a := fixture.New(t, fixture.On(url))
		load(t, a, string(demo.New(clock).Records()))
		load(t, a, `{"record":"index_bar","code":"XU100","date":"2026-03-02","close":"1"}`)
		bar := func(id, day, rest string) string {
			return fmt.Sprintf(`{"record":"bar","instrument_id":%q,"resolution":"1d","t":"%sT00:00:00Z",%s}`, id, day, rest)
		}
		const bars, dividends, flows = "bar?market=us", "dividend?market=us", "fund_flow?from=2026-01-01"
		const instruments, indices, days = "instrument?market=us", "index_bar?", "trading_day?market=bist"
		files := []string{bars, dividends, flows, instruments, indices, days}
		for _, c := range []struct {
			name, line string
			again      []string
		}{
			{"at first", "", files},
			{"nothing", "", nil},
			{"a bar of another market", bar("crypto:1", "2026-03-02", `"close":"2.5"`), nil},
			{"a day of an index", `{"record":"index_bar","code":"XU100","date":"2026-03-02","close":"2"}`, []string{indices}},
			{"its own", bar("us:DMAP", "2026-03-02", `"close":"7.5"`), []string{bars}},
			{"the same", bar("us:DMAP", "2026-03-02", `"close":"7.5"`), nil},
			{"a withdrawal", bar("us:DMAP", "2026-03-02", `"withdrawn":true`), []string{bars}},
			{"a dividend", `{"record":"dividend","instrument_id":"us:ODD","ex_date":"2026-03-02","dividend_id":"x","gross_per_share":"1",` +
				`"currency":"USD"}`, []string{dividends}},
			{"its withdrawal", `{"record":"dividend","instrument_id":"us:ODD","ex_date":"2026-03-02","dividend_id":"x","withdrawn":true}`,
				[]string{dividends}},
			{"a fund of the feed", `{"record":"fund","code":"NEW","name":"N","founder":"F","currency":"TRY"}`, nil},
			{"a flow", `{"record":"fund_flow","code":"NEW","date":"2026-03-02","net_flow":"1"}`, []string{flows}},
			{"a rename", `{"record":"instrument","instrument_id":"us:DMRE","symbol":"DMRE","name":"R","market":"us","asset_type":"STOCK",` +
				`"currency":"USD","predecessor":"us:DMAP","renamed_on":"2026-03-18"}`, []string{bars, dividends, instruments}},
		} {
			if c.line != "" {
				load(t, a, c.line)
			}
			fixture.Apply(t, a.Services)
			a.Keys(fixture.Unlimited())
			m, err := a.Store.Look(t.Context())
			need.NoError(t, err)
			for _, of := range files {
				made := server.FilesMade(a.Server)
				res := a.Get("/v1/bulk/"+of+"&format=csv", fixture.All)
				if got, want := server.FilesMade(a.Server)-made == 1, slices.Contains(c.again, of); got != want || res.StatusCode != 200 {
					t.Errorf("%s: %s is made again: %v, %d", c.name, of, got, res.StatusCode)
				}
				feed := db.FeedOf(of[:strings.Index(of, "?")])
				if got, want := res.Header.Get("X-Position"), m.Epochs.Position(feed, m.Heads[feed]).String(); got != want {
					t.Errorf("%s: %s is as of %s, want %s", c.name, of, got, want)
				}
			}
		}
	})
}

// Parts of a file make the file, and HEAD says what GET does.
func TestBulkInParts(t *testing.T) {
	a := newBulk(t)
	const path = "/v1/bulk/bar?market=bist&year=2026"
	whole := a.Send("GET", path, fixture.All, "", "Accept-Encoding", "gzip")
	head := a.Send("HEAD", path, fixture.All, "")
	for _, header := range []string{"ETag", "X-Position", "Content-Length", "Content-Type", "Content-Disposition", "X-Usage-Units"} {
		if whole.Header.Get(header) == "" || whole.Header.Get(header) != head.Header.Get(header) {
			t.Errorf("%s: GET %q, HEAD %q", header, whole.Header.Get(header), head.Header.Get(header))
		}
	}
	if head.Text != "" || whole.Header.Get("Content-Encoding") != "" ||
		whole.Header.Get("Content-Disposition") != `attachment; filename="bar_bist_1d_2026-01-01_2026-12-31.parquet"` {
		t.Errorf("%v", whole.Header)
	}
	var parts bytes.Buffer
	for at := 0; at < len(whole.Text); at += 1000 {
		part := a.Send("GET", path, fixture.All, "", "Range", fmt.Sprintf("bytes=%d-%d", at, at+999), "If-Range", whole.Header.Get("ETag"))
		if part.StatusCode != http.StatusPartialContent {
			t.Fatalf("%d %s", part.StatusCode, part.Text)
		}
		parts.WriteString(part.Text)
	}
	if parts.String() != whole.Text {
		t.Error("the parts are another file")
	}
	made := a.Send("POST", "/v1/links", fixture.All, `{"address": "`+path+`"}`)
	link, _ := made.JSON["link"].(string)
	if got := a.Get(strings.TrimPrefix(link, fixture.BaseURL), ""); got.Text != whole.Text || got.StatusCode != 200 {
		t.Errorf("by link %s: %d %d bytes", made.Text, got.StatusCode, len(got.Text))
	}
	beyond := a.Send("GET", path, fixture.All, "", "Range", "bytes=999999999-")
	if beyond.StatusCode != http.StatusRequestedRangeNotSatisfiable {
		t.Errorf("beyond its end: %d", beyond.StatusCode)
	}
}

// Files need the folder for temporary ones only to begin: nothing stays there, whatever becomes of the server or the folder.
func TestBulkWithoutItsFolder(t *testing.T) {
	a := newBulk(t)
	folder := filepath.Join(t.TempDir(), "temporary")
	t.Setenv("TMPDIR", folder)
	const kept, other = "/v1/bulk/bar?market=us", "/v1/bulk/bar?market=bist"
	for _, path := range []string{kept, other} {
		res := a.Get(path, fixture.All)
		res.WantProblem(t, 503, "overloaded")
		if res.Header.Get("Retry-After") == "" || res.Header.Get("X-Usage-Units") != "0" || !strings.Contains(res.Text, "room") {
			t.Errorf("%v %s", res.Header, res.Text)
		}
	}
	for range 2 {
		need.NoError(t, os.Mkdir(folder, 0o700))
		whole := a.Get(kept, fixture.All)
		if left, err := os.ReadDir(folder); whole.StatusCode != 200 || err != nil || len(left) > 0 && runtime.GOOS != "windows" {
			t.Fatalf("%d, %v stay, %v", whole.StatusCode, left, err)
		}
		need.NoError(t, os.RemoveAll(folder))
		part := a.Send("GET", kept, fixture.All, "", "Range", "bytes=5-99")
		if part.StatusCode != http.StatusPartialContent || part.Text != whole.Text[5:100] {
			t.Errorf("without the folder: %d %s", part.StatusCode, part.Text)
		}
	}
}

// Who asks for the same file at the same time gets one that is made once.
func TestBulkIsMadeOnce(t *testing.T) {
	a := newBulk(t)
	tags := make([]string, 8)
	var all sync.WaitGroup
	for i := range tags {
		all.Go(func() { tags[i] = a.Get("/v1/bulk/bar?market=us", fixture.All).Header.Get("ETag") })
	}
	all.Wait()
	if made := server.FilesMade(a.Server); made != 1 || len(slices.Compact(tags)) != 1 || tags[0] == "" {
		t.Errorf("%d were made: %v", made, tags)
	}
	need.NoError(t, a.Close())
	a.Get("/v1/bulk/bar?market=bist", fixture.All).WantProblem(t, 503, "overloaded")
}

// held is a store whose bars wait to be read, and fail if told so.
type held struct {
	bulk.Source
	begun chan struct{}
	ends  chan error
}

// EachBar implements bulk.Source.
func (h held) EachBar(ctx context.Context, m market.Market, r market.Resolution, from, to value.Instant,
	each func(*db.Change) error) error {
	select {
	case h.begun <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-h.ends:
		return cmp.Or(err, h.Source.EachBar(ctx, m, r, from, to, each))
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Making a file is paid once it has begun, whatever comes of it, by the request that began it; the
// others pay for the file that they get. What has not begun costs nothing.
func TestBulkIsPaidOnce(t *testing.T) {
	const path, making, sending = "/v1/bulk/bar?market=us&format=csv", 2_200, 1_200 // at least, and at most
	begin := func(t *testing.T) (*fixture.Server, held, func(key string) int) {
		a := newBulk(t)
		plans, err := access.ShippedPlans().With([]byte(`{"metered": {"bucket": 1000, "refill_per_second": 1000, "work": 1000000,
			"work_per_second": 1}}`))
		need.NoError(t, err)
		a.Services.Gate.SetPlans(plans)
		var keys []*access.Key
		for _, name := range []string{"one", "two"} {
			k := fixture.Key(name, access.Scopes...)
			k.Plan = "metered"
			keys = append(keys, k)
		}
		a.Keys(keys...)
		h := held{a.Services.Bulk.Source, make(chan struct{}), make(chan error)}
		a.Services.Bulk.Source = h
		asked := map[string]int{}
		return a, h, func(key string) int { // what the key has paid, but for asking here
			asked[key]++
			cost := a.Send("GET", path, key, "", "X-Price-Only", "true").JSON["cost"].(map[string]any)
			left, err := cost["left"].(json.Number).Int64()
			need.NoError(t, err)
			return 1_000_000 - int(left) - asked[key]*access.BaseCost
		}
	}
	wait := func(t *testing.T, h held) { // until a file is being made
		t.Helper()
		select {
		case <-h.begun:
		case <-time.After(fixture.Patience):
			t.Fatal("no file is made")
		}
	}
	ask := func(ctx context.Context, a *fixture.Server, of, key string) (answered chan *httptest.ResponseRecorder) {
		answered = make(chan *httptest.ResponseRecorder, 1)
		go func() {
			r := httptest.NewRequestWithContext(ctx, "GET", of, nil)
			r.Header.Set("X-API-Key", key)
			w := httptest.NewRecorder()
			a.ServeHTTP(w, r)
			answered <- w
		}()
		return answered
	}
	t.Run("the client leaves", func(t *testing.T) {
		a, h, paid := begin(t)
		ctx, leave := context.WithCancel(t.Context())
		answered := ask(ctx, a, path, "one")
		wait(t, h)
		leave()
		<-answered
		before := paid("one")
		if before < making {
			t.Errorf("paid %d", before)
		}
		again, other := ask(t.Context(), a, path, "one"), ask(t.Context(), a, path, "two")
		fixture.Eventually(t, "both to wait for it", func() bool { return paid("one") >= before+making && paid("two") >= making })
		h.ends <- nil
		for key, answer := range map[string]chan *httptest.ResponseRecorder{"one": again, "two": other} {
			if w := <-answer; w.Code != 200 {
				t.Errorf("%s: %d %s", key, w.Code, w.Body)
			}
		}
		if one, two := paid("one")-before, paid("two"); one > sending || two > sending || two < access.RequestCost {
			t.Errorf("for a file that another request has made they pay %d and %d", one, two)
		}
	})
	t.Run("it cannot be made", func(t *testing.T) {
		a, h, paid := begin(t)
		answered := ask(t.Context(), a, path, "one")
		wait(t, h)
		h.ends <- problem.New(problem.WindowTooLong, "The file would be too large.")
		if w := <-answered; w.Code != 400 || paid("one") < making {
			t.Errorf("%d, paid %d", w.Code, paid("one"))
		}
	})
	t.Run("it is not begun", func(t *testing.T) {
		a, h, paid := begin(t)
		all := []chan *httptest.ResponseRecorder{ask(t.Context(), a, path, "one"), ask(t.Context(), a, path+"&year=2025", "one")}
		wait(t, h)
		wait(t, h)
		all = append(all, ask(t.Context(), a, path+"&year=2026", "two"))
		fixture.Eventually(t, "the third request to wait", func() bool { return paid("two") >= making })
		need.NoError(t, a.Close())
		for _, answer := range all {
			if w := <-answer; w.Code != 503 {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		}
		if one, two := paid("one"), paid("two"); one < 2*making || two > access.BaseCost {
			t.Errorf("paid %d for two that were begun, and %d for one that was not", one, two)
		}
	})
	t.Run("it has just been removed", func(t *testing.T) {
		a, h, paid := begin(t)
		answered := ask(t.Context(), a, path, "one")
		wait(t, h)
		h.ends <- nil
		<-answered
		server.OnPaid(a.Server, func() { _ = a.Close() })
		a.Get(path, "two").WantProblem(t, 503, "overloaded")
		if got := paid("two"); got > access.BaseCost {
			t.Errorf("paid %d for a file that did not come", got)
		}
	})
}

// bulkFiles returns the field of GraphQL that asks what a path asks, where its arguments can.
func bulkFiles(path, fields string) (field string, ok bool) {
	kind, query, _ := strings.Cut(path, "?")
	field, ok = fmt.Sprintf("bulkFiles(kind: %q", kind), true
	seen := map[string]bool{}
	for pair := range strings.SplitSeq(query, "&") {
		name, text, _ := strings.Cut(pair, "=")
		value := strings.ToUpper(text)
		switch {
		case name == "":
			continue
		case name == "resolution":
			value = map[string]string{"5m": "M5", "2h": "H2", "1d": "D1", "1w": "W1"}[text]
		case name == "from" || name == "to":
			value = fmt.Sprintf("%q", text)
		}
		ok = ok && !seen[name] && !slices.Contains([]string{"MARS", "XLSX"}, value) &&
			slices.Contains([]string{"market", "resolution", "from", "to", "format"}, name)
		seen[name], field = true, field+", "+name+": "+value
	}
	return field + ") { " + fields + " }", ok
}

// The files that GraphQL names have, together, what one file of all has, each once, and cost what is said.
func TestBulkFilesHaveEverything(t *testing.T) {
	a := newBulk(t)
	a.AddStocks(1500, 1)
	made := map[string]bool{} // which cost less
	for path, least := range map[string]int{"bar?market=bist&format=csv": 2, "bar?market=bist&to=2025-06-30&from=2016-05-05&format=csv": 9,
		"bar?market=us&format=csv": 1, "bar?market=crypto&resolution=2h&format=csv": 1, "statement?market=bist&format=csv": 1,
		"fund_flow?to=2026-03-01&format=csv": 1} {
		field, ok := bulkFiles(path, "kind market resolution from to format contentType name url records cost")
		asked := a.Query("{ "+field+" }", fixture.All)
		files, _ := asked.JSON["data"].(map[string]any)["bulkFiles"].([]any)
		if !ok || len(files) < least || fmt.Sprint(asked.JSON["extensions"].(map[string]any)["usage_units"]) != "1" {
			t.Fatalf("%s: %s", path, asked.Text)
		}
		var got []map[string]string
		for _, f := range files {
			f := f.(map[string]any)
			url, _ := f["url"].(string)
			price := a.Send("GET", strings.TrimPrefix(url, fixture.BaseURL), fixture.All, "", "X-Price-Only", "true")
			file := a.Get(strings.TrimPrefix(url, fixture.BaseURL), fixture.All)
			rows := rowsOf(t, file.Text)
			same := fmt.Sprint(price.JSON["cost"].(map[string]any)["asked"]) == fmt.Sprint(f["cost"])
			if !same && !made[url] || file.StatusCode != 200 ||
				file.Header.Get("Content-Type") != f["contentType"] || fmt.Sprint(f["records"]) == "0" ||
				!strings.Contains(file.Header.Get("Content-Disposition"), f["name"].(string)) {
				t.Errorf("%v: %s %v", f, price.Text, file.Header)
			}
			made[url], got = true, append(got, rows...)
		}
		want := rowsOf(t, a.Get("/v1/bulk/"+path, fixture.All).Text)
		if slices.SortFunc(want, byKey); len(want) == 0 {
			t.Errorf("%s has nothing", path)
		}
		if slices.SortFunc(got, byKey); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %d records in one file, %d in %d", path, len(want), len(got), len(files))
		}
	}
}

func byKey(a, b map[string]string) int { return strings.Compare(a["key"], b["key"]) }

// What is wrong is said, and what is allowed; a file costs what its plan can pay.
func TestBulkRefusals(t *testing.T) {
	a := newBulk(t)
	plans := access.ShippedPlans()
	own, err := plans.With([]byte(`{"single": {"bucket": 60, "refill_per_second": 2, "bulk": false}}`))
	need.NoError(t, err)
	a.Services.Gate.SetPlans(own)
	keys := []*access.Key{fixture.Key(fixture.None)}
	for plan := range maps.Keys(own) {
		k := fixture.Key("piyasa_live_"+plan, access.Scopes...)
		k.Plan = plan
		keys = append(keys, k)
	}
	test := fixture.Key("piyasa_test_key", access.Scopes...)
	test.Test = true
	a.Keys(append(keys, fixture.Key(fixture.All, access.Scopes...), test)...)
	for _, c := range []struct {
		path, key, kind, detail string
		status                  int
	}{
		{"bar?market=bist", "", "unauthenticated", "", 401},
		{"bar?market=bist", fixture.None, "missing-scope", "history", 403},
		{"fund", fixture.None, "missing-scope", "quotes:fund", 403},
		{"dividend?market=bist", test.ID, "test-plan", "", 403},
		{"bar?market=bist", "piyasa_live_single", "not-in-plan", "The plan of this key has no files", 403},
		{"quote?market=bist", fixture.All, "not-found", "bar, index_bar", 404},
		{"bar", fixture.All, "invalid-parameter", "market must be one of bist,", 422},
		{"bar?market=mars", fixture.All, "invalid-parameter", "market must be one of bist,", 422},
		{"fund?market=fund", fixture.All, "invalid-parameter", "market must be left out", 422},
		{"bar?market=bist&format=xlsx", fixture.All, "invalid-parameter", "format must be one of parquet, csv, ndjson", 422},
		{"bar?market=bist&resolution=1w", fixture.All, "invalid-parameter", "resolution must be one of 5m, 2h, 1d", 422},
		{"bar?market=bist&resolution=2h", fixture.All, "unsupported-resolution", "", 422},
		{"instrument?market=bist&from=2026-01-01", fixture.All, "invalid-parameter", "from must be left out", 422},
		{"dividend?market=bist&resolution=1d", fixture.All, "invalid-parameter", "resolution must be left out", 422},
		{"bar?market=bist&year=26", fixture.All, "invalid-parameter", "a year such as 2026", 422},
		{"bar?market=bist&month=2026-13", fixture.All, "invalid-parameter", "a month such as 2026-03", 422},
		{"bar?market=bist&day=2026-02-30", fixture.All, "invalid-parameter", "a day such as 2026-03-18", 422},
		{"instrument?market=bist&year=2026", fixture.All, "invalid-parameter", "year must be left out", 422},
		{"bar?market=bist&year=2026&to=2026-03-01", fixture.All, "conflicting-parameters", "year and to", 400},
		{"bar?market=bist&from=2026-03-02&to=2026-03-01", fixture.All, "inverted-window", "", 400},
		{"dividend?market=bist&from=2026-03-02&to=2026-03-01", fixture.All, "inverted-window", "", 400},
		{"bar?market=bist&market=us", fixture.All, "repeated-parameter", "market", 400},
	} {
		res := a.Get("/v1/bulk/"+c.path, c.key)
		res.WantProblem(t, c.status, c.kind)
		if field, asks := bulkFiles(c.path, "url"); asks && c.key != "" {
			refused, _ := a.Query("{ "+field+" }", c.key).JSON["errors"].([]any)
			said := map[string]any{}
			if len(refused) == 1 {
				said, _ = refused[0].(map[string]any)["extensions"].(map[string]any)["problem"].(map[string]any)
			}
			for _, member := range []string{"type", "detail", "parameter", "value", "available", "missing_scopes"} {
				if !reflect.DeepEqual(said[member], res.JSON[member]) {
					t.Errorf("%s: %s is %v, and %v in GraphQL", c.path, member, res.JSON[member], said[member])
				}
			}
		}
		if !strings.Contains(res.Text, c.detail) || res.Header.Get("X-Usage-Units") > "0" {
			t.Errorf("%s: %s, %s units", c.path, res.Text, res.Header.Get("X-Usage-Units"))
		}
	}
	for _, last := range []string{"year=9999", "month=9999-12", "day=9999-12-31"} {
		if res := a.Get("/v1/bulk/bar?market=us&format=csv&"+last, fixture.All); res.StatusCode != 200 || len(rowsOf(t, res.Text)) > 0 {
			t.Errorf("%s: %d %s", last, res.StatusCode, res.Text)
		}
	}
	if res := a.Get("/v1/bulk/bar?market=us&years=2026", fixture.All); !strings.Contains(res.Header.Get("Warning"), "years") {
		t.Errorf("%v", res.Header)
	}
	a.AddStocks(600, 1)
	for plan := range maps.Keys(plans) {
		key := "piyasa_live_" + plan
		price := a.Send("GET", "/v1/bulk/bar?market=bist", key, "", "X-Price-Only", "true")
		asked := price.JSON["cost"].(map[string]any)["asked"]
		if res := a.Get("/v1/bulk/bar?market=bist", key); res.StatusCode != 200 || fmt.Sprint(asked) < "100000" {
			t.Errorf("%s: %d %s, for %v", plan, res.StatusCode, res.Text[:min(len(res.Text), 200)], asked)
		}
	}
}
