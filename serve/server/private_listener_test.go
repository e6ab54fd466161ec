package server_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"piyasa/serve/server"
)

// Nothing on the private listener answers a page of another origin, nor a name that anybody may
// have given its address; scrapers ask by address or by a name that the operator has listed.
func TestPrivateListenerIsOfItsOwn(t *testing.T) {
	o, a := newOperators(t)
	none := prometheus.NewRegistry()
	for name, private := range map[string]http.Handler{
		"a server": a.Private("metrics.example.test"), "with keys": o.private,
		"ingest": server.PrivateOf("1", none, "metrics.example.test"),
	} {
		for _, path := range []string{
			"/metrics", "/", "/healthz", "/readyz", "/keys", "/favicon.svg", "/debug/pprof/", "/debug/pprof/heap",
			"/debug/pprof/profile?seconds=1", "/debug/pprof/trace?seconds=1", "/debug/pprof/symbol",
		} {
			for _, c := range []struct {
				host, header, value string
				want                int // 0: an answer
			}{
				{"evil.example", "", "", 421},
				{"evil.example:9090", "Sec-Fetch-Site", "same-origin", 421},
				{"127.0.0.1.evil.example:9090", "", "", 421},
				{"localhost.evil.example", "", "", 421},
				{"127.0.0.1:9090", "Sec-Fetch-Site", "cross-site", 403},
				{"127.0.0.1:9090", "Sec-Fetch-Site", "same-site", 403},
				{"127.0.0.1:9090", "Sec-Fetch-Site", "anything", 403},
				{"127.0.0.1:9090", "Origin", "https://evil.example", 403},
				{"127.0.0.1:9090", "Origin", "http://127.0.0.1:8080", 403},
				{"127.0.0.1:9090", "Origin", "null", 403},
			} {
				for _, method := range []string{"GET", "POST", "OPTIONS"} {
					if res := askedAs(private, method, c.host, path, c.header, c.value); res.Code != c.want {
						t.Errorf("%s: %s %s at %s, %s %s: %d", name, method, path, c.host, c.header, c.value, res.Code)
					}
				}
			}
		}
		for _, c := range [][3]string{
			{"127.0.0.1:9090"}, {"[::1]:9090"}, {"[::1]"}, {"10.1.2.3"}, {"localhost:9090"}, {"LOCALHOST."}, {""},
			{"127.0.0.1:9090", "Sec-Fetch-Site", "none"}, {"127.0.0.1:9090", "Sec-Fetch-Site", "same-origin"},
			{"127.0.0.1:9090", "Origin", "http://127.0.0.1:9090"},
		} {
			res := askedAs(private, "GET", c[0], "/metrics", c[1], c[2])
			if res.Code != 200 || res.Header().Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s: %v: %d %v %s", name, c, res.Code, res.Header(), res.Body)
			}
		}
		want := map[bool]int{true: 421, false: 200}[name == "with keys"] // it has no names
		for _, host := range []string{"metrics.example.test:9090", "Metrics.Example.Test"} {
			if res := askedAs(private, "GET", host, "/metrics", "", ""); res.Code != want {
				t.Errorf("%s: %s: %d", name, host, res.Code)
			}
		}
	}
}

// askedAs sends a request with a header, if it is named.
func askedAs(to http.Handler, method, host, path, header, value string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	if r.Host = host; header != "" {
		r.Header.Set(header, value)
	}
	w := httptest.NewRecorder()
	to.ServeHTTP(w, r)
	return w
}
