package dbtest

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"piyasa/test/fixture/need"
)

// PgBouncerURL returns the address of the database at databaseURL through a PgBouncer that pools
// transactions with size connections and ends with the test. Without PgBouncer the test is skipped,
// or fails if the environment variable CI is set.
func PgBouncerURL(tb testing.TB, databaseURL string, size int) string {
	tb.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		program, err = exec.LookPath("/usr/sbin/pgbouncer") // Debian's folder, which few PATHs include
	}
	switch {
	case err != nil && os.Getenv("CI") != "":
		tb.Fatal("this test needs PgBouncer: apt-get install pgbouncer")
	case err != nil:
		tb.Skip("this test needs PgBouncer: apt-get install pgbouncer")
	}
	account, err := ServerAccount() // PgBouncer refuses to run as root, too
	need.NoError(tb, err)
	folder, err := newFolder(account)
	need.NoError(tb, err)
	tb.Cleanup(func() { _ = os.RemoveAll(folder) })
	port, err := need.Port()
	need.NoError(tb, err)
	database, err := url.Parse(databaseURL)
	need.NoError(tb, err)
	settings := fmt.Sprintf(`[databases]
* = host=%s port=%s
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %s
unix_socket_dir =
auth_type = trust
pool_mode = transaction
default_pool_size = %d
max_client_conn = 200
auth_file = %s
`, database.Hostname(), database.Port(), port, size, filepath.Join(folder, "users"))
	for name, text := range map[string]string{"ini": settings, "users": "\"postgres\" \"\"\n"} {
		need.NoError(tb, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
	}
	pooler, err := launch(folder, account, "", "TERM", program, "-q", filepath.Join(folder, "ini"))
	need.NoError(tb, err)
	tb.Cleanup(pooler.kill)
	database.Host = net.JoinHostPort("127.0.0.1", port)
	for until := time.Now().Add(startTimeout); ; {
		if err = Raw(tb, database.String()).Ping(); err == nil {
			return database.String()
		}
		if time.Now().After(until) {
			tb.Fatalf("PgBouncer does not answer: %v\n%s", err, pooler.said())
		}
		time.Sleep(20 * time.Millisecond)
	}
}
