// Package dbtest gives tests a real Postgres: a private cluster in a temporary
// folder that ends with the process that started it, and databases in it.
package dbtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"golang.org/x/sys/unix"

	"piyasa/test/fixture/need"
)

// clusterVariable names a cluster to use instead of starting one.
const clusterVariable = "PIYASA_TEST_POSTGRES"

const startTimeout = time.Minute

var errPortTaken = errors.New("the port was taken meanwhile")

// StartPostgres starts a Postgres cluster without durability and returns the URL of its database
// "postgres". stop ends the cluster and removes its files; both also happen if this process dies
// without calling it. Settings, such as "max_connections=500", take precedence over its own.
func StartPostgres(settings ...string) (url string, stop func(), err error) {
	programs, err := FindPrograms()
	if err != nil {
		return "", nil, err
	}
	for range 3 {
		url, stop, err = start(programs, settings)
		if !errors.Is(err, errPortTaken) {
			break
		}
	}
	return url, stop, err
}

func start(programs string, settings []string) (clusterURL string, stop func(), err error) {
	account, err := ServerAccount()
	if err != nil {
		return "", nil, err
	}
	folder, err := newFolder(account)
	if err != nil {
		return "", nil, err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(folder)
		}
	}()
	data := filepath.Join(folder, "data")
	if err := initialize(filepath.Join(programs, "initdb"), data, account); err != nil {
		return "", nil, err
	}
	port, err := need.Port()
	if err != nil {
		return "", nil, err
	}
	args := []string{"-D", data, "-p", port, "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=" + folder,
		"-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off",
		"-c", "max_connections=500", "-c", "shared_buffers=128MB",
		"-c", "dynamic_shared_memory_type=mmap"} // among its files, so that a killed server leaves nothing
	for _, setting := range settings {
		args = append(args, "-c", setting)
	}
	server, err := launch(folder, account, folder, "QUIT", filepath.Join(programs, "postgres"), args...)
	if err != nil {
		return "", nil, err
	}
	stop = sync.OnceFunc(func() {
		server.kill()
		os.RemoveAll(folder) // the server's user may not be allowed to remove the folder itself
	})
	// Only our cluster answers on a socket in our folder, and when it does, the port is ours too.
	if err := waitUntilReady(socketURL(folder, port), server.ended); err != nil {
		said := server.said()
		stop()
		if strings.Contains(said, "Address already in use") {
			err = errPortTaken
		}
		return "", nil, fmt.Errorf("starting Postgres: %w\n%s", err, said)
	}
	return "postgres://postgres@127.0.0.1:" + port + "/postgres?sslmode=disable", stop, nil
}

// FindPrograms returns the folder of initdb and postgres: that in PATH, or else Debian's, which has
// one for each version.
func FindPrograms() (string, error) {
	if initdb, err := exec.LookPath("initdb"); err == nil {
		if initdb, err = filepath.EvalSymlinks(initdb); err == nil && hasServer(filepath.Dir(initdb)) {
			return filepath.Dir(initdb), nil
		}
	}
	found, newest := "", 0
	folders, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // the pattern is correct
	for _, folder := range folders {
		version, err := strconv.Atoi(filepath.Base(filepath.Dir(folder)))
		if err == nil && version > newest && hasServer(folder) {
			found, newest = folder, version
		}
	}
	if found == "" {
		return "", errors.New("no Postgres server (initdb and postgres) in PATH or /usr/lib/postgresql; " +
			"install it: apt-get install postgresql")
	}
	return found, nil
}

func hasServer(folder string) bool {
	for _, program := range []string{"initdb", "postgres"} {
		if _, err := exec.LookPath(filepath.Join(folder, program)); err != nil {
			return false
		}
	}
	return true
}

// ServerAccount returns the user to run the server as; nil: the current one. Postgres refuses to
// run as root.
func ServerAccount() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	postgres, err := user.Lookup("postgres")
	if err != nil {
		return nil, fmt.Errorf("root cannot run Postgres, and there is no user for it; "+
			"one comes with the server: apt-get install postgresql: %w", err)
	}
	uid, err := strconv.ParseUint(postgres.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(postgres.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

func newFolder(account *syscall.Credential) (string, error) {
	parent := os.TempDir()
	if hasRoom(inMemory) {
		parent = inMemory
	}
	if len(parent) > 60 || account != nil && !openToAll(parent) { // a socket's path has at most 103 bytes
		parent = "/tmp"
	}
	folder, err := os.MkdirTemp(parent, "piyasa-postgres-")
	if err != nil || account == nil {
		return folder, err
	}
	return folder, os.Chown(folder, int(account.Uid), int(account.Gid))
}

// inMemory is the folder of Linux whose files are in memory. Making and dropping a database of some
// 600 files takes a tenth of the time there.
const inMemory = "/dev/shm"

// mostFiles is more than the databases of a test run take at any time.
const mostFiles = 4 << 30

func hasRoom(folder string) bool {
	var of unix.Statfs_t
	return unix.Statfs(folder, &of) == nil && of.Bavail*uint64(of.Bsize) > mostFiles
}

// openToAll reports whether every user can reach the files of the folder.
func openToAll(folder string) bool {
	for {
		info, err := os.Stat(folder)
		if err != nil || info.Mode().Perm()&1 == 0 {
			return false
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return true
		}
		folder = parent
	}
}

func initialize(initdb, data string, account *syscall.Credential) error {
	var failures []error
	for _, locale := range []string{"C.UTF-8", "C"} { // not every system has the first
		command := exec.Command(initdb, "-D", data, "-U", "postgres", "--auth=trust", "--encoding=UTF8",
			"--locale="+locale, "--no-sync")
		command.Dir = filepath.Dir(data)
		command.SysProcAttr = &syscall.SysProcAttr{Credential: account}
		output, err := command.CombinedOutput()
		if err == nil {
			return nil
		}
		failures = append(failures, fmt.Errorf("initdb with locale %s: %w\n%s", locale, err, output))
	}
	return errors.Join(failures...)
}

func socketURL(folder, port string) string {
	return "postgres://postgres@/postgres?" +
		url.Values{"host": {folder}, "port": {port}, "sslmode": {"disable"}}.Encode()
}

func waitUntilReady(url string, ended <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	retry := time.NewTicker(20 * time.Millisecond)
	defer retry.Stop()
	for {
		connection, err := pgx.Connect(ctx, url)
		if err == nil {
			return connection.Close(ctx)
		}
		select {
		case <-ended:
			return errors.New("it ended")
		case <-ctx.Done():
			return fmt.Errorf("not ready after %s: %w", startTimeout, err)
		case <-retry.C:
		}
	}
}

// NewDatabase creates an empty database in the cluster and returns its URL. drop removes it, even
// while connections to it are open.
func NewDatabase(clusterURL string) (databaseURL string, drop func(), err error) {
	return newDatabase(clusterURL, emptyTemplate)
}

// emptyTemplate is the empty template of Postgres.
const emptyTemplate = "template0"

// newDatabase creates a copy of a template.
func newDatabase(clusterURL, template string) (databaseURL string, drop func(), err error) {
	database, err := url.Parse(clusterURL)
	if err != nil {
		return "", nil, err
	}
	name := "test_" + strings.ToLower(rand.Text())
	create := "CREATE DATABASE " + name + " TEMPLATE " + template
	// Copying files takes a quarter of the time of the default of Postgres 15 and later, which
	// writes to the log.
	err = execute(clusterURL, create+" STRATEGY FILE_COPY")
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Code == "42601" {
		err = execute(clusterURL, create) // older versions always copy files
	}
	if err != nil {
		return "", nil, fmt.Errorf("creating a test database: %w", err)
	}
	database.Path = "/" + name
	drop = func() {
		// After a failure, an unused database remains until its cluster ends.
		_ = execute(clusterURL, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)")
	}
	return database.String(), drop, nil
}

func execute(url, statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	connection, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer connection.Close(ctx)
	_, err = connection.Exec(ctx, statement)
	return err
}

// shared is the cluster of this process's tests.
var shared struct {
	once sync.Once
	url  string
	stop func()
	err  error
}

// PostgresURL returns the URL of a new, empty database for this test, dropped when the test ends.
// It is in the cluster that PIYASA_TEST_POSTGRES names, or else in one for all tests of the process
// (see [Main]). Without Postgres the test fails.
func PostgresURL(tb testing.TB) string {
	tb.Helper()
	shareCluster(tb)
	return ownDatabase(tb, emptyTemplate)
}

// shareCluster makes sure that the shared cluster runs.
func shareCluster(tb testing.TB) {
	tb.Helper()
	shared.once.Do(func() {
		if shared.url = os.Getenv(clusterVariable); shared.url == "" {
			shared.url, shared.stop, shared.err = StartPostgres()
		}
	})
	if shared.err != nil {
		tb.Fatalf("this test needs Postgres: %v", shared.err)
	}
}

// ownDatabase returns the URL of a copy of a template in the shared cluster, dropped when the
// test ends.
func ownDatabase(tb testing.TB, template string) string {
	tb.Helper()
	url, drop, err := newDatabase(shared.url, template)
	if err != nil {
		tb.Fatalf("this test needs Postgres: %v", err)
	}
	tb.Cleanup(drop)
	return url
}

// Main runs the tests of a package that uses [PostgresURL], stops the cluster that they started,
// and returns the exit code for TestMain. Without Main the cluster stops shortly after the process.
func Main(m *testing.M) int {
	defer func() {
		if shared.stop != nil {
			shared.stop()
		}
	}()
	return m.Run()
}
