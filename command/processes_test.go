package command_test

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"piyasa/db/dbtest"
	"piyasa/test/fixture/need"
)

// notices returns the lines of n disclosures from first on.
func notices(first, n int) string {
	var lines strings.Builder
	for i := range n {
		fmt.Fprintf(&lines, `{"record":"disclosure","disclosure_index":%d,"type":"ODA","class":"ODA","symbols":["A%d"],"filer_codes":[]}`+
			"\n", first+i, i%10)
	}
	return lines.String()
}

// Several processes write to one SQLite file while servers read it, and one of the
// writers is killed in the middle: what was acknowledged is there, and the log is whole.
func TestProcessesOnOneFile(t *testing.T) {
	t.Parallel()
	database := "sqlite:" + filepath.Join(t.TempDir(), "piyasa.db")
	secret, id := newKey(t, database, "--scopes", "quotes:bist")
	servers := []*service{start(t, database), start(t, database)}
	const each = 2000
	var writers sync.WaitGroup
	for i := range 2 {
		writers.Go(func() {
			if res := run(t, database, notices(10_000*(i+1), each), nil, "ingest", "-"); res.status != 0 {
				t.Errorf("%+v", res)
			}
		})
	}
	victim := exec.Command(binary, "ingest", "--acks", "-")
	victim.Env = environment(t, database, nil)
	in, err := victim.StdinPipe()
	need.NoError(t, err)
	out, err := victim.StdoutPipe()
	need.NoError(t, err)
	need.NoError(t, victim.Start())
	killed := time.AfterFunc(2*deadline, func() { _ = victim.Process.Kill() })
	defer killed.Stop()
	written := make(chan struct{})
	go func() {
		defer close(written)
		for i := 0; ; i += 100 {
			if _, err := io.WriteString(in, notices(100_000+i, 100)); err != nil {
				return
			}
		}
	}()
	acknowledged := 0
	for acks := bufio.NewScanner(out); acknowledged < 1000 && acks.Scan(); {
		if _, err := fmt.Sscanf(acks.Text(), `{"lines":%d}`, &acknowledged); err != nil {
			t.Fatalf("%s: %v", acks.Text(), err)
		}
	}
	_ = victim.Process.Kill()
	<-written
	_ = victim.Wait()
	writers.Wait()
	var others, survived int
	if err := dbtest.Raw(t,
		database).QueryRow("SELECT count(*) FILTER (WHERE disclosure_index < 100000), count(*) FILTER (WHERE "+
		"disclosure_index BETWEEN 100000 "+
		"AND ?) FROM disclosures", 100_000+acknowledged-1).Scan(&others, &survived); err != nil {
		t.Fatal(err)
	}
	if acknowledged < 1000 || survived != acknowledged || others != 2*each {
		t.Errorf("%d of %d acknowledged lines of the killed one are stored, and %d of %d of the others",
			survived, acknowledged, others, 2*each)
	}
	if res := run(t, database, "", nil, "verify"); res.status != 0 {
		t.Errorf("%+v", res)
	}

	// Both servers see a commit of another process soon; one of several tries may be late
	// on a busy machine.
	var took []time.Duration
	for i := range 5 {
		last := fmt.Sprintf("%d.5", 300+i)
		quote := fmt.Sprintf(`{"record":"quote","instrument_id":"bist:DMOST","as_of":"2026-03-18T11:%02d:00Z","last":"%s"}`+
			"\n", 10+i, last)
		if res := run(t, database, instrument+quote, nil, "ingest", "-"); res.status != 0 {
			t.Fatalf("%+v", res)
		}
		began := time.Now() // a moment after the commit
		for _, s := range servers {
			s.eventually(deadline, "the quote is served", func() bool {
				_, body := s.get("/v1/quotes/bist:DMOST", secret)
				return body["last"] == last
			})
		}
		took = append(took, time.Since(began))
	}
	if slices.Min(took) > 200*time.Millisecond {
		t.Errorf("seen after %v", took)
	}
	if res := run(t, database, "", nil, "keys", "revoke", id); res.status != 0 {
		t.Fatalf("%+v", res)
	}
	for _, s := range servers {
		s.eventually(time.Second, "the revoked key is refused", func() bool {
			status, _ := s.get("/v1/quotes/bist:DMOST", secret)
			return status == 401
		})
	}
}
