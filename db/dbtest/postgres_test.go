package dbtest

import (
	"bufio"
	"database/sql"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"piyasa/test/fixture/need"
)

const childVariable = "PIYASA_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		startAndHang()
	}
	os.Exit(Main(m))
}

func open(t *testing.T, url string) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", url)
	need.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

func TestDatabasesAreSeparate(t *testing.T) {
	for range 2 {
		db := open(t, PostgresURL(t))
		if _, err := db.Exec("CREATE TABLE only_here (n int)"); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDatabaseIsDropped(t *testing.T) {
	var dropped string
	t.Run("use", func(t *testing.T) {
		dropped = PostgresURL(t)
		db, err := sql.Open("pgx", dropped)
		need.NoError(t, err)
		// Left open: an idle connection must not keep the database.
		need.NoError(t, db.Ping())
	})
	if err := open(t, dropped).Ping(); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("connecting afterwards: %v", err)
	}
}

func TestDecimalKeepsItsDigits(t *testing.T) {
	db := open(t, PostgresURL(t))
	if _, err := db.Exec("CREATE TABLE prices (price numeric)"); err != nil {
		t.Fatal(err)
	}
	const want = "123456789012345678.901234567800" // 30 digits, two of them closing zeros
	if _, err := db.Exec("INSERT INTO prices VALUES ($1)", want); err != nil {
		t.Fatal(err)
	}
	var text string
	var raw any
	need.NoError(t, db.QueryRow("SELECT price, price FROM prices").Scan(&text, &raw))
	if text != want || raw != want {
		t.Errorf("got %q and %T %[2]v, want %q", text, raw, want)
	}
}

func TestStop(t *testing.T) {
	url, stop, err := StartPostgres()
	need.NoError(t, err)
	defer stop()
	folder := folderOf(t, url)
	if _, err := os.Stat(folder); err != nil {
		t.Fatal(err)
	}
	stop()
	stop() // a second call does nothing
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Errorf("the folder is still there: %v", err)
	}
	if err := open(t, url).Ping(); err == nil {
		t.Error("the cluster still answers")
	}
}

// A process that is killed cannot clean up, and its cluster must end all the same.
func TestClusterEndsWithItsProcess(t *testing.T) {
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childVariable+"=1")
	child.Stderr = os.Stderr
	output, err := child.StdoutPipe()
	need.NoError(t, err)
	need.NoError(t, child.Start())
	line, readError := bufio.NewReader(output).ReadString('\n')
	folder := ""
	if readError == nil {
		folder = folderOf(t, strings.TrimSpace(line))
	}
	child.Process.Kill()
	child.Wait()
	if readError != nil {
		t.Fatalf("the child started no cluster: %v", readError)
	}
	deadline := time.After(time.Minute)
	for {
		if _, err := os.Stat(folder); os.IsNotExist(err) {
			return // the last thing to go
		}
		select {
		case <-deadline:
			t.Fatal("the cluster's folder outlived the process by a minute")
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func startAndHang() {
	url, stop, err := StartPostgres()
	if err != nil {
		panic(err)
	}
	os.Stdout.WriteString(url + "\n")
	for {
		time.Sleep(time.Hour)
		runtime.KeepAlive(stop) // it holds the pipe whose end ends the cluster
	}
}

// folderOf asks the cluster for the folder that holds its files.
func folderOf(t *testing.T, clusterURL string) string {
	t.Helper()
	var folder string
	need.NoError(t, open(t, clusterURL).QueryRow("SHOW unix_socket_directories").Scan(&folder))
	return folder
}

func TestNewDatabaseInNoCluster(t *testing.T) {
	nobody := url.URL{Scheme: "postgres", User: url.User("postgres"), Host: "127.0.0.1:1", Path: "/postgres"}
	if _, _, err := NewDatabase(nobody.String()); err == nil {
		t.Error("no error")
	}
}
