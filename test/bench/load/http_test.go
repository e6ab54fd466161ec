package load

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"piyasa/test/fixture/need"
)

// serve answers /N with N bytes, in chunks if N is odd, and counts requests.
func serve(t *testing.T) (at netip.AddrPort, asked *atomic.Int64) {
	asked = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		io.Copy(io.Discard, r.Body)
		switch r.URL.Path {
		case "/4000":
			w.Write(make([]byte, 4000))
		case "/7001":
			w.Write(make([]byte, 7000))
			w.(http.Flusher).Flush()
			w.Write([]byte{0})
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return netip.MustParseAddrPort(strings.TrimPrefix(server.URL, "http://")), asked
}

func request(path string, want int) Request {
	return Request{[]byte("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n"), want}
}

func TestEveryAnswerCounts(t *testing.T) {
	at, asked := serve(t)
	started := int64(-1)
	result, err := HTTP(at, []Request{request("/4000", 4000), request("/7001", 7001), request("/4000", -4000)}, 3, 20*time.Millisecond,
		100*time.Millisecond, func() error {
			started = asked.Load()
			return nil
		})
	need.NoError(t, err)
	if started <= 0 {
		t.Errorf("measuring began after %d requests", started)
	}
	if total := int(asked.Load()); result.Requests == 0 || result.Requests > total {
		t.Errorf("%d requests counted of %d", result.Requests, total)
	}
	if least := int64(result.Requests) * 4000; result.Bytes < least || result.Bytes > int64(result.Requests)*7001 {
		t.Errorf("%d bytes of %d answers", result.Bytes, result.Requests)
	}
	if len(result.Latencies) != result.Requests || result.Quantile(0.5) <= 0 || result.Quantile(0.5) > result.Quantile(1) {
		t.Errorf("%d latencies, median %s, longest %s", len(result.Latencies), result.Quantile(0.5), result.Quantile(1))
	}
	if result.Took != 100*time.Millisecond || result.PerSecond() != float64(result.Requests)*10 {
		t.Errorf("%g a second of %d in %s", result.PerSecond(), result.Requests, result.Took)
	}
}

func TestOtherAnswersFail(t *testing.T) {
	at, _ := serve(t)
	for name, r := range map[string]Request{"of another length": request("/4000", 4001), "that is too short": request("/4000", -4001),
		"of another status": request("/missing", 19)} {
		if _, err := HTTP(at, []Request{r}, 1, 0, time.Minute, func() error { return nil }); err == nil {
			t.Errorf("an answer %s counts", name)
		}
	}
	if _, err := HTTP(at, nil, 1, 0, 0, nil); err == nil {
		t.Error("nothing to ask is no error")
	}
}

func TestQuantileOfNothing(t *testing.T) {
	if q := (Result{}).Quantile(0.99); q != 0 {
		t.Errorf("the p99 of nothing is %s", q)
	}
}
