package db

import (
	"cmp"
	"context"
	"database/sql"
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect"
	"github.com/uptrace/bun/dialect/sqlitedialect"
)

// made is a part of a schema: a table, column, constraint, index, trigger or rule.
type made struct {
	What string // such as "index quotes_seq"
	Of   string // the table
	How  string // the statement that makes it, or its definition
}

// schemaPostgres is the schema that the migrations make on Postgres, because they cannot be run
// where nothing may be written. A test keeps it up to date.
//
//go:embed schema_postgres.tsv
var schemaPostgres string

// schemaMade returns the parts that the migrations of this version make.
func schemaMade(postgres bool) (all []made, err error) {
	if !postgres {
		return schemaSQLite()
	}
	for line := range strings.Lines(schemaPostgres) {
		part := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		all = append(all, made{part[0], part[1], part[2]})
	}
	return all, nil
}

var schemaSQLite = sync.OnceValues(func() ([]made, error) {
	pool, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	defer pool.Close()
	pool.SetMaxOpenConns(1)
	fresh := bun.NewDB(pool, sqliteDialect{sqlitedialect.New()})
	ctx := context.Background()
	if _, _, err := new(Store).run(ctx, fresh); err != nil {
		return nil, err
	}
	return schemaIn(ctx, fresh, false)
})

// schemaIn returns the parts in a database, in order.
func schemaIn(ctx context.Context, in bun.IDB, postgres bool) (all []made, err error) {
	query := `SELECT CASE type WHEN 'view' THEN 'table' ELSE type END || ' ' || name AS what, tbl_name AS "of", sql AS how FROM sqlite_master
WHERE name NOT LIKE 'sqlite^_%' ESCAPE '^'`
	if postgres {
		query = `WITH tables AS (SELECT * FROM pg_class WHERE relkind IN ('r', 'v', 'm', 'f', 'p')
	AND relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'heads'::regclass))
SELECT 'table ' || relname AS what, relname AS "of", CASE relkind WHEN 'r' THEN 'a table' WHEN 'v' THEN 'a view'
	ELSE 'of kind ' || relkind::text END || CASE relpersistence WHEN 'u' THEN ', unlogged' ELSE '' END ||
	CASE WHEN relrowsecurity THEN ', with row security' ELSE '' END AS how
	FROM tables
UNION ALL SELECT 'column ' || relname || '.' || attname, relname, format_type(atttypid, atttypmod) ||
	CASE WHEN attcollation NOT IN (0, 100) THEN ' COLLATE ' || collname ELSE '' END ||
	CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END || COALESCE(' DEFAULT ' || pg_get_expr(adbin, adrelid), '')
	FROM tables AS t JOIN pg_attribute ON attrelid = t.oid AND attnum > 0 AND NOT attisdropped
	LEFT JOIN pg_attrdef ON adrelid = t.oid AND adnum = attnum LEFT JOIN pg_collation AS l ON l.oid = attcollation
UNION ALL SELECT 'constraint ' || conname || ' of ' || relname, relname, pg_get_constraintdef(c.oid)
	FROM tables AS t JOIN pg_constraint AS c ON conrelid = t.oid WHERE contype <> 'n'
UNION ALL SELECT 'index ' || i.relname, t.relname,
	replace(regexp_replace(pg_get_indexdef(i.oid), ' ON \S+\.', ' ON '), ' USING btree', '')
	FROM tables AS t JOIN pg_index ON indrelid = t.oid JOIN pg_class AS i ON i.oid = indexrelid
UNION ALL SELECT 'trigger ' || tgname || ' on ' || relname, relname, pg_get_triggerdef(g.oid, true)
	FROM tables AS t JOIN pg_trigger AS g ON tgrelid = t.oid WHERE NOT tgisinternal
UNION ALL SELECT 'rule ' || rulename || ' on ' || relname, relname, pg_get_ruledef(r.oid)
	FROM tables AS t JOIN pg_rewrite AS r ON ev_class = t.oid WHERE rulename <> '_RETURN'`
	}
	err = in.NewRaw(query).Scan(ctx, &all)
	for i := range all {
		all[i].How = strings.Join(strings.Fields(all[i].How), " ")
	}
	slices.SortFunc(all, func(a, b made) int { return cmp.Compare(a.What, b.What) })
	return all, err
}

// longPart is the most bytes of a definition that are shown.
const longPart = 200

// differs calls found for each part of the schema that is missing or differs from the
// migrations of this version, and for foreign parts that may change or reject stored data.
// Foreign tables, views and plain indexes do no harm.
func differs(ctx context.Context, in bun.IDB, found func(part made, problem string)) error {
	postgres := in.Dialect().Name() == dialect.PG
	is, err := schemaIn(ctx, in, postgres)
	if err != nil {
		return err
	}
	must, err := schemaMade(postgres)
	if err != nil {
		return err
	}
	has, knows := map[string]string{}, map[string]bool{}
	for _, part := range is {
		has[part.What] = part.How
	}
	shown := func(how string) string {
		if len(how) > longPart {
			return how[:longPart] + "…"
		}
		return how
	}
	for _, part := range must {
		knows[part.What] = true
		how, there := has[part.What]
		_, table := has["table "+part.Of]
		switch {
		case !there && (table || part.What == "table "+part.Of):
			found(part, "is missing")
		case there && how != part.How:
			found(part, "is not as this version of piyasa makes it: "+shown(how))
		}
	}
	for _, part := range is {
		if !knows[part.What] && knows["table "+part.Of] && !strings.HasPrefix(part.How, "CREATE INDEX ") {
			found(part, "does not belong to piyasa: "+shown(part.How))
		}
	}
	return nil
}
