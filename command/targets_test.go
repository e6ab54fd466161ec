package command_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"piyasa/internal/problem"
	"piyasa/test/fixture/need"
)

// Every request target gets an answer with a request id, and a problem where
// there is nothing; so does what is no target at all, which net/http refuses
// before any handler.
func TestRequestTargets(t *testing.T) {
	s := start(t, "sqlite:"+t.TempDir()+"/piyasa.db")
	ask := func(line string) (*http.Response, string) {
		t.Helper()
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.base, "http://"))
		need.NoError(t, err)
		defer conn.Close()
		fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", line)
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(line, err)
		}
		text, _ := io.ReadAll(res.Body)
		return res, string(text)
	}
	for line, status := range map[string]int{
		"GET /v1/quotes/bist:100%25": 401, "GET /v1/quotes/%FF%FE": 401, "GET /v1/quotes/%00": 401, "GET /v1/quotes/a%2Fb": 401,
		"GET /v1/quotes?ids=100%": 401, "GET /v1/quotes?%zz=%": 401, "GET //v1/quotes": 404, "GET /v1/../v1/quotes": 404,
		"GET /%2e%2e": 404, "GET http://other.example/nothing": 404,
		"GET *": 404, "OPTIONS *": 404, "HEAD *": 404, "CONNECT example.com:443": 404, "CONNECT /v1/quotes": 405, "OPTIONS /v1/quotes": 405,
		"TRACE /": 405, "PURGE /v1/quotes": 405,
	} {
		res, text := ask(line)
		if id := res.Header.Get("X-Request-Id"); res.StatusCode != status || len(id) != 36 ||
			(!strings.HasPrefix(line, "HEAD") && (res.Header.Get("Content-Type") != "application/problem+json" ||
				!strings.Contains(text, id))) {
			t.Errorf("%s: %d %v %s, want the problem of %d", line, res.StatusCode, res.Header, text, status)
		}
	}
	for line, want := range map[string]struct{ instance, kind string }{
		"GET /v1/quotes/bist:100%":             {"/v1/quotes/bist:100%", "malformed-request"},
		"GET /v1/quotes/bist:100%?a=b":         {"/v1/quotes/bist:100%", "malformed-request"},
		"GET /v1/quotes/%zz":                   {"/v1/quotes/%zz", "malformed-request"},
		"GET /a b":                             {"", "malformed-request"},
		"GET /" + strings.Repeat("a", 100<<10): {"", "headers-too-large"},
	} {
		res, text := ask(line)
		var document problem.Document
		if err := json.Unmarshal([]byte(text), &document); err != nil {
			t.Errorf("%.60s: %d %s", line, res.StatusCode, text)
			continue
		}
		if document.Status != res.StatusCode || document.Type != s.base+"/problems/"+want.kind || document.Instance != want.instance ||
			document.RequestID == "" || document.RequestID != res.Header.Get("X-Request-Id") ||
			res.Header.Get("Content-Type") != problem.MediaType {
			t.Errorf("%.60s: %d %v %s, want %+v", line, res.StatusCode, res.Header, text, want)
		}
	}
}

// A second request on a connection gets the same problem, whatever came
// before it.
func TestMalformedRequestAfterAnother(t *testing.T) {
	s := start(t, "sqlite:"+t.TempDir()+"/piyasa.db")
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.base, "http://"))
	need.NoError(t, err)
	defer conn.Close()
	fmt.Fprint(conn, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /v1/quotes/% HTTP/1.1\r\nHost: x\r\n\r\n")
	answers := bufio.NewReader(conn)
	for _, status := range []int{http.StatusOK, http.StatusBadRequest} {
		res, err := http.ReadResponse(answers, nil)
		if err != nil || res.StatusCode != status {
			t.Fatalf("%+v, %v; want %d", res, err, status)
		}
		text, _ := io.ReadAll(res.Body)
		if status == http.StatusBadRequest && !strings.Contains(string(text), `"instance":"/v1/quotes/%"`) {
			t.Errorf("%s", text)
		}
	}
}
