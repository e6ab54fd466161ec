package db

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/uptrace/bun"

	"piyasa/internal/value"
)

// Trouble is a fault in the setup of a database that does or will do harm.
type Trouble struct {
	Severe bool   // something does not work, or may be lost
	Check  string // what was checked: database, disk, clock, limits or indexes
	Seen   string
	Means  string
	Mend   string // the remedy: a command, or an instruction
}

// Examined is the result of Examine.
type Examined struct {
	About    string // the store and its version
	Troubles []Trouble
}

// examineTime bounds Examine.
const examineTime = time.Minute

// Examine checks the setup of the database at url, and changes nothing. Verify checks the
// stored data. An error says that nothing could be checked.
func Examine(ctx context.Context, url string, options ...Option) (out Examined, err error) {
	ctx, done := within(ctx, examineTime)
	defer done(&err)
	path, wrong := sqlitePath(url)
	if wrong == nil {
		e := examiner{url: url}
		err = e.sqlite(ctx, path)
		return e.seen(err)
	}
	if !errors.Is(wrong, ErrNotSQLite) {
		return out, wrong
	}
	s, err := connect(url, options)
	if err != nil {
		return out, err
	}
	defer s.Close()
	e := examiner{url: url, store: s, from: s.write}
	with := settings{connections: DefaultConnections}
	for _, option := range options {
		option(&with)
	}
	err = e.postgres(ctx, with.connections)
	return e.seen(err)
}

// examiner is one run of Examine, which checks the settings, disk, clock, limits and indexes of
// a database before piyasa relies on it, on either store. It changes nothing.
type examiner struct {
	Examined
	url   string
	store *Store // on Postgres
	from  *bun.DB
}

// seen returns the findings up to an error. The error of a table that is known to be missing
// does not count.
func (e *examiner) seen(err error) (Examined, error) {
	if isUndefined(err) && len(e.Troubles) > 0 {
		err = nil
	}
	return e.Examined, err
}

func (e *examiner) trouble(severe bool, check, seen, means, mend string) {
	e.Troubles = append(e.Troubles, Trouble{severe, check, seen, means, mend})
}

// schema reports a schema that is not of this version. If current is false, further checks mean
// nothing.
func (e *examiner) schema(ctx context.Context) (current bool, err error) {
	missing, err := missingMigrations(ctx, e.from)
	switch {
	case errors.Is(err, errNewerSchema):
		e.trouble(true, "database", err.Error(), "this version refuses the database, because rows may mean something else by now",
			"install the newer version of piyasa")
	case isUndefined(err):
		e.trouble(true, "database", "there is no schema of piyasa", "nothing is stored here, and only a server that may write can start",
			"piyasa migrate")
	case err != nil:
		return false, err
	case len(missing) > 0:
		e.trouble(true, "database", "the schema lacks the migrations "+strings.Join(missing, ", "),
			"it is of an older version of piyasa; only a server that may write can start", "piyasa migrate")
	default:
		return true, nil
	}
	return false, nil
}

// isUndefined reports whether a statement failed because there is no such table.
func isUndefined(err error) bool {
	refusal, ok := errors.AsType[*pgconn.PgError](err)
	return ok && refusal.Code == undefinedTable || err != nil && strings.Contains(err.Error(), "no such table")
}

// parts reports missing, different and foreign parts of the schema, compared with the one that
// this version creates. mend is a command with a place for a statement.
func (e *examiner) parts(ctx context.Context, beside, mend string) error {
	return differs(ctx, e.from, func(part made, problem string) {
		if strings.Contains(part.How, " INDEX ") && problem == "is missing" {
			e.trouble(true, "indexes", "the "+part.What+" is missing",
				"what it serves reads whole tables, or rows that must be unique are not",
				fmt.Sprintf(mend, strings.Replace(part.How, "INDEX ", "INDEX "+beside, 1)))
			return
		}
		e.trouble(true, "database", "the "+part.What+" "+problem, "the database may drop, change or refuse what piyasa stores",
			"undo what changed the schema, or restore a backup")
	})
}

// future reports a clock that is behind the stored times.
func (e *examiner) future(ctx context.Context) error {
	var newest value.Instant
	if err := e.from.NewRaw("SELECT max(as_of) FROM quotes").Scan(ctx, &newest); err != nil {
		return err
	}
	if ahead := time.Until(newest.Time()); !newest.IsNull() && ahead > future {
		e.trouble(true, "clock", "the newest quote is of "+newest.String()+", which is in the future",
			"the clock of this machine is behind, or a wrong clock stored quotes: newer ones are stale", "timedatectl set-ntp true")
	}
	return nil
}

// future is how far ahead of the clock a valid time may be.
const future = 25 * time.Hour
