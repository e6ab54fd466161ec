package command_test

import (
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"piyasa/test/fixture/need"
)

// An ingest that runs serves metrics of what it has done, its health and profiles.
func TestMetricsOfIngest(t *testing.T) {
	cmd := exec.Command(binary, "ingest", "--metrics-listen", "127.0.0.1:0", "--metrics-hosts", "metrics.example.test, other", "-")
	cmd.Env = environment(t, "sqlite:"+filepath.Join(t.TempDir(), "piyasa.db"), nil)
	said := new(need.Said)
	cmd.Stderr = said
	in, err := cmd.StdinPipe()
	need.NoError(t, err)
	need.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	input := notices(1, 3) + notices(1, 1) + "{\"record\":\"nothing\"}\nno JSON\n" + `{"record":"disclosure","disclosure_index":-1}` + "\n"
	if _, err := io.WriteString(in, input); err != nil {
		t.Fatal(err)
	}
	address := regexp.MustCompile(`metrics are served privately" address=(\S+)`)
	ask := func(path string) string {
		at := address.FindStringSubmatch(said.String())
		if at == nil {
			return ""
		}
		r, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+at[1]+path, nil)
		need.NoError(t, err)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			return err.Error()
		}
		defer res.Body.Close()
		text, _ := io.ReadAll(res.Body)
		return string(text)
	}
	var text string
	for end := time.Now().Add(deadline); !strings.Contains(text, "\npiyasa_ingest_lines_total 7\n"); time.Sleep(10 * time.Millisecond) {
		if text = ask("/metrics"); time.Now().After(end) {
			t.Fatalf("%s\n%s", text, said)
		}
	}
	for _, want := range []string{
		`piyasa_ingest_records_total{kind="disclosure",result="stored"} 3`,
		`piyasa_ingest_records_total{kind="disclosure",result="unchanged"} 1`,
		`piyasa_ingest_records_total{kind="disclosure",result="rejected"} 1`,
		`piyasa_ingest_records_total{kind="none",result="rejected"} 2`,
		`piyasa_ingest_records_total{kind="quote",result="stored"} 0`, "piyasa_ingest_waiting 0",
		"piyasa_ingest_batch_duration_seconds_count ", "piyasa_ingest_batch_lines_sum 7",
		`piyasa_sql_errors_total{feed="",pool="write"} `, `go_sql_open_connections{db_name="write"} `, "go_goroutines ",
		"process_start_time_seconds ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing", want)
		}
	}
	if want := len(input) - strings.Count(input, "\n"); !strings.Contains(text, "\npiyasa_ingest_bytes_total "+strconv.Itoa(want)+"\n") {
		t.Errorf("not %d bytes:\n%s", want, text)
	}
	if got := ask("/healthz"); !strings.Contains(got, "alive") {
		t.Error(got)
	}
	if got := ask("/debug/pprof/"); !strings.Contains(got, "goroutine") {
		t.Error(got)
	}
	for host, want := range map[string]string{
		"evil.example": "PIYASA_METRICS_HOSTS", "metrics.example.test:9090": "piyasa_ingest_lines_total",
	} {
		if got := askAs(t, "http://"+address.FindStringSubmatch(said.String())[1]+"/metrics", host); !strings.Contains(got, want) {
			t.Errorf("asked as %s: %.200s", host, got)
		}
	}
	_ = in.Close()
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 3 {
		t.Errorf("%v\n%s", err, said)
	}
}

// askAs asks an address under another name.
func askAs(t *testing.T, address, host string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", address, nil)
	need.NoError(t, err)
	r.Host = host
	res, err := http.DefaultClient.Do(r)
	need.NoError(t, err)
	defer res.Body.Close()
	text, _ := io.ReadAll(res.Body)
	return string(text)
}
