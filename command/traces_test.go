package command_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	traces "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"piyasa/test/fixture/need"
)

// collector is one of OpenTelemetry.
type collector struct {
	*httptest.Server
	mu       sync.Mutex
	header   http.Header
	services map[string]bool
	names    []string // of spans
}

func newCollector(t *testing.T) *collector {
	c := &collector{services: map[string]bool{}}
	c.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		data := new(traces.TracesData)
		if err != nil || proto.Unmarshal(body, data) != nil || r.URL.Path != "/v1/traces" ||
			r.Header.Get("Content-Type") != "application/x-protobuf" {
			t.Errorf("%s with %v cannot be read", r.URL, r.Header)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.header = r.Header
		for _, of := range data.ResourceSpans {
			for _, a := range of.Resource.Attributes {
				if a.Key == "service.name" {
					c.services[a.Value.GetStringValue()] = true
				}
			}
			for _, scope := range of.ScopeSpans {
				for _, span := range scope.Spans {
					c.names = append(c.names, span.Name)
				}
			}
		}
	}))
	t.Cleanup(c.Close)
	return c
}

// The spans of a server reach the collector that the environment names, at the latest when
// it stops.
func TestTracesAreSent(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	s := start(t, "sqlite:"+filepath.Join(t.TempDir(), "p.db"), "OTEL_EXPORTER_OTLP_ENDPOINT="+c.URL, "OTEL_SERVICE_NAME=prices",
		"OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20secret", "OTEL_BSP_SCHEDULE_DELAY=60000")
	if status, _ := s.get("/readyz", ""); status != 200 {
		t.Error(status)
	}
	if status := s.stop(syscall.SIGTERM); status != 0 {
		t.Errorf("exit status %d\n%s", status, s.stderr)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.names) != 1 || c.names[0] != "GET /readyz" || !c.services["prices"] || c.header.Get("Authorization") != "Bearer secret" {
		t.Errorf("%q of %v with %v", c.names, c.services, c.header)
	}
}

// What is ingested or collected is traced, too, with its statements.
func TestTracesOfIngest(t *testing.T) {
	c := newCollector(t)
	database := "sqlite:" + filepath.Join(t.TempDir(), "p.db")
	line := `{"record":"source_status","source":"a","up":true,"as_of":"2026-03-18T12:00:00Z"}`
	if res := run(t, database, line, []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + c.URL}, "ingest", "-"); res.status != 0 {
		t.Fatalf("%+v", res)
	}
	if res := run(t, database, line, []string{"OTEL_EXPORTER_OTLP_ENDPOINT=nowhere"}, "ingest", "-"); res.status != 2 {
		t.Errorf("%+v", res)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(c.names, "ingest") || !slices.ContainsFunc(c.names, func(name string) bool {
		return strings.HasPrefix(name, "INSERT")
	}) {
		t.Errorf("%q", c.names)
	}
}

// A collector that is not there, or takes nothing and says nothing, delays no request, is
// said once, and does not keep the server from stopping.
func TestCollectorThatIsAway(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	need.NoError(t, err)
	defer silent.Close()
	for name, address := range map[string]string{"silent": silent.Addr().String(), "gone": need.Address(t)} {
		t.Run(name, func(t *testing.T) {
			s := start(t, "sqlite:"+filepath.Join(t.TempDir(), "p.db"), "OTEL_EXPORTER_OTLP_ENDPOINT=http://"+address,
				"OTEL_EXPORTER_OTLP_TIMEOUT=100", "OTEL_BSP_SCHEDULE_DELAY=50", "OTEL_BSP_MAX_QUEUE_SIZE=16",
				"OTEL_BSP_MAX_EXPORT_BATCH_SIZE=4")
			const said = "cannot be sent to the collector"
			var slowest time.Duration
			ask := func() {
				t.Helper()
				began := time.Now()
				if status, _ := s.get("/readyz", ""); status != 200 {
					t.Fatal(status)
				}
				slowest = max(slowest, time.Since(began))
			}
			s.eventually(deadline, "that the collector is away is said", func() bool {
				ask()
				return strings.Contains(s.stderr.String(), said)
			})
			for range 200 { // many batches
				ask()
				time.Sleep(2 * time.Millisecond)
			}
			if n := strings.Count(s.stderr.String(), said); n != 1 {
				t.Errorf("it is said %d times:\n%s", n, s.stderr)
			}
			if slowest > 5*time.Second {
				t.Errorf("a request took %s", slowest)
			}
			began := time.Now()
			if status := s.stop(syscall.SIGINT); status != 0 || time.Since(began) > 30*time.Second {
				t.Errorf("exit status %d after %s\n%s", status, time.Since(began), s.stderr)
			}
			if n := strings.Count(s.stderr.String(), "collector"); n != 1 {
				t.Errorf("it is said %d times:\n%s", n, s.stderr)
			}
		})
	}
}

// Mistakes in the environment of OpenTelemetry are reported together, and matter only if spans
// are recorded.
func TestMistakesOfTraces(t *testing.T) {
	t.Parallel()
	wrong := []string{
		"OTEL_EXPORTER_OTLP_PROTOCOL=grpc", "OTEL_EXPORTER_OTLP_HEADERS=secret", "OTEL_EXPORTER_OTLP_TIMEOUT=soon",
		"OTEL_EXPORTER_OTLP_COMPRESSION=zip",
		"OTEL_EXPORTER_OTLP_CERTIFICATE=/nowhere", "OTEL_TRACES_SAMPLER=some", "OTEL_PROPAGATORS=b3",
	}
	database := "sqlite:" + filepath.Join(t.TempDir(), "p.db")
	res := run(t, database, "", append(wrong, "OTEL_EXPORTER_OTLP_ENDPOINT=nowhere"), "serve")
	for _, want := range append(wrong, "OTEL_EXPORTER_OTLP_ENDPOINT=",
		"must be http/protobuf, the only protocol that piyasa speaks; got \"grpc\"=") {
		if name, _, _ := strings.Cut(want, "="); res.status != 2 || !strings.Contains(res.err, name) {
			t.Errorf("status %d without %s:\n%s", res.status, name, res.err)
		}
	}
	if res := run(t, database, "", []string{"OTEL_TRACES_EXPORTER=zipkin"}, "serve"); res.status != 2 ||
		!strings.Contains(res.err, "OTEL_TRACES_EXPORTER") {
		t.Errorf("%d %s", res.status, res.err)
	}
	if res := run(t, database, "", []string{"OTEL_TRACES_EXPORTER=otlp", "OTEL_TRACES_SAMPLER=traceidratio", "OTEL_TRACES_SAMPLER_ARG=2"},
		"serve"); res.status != 2 || !strings.Contains(res.err, "OTEL_TRACES_SAMPLER_ARG") {
		t.Errorf("%d %s", res.status, res.err)
	}
	for _, off := range []string{"", "OTEL_SDK_DISABLED=true", "OTEL_TRACES_EXPORTER=none"} {
		env := append(wrong, off)
		if off != "" {
			env = append(env, "OTEL_EXPORTER_OTLP_ENDPOINT=nowhere")
		}
		if status := start(t, database, env...).stop(syscall.SIGINT); status != 0 {
			t.Errorf("%s: exit status %d", off, status)
		}
	}
}
