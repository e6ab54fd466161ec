package mcp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piyasa/serve/mcp"
	"piyasa/test/fixture"
	"piyasa/test/fixture/need"
)

// The public conformance suite passes, but for what conformance/inapplicable.yml names.
func TestConformance(t *testing.T) {
	modules, err := filepath.Abs("conformance/node_modules")
	need.NoError(t, err)
	// it needs Node 22
	suite, node := filepath.Join(modules, "@modelcontextprotocol/conformance/dist/index.js"), filepath.Join(modules, ".bin/node")
	if exec.CommandContext(t.Context(), node, "--version").Run() != nil {
		if os.Getenv("CI") != "" { // where nothing may be left out
			t.Fatal("conformance/node_modules is missing: make test installs it")
		}
		t.Skip("conformance/node_modules is missing: make serve/mcp/conformance/node_modules/.package-lock.json")
	}
	a := fixture.New(t)
	a.Keys(fixture.Unlimited())
	listening := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("X-API-Key", fixture.All) // the suite has none
		a.ServeHTTP(w, r)
	}))
	defer listening.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	run := exec.CommandContext(ctx, node, suite, "server", "--url", listening.URL+mcp.Path, "--expected-failures", "inapplicable.yml",
		"-o", t.TempDir())
	run.Dir = "conformance"
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, passed := range []string{"server-initialize", "ping", "tools-list", "dns-rebinding-protection"} {
		if !strings.Contains(string(out), "✓ "+passed) {
			t.Errorf("%s is not among what passed:\n%s", passed, out)
		}
	}
}
