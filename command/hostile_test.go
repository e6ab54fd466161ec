package command_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"piyasa/test/fixture/need"
)

// siege is a server that hostile clients attack while an honest one asks on and on.
type siege struct {
	*service
	t       *testing.T
	private string
	keys    map[string]string // by plan
}

// A siege may take so much memory, beyond what the server had, while it lasts; and an honest
// answer so long.
const (
	siegeMemory   = 24 << 20
	honestSeconds = 5
)

// besiege starts a server that knows an instrument.
func besiege(t *testing.T) *siege {
	t.Helper()
	database, private := "sqlite:"+filepath.Join(t.TempDir(), "piyasa.db"), need.Address(t)
	if res := run(t, database, instrument+first, nil, "ingest", "-"); res.status != 0 {
		t.Fatal(res)
	}
	s := &siege{t: t, private: private, keys: map[string]string{}}
	for _, plan := range []string{"internal", "test"} {
		s.keys[plan], _ = newKey(t, database, "--scopes", "all", "--plan", plan)
	}
	s.service = start(t, database, "PIYASA_METRICS_LISTEN="+private)
	return s
}

// attack lets hostile clients do something; what they have open when it returns stays so
// until the server was looked at.
func (s *siege) attack(name string, does func(t *testing.T)) {
	s.t.Run(name, func(t *testing.T) {
		before := s.heap(t)
		ctx, peace := context.WithCancel(t.Context())
		defer peace()
		var honest sync.WaitGroup
		asked := 0
		honest.Go(func() {
			for ctx.Err() == nil {
				asked++
				if err := s.askHonestly(); err != nil {
					t.Errorf("the honest client's question %d: %v", asked, err)
					return
				}
			}
		})
		does(t)
		after := s.heap(t)
		for begun := time.Now(); after > before+siegeMemory && time.Since(begun) < honestSeconds*time.Second; after = s.heap(t) {
			time.Sleep(100 * time.Millisecond) // what was sent last is garbage once it has been read
		}
		if after > before+siegeMemory {
			t.Errorf("it takes %d KiB of memory", (after-before)>>10)
		}
		if err := s.askHonestly(); err != nil {
			t.Errorf("the honest client afterwards: %v", err)
		}
		peace()
		honest.Wait()
	})
}

var honestClient = &http.Client{Timeout: honestSeconds * time.Second}

func (s *siege) askHonestly() error {
	r, err := http.NewRequest("GET", s.base+"/v1/quotes/bist:DMOST", nil)
	if err != nil {
		return err
	}
	r.Header.Set("X-API-Key", s.keys["internal"])
	res, err := honestClient.Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != 200 {
		err = fmt.Errorf("%d %s", res.StatusCode, text)
	}
	return err
}

// heap returns how many bytes are alive.
func (s *siege) heap(t *testing.T) int {
	t.Helper()
	s.privately(t, "/debug/pprof/heap?gc=1")
	var bytes float64
	for line := range strings.Lines(s.privately(t, "/metrics")) {
		if text, ok := strings.CutPrefix(line, "go_memstats_heap_alloc_bytes "); ok {
			if _, err := fmt.Sscan(text, &bytes); err != nil {
				t.Fatal(err)
			}
		}
	}
	if bytes == 0 {
		t.Fatal("nothing says how much memory is used")
	}
	return int(bytes)
}

// privately asks the private listener.
func (s *siege) privately(t *testing.T, path string) string {
	t.Helper()
	res, err := honestClient.Get("http://" + s.private + path)
	need.NoError(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	need.NoError(t, err)
	return string(text)
}

// connect opens a connection that lasts as long as the test.
func (s *siege) connect(t *testing.T) net.Conn {
	t.Helper()
	conn, err := net.DialTimeout("tcp", strings.TrimPrefix(s.base, "http://"), deadline)
	need.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(deadline))
	return conn
}

// say sends text on a connection of its own and returns the statuses of all answers until
// the server ends the connection, which it must.
func (s *siege) say(t *testing.T, text string) (statuses []int) {
	t.Helper()
	conn := s.connect(t)
	go func() { _, _ = io.WriteString(conn, text) }() // who is refused may not be listened to
	answers := bufio.NewReader(conn)
	for {
		res, err := http.ReadResponse(answers, nil)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("after %d the connection stays open", statuses)
		}
		if err != nil {
			return statuses
		}
		statuses = append(statuses, res.StatusCode)
		if _, err := io.Copy(io.Discard, res.Body); err != nil {
			return statuses
		}
	}
}

// Requests that mean one thing to a proxy and another to a server, and those that are
// larger than any: each is answered once, and the connection ends, so that nothing that
// follows is taken for a request.
func TestHostileRequests(t *testing.T) {
	t.Parallel()
	s := besiege(t)
	const query = `{"query":"{__typename}"}`
	key := "Host: x\r\nX-API-Key: " + s.keys["internal"] + "\r\n"
	post := "POST /graphql HTTP/1.1\r\n" + key + "Content-Type: application/json\r\n"
	chunks := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(query), query)
	many := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	const smuggled = "GET /v1/usage HTTP/1.1\r\nHost: x\r\n\r\n"
	for name, c := range map[string]struct {
		text   string
		status int
	}{
		"a length and chunks":         {post + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks, 200},
		"chunks and a length":         {post + "Transfer-Encoding: chunked\r\nContent-Length: 400\r\n\r\n" + chunks, 200},
		"chunks on a folded line":     {post + "Transfer-Encoding:\r\n chunked\r\n\r\n" + chunks, 200},
		"two lengths":                 {post + "Content-Length: 24\r\nContent-Length: 25\r\n\r\n" + query, 400},
		"a list of lengths":           {post + "Content-Length: 24, 24\r\n\r\n" + query, 400},
		"a length with a sign":        {post + "Content-Length: +24\r\n\r\n" + query, 400},
		"a negative length":           {post + "Content-Length: -24\r\n\r\n" + query, 400},
		"an unknown coding":           {post + "Transfer-Encoding: xchunked\r\n\r\n" + chunks, 501},
		"two codings":                 {post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n" + chunks, 501},
		"a blank before the colon":    {post + "Transfer-Encoding : chunked\r\n\r\n" + chunks, 400},
		"a tabulator of another sort": {post + "Transfer-Encoding: \x0bchunked\r\n\r\n" + chunks, 400},
		"a bare CR":                   {post + "X: a\rTransfer-Encoding: chunked\r\nContent-Length: 24\r\n\r\n" + query, 400},
		"a NUL in a header":           {post + "X: a\x00b\r\nContent-Length: 24\r\n\r\n" + query, 400},
		"a chunk beyond 64 bits":      {post + "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n", 400},
		"a negative chunk":            {post + "Transfer-Encoding: chunked\r\n\r\n-1\r\n", 400},
		"long extensions of chunks": {post + "Transfer-Encoding: chunked\r\n\r\n" +
			strings.Repeat("1;"+strings.Repeat("a", 4000)+"\r\n \r\n", 200), 400},
		"endless trailers": {post + "Transfer-Encoding: chunked\r\n\r\n" + chunks[:len(chunks)-2] +
			many(20_000, "X-%d: 1\r\n") + "\r\n", 400},
		"no host":                   {"GET /healthz HTTP/1.1\r\n\r\n", 400},
		"two hosts":                 {"GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
		"HTTP/2 without its frames": {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 0}, // no answer that HTTP/1 knows
		"chunks in HTTP/1.0":        {strings.Replace(post, "1.1", "1.0", 1) + "Transfer-Encoding: chunked\r\n\r\n" + chunks, 400},
		"20,000 headers":            {"GET /healthz HTTP/1.1\r\nHost: x\r\n" + many(20_000, "X-%d: 1\r\n") + "\r\n", 431},
		"a header of a MiB":         {"GET /healthz HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("a", 1<<20) + "\r\n\r\n", 431},
		"a body where none belongs": {"POST /healthz HTTP/1.1\r\n" + key + "Content-Length: 100000000\r\n\r\n" +
			strings.Repeat("a", 1<<20), 405},
		"a body that is larger than it": {post + "Content-Length: 100000000\r\n\r\n" + strings.Repeat(" ", 1<<20), 413},
		"an endless body in chunks": {post + "Transfer-Encoding: chunked\r\n\r\n" +
			strings.Repeat("1000\r\n"+strings.Repeat(" ", 4096)+"\r\n", 256), 413},
		"an unknown expectation": {post + "Expect: 200-ok\r\nContent-Length: 24\r\n\r\n" + query, 417},
	} {
		s.attack(name, func(t *testing.T) {
			want := []int{c.status}
			if c.status == 0 {
				want = nil
			}
			if got := s.say(t, c.text+smuggled); !slices.Equal(got, want) {
				t.Errorf("answers %d, want only %d", got, want)
			}
		})
	}
}

// What is unusual and no mistake is answered as usual, and takes no more than usual.
func TestTediousRequests(t *testing.T) {
	t.Parallel()
	s := besiege(t)
	get := func(path, header string) string {
		return "GET " + path + " HTTP/1.1\r\nHost: x\r\nX-API-Key: " + s.keys["internal"] + "\r\n" + header + "\r\n"
	}
	last := "GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
	s.attack("five thousand ranges", func(t *testing.T) {
		for _, path := range []string{"/openapi.json", "/graphiql", "/v1/quotes/bist:DMOST"} {
			if got := s.say(t, get(path, "Range: bytes="+strings.Repeat("0-,", 5000)+"0-\r\n")+last); !slices.Equal(got, []int{200, 404}) {
				t.Errorf("%s: %d", path, got)
			}
		}
	})
	s.attack("five hundred requests at once", func(t *testing.T) {
		got := s.say(t, strings.Repeat(get("/v1/quotes/bist:DMOST", ""), 500)+last)
		if len(got) != 501 || slices.ContainsFunc(got[:500], func(status int) bool { return status != 200 }) {
			t.Errorf("%d answers: %d", len(got), got)
		}
	})
	s.attack("requests whose answers nobody reads", func(t *testing.T) {
		clients := 50
		if testing.Short() {
			clients = 10
		}
		for range clients {
			conn := s.connect(t)
			_ = conn.SetWriteDeadline(time.Now().Add(200 * time.Millisecond))
			_, err := io.WriteString(conn, strings.Repeat(get("/openapi.json", ""), 1000))
			if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error(err)
			}
		}
	})
	s.attack("a packed body", func(t *testing.T) {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, _ = w.Write(bytes.Repeat([]byte(" "), 200<<20)) // a buffer takes everything
		_ = w.Close()
		for body, want := range map[string]int{"\x1f\x8b\x08" + strings.Repeat("\x00", 100<<10): 400, packed.String(): 413} {
			if res := s.post(t, "internal", "Content-Encoding", "gzip", body); res.StatusCode != want {
				t.Errorf("%d bytes: %d, want %d", len(body), res.StatusCode, want)
			}
		}
	})
	for name, body := range map[string]string{
		"variables that are deep": `{"query":"{ __typename }","variables":{"x":` + strings.Repeat("[", 100_000) +
			strings.Repeat("]", 100_000) + `}}`,
		"variables that are many": `{"query":"query($ids: [ID!]!) { quotes(ids: $ids) { quotes { last } } }","variables":{"ids":["a"` +
			strings.Repeat(`,"a"`, 60_000) + `]}}`,
		"variables that nobody needs":  `{"query":"{ __typename }","variables":{"x":"` + strings.Repeat("x", 200<<10) + `"}}`,
		"a name that is long":          `{"query":"{ __typename }","operationName":"` + strings.Repeat("x", 200<<10) + `"}`,
		"a document that is one value": `{"query":"{ quote(id: \"` + strings.Repeat("x", 200<<10) + `\") { last } }"}`,
	} {
		s.attack(name, func(t *testing.T) {
			for range 20 {
				if res := s.post(t, "internal", "Accept", "application/graphql-response+json", body); res.StatusCode >= 500 {
					t.Fatal(res.Status)
				}
			}
		})
	}
}

// post sends a body to GraphQL with the key of a plan.
func (s *siege) post(t *testing.T, plan, header, value, body string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "POST", s.base+"/graphql", bytes.NewReader([]byte(body)))
	need.NoError(t, err)
	r.Header.Set("X-API-Key", s.keys[plan])
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(header, value)
	res, err := honestClient.Do(r)
	need.NoError(t, err)
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		t.Fatal(err)
	}
	return res
}
