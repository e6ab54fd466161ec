package command_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// Every request target that HTTP knows gets an answer with a request id, and a
// problem where there is nothing; what is no target at all never gets past
// net/http, which has no way to ask us.
func TestRequestTargets(t *testing.T) {
	s := start(t, "sqlite:"+t.TempDir()+"/piyasa.db")
	ask := func(line string) (*http.Response, string) {
		t.Helper()
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.base, "http://"))
		if err != nil {
			t.Fatal(err)
		}
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
		"GET /v1/quotes?ids=100%": 401, "GET /v1/quotes?%zz=%": 401, "GET //v1/quotes": 404, "GET /v1/../v1/quotes": 404, "GET /%2e%2e": 404, "GET http://other.example/nothing": 404,
		"GET *": 404, "OPTIONS *": 404, "HEAD *": 404, "CONNECT example.com:443": 404, "CONNECT /v1/quotes": 405, "OPTIONS /v1/quotes": 405, "TRACE /": 405, "PURGE /v1/quotes": 405,
	} {
		res, text := ask(line)
		if id := res.Header.Get("X-Request-Id"); res.StatusCode != status || len(id) != 36 ||
			(!strings.HasPrefix(line, "HEAD") && (res.Header.Get("Content-Type") != "application/problem+json" || !strings.Contains(text, id))) {
			t.Errorf("%s: %d %v %s, want the problem of %d", line, res.StatusCode, res.Header, text, status)
		}
	}
	for _, line := range []string{"GET /v1/quotes/bist:100%", "GET /v1/quotes/%zz", "GET /a b"} {
		if res, text := ask(line); res.StatusCode != 400 || text != "400 Bad Request" {
			t.Errorf("%s: %d %s; docs/api.md says otherwise", line, res.StatusCode, text)
		}
	}
}
