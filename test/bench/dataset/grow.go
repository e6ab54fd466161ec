package dataset

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // Grow's drivers
	_ "modernc.org/sqlite"
)

// Grow multiplies the seed, which must be all that is stored, by copying its rows with
// other numbers and times. It knows the tables, and nothing else may use the database.
func (s Size) Grow(ctx context.Context, url string, say func(string, ...any)) (err error) {
	g := grower{size: s, say: say}
	if path, isSQLite := strings.CutPrefix(url, "sqlite:"); isSQLite {
		g.store = sqliteStore
		g.db, err = sql.Open("sqlite", path+"?_pragma=synchronous(OFF)&_pragma=cache_size(-1000000)&_pragma=busy_timeout(10000)")
	} else {
		g.store = postgresStore
		g.db, err = sql.Open("pgx", url)
	}
	if err != nil {
		return err
	}
	defer g.db.Close()
	g.db.SetMaxOpenConns(1) // of temporary tables, too
	for _, step := range []func(context.Context) error{g.begin, g.disclosures, g.bars} {
		if err := step(ctx); err != nil {
			return fmt.Errorf("growing: %w", err)
		}
	}
	return nil
}

type grower struct {
	size  Size
	db    *sql.DB
	store growing
	say   func(string, ...any)
}

// copied is a table whose seed is copied.
type copied struct {
	name    string
	order   string            // of the copies, by which few pages change at a time
	changed map[string]string // what copies have in columns; k is the number of the copy
}

// growing is how one kind of database is spoken to.
type growing struct {
	begin   string                                             // a statement at the beginning; may be empty
	columns string                                             // names those of a table
	indexes string                                             // of a table, without those of constraints: names and definitions
	numbers func(first, end int) string                        // a table numbers(k)
	later   func(column, microseconds string) (instant string) // a later instant
}

var sqliteStore = growing{
	columns: "SELECT name FROM pragma_table_info(?1) ORDER BY cid",
	indexes: "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL AND tbl_name = ?1",
	numbers: func(first, end int) string {
		return fmt.Sprintf("(WITH RECURSIVE numbers(k) AS (SELECT %d UNION ALL SELECT k + 1 FROM numbers WHERE k + 1 < %d) SELECT k FROM "+
			"numbers) AS numbers", first, end)
	},
	later: func(column, microseconds string) string { return column + " + (" + microseconds + ")" },
}

var postgresStore = growing{
	begin: "SELECT set_config('maintenance_work_mem', '1GB', false), set_config('work_mem', '256MB', false), " +
		"set_config('synchronous_commit', 'off', false)",
	columns: "SELECT column_name FROM information_schema.columns WHERE table_schema = 'public' AND table_name = $1 ORDER " +
		"BY ordinal_position",
	indexes: `SELECT i.relname, pg_get_indexdef(i.oid) FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid
		WHERE x.indrelid = $1::regclass AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.oid)`,
	numbers: func(first, end int) string { return fmt.Sprintf("generate_series(%d, %d) AS numbers(k)", first, end-1) },
	later: func(column, microseconds string) string {
		return column + " + (" + microseconds + ") * interval '1 microsecond'"
	},
}

func (g *grower) begin(ctx context.Context) error {
	if g.store.begin == "" {
		return nil
	}
	return g.do(ctx, g.store.begin)
}

func (g *grower) do(ctx context.Context, statement string, args ...any) error {
	if _, err := g.db.ExecContext(ctx, statement, args...); err != nil {
		return fmt.Errorf("%w: %.500s", err, statement)
	}
	return nil
}

// texts returns the rows of a query whose columns are texts.
func (g *grower) texts(ctx context.Context, query string, columns int, args ...any) (all [][]string, err error) {
	rows, err := g.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("%w: %.500s", err, query)
	}
	defer rows.Close()
	for rows.Next() {
		row, into := make([]string, columns), make([]any, columns)
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		all = append(all, row)
	}
	return all, rows.Err()
}

// copiesAtOnce bounds a statement, and so the log that it writes.
const copiesAtOnce = 20

// disclosures copies disclosures, which become newer, with their codes.
func (g *grower) disclosures(ctx context.Context) error {
	shift := func(column string) string { return fmt.Sprintf("%s + k * %d", column, SeedDisclosures) }
	later := func(column string) string {
		return g.store.later(column, fmt.Sprintf("k * %d", (g.size.spacing()*time.Duration(SeedDisclosures)).Microseconds()))
	}
	for _, t := range []copied{
		{"disclosures", "k, disclosure_index", map[string]string{
			"disclosure_index": shift("disclosure_index"), "related_index": shift("related_index"), "seq": shift("seq"),
			"published_at": later("published_at"), "effective_at": later("effective_at"),
		}},
		{"disclosure_codes", "k, disclosure_index, code",
			map[string]string{"disclosure_index": shift("disclosure_index"), "effective_at": later("effective_at")}},
	} {
		if err := g.putAside(ctx, t, "disclosure_index"); err != nil {
			return err
		}
		if err := g.withoutIndexes(ctx, t.name, func() error {
			for first := 1; first < g.size.copies(); first += copiesAtOnce {
				end := min(first+copiesAtOnce, g.size.copies())
				if err := g.copy(ctx, t, first, end, "true"); err != nil {
					return err
				}
				g.say("%s: %d of %d copies", t.name, end, g.size.copies())
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return g.do(ctx, fmt.Sprintf("UPDATE heads SET seq = %d WHERE feed = 'disclosures'", g.size.Disclosures()))
}

// bars copies the bars of five minutes, which become older, stock by stock.
func (g *grower) bars(ctx context.Context) error {
	t := copied{"bars", "k DESC, t",
		map[string]string{"t": g.store.later("t", fmt.Sprintf("-k * %d", (barLength*seedBars).Microseconds()))}}
	if err := g.putAside(ctx, t, "instrument_id"); err != nil {
		return err
	}
	for n := range Stocks {
		only := "resolution = '5m' AND instrument_id = '" + Stock(n).ID + "'"
		if err := g.copy(ctx, t, 1, g.size.copies(), only); err != nil {
			return err
		}
		if n%50 == 49 {
			g.say("bars: of %d of %d stocks", n+1, Stocks)
		}
	}
	return nil
}

// withoutIndexes runs fill while a table has no indexes but those of its constraints.
func (g *grower) withoutIndexes(ctx context.Context, table string, fill func() error) error {
	indexes, err := g.texts(ctx, g.store.indexes, 2, table)
	if err != nil {
		return err
	}
	for _, index := range indexes {
		if err := g.do(ctx, `DROP INDEX "`+index[0]+`"`); err != nil {
			return err
		}
	}
	if err := fill(); err != nil {
		return err
	}
	for _, index := range indexes {
		if err := g.do(ctx, index[1]); err != nil {
			return err
		}
	}
	return nil
}

// putAside makes a table of a table's seed, found by one of its columns.
func (g *grower) putAside(ctx context.Context, t copied, column string) error {
	if err := g.do(ctx, "CREATE TEMPORARY TABLE seed_of_"+t.name+" AS SELECT * FROM "+t.name); err != nil {
		return err
	}
	return g.do(ctx, "CREATE INDEX found_of_"+t.name+" ON seed_of_"+t.name+" ("+column+")")
}

// copy stores the copies from first up to end of the seed's rows for which a condition
// holds.
func (g *grower) copy(ctx context.Context, t copied, first, end int, condition string) error {
	columns, err := g.texts(ctx, g.store.columns, 1, t.name)
	if err != nil {
		return err
	}
	var names, values []string
	for _, c := range columns {
		value, ok := t.changed[c[0]]
		if !ok {
			value = c[0]
		}
		names, values = append(names, c[0]), append(values, value)
	}
	return g.do(ctx, fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM %s CROSS JOIN seed_of_%s WHERE %s ORDER BY %s",
		t.name, strings.Join(names, ", "), strings.Join(values, ", "), g.store.numbers(first, end), t.name, condition, t.order))
}
