package db_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/market"
	"piyasa/test/fixture/need"
)

// Whatever is wrong with the address is said, and the password is not.
func TestOpenRefusesBadAddresses(t *testing.T) {
	folder := t.TempDir()
	text := filepath.Join(folder, "notes.txt")
	need.NoError(t, os.WriteFile(text, []byte(strings.Repeat("This is no database.\n", 100)), 0o600))
	const forms = "sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME"
	for _, c := range []struct{ name, url, says string }{
		{"nothing", "", forms},
		{"a path only", "piyasa.db", forms},
		{"a prefix only", "sqlite:", forms},
		{"another database", "mysql://ali:hunter2@localhost/piyasa", forms},
		{"another case", "POSTGRES://ali:hunter2@localhost/piyasa", forms},
		{"a port that is none", "postgres://ali:hunter2@localhost:port/piyasa", "invalid port"},
		{"a bad escape in the password", "postgres://ali:hunter2%zz@localhost/piyasa", "the database address is not valid"},
		{"an unknown TLS mode", "postgres://ali:hunter2@localhost/piyasa?sslmode=maybe", "sslmode"},
		{"nobody there", "postgres://ali:hunter2@127.0.0.1:1/piyasa", "connect"},
		{"nobody there, password elsewhere", "postgresql://127.0.0.1:1/piyasa?user=ali&password=hunter2&sslmode=disable", "connect"},
		{"a folder", "sqlite:" + folder, "is a directory"},
		{"another sort of file", "sqlite:" + text, "not a database"},
		{"a file for a folder", "sqlite:" + filepath.Join(text, "piyasa.db"), "not a directory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			for what, f := range map[string]func() error{
				"Open": func() error {
					s, err := db.Open(ctx, c.url)
					if err == nil {
						_ = s.Close()
					}
					return err
				},
				"Migrate": func() error {
					_, err := db.Migrate(ctx, c.url)
					return err
				},
			} {
				err := f()
				if err == nil {
					t.Errorf("%s: no error", what)
				} else if !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "hunter2") {
					t.Errorf("%s: %q, want it to say %q and no password", what, err, c.says)
				}
			}
		})
	}
}

// A path is a path, whatever its letters mean in an address, and missing
// folders are made.
func TestSQLitePaths(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"piyasa.db", "a b.db", "ğüşİ.db", "100%.db", "a%41.db", "a?mode=ro.db", "a#b.db", "a&b=c;d+e.db",
		"yeni/klasör/x.db", "memory:.db"} {
		path := filepath.Join(folder, filepath.FromSlash(name))
		s := open(t, "sqlite:"+path)
		put(t, s, price("bist:THYAO", t1, "1"))
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
		same(t, name, quotesAfter(t, open(t, "sqlite:"+path), 0), []*market.Observation{price("bist:THYAO", t1, "1")})
	}
	entries, err := os.ReadDir(folder)
	need.NoError(t, err)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), "-journal") {
			t.Errorf("left behind: %s", e.Name())
		}
	}
}

// A relative path is relative to the working folder.
func TestSQLiteRelativePath(t *testing.T) {
	t.Chdir(t.TempDir())
	open(t, "sqlite:piyasa.db")
	open(t, "sqlite:./sub/piyasa.db")
	for _, path := range []string{"piyasa.db", "sub/piyasa.db"} {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
}

// A database that goes away is reported as an error, without the password.
func TestDatabaseGoesAway(t *testing.T) {
	t.Parallel()
	clusterURL, stop, err := dbtest.StartPostgres()
	need.NoError(t, err)
	defer stop()
	s := open(t, strings.Replace(clusterURL, "postgres@", "postgres:hunter2@", 1))
	put(t, s, price("bist:THYAO", t1, "1"))
	stop()
	_, headsErr := s.Look(t.Context())
	b, _ := batch(t, price("bist:THYAO", t1, "2"))
	for what, err := range map[string]error{"Heads": headsErr, "Store": s.Store(t.Context(), b)} {
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
