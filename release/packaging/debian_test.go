package main

import (
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// In a clean Debian the package is installed, used, updated, removed and purged. From the
// package to the first answer it takes seconds.
func TestCleanDebian(t *testing.T) {
	if !full && os.Getenv("DIST_CLEAN") == "" {
		return // it needs a mirror of Debian, and minutes
	}
	root := t.TempDir() + "/debian"
	output(t, "mmdebstrap", "--variant=minbase", "bookworm", root)
	deb := one(t, runtime.GOARCH+".deb")
	output(t, "cp", deb, root+"/piyasa.deb")
	inside := func(script string) string {
		t.Helper()
		return output(t, "chroot", root, "sh", "-ec", script)
	}
	began := time.Now()
	inside("dpkg --install /piyasa.deb")
	installed := time.Since(began)
	public := free(t)
	server := exec.Command("chroot", "--userspec=piyasa:piyasa", root, "env", "PIYASA_LISTEN="+public, "/usr/bin/piyasa", "serve")
	var said bytes.Buffer
	server.Stderr = &said
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Process.Kill(); _ = server.Wait() }()
	until(t, func() bool { return status("http://"+public+"/readyz") == 200 }, &said)
	key := strings.Fields(inside(`printf '%s\n' '{"record":"instrument","instrument_id":"fx:USDTRY","symbol":"USDTRY","name":"USD/TRY","market":"fx","asset_type":"FX","currency":"TRY"}' >/tmp/lines.ndjson
runuser -u piyasa -- piyasa ingest /tmp/lines.ndjson >&2
runuser -u piyasa -- piyasa keys create --name me --plan pro --scopes all --json`))
	answered := false
	for _, word := range key {
		for _, part := range strings.FieldsFunc(word, func(r rune) bool { return r == '"' || r == ',' || r == ':' || r == '}' }) {
			if strings.HasPrefix(part, "piyasa_live_") {
				until(t, func() bool {
					out, err := exec.Command("curl", "-sf", "-H", "X-API-Key: "+part, "http://"+public+"/v1/instruments/fx:USDTRY").Output()
					answered = err == nil && strings.Contains(string(out), "USD/TRY")
					return answered
				}, &said)
			}
		}
	}
	if !answered {
		t.Errorf("no answer with %q\n%s", key, &said)
	}
	t.Logf("installed after %s, the first answer after %s", installed.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
	_ = server.Process.Kill()

	for _, path := range []string{"/usr/share/man/man1/piyasa.1.gz", "/usr/share/bash-completion/completions/piyasa",
		"/usr/lib/systemd/system/piyasa.service"} {
		if _, err := os.Stat(root + path); err != nil {
			t.Error(err)
		}
	}
	// The operator's settings outlive an update and a removal, the data until the purge.
	inside(`echo 'max_streams = 5' >>/etc/piyasa/piyasa.toml; dpkg --install /piyasa.deb; grep -q '= 5' /etc/piyasa/piyasa.toml
test -f /var/lib/piyasa/piyasa.db`)
	// A file of the operator's own that names no database, beside which the unit of older packages did.
	inside(`echo 'listen = "127.0.0.1:1"' >/etc/piyasa/piyasa.toml; chown root:root /etc/piyasa/piyasa.toml; chmod 0640 /etc/piyasa/piyasa.toml
dpkg --install /piyasa.deb
runuser -u piyasa -- piyasa status >/dev/null`)
	inside("dpkg --remove piyasa; ! test -e /usr/bin/piyasa; test -f /var/lib/piyasa/piyasa.db; test -f /etc/piyasa/piyasa.toml")
	inside("dpkg --purge piyasa; ! test -e /var/lib/piyasa; ! test -e /etc/piyasa/piyasa.toml; ! getent passwd piyasa")
	if left := inside("find / -xdev -name '*piyasa*' -not -path '/proc/*' -not -path '/piyasa.deb' -not -path '/var/lib/dpkg/*' " +
		"-not -path '/var/log/*'"); strings.TrimSpace(left) != "" {
		t.Errorf("what is left: %s", left)
	}
}
