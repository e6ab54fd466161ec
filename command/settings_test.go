package command_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"piyasa/test/fixture/need"
)

func settingsIn(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "piyasa.toml")
	need.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// A flag is stronger than the environment, and that than the file; what is printed says
// from where, and no secret.
func TestConfiguration(t *testing.T) {
	file := settingsIn(t, "# of the test\nmax_streams = 5\nfx_max_age = \"7m\"\nmax_lag = \"7s\"\naccess_log = true\n"+
		"origins = [\"https://a.example.com\", \"https://b.example.com\"]\n")
	env := []string{"PIYASA_FX_MAX_AGE=8m", "PIYASA_MAX_LAG=8s",
		"PIYASA_DATABASE=postgres://ali:hunter2@db1,db2:5433/x?sslpassword=hunter2&sslmode=disable",
		"OTEL_EXPORTER_OTLP_HEADERS=key=hunter2", "PIYASA_SERVICE_HOST=10.0.0.1", "PIYASA_PORT_8080_TCP_ADDR=10.0.0.1",
		"PIYASA_KEY=hunter2"}
	res := run(t, "", "", env, "config", "--config", file, "--max-lag=9s")
	said := strings.Join(strings.Fields(res.stdout), " ")
	for _, want := range []string{
		"max_streams 5 " + file, "fx_max_age 8m PIYASA_FX_MAX_AGE", "max_lag 9s --max-lag", "access_log true " + file,
		"lame_duck 2s default",
		"origins https://a.example.com,https://b.example.com " + file, "database postgres://ali@db1,db2:5433/x PIYASA_DATABASE",
		"otel_exporter_otlp_headers (hidden)",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("does not say %q: %s", want, res.stdout)
		}
	}
	if res.status != 0 || strings.Contains(res.stdout+res.err, "hunter2") {
		t.Errorf("%+v", res)
	}
	secret := settingsIn(t, "postgres://ali:hunter2@db1/x\n")
	res = run(t, "", "", []string{"PIYASA_DATABASE_FILE=" + secret}, "config", "--config", file)
	said = strings.Join(strings.Fields(res.stdout), " ")
	if !strings.Contains(said, "database postgres://ali@db1/x PIYASA_DATABASE_FILE") || strings.Contains(said, "hunter2") {
		t.Errorf("%+v", res)
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	need.NoError(t, syscall.Mkfifo(pipe, 0o600))
	for name, c := range map[string]struct {
		file    string
		env     []string
		args    []string
		mention []string
	}{
		"names": {file: settingsIn(t, "listn = \"x\"\nmax_streams = 1.5\nconfig = \"y\"\nzzzzzz = 1\n"),
			mention: []string{`"listn" is no setting; did you mean "listen"?`, "max_streams: must be", `"config" is no setting`,
				`"zzzzzz" is no setting`}},
		"text": {file: settingsIn(t, "listen = \"x\"\nno toml\n"), mention: []string{"line 2 is not TOML"}},
		"value": {file: settingsIn(t, "access_log = \"some\"\n"), args: []string{"serve"},
			mention: []string{"access_log: must be true or false"}},
		"check":   {file: settingsIn(t, "max_lag = \"soon\"\n"), mention: []string{"PIYASA_MAX_LAG"}},
		"pipe":    {file: pipe, mention: []string{"no regular file"}},
		"endless": {file: "/dev/zero", mention: []string{"no regular file"}},
		"large":   {file: settingsIn(t, strings.Repeat("#", 2<<20)), mention: []string{"larger than"}},
		"missing": {file: pipe + "-nope", mention: []string{"no such file"}},
		"two databases": {file: file, env: []string{"PIYASA_DATABASE=sqlite:x", "PIYASA_DATABASE_FILE=" + secret},
			mention: []string{"PIYASA_DATABASE and PIYASA_DATABASE_FILE exclude each other"}},
		"no secret": {file: file, env: []string{"PIYASA_DATABASE_WRITE_FILE=" + os.DevNull},
			mention: []string{"PIYASA_DATABASE_WRITE_FILE: "}},
		"environment": {file: os.DevNull + "/x", env: []string{"PIYASA_LISTN=x"}, args: []string{"keys", "list"},
			mention: []string{`PIYASA_LISTN is no setting; did you mean "PIYASA_LISTEN"?`}},
	} {
		t.Run(name, func(t *testing.T) {
			args := c.args
			if args == nil {
				args = []string{"config"}
			}
			res := run(t, "", "", append([]string{"PIYASA_CONFIG=" + c.file}, c.env...), args...)
			for _, want := range c.mention {
				if res.status != 2 || !strings.Contains(res.err, want) {
					t.Errorf("does not say %q: %+v", want, res)
				}
			}
			if res := run(t, "", "", append([]string{"PIYASA_CONFIG=" + c.file}, c.env...), "version"); res.status != 0 {
				t.Errorf("version: %+v", res)
			}
		})
	}
}

// A home that is none, or that another user left in the environment, has no settings.
func TestHomeThatIsNone(t *testing.T) {
	if res := run(t, "", "", []string{"HOME=/dev/null", "XDG_CONFIG_HOME=" + os.DevNull}, "config"); res.status != 0 {
		t.Errorf("%+v", res)
	}
}

// SIGHUP lets a server read its settings again; mistakes change nothing, and what cannot
// change is named.
func TestReload(t *testing.T) {
	file := settingsIn(t, "access_log = true\n")
	s := start(t, "sqlite:"+filepath.Join(t.TempDir(), "piyasa.db"), "PIYASA_CONFIG="+file)
	change := func(text, says string) {
		t.Helper()
		need.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		need.NoError(t, s.cmd.Process.Signal(syscall.SIGHUP))
		s.eventually(deadline, says, func() bool { return strings.Contains(s.stderr.String(), says) })
	}
	change("access_log = true\nmax_streams = 7\n", "settings=max_streams")
	allows := func() bool {
		request, err := http.NewRequest(http.MethodGet, s.base+"/healthz", http.NoBody)
		need.NoError(t, err)
		request.Header.Set("Origin", "https://app.example.com")
		res, err := http.DefaultClient.Do(request)
		need.NoError(t, err)
		_ = res.Body.Close()
		return res.Header.Get("Access-Control-Allow-Origin") == "https://app.example.com"
	}
	if allows() {
		t.Error("pages of another origin may read answers")
	}
	change("access_log = true\norigins = \"https://app.example.com\"\n", "the settings were read again")
	s.eventually(deadline, "the origins have changed", allows)
	change("listen = 1.5\n", "the settings cannot be used")
	requests := func() int {
		s.get("/v1/markets/bist/status", "")
		return strings.Count(s.stderr.String(), "msg=request")
	}
	if requests() == 0 {
		t.Error("requests are not logged")
	}
	change("access_log = true\nlog_level = \"error\"\n", "the settings cannot be used") // said before; the level is what shows
	s.eventually(deadline, "requests are logged no more", func() bool { before := requests(); return requests() == before })
	if status := s.stop(os.Interrupt); status != 0 {
		t.Errorf("exit status %d", status)
	}
}

// What is rejected is kept whole, and nothing else is harmed by it.
func TestIngestErrors(t *testing.T) {
	folder := t.TempDir()
	database := "sqlite:" + filepath.Join(folder, "piyasa.db")
	input, bad := filepath.Join(folder, "in\x1b[2J.ndjson"), filepath.Join(folder, "bad.out")
	text := first + strings.Repeat("{broken\n", 30)
	need.NoError(t, os.WriteFile(input, []byte(text), 0o600))
	for range 2 { // the second run adds to the first
		if res := run(t, database, "", nil, "ingest", "--explain", "--errors", bad, input); res.status != 3 ||
			strings.Contains(res.err, "\x1b") || strings.Count(res.err, "valid JSON") != 30 {
			t.Errorf("%+v", res)
		}
	}
	kept, err := os.ReadFile(bad)
	if err != nil || strings.Count(string(kept), `"line":2,"field":null,"reason":"is not one valid JSON object`) != 2 ||
		strings.Count(string(kept), `"input":"{broken"`) != 60 {
		t.Errorf("%v %s", err, kept)
	}
	other := filepath.Join(folder, "new.ndjson")
	for _, args := range [][]string{{input, input}, {bad + "/../" + filepath.Base(input), input}, {input, folder}, {other, folder},
		{filepath.Join(folder, "piyasa.db"), input}, {folder, input}} {
		res := run(t, database, "", nil, append([]string{"ingest", "--errors"}, args...)...)
		if res.status != 1 || !strings.Contains(res.err, "--errors") {
			t.Errorf("%v: %+v", args, res)
		}
	}
	if now, err := os.ReadFile(input); err != nil || string(now) != text {
		t.Errorf("the input is changed: %v", err)
	}
	if _, err := os.Stat(other); err == nil {
		t.Error("a file was left behind")
	}
}

// A terminal shows the first messages and how many there are more, or all on request.
func TestIngestOnATerminal(t *testing.T) {
	input := filepath.Join(t.TempDir(), "in.ndjson")
	need.NoError(t, os.WriteFile(input, []byte(strings.Repeat("{broken\n", 30)+first), 0o600))
	database := "sqlite:" + filepath.Join(t.TempDir(), "piyasa.db")
	for flags, want := range map[string]int{"": 20 + 1, "--explain ": 30} {
		cmd := exec.CommandContext(t.Context(), "script", "-qc", binary+" ingest "+flags+input, os.DevNull)
		cmd.Env = environment(t, database, nil)
		out, _ := cmd.CombinedOutput()
		if n := strings.Count(string(out), "valid JSON"); n != want || !strings.Contains(string(out), "31 lines, ") ||
			!strings.Contains(string(out), `"in.ndjson"`) || strings.Contains(string(out), "and 10 more: ") != (want < 30) {
			t.Errorf("%d messages: %s", n, out)
		}
	}
}

// config and doctor name each setting that differs in the machine's service, whether its unit,
// a file of the unit, its flags or its user is the reason.
func TestServiceWithOtherSettings(t *testing.T) {
	database, _ := healthy(t)
	file := settingsIn(t, "database = \""+database+"\"\nmax_lag = \"7s\"\n")
	variables := filepath.Join(t.TempDir(), "piyasa.env")
	need.NoError(t, os.WriteFile(variables, []byte("# of the unit\nPIYASA_MAX_STREAMS='5'\n"), 0o600))
	says := func(show string) []string {
		folder := t.TempDir()
		need.NoError(t, os.WriteFile(filepath.Join(folder, "systemctl"), []byte("#!/bin/sh\ncat <<'END'\n"+show+"\nEND\n"), 0o700))
		env := []string{"PATH=" + folder + ":" + os.Getenv("PATH"), "PIYASA_CONFIG=" + file}
		res := run(t, "", "", append(env, "PIYASA_NOW=", "PIYASA_DATABASE_TIMEOUT=5s", "PIYASA_LISTEN=127.0.0.1:8080"), "config")
		if res.status != 0 {
			t.Errorf("%+v", res)
		}
		found := diagnose(t, doctor(t), append(env, "PIYASA_DATABASE_TIMEOUT=5s")...)
		said := strings.Split(strings.TrimSpace(strings.ReplaceAll(res.err, "piyasa: ", "")), "\n")
		for _, one := range said {
			if one != "" {
				finds(t, found, "warning", "settings", one)
			}
		}
		return said
	}
	const same = "LoadState=loaded\nUser=root\nEnvironment=\n" +
		"ExecStart={ path=/usr/bin/piyasa ; argv[]=/usr/bin/piyasa serve --config FILE ; ignore_errors=no ; pid=0 }"
	if said := says(strings.Replace(same, "FILE", file, 1)); said[0] != "" {
		t.Errorf("beside the same settings: %q", said)
	}
	if said := says("LoadState=not-found\nEnvironment="); said[0] != "" {
		t.Errorf("without a service: %q", said)
	}
	const unit = `Environment=PIYASA_DATABASE=sqlite:/srv/other.db "PIYASA_ORIGINS=https://a.example.com,https://b.example.com"`
	said := strings.Join(says(strings.NewReplacer("Environment=", unit+"\nEnvironmentFiles="+variables+" (ignore_errors=yes)",
		"--config FILE", "--max-lag 8s --config "+file).Replace(same)), "\n")
	for _, want := range []string{
		`database = "sqlite:/srv/other.db" (PIYASA_DATABASE), and here it is "` + database + `" (` + file + `)`,
		`max_streams = "5" (PIYASA_MAX_STREAMS), and here it is "20000" (default)`,
		`max_lag = "8s" (--max-lag), and here it is "7s"`, `origins = "https://a.example.com,https://b.example.com"`,
	} {
		if !strings.Contains(said, "piyasa.service has "+want) {
			t.Errorf("does not say %s: %s", want, said)
		}
	}
	if said := says(strings.Replace(same, " --config FILE", "", 1)); !strings.Contains(said[0], `has database = "sqlite:`) {
		t.Errorf("a service without settings: %q", said)
	}
}

// A package says where its database is in the file of settings alone: what its unit said, no
// command would know.
func TestSettingsOfPackages(t *testing.T) {
	res := run(t, "", "", nil, "config", "--config", "../release/packaging/files/piyasa.toml", "--now=", "--listen=127.0.0.1:8080")
	said := strings.Join(strings.Fields(res.stdout), " ")
	for _, want := range []string{"database sqlite:/var/lib/piyasa/piyasa.db ../release/packaging",
		"acme_folder /var/lib/piyasa/acme ../release/packaging"} {
		if res.status != 0 || !strings.Contains(said, want) {
			t.Errorf("does not say %q: %+v", want, res)
		}
	}
	unit, err := os.ReadFile("../release/packaging/files/piyasa.service")
	if err != nil || strings.Contains(string(unit), "PIYASA_") {
		t.Errorf("the unit has settings of its own: %v\n%s", err, unit)
	}
}
