package dbtest

import (
	"context"
	"crypto/rand"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"piyasa/test/fixture/need"
)

// Roles holds the addresses of one Postgres database for its different roles.
type Roles struct {
	Admin   string // a superuser
	Owner   string // owns the tables; not a superuser
	Gateway string
	Ingest  string
	Keys    string
	Keeper  string // gateway and ingest at once
}

// WithRoles creates a database with an owner role of its own, lets prepare create the tables, and
// runs the file grants (docs/postgres-roles.sql). It renames the roles, whose names must be unique
// in a cluster.
func WithRoles(tb testing.TB, grants string, prepare func(owner string)) Roles {
	tb.Helper()
	text, err := os.ReadFile(grants)
	need.NoError(tb, err)
	admin := PostgresURL(tb)
	mark := "r" + strings.ToLower(rand.Text()[:10]) + "_"
	do := func(address, statements string) {
		tb.Helper()
		// The simple protocol accepts several statements at once.
		conn, err := pgx.Connect(tb.Context(), address)
		need.NoError(tb, err)
		defer conn.Close(context.WithoutCancel(tb.Context()))
		if _, err := conn.PgConn().Exec(tb.Context(), statements).ReadAll(); err != nil {
			tb.Fatalf("%s: %v", statements, err)
		}
	}
	as := func(role string) string {
		u, err := url.Parse(admin)
		need.NoError(tb, err)
		u.User = url.User(mark + role)
		return u.String()
	}
	u, err := url.Parse(admin)
	need.NoError(tb, err)
	database := strings.TrimPrefix(u.Path, "/")
	tb.Cleanup(func() {
		for _, role := range []string{"keeper", "gateway_login", "ingest_login", "keys_login", "gateway", "ingest", "keys", "owner"} {
			// After a failure, an unused role remains until its cluster ends.
			_ = execute(admin, "DROP OWNED BY "+mark+role+" CASCADE")
			_ = execute(admin, "DROP ROLE "+mark+role)
		}
	})
	do(admin, "CREATE ROLE "+mark+"owner LOGIN CREATEROLE; ALTER DATABASE "+database+" OWNER TO "+mark+
		"owner; ALTER SCHEMA public OWNER TO "+mark+"owner")
	prepare(as("owner"))
	do(as("owner"), strings.ReplaceAll(string(text), "piyasa_", mark))
	do(as("owner"), strings.ReplaceAll(string(text), "piyasa_", mark)) // it can be run twice
	do(as("owner"), "CREATE ROLE "+mark+"gateway_login LOGIN IN ROLE "+mark+"gateway; CREATE ROLE "+mark+"ingest_login LOGIN IN ROLE "+
		mark+"ingest; "+
		"CREATE ROLE "+mark+"keys_login LOGIN IN ROLE "+mark+"keys; CREATE ROLE "+mark+"keeper LOGIN IN ROLE "+mark+"gateway, "+
		mark+"ingest")
	return Roles{Admin: admin, Owner: as("owner"), Gateway: as("gateway_login"), Ingest: as("ingest_login"), Keys: as("keys_login"),
		Keeper: as("keeper")}
}
