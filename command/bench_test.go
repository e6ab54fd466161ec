package command_test

import (
	"bufio"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"piyasa/db/dbtest"
	"piyasa/test/fixture/need"
)

// The size of the largest real set so far.
const (
	benchInstruments  = 2200
	benchObservations = 36000
)

// BenchmarkServeReady is the time from starting `piyasa serve` on a filled
// database to the first 200 of /readyz.
func BenchmarkServeReady(b *testing.B) {
	dbtest.Each(b, func(b *testing.B, database string) {
		ingest := exec.CommandContext(b.Context(), binary, "ingest", "--json", "-")
		ingest.Env = environment(b, database, nil)
		ingest.Stdin = strings.NewReader(lines())
		if out, err := ingest.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		for b.Loop() {
			serve := exec.CommandContext(b.Context(), binary, "serve")
			serve.Env = environment(b, database, nil)
			stdout, err := serve.StdoutPipe()
			need.NoError(b, err)
			need.NoError(b, serve.Start())
			line, err := bufio.NewReader(stdout).ReadString('\n')
			need.NoError(b, err)
			waitReady(b, listening.FindStringSubmatch(strings.TrimSpace(line))[1])
			_ = serve.Process.Kill()
			_ = serve.Wait()
		}
	})
}

func waitReady(b *testing.B, base string) {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for ; ; <-tick.C {
		r, err := http.NewRequestWithContext(b.Context(), "GET", base+"/readyz", nil)
		need.NoError(b, err)
		if res, err := http.DefaultClient.Do(r); err == nil {
			_ = res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return
			}
		}
	}
}

// lines is a set of the real one's size.
func lines() string {
	var b strings.Builder
	for i := range benchInstruments {
		fmt.Fprintf(&b, `{"record":"instrument","instrument_id":"bist:S%04d","symbol":"S%04d","name":"Şirket %d","market":"bist","asset_type":"STOCK","currency":"TRY","session":{"timezone":"Europe/Istanbul","open":"10:00","close":"18:00","always_open":false},"delay":900}`+"\n", i, i, i)
	}
	at := time.Date(2026, 3, 16, 7, 0, 0, 0, time.UTC)
	for i := range benchObservations {
		fmt.Fprintf(&b, `{"record":"quote","instrument_id":"bist:S%04d","as_of":"%s","last":"%d.25","open":"20.02","high":"20.28","low":"20","volume":"2350122","data_delay_seconds":900}`+"\n",
			i%benchInstruments, at.Add(time.Duration(i/benchInstruments)*15*time.Minute).Format(time.RFC3339), 100+i%977)
	}
	return b.String()
}
