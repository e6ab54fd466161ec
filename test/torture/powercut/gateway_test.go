package powercut_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"piyasa/test/fixture/need"
)

// gateway is a running piyasa serve.
type gateway struct {
	command *exec.Cmd
	address string
	key     string
	said    *need.Said
}

// answerTime is how long the gateway may take to start, to follow the log and to
// answer.
const answerTime = 20 * time.Second

// createKey returns a key that may read everything.
func createKey(t *testing.T, url string) string {
	t.Helper()
	// creates the database
	if said, err := exec.CommandContext(t.Context(), piyasa, "ingest", "--database", url, "-").CombinedOutput(); err != nil {
		t.Fatalf("create the database: %v\n%s", err, said)
	}
	out, err := exec.CommandContext(t.Context(), piyasa, "keys", "create", "--name", "test", "--plan", "enterprise", "--scopes", "all",
		"--json", "--database", url).Output()
	if err != nil {
		t.Fatalf("create a key: %v", err)
	}
	var created struct{ Key string }
	need.NoError(t, json.Unmarshal(out, &created))
	return created.Key
}

// newGateway starts a gateway, which ends with the test.
func newGateway(t *testing.T, url, key string) *gateway {
	t.Helper()
	// Its day is one on which it keeps what the feed brings.
	g := &gateway{command: exec.Command(piyasa, "serve", "--listen", "127.0.0.1:0", "--now", "2026-03-18T12:00:00Z", "--database", url),
		key: key, said: new(need.Said)}
	g.command.Stderr = g.said
	out, err := g.command.StdoutPipe()
	need.NoError(t, err)
	need.NoError(t, g.command.Start())
	t.Cleanup(g.kill)
	first := make(chan string, 1)
	go func() {
		reader := bufio.NewReader(out)
		line, _ := reader.ReadString('\n')
		first <- line
		_, _ = io.Copy(io.Discard, reader)
	}()
	select {
	case line := <-first:
		address, found := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
		if !found {
			g.kill()
			t.Fatalf("the gateway ended and said: %s", g.said)
		}
		g.address = address
	case <-time.After(answerTime):
		g.kill()
		t.Fatalf("the gateway does not start; it said: %s", g.said)
	}
	return g
}

// kill ends the gateway, unless it has ended.
func (g *gateway) kill() {
	if g.command.ProcessState == nil {
		_ = g.command.Process.Kill()
		_ = g.command.Wait()
	}
}

// get returns the answer to a request.
func (g *gateway) get(t *testing.T, path string) (status int, body string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), answerTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, g.address+path, nil)
	need.NoError(t, err)
	request.Header.Set("X-API-Key", g.key)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	need.NoError(t, err)
	return answer.StatusCode, string(text)
}

// answers waits until the gateway shows the newest of the acknowledged lines: the
// disclosure from the store, the price from memory.
func (g *gateway) answers(t *testing.T, acked int) {
	t.Helper()
	disclosure, quote := acked-1, acked-1
	for ; disclosure%3 == 0; disclosure-- {
	}
	for ; quote%3 != 0; quote-- {
	}
	for path, want := range map[string]string{
		fmt.Sprintf("/v1/kap-feed/disclosures/%d", disclosure): fmt.Sprintf(`"disclosure_index":%d,`, disclosure),
		fmt.Sprintf("/v1/quotes/bist:S%d", quote%instruments):  fmt.Sprintf(`"volume":"%d"`, quote),
		"/readyz": "",
	} {
		for late := time.Now().Add(answerTime); ; time.Sleep(50 * time.Millisecond) {
			status, body := g.get(t, path)
			if status == http.StatusOK && strings.Contains(body, want) {
				break
			}
			if time.Now().After(late) {
				t.Errorf("%s answers %d: %s; the gateway said: %s", path, status, body, g.said)
				break
			}
		}
	}
}
