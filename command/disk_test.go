package command_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piyasa/test/fixture/need"
)

// On a disk that is read-only or full, a server starts and answers from the database, and
// ingest waits; both go on once it can be written.
func TestDiskThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	const instrument = `{"record":"instrument","instrument_id":"fx:%s","symbol":"%[1]s","name":"%[1]s","market":"fx","asset_type":"FX",` +
		`"currency":"TRY"}`
	const ro, rw, fill = "mount -o remount,ro disk", "mount -o remount,rw disk", "dd if=/dev/zero of=disk/full bs=1024 2>/dev/null || true"
	const killed = "timeout -s KILL 3 piyasa serve >/dev/null || true; "
	for name, disk := range map[string]struct{ breaks, mends, says string }{
		"read-only":         {ro, rw, "read-only file system"},
		"read-only copy":    {"rm disk/*-witness; " + ro, rw, "read-only file system"},
		"read-only, in use": {killed + "until " + ro + "; do sleep 0.1; done", rw, "read-only file system"},
		"full":              {fill, "rm disk/full", "no space left on device"},
		"full, in use":      {killed + fill, "rm disk/full", ""}, // the log has room
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			at := func(name string) string { return filepath.Join(folder, name) }
			script := `cd ` + folder + `; PATH=` + filepath.Dir(binary) +
				`:$PATH; mkdir disk; mount -t tmpfs -o size=16m,mode=700 tmpfs disk
echo '` + fmt.Sprintf(instrument, "EURTRY") + `' | piyasa ingest - >/dev/null
piyasa keys create --name test --plan internal --scopes all >key
` + disk.breaks + `
( for i in $(seq 600); do [ ! -e mend ] || break; sleep 0.1; done; ` + disk.mends + ` ) &
( echo '` + fmt.Sprintf(instrument, "USDTRY") + `' | piyasa ingest --retry-for 1m - >/dev/null 2>waits; echo $? >ended ) &
for command in "status" "keys list" "verify" "backup copy" "doctor"; do
	piyasa $command >"said $command" 2>&1 || echo "failed: $?" >>"said $command"
done
exec ` + serving + ` serve`
			wrapper := at("wrapper")
			script = "#!/bin/sh\nexec unshare --user --map-root-user --mount sh -ec '" + strings.ReplaceAll(script, "'", `'\''`) + "'\n"
			need.NoError(t, os.WriteFile(wrapper, []byte(script), 0o700))
			s := startVersion(t, wrapper, "sqlite:"+at("disk/piyasa.db"))
			read := func(name string) string {
				text, _ := os.ReadFile(at(name))
				return string(text)
			}
			key, _, _ := strings.Cut(read("key"), "\n")
			if status, body := s.get("/v1/instruments/fx:EURTRY", key); status != 200 {
				t.Errorf("an instrument: %d %v", status, body)
			}
			if status, body := s.get("/v1/kap-feed/disclosures?limit=1", key); status != 200 {
				t.Errorf("a list from the database: %d %v", status, body)
			}
			for _, command := range []string{"status", "keys list", "verify", "backup copy"} {
				if said := read("said " + command); strings.Contains(said, "failed") {
					t.Errorf("%s: %s", command, said)
				}
			}
			if said := read("said doctor"); !strings.Contains(said, "error    disk ") {
				t.Errorf("doctor: %s", said)
			}
			const waiting = "waiting for the database"
			s.eventually(deadline, "ingest waits", func() bool { return strings.Contains(read("waits"), waiting) || disk.says == "" })
			waits := read("waits")
			if disk.says != "" && (strings.Count(waits, waiting) > 1 || !strings.Contains(waits, disk.says) || read("ended") != "") {
				t.Errorf("ingest says %s", waits)
			}
			need.NoError(t, os.WriteFile(at("mend"), nil, 0o600))
			s.eventually(deadline, "ingest ends", func() bool { return read("ended") != "" })
			if ended := read("ended"); ended != "0\n" {
				t.Errorf("ingest ends with %s: %s", ended, read("waits"))
			}
			s.eventually(10*time.Second, "the server has what was stored", func() bool {
				status, _ := s.get("/v1/instruments/fx:USDTRY", key)
				return status == 200
			})
		})
	}
}
