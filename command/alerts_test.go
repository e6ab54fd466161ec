package command_test

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"piyasa/db/dbtest"

	"piyasa/test/fixture/need"
)

var sample = regexp.MustCompile(`(?m)^(\w+)(?:\{(.*)\})? (\S+)$`)

// scrape returns the samples that a private listener serves, by series, under the instance
// of a name.
func scrape(t *testing.T, address, instance string) map[string]float64 {
	t.Helper()
	res, err := http.Get("http://" + address + "/metrics")
	need.NoError(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	need.NoError(t, err)
	all := map[string]float64{}
	for _, m := range sample.FindAllStringSubmatch(string(text), -1) {
		value, err := strconv.ParseFloat(m[3], 64)
		need.NoError(t, err)
		all[fmt.Sprintf(`%s{instance="%s",%s}`, m[1], instance, m[2])] = value
	}
	return all
}

// sumOf adds the samples of a name whose labels say something.
func sumOf(samples map[string]float64, name, labels string) (sum float64) {
	for series, value := range samples {
		if strings.HasPrefix(series, name+"{") && strings.Contains(series, labels) {
			sum += value
		}
	}
	return sum
}

const (
	alertRules = "../release/monitoring/alerts.yml"
	dashboard  = "../release/monitoring/grafana-dashboard.json"
)

// Every metric of the alert rules and of the dashboard is served, and each alert is raised
// by what it is for, and by nothing else: metrics of servers and of an ingest that have the
// fault are given to the rules. Only the full disk is not full.
func TestAlerts(t *testing.T) {
	t.Parallel()
	proxy := dbtest.NewProxy(t, dbtest.PostgresURL(t), "")
	plans := filepath.Join(t.TempDir(), "plans.json")
	need.NoError(t, os.WriteFile(plans, []byte(`{"basic": {"bucket": 100, "refill_per_second": 100, "units_per_month": 1}}`), 0o600))
	if res := run(t, proxy.URL, instrument+first, nil, "ingest", "-"); res.status != 0 {
		t.Fatalf("%+v", res)
	}
	key, _ := newKey(t, proxy.URL, "--scopes", "all")
	private := need.Address(t)
	s := start(t, proxy.URL, "PIYASA_METRICS_LISTEN="+private, "PIYASA_PLANS="+plans, "PIYASA_DATABASE_TIMEOUT=1s")
	s.eventually(deadline, "it is ready", func() bool { status, _ := s.get("/readyz", ""); return status == 200 })
	if status, body := s.get("/v1/quotes/bist:DMOST", key); status != 200 {
		t.Fatalf("%d %v", status, body)
	}
	// A sink that gets everything; later nobody delivers it, one is refused, and one is given up.
	hooks := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(map[string]int{"/well": 204, "/fails": 500, "/gone": 410}[r.URL.Path])
	}))
	t.Cleanup(hooks.Close)
	deliver := func(names ...string) {
		sinks := map[string]any{}
		for _, name := range names {
			sinks[name] = map[string]any{"to": "webhook", "url": hooks.URL + "/" + name, "secret": map[string]string{"env": "HOOK"},
				"allow_private": true, "kinds": []string{"disclosure"}, "from": "start"}
		}
		text, err := json.Marshal(map[string]any{"sinks": sinks})
		need.NoError(t, err)
		file := filepath.Join(t.TempDir(), "sinks.json")
		need.NoError(t, os.WriteFile(file, text, 0o600))
		secret := "HOOK=whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 32))
		if res := run(t, proxy.URL, "", []string{secret}, "deliver", "--once", file); (res.status == 0) != (len(names) == 1) {
			t.Fatalf("%+v", res)
		}
	}
	backUp := func(folder string, status int) {
		file := filepath.Join(t.TempDir(), "backup.json")
		text := fmt.Sprintf(`{"backup": {"to": "folder", "folder": %q, "schedule": {"every": "5m"}}}`, folder)
		need.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		if res := run(t, proxy.URL, "", nil, "deliver", "--once", file); res.status != status {
			t.Fatalf("%+v", res)
		}
	}
	deliver("well")
	backUp(t.TempDir(), 0)
	well := scrape(t, private, "server")
	for series := range well {
		if strings.HasPrefix(series, "piyasa_sink_caught_up") {
			well[series] = 20 * 60 // the clock of promtool begins at 0
		}
	}

	// A source that is late, and a client that reads nothing of what is stored.
	socket, res, err := (&websocket.Dialer{NetDial: func(network, address string) (net.Conn, error) {
		conn, err := net.Dial(network, address)
		if err == nil {
			err = conn.(*net.TCPConn).SetReadBuffer(128 << 10)
		}
		return conn, err
	}}).Dial("ws"+strings.TrimPrefix(s.base, "http")+"/v1/kap-feed/stream", nil)
	need.NoError(t, err)
	_ = res.Body.Close()
	defer socket.Close()
	need.NoError(t, socket.SetReadDeadline(time.Now().Add(2*deadline)))
	for _, message := range []string{`{"action":"auth","api_key":"` + key + `"}`, `{"action":"subscribe","ids":["all"]}`} {
		need.NoError(t, socket.WriteMessage(websocket.TextMessage, []byte(message)))
		if _, said, err := socket.ReadMessage(); err != nil {
			t.Fatalf("%s %v", said, err)
		}
	}
	var lines strings.Builder
	lines.WriteString(`{"record":"source_status","source":"kap","up":true,"as_of":"2026-03-18T10:00:00Z","last_success":"2026-03-18T10:00:00Z","next_due":"2026-03-18T11:00:00Z"}` + "\n")
	for i := range 300 {
		fmt.Fprintf(&lines,
			`{"record":"disclosure","disclosure_index":%d,"type":"ODA","class":"ODA","symbols":["DMOST"],"filer_codes":[],"summary":{"tr":"%s","en":""}}`+"\n", i+1, strings.Repeat("a", 100_000))
	}
	if res := run(t, proxy.URL, lines.String(), nil, "ingest", "-"); res.status != 0 {
		t.Fatalf("%+v", res)
	}
	// A key that has used up its month.
	spender, _ := newKey(t, proxy.URL, "--scopes", "all", "--plan", "basic")
	s.eventually(deadline, "the quota is used up", func() bool {
		status, _ := s.get("/v1/quotes/bist:DMOST", spender)
		return status == 429
	})
	s.eventually(deadline, "everything is published", func() bool {
		return sumOf(scrape(t, private, "server"), "piyasa_feed_number", `feed="disclosures"`) == 300
	})
	for { // what was on its way, and then the end
		if _, _, err = socket.ReadMessage(); err != nil {
			break
		}
	}
	if !websocket.IsCloseError(err, 4429) {
		t.Fatalf("the stream ended with %v", err)
	}
	s.eventually(deadline, "its end is counted", func() bool {
		return sumOf(scrape(t, private, "server"), "piyasa_streams_closed_total", `why="slow_consumer"`) > 0
	})
	deliver("fails", "gone")
	backUp(filepath.Join(t.TempDir(), "missing"), 1) // whose last one is due since backups are made
	sinks := scrape(t, private, "server")
	// A database that does not answer.
	proxy.Silence()
	s.eventually(deadline, "the server is behind", func() bool {
		return sumOf(scrape(t, private, "server"), "piyasa_database_lag_seconds", "") > 6
	})
	faulty := scrape(t, private, "server")
	for series, value := range sinks {
		switch {
		case strings.HasPrefix(series, "piyasa_sink_caught_up"):
			faulty[series] = 0
		case strings.HasPrefix(series, "piyasa_backup_overdue"):
			faulty[series] = value + 3*3600
		case strings.HasPrefix(series, "piyasa_sink_"), strings.HasPrefix(series, "piyasa_backup_"):
			faulty[series] = value
		}
	}

	// A certificate that ends in three days, and the disk of SQLite.
	secured := need.Address(t)
	cert, secret := certify(t, t.TempDir(), "api.example.com", 1, time.Now().Add(72*time.Hour), x509.NewCertPool())
	start(t, "sqlite:"+filepath.Join(t.TempDir(), "piyasa.db"), "PIYASA_METRICS_LISTEN="+secured, "PIYASA_TLS_CERT="+cert,
		"PIYASA_TLS_KEY="+secret)
	now := float64(time.Now().Unix())
	for series, value := range scrape(t, secured, "secured") {
		switch name, _, _ := strings.Cut(series, "{"); name {
		case "piyasa_certificate_expiry_timestamp_seconds":
			faulty[series] = value - now
		case "piyasa_database_disk_size_bytes":
			well[series], faulty[series] = value, value
			free := strings.Replace(series, "_size_", "_free_", 1)
			well[free], faulty[free] = value/2, value/20
		}
	}

	// An ingest that rejects.
	listens := need.Address(t)
	ingesting := exec.Command(binary, "ingest", "--metrics-listen", listens, "-")
	ingesting.Env = environment(t, "sqlite:"+filepath.Join(t.TempDir(), "piyasa.db"), nil)
	in, err := ingesting.StdinPipe()
	need.NoError(t, err)
	need.NoError(t, ingesting.Start())
	t.Cleanup(func() {
		_ = ingesting.Process.Kill()
		_ = ingesting.Wait()
	})
	if _, err := io.WriteString(in, "no JSON\n"); err != nil {
		t.Fatal(err)
	}
	s.eventually(deadline, "a line is rejected", func() bool {
		conn, err := net.Dial("tcp", listens)
		if err != nil {
			return false
		}
		_ = conn.Close()
		return sumOf(scrape(t, listens, "ingest"), "piyasa_ingest_records_total", `result="rejected"`) > 0
	})
	maps.Copy(faulty, scrape(t, listens, "ingest"))

	served := map[string]bool{}
	for series := range faulty {
		name, _, _ := strings.Cut(series, "{")
		served[name] = true
	}
	rules, err := os.ReadFile(alertRules)
	need.NoError(t, err)
	panels, err := os.ReadFile(dashboard)
	need.NoError(t, err)
	for _, name := range regexp.MustCompile(`\b(?:piyasa|go|process)_\w+`).FindAllString(string(rules)+string(panels), -1) {
		if !served[name] {
			t.Errorf("%s is not served", name)
		}
	}

	var alerts []string
	for _, m := range regexp.MustCompile(`- alert: (\w+)`).FindAllStringSubmatch(string(rules), -1) {
		alerts = append(alerts, m[1])
	}
	if len(alerts) < 11 {
		t.Errorf("alerts %q", alerts)
	}
	promtool(t, "a server that is well", string(rules), well, nil)
	promtool(t, "faults", string(rules), faulty, alerts)
}

// promtool lets the rules see samples from the minute 15 on, and checks which alerts there
// are in the minute 22.
func promtool(t *testing.T, what, rules string, samples map[string]float64, alerts []string) {
	t.Helper()
	path, err := filepath.Abs(alertRules)
	need.NoError(t, err)
	type series struct {
		Series string `json:"series"`
		Values string `json:"values"`
	}
	type expected struct {
		Labels string  `json:"labels"`
		Value  float64 `json:"value"`
	}
	input, raised := []series{}, []expected{}
	for _, name := range slices.Sorted(maps.Keys(samples)) {
		if metric, _, _ := strings.Cut(name, "{"); strings.Contains(rules, metric) {
			input = append(input, series{strings.Replace(name, ",}", "}", 1), "_x15 " +
				strconv.FormatFloat(samples[name], 'f', -1, 64) + "x30"})
		}
	}
	for _, alert := range alerts {
		raised = append(raised, expected{fmt.Sprintf(`{alertname="%s"}`, alert), 1})
	}
	text, err := json.Marshal(map[string]any{"rule_files": []string{path}, "evaluation_interval": "1m", "tests": []any{map[string]any{
		"interval": "1m", "input_series": input,
		"promql_expr_test": []any{map[string]any{"expr": `group by (alertname) (ALERTS{alertstate="firing"})`, "eval_time": "22m",
			"exp_samples": raised}},
	}}})
	need.NoError(t, err)
	file := filepath.Join(t.TempDir(), "rules_test.yml") // JSON is YAML, too
	need.NoError(t, os.WriteFile(file, text, 0o600))
	for _, args := range [][]string{{"check", "rules", path}, {"test", "rules", file}} {
		if said, err := exec.CommandContext(t.Context(), "promtool", args...).CombinedOutput(); err != nil {
			t.Errorf("%s: promtool %s: %v\n%s", what, args[0], err, said)
		}
	}
}
