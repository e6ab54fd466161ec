package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piyasa/test/fixture/need"
)

const library = "github.com/shopspring/decimal"

// program writes a module that calls decimal.NewFromInt of one of our modules, and returns
// its folder.
func program(t *testing.T) string {
	t.Helper()
	version, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Version}}", library).Output()
	need.NoError(t, err)
	sums, err := os.ReadFile("go.sum")
	need.NoError(t, err)
	folder := t.TempDir()
	write(t, filepath.Join(folder, "go.sum"), sums)
	write(t, filepath.Join(folder, "go.mod"), fmt.Appendf(nil, "module program\n\ngo 1.26.0\n\nrequire %s %s\n", library, version))
	write(t, filepath.Join(folder, "main.go"),
		[]byte("package main\n\nimport \"github.com/shopspring/decimal\"\n\nfunc main() { println(decimal.NewFromInt(1).Exponent()) }\n"))
	return folder
}

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	need.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	need.NoError(t, os.WriteFile(path, text, 0o600))
}

// entry is a vulnerability in the format of https://go.dev/security/vuln/database.
func entry(module, path, symbol, fixed string) map[string]any {
	return map[string]any{
		"schema_version": "1.3.1", "id": "GO-2026-0001", "modified": "2026-03-18T12:00:00Z", "published": "2026-03-18T12:00:00Z",
		"summary": "made for a test",
		"affected": []any{map[string]any{
			"package": map[string]any{"name": module, "ecosystem": "Go"},
			"ranges": []any{map[string]any{"type": "SEMVER",
				"events": []any{map[string]any{"introduced": "0"}, map[string]any{"fixed": fixed}}}},
			"ecosystem_specific": map[string]any{"imports": []any{map[string]any{"path": path, "symbols": []string{symbol}}}},
		}},
		"database_specific": map[string]any{"url": "https://pkg.go.dev/vuln/GO-2026-0001"},
	}
}

// database writes a database with one vulnerability, as it is served and as the copy has
// it, and returns the folders.
func database(t *testing.T, module, path, symbol, fixed string) (served, flat string) {
	t.Helper()
	served, flat = t.TempDir(), t.TempDir()
	const modified = "2026-03-18T12:00:00Z"
	for name, content := range map[string]any{
		"index/db.json": map[string]any{"modified": modified},
		"index/modules.json": []any{map[string]any{"path": module,
			"vulns": []any{map[string]any{"id": "GO-2026-0001", "modified": modified, "fixed": fixed}}}},
		"index/vulns.json":     []any{map[string]any{"id": "GO-2026-0001", "modified": modified}},
		"ID/GO-2026-0001.json": entry(module, path, symbol, fixed),
	} {
		text, err := json.Marshal(content)
		need.NoError(t, err)
		var packed bytes.Buffer
		zip := gzip.NewWriter(&packed)
		_, _ = zip.Write(text)
		_ = zip.Close()
		write(t, filepath.Join(served, name), text)
		write(t, filepath.Join(served, name+".gz"), packed.Bytes())
		if strings.HasPrefix(name, "ID/") {
			write(t, filepath.Join(flat, filepath.Base(name)), text)
		}
	}
	return served, flat
}

func TestWhatIsCalledIsRed(t *testing.T) {
	t.Chdir("../../..")
	folder := program(t)
	for _, c := range []struct {
		name, module, path, symbol, fixed string
		red                               bool
		says                              string
	}{
		{"called", library, library, "NewFromInt", "9.0.0", true, "VULNERABLE: GO-2026-0001 in github.com/shopspring/decimal"},
		{"imported", library, library, "NewFromFormattedString", "9.0.0", false, "not called: GO-2026-0001"},
		{"needed", library, library + "/other", "Other", "9.0.0", false, "not called: GO-2026-0001"},
		{"fixed", library, library, "NewFromInt", "0.1.0", false, "no module has"},
		{"elsewhere", "golang.org/x/text", "golang.org/x/text/language", "Parse", "9.0.0", false, "no module has"},
		{"toolchain", "stdlib", "runtime", "main", "9.99.0", false, "build releases with go9.99.0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			served, flat := database(t, c.module, c.path, c.symbol, c.fixed)
			s := httptest.NewServer(http.FileServer(http.Dir(served)))
			defer s.Close()
			var out bytes.Buffer
			check := checker{online: s.URL, pinned: "none", modules: []string{folder}, now: time.Now(), out: &out}
			if err := check.run(t.Context()); errors.Is(err, errVulnerable) != c.red || !c.red && err != nil ||
				!strings.Contains(out.String(), c.says) || strings.Contains(out.String(), "NOT CHECKED") {
				t.Errorf("served: %v\n%s", err, out.String())
			}
			if !c.red {
				return // one of each is enough to know that the copy is read as well
			}
			out.Reset()
			if err := check.scanAll(t.Context(), "file://"+flat); !errors.Is(err, errVulnerable) ||
				!strings.Contains(out.String(), c.says) {
				t.Errorf("copied: %v\n%s", err, out.String())
			}
		})
	}
}

// Where no database answers it says so, takes the copy, and claims nothing without one.
func TestWithoutAnAnswer(t *testing.T) {
	t.Chdir("../../..")
	folder := program(t)
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	broken := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodHead {
			http.Error(w, "broken", http.StatusBadGateway)
		}
	}))
	defer broken.Close()
	for _, c := range []struct {
		online, pinned string
		now            time.Time
		says, not      string
	}{
		{closed.URL, "release/tools/vulndb/go.mod", time.Date(2026, 11, 10, 0, 0, 0, 0, time.UTC),
			"Checking against the copy of 20", "is old"},
		{broken.URL, "release/tools/vulndb/go.mod", time.Date(2126, 11, 10, 0, 0, 0, 0, time.UTC), "The copy is old", "copy that"},
		{closed.URL, "tools/none/go.mod", time.Now(), "Nothing is known", "no module has"},
	} {
		var out bytes.Buffer
		err := (&checker{online: c.online, pinned: c.pinned, modules: []string{folder}, now: c.now, out: &out}).run(t.Context())
		if said := out.String(); err != nil || !strings.Contains(said, "NOT CHECKED against "+c.online) ||
			!strings.Contains(said, c.says) || strings.Contains(said, c.not) {
			t.Errorf("%+v: %v\n%s", c, err, said)
		}
	}
}
