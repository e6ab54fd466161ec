package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// full makes everything, and installs it in a clean Debian.
var full = os.Getenv("DIST_FULL") != ""

// made is what a test run has built, once.
var made *release

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "piyasa-dist-test-")
	if err != nil {
		panic(err)
	}
	made = &release{root: "../..", to: folder + "/dist", platforms: []string{"linux/" + runtime.GOARCH},
		packages: []string{"deb", "oci", "clients", "helm"}}
	if full {
		made.platforms, made.packages = allPlatforms, allPackages
	}
	status := 1
	if err := made.make(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		status = m.Run()
	}
	_ = os.RemoveAll(folder)
	os.Exit(status)
}

// output runs a program to its end.
func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// one returns the file that is released with this end.
func one(t *testing.T, end string) string {
	t.Helper()
	for _, name := range made.produced {
		if strings.HasSuffix(name, end) {
			return filepath.Join(made.to, name)
		}
	}
	t.Fatalf("there is no *%s among %q", end, made.produced)
	return ""
}

func TestVersions(t *testing.T) {
	for described, want := range map[string]string{
		"066709a": "0.1.0-dev+066709a", "066709a-dirty": "0.1.0-dev+066709a.dirty", "v1.2.3-0-g066709a": "1.2.3",
		"v1.2.3-7-g066709a": "1.2.4-0.dev.7+g066709a", "v1.2.3-7-g066709a-dirty": "1.2.4-0.dev.7+g066709a.dirty",
		"v2.0.0-rc.1-0-gabcdef1": "2.0.0-rc.1", "v2.0.0-rc.1-3-gabcdef1": "2.0.0-rc.1.dev.3+gabcdef1",
	} {
		if got := versionOf(described); got != want {
			t.Errorf("%s is %s, want %s", described, got, want)
		}
	}
}

// A second build has the same bytes.
func TestReproducible(t *testing.T) {
	again := &release{root: made.root, to: t.TempDir() + "/dist", platforms: made.platforms, packages: made.packages}
	if err := again.make(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(again.produced, made.produced) {
		t.Errorf("%q and then %q", made.produced, again.produced)
	}
	for _, name := range made.produced {
		first, err := os.ReadFile(filepath.Join(made.to, name))
		second, wrong := os.ReadFile(filepath.Join(again.to, name))
		if err := errors.Join(err, wrong); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first, second) {
			t.Errorf("%s differs", name)
		}
	}
	for line := range strings.Lines(string(mustRead(t, filepath.Join(made.to, "SHA256SUMS")))) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if got := fmt.Sprintf("%x", sha256.Sum256(mustRead(t, filepath.Join(made.to, name)))); got != sum {
			t.Errorf("%s has the checksum %s, not %s", name, got, sum)
		}
	}
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The program needs nothing of the machine that it runs on.
func TestStatic(t *testing.T) {
	folder := t.TempDir()
	output(t, "dpkg-deb", "--extract", one(t, runtime.GOARCH+".deb"), folder)
	if out := output(t, "file", "-b", folder+"/usr/bin/piyasa"); !strings.Contains(out, "statically linked") {
		t.Error(out)
	}
}

func TestLintian(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "lintian", "--allow-root", "--fail-on", "error,warning", one(t, runtime.GOARCH+".deb"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// The list of parts names the modules of the program.
func TestParts(t *testing.T) {
	var list struct {
		BomFormat  string
		Components []struct{ Name, Version, Purl string }
	}
	if err := json.Unmarshal(mustRead(t, one(t, ".cdx.json")), &list); err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, c := range list.Components {
		found[c.Name] = c.Version != "" && c.Purl != ""
	}
	for _, name := range []string{"std", "modernc.org/sqlite", "github.com/jackc/pgx/v5", "react"} {
		if !found[name] {
			t.Errorf("%s is not among the %d parts", name, len(found))
		}
	}
}

// systemd understands the unit, and finds that it lets the service do little.
func TestUnit(t *testing.T) {
	root := t.TempDir()
	output(t, "dpkg-deb", "--extract", one(t, runtime.GOARCH+".deb"), root)
	output(t, "cp", "-r", "--no-preserve=mode", root+"/usr/share/doc/piyasa/examples/piyasa.socket", root+"/usr/lib/systemd/system/")
	for _, unit := range []string{"basic.target", "sysinit.target", "shutdown.target", "network-online.target", "multi-user.target",
		"sockets.target"} {
		if err := os.WriteFile(root+"/usr/lib/systemd/system/"+unit, []byte("[Unit]\nDescription=x\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.MkdirAll(root+"/bin", 0o755), os.WriteFile(root+"/bin/kill", nil, 0o755)); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "systemd-analyze", "verify", "--man=no", "--root="+root, "piyasa.service",
		"piyasa.socket").CombinedOutput(); err != nil || strings.Contains(string(out), "piyasa.s") {
		t.Errorf("%v\n%s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), "systemd-analyze", "security", "--offline=true", "--threshold=25", "--root="+root,
		"piyasa.service").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	t.Log(lines[len(lines)-1])
}

// The image holds the program, and runs where nothing else is, as a user who is nobody.
func TestImage(t *testing.T) {
	folder := t.TempDir()
	output(t, "tar", "-xf", one(t, "_oci.tar"), "-C", folder)
	read := func(digest string, to any) {
		t.Helper()
		if err := json.Unmarshal(mustRead(t, filepath.Join(folder, "blobs", strings.Replace(digest, ":", "/", 1))), to); err != nil {
			t.Fatal(err)
		}
	}
	type descriptor struct {
		Digest   string
		Platform struct{ Architecture string }
	}
	var index struct{ Manifests []descriptor }
	if err := json.Unmarshal(mustRead(t, folder+"/index.json"), &index); err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Config descriptor
		Layers []descriptor
	}
	for _, m := range index.Manifests {
		if m.Platform.Architecture == runtime.GOARCH {
			read(m.Digest, &manifest)
		}
	}
	if len(manifest.Layers) != 1 {
		t.Fatalf("%+v", manifest)
	}
	var config struct {
		Config struct {
			User            string
			Env, Entrypoint []string
			Healthcheck     struct{ Test []string }
		}
	}
	read(manifest.Config.Digest, &config)
	if config.Config.User != "65532:65532" || !slices.Equal(config.Config.Healthcheck.Test, []string{"CMD", "/piyasa", "health"}) {
		t.Errorf("%+v", config)
	}
	root := folder + "/root"
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	output(t, "tar", "-xf", filepath.Join(folder, "blobs", strings.Replace(manifest.Layers[0].Digest, ":", "/", 1)), "-C", root,
		"--no-same-owner")
	if err := os.Chmod(root+"/data", 0o777); err != nil {
		t.Fatal(err)
	}
	public := free(t)
	enter := func(args ...string) *exec.Cmd {
		cmd := exec.Command("unshare", append([]string{"--user", "--map-root-user", "--root=" + root, "--wd=/data", "--"}, args...)...)
		cmd.Env = append(slices.Clone(config.Config.Env), "PIYASA_LISTEN="+public, "PIYASA_METRICS_LISTEN="+free(t))
		return cmd
	}
	server := enter("/piyasa", "serve")
	var said bytes.Buffer
	server.Stderr = &said
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Process.Kill(); _ = server.Wait() })
	until(t, func() bool { return status("http://"+public+"/readyz") == 200 }, &said)
	health := enter("/piyasa", "health", "--listen", public, "--metrics-listen", "")
	if out, err := health.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := enter("/piyasa", "health", "--listen", free(t), "--metrics-listen", "").CombinedOutput(); err == nil {
		t.Errorf("what is not there is well: %s", out)
	}
}

// free returns an address that nobody listens to.
func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func status(url string) int {
	res, err := http.Get(url)
	if err != nil {
		return 0
	}
	_, _ = io.Copy(io.Discard, res.Body)
	_ = res.Body.Close()
	return res.StatusCode
}

// until waits for something, a minute at most.
func until(t *testing.T, ok func() bool, said fmt.Stringer) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(time.Minute); !ok(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("not within a minute\n%s", said)
		}
	}
}
