package db

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// session is the parameters with which every connection starts, whatever the database or the
// role prefers. Poolers know them.
var session = map[string]string{
	"standard_conforming_strings": "on", // otherwise a backslash in a text begins an escape
	"client_encoding":             "UTF8",
	"DateStyle":                   "ISO, YMD",
	"TimeZone":                    "UTC",
}

// settled is set on every connection once it is open.
var settled = map[string]string{
	"array_nulls":                   "on", // otherwise a null in an array is a text
	"bytea_output":                  "hex",
	"transform_null_equals":         "off",            // otherwise "= null" finds nulls
	"default_transaction_isolation": "read committed", // otherwise writers that waited for a head fail
	"lock_timeout":                  "0",              // our deadline bounds that wait, too
}

// durable is the setting without which a crash takes back commits that others have seen.
const durable = "synchronous_commit"

// readAhead sets how many pages a reading connection requests from the disk at once. With 1,
// the default of Postgres up to version 17, it waits for nearly every page, though SSDs and
// network disks serve many at once. Any other value was chosen, or is 0 because the system
// cannot do it, and does not change.
const readAhead = "set_config('effective_io_concurrency', CASE current_setting('effective_io_concurrency') WHEN '1' THEN '32' ELSE " +
	"current_setting('effective_io_concurrency') END, false)"

// settle returns the function that sets up every new connection: it makes its settings, and
// rejects the connection if any of them is wrong, since a pooler may drop the parameters of the
// start. Where transactions are pooled no setting lasts, so all of them must already be those
// of the role. Postgres ends statements after limit; 0: never.
func (s *Store) settle(a *address, limit time.Duration) func(context.Context, *pgconn.PgConn) error {
	milliseconds := strconv.FormatInt(limit.Milliseconds(), 10)
	set := map[string]string{"statement_timeout": milliseconds, "idle_in_transaction_session_timeout": milliseconds}
	maps.Copy(set, settled)
	must := maps.Clone(session)
	if a.pooling == PoolTransactions {
		set = nil // our own deadlines must do
		maps.Copy(must, settled)
	}
	selected := []string{identity, "current_setting('" + durable + "')"}
	if a.writes && a.pooling != PoolTransactions {
		selected[1] = fmt.Sprintf("set_config('%[1]s', CASE current_setting('%[1]s') WHEN 'off' THEN 'on' ELSE "+
			"current_setting('%[1]s') END, false)", durable)
	}
	names := slices.Sorted(maps.Keys(must))
	for _, name := range names {
		selected = append(selected, fmt.Sprintf("current_setting('%s')", name))
	}
	if !a.writes && a.pooling != PoolTransactions {
		selected = append(selected, readAhead)
	}
	for name, value := range set {
		selected = append(selected, fmt.Sprintf("set_config('%s', '%s', false)", name, value))
	}
	statement := "SELECT " + strings.Join(selected, ", ")
	return func(ctx context.Context, conn *pgconn.PgConn) error {
		ctx, cancel := context.WithTimeout(ctx, s.timeout)
		defer cancel()
		began := time.Now()
		results, err := conn.Exec(ctx, statement).ReadAll()
		if err != nil {
			return err
		}
		row := results[0].Rows[0]
		host, data := string(row[0]), conn.CustomData()
		data[checkedAt], data[itsHost], data[itReads] = began, host, !a.writes
		if at := conn.Conn().RemoteAddr().String(); a.several {
			a.last.Store(&at)
		}
		if !a.writes && s.hosts.reached(host) {
			s.poke() // to look at the new host
		}
		if is := string(row[1]); a.writes && is == "off" {
			return unsettled(a, durable, is, "on")
		}
		for i, name := range names {
			if is := string(row[2+i]); is != must[name] {
				return unsettled(a, name, is, must[name])
			}
		}
		return nil
	}
}

// unsettled returns the error of a wrong setting, with the remedy.
func unsettled(a *address, name, is, must string) error {
	help := "a pooler in between must forward start-up parameters"
	if _, started := session[name]; !started {
		help = fmt.Sprintf("a pooler of transactions keeps no settings: ALTER ROLE %q SET %s = '%s', and reconnect the pooler",
			a.User, name, must)
	}
	return fmt.Errorf("the connection has %s = %q but piyasa needs %q; %s", name, is, must, help)
}
