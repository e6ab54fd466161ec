package db

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/uptrace/bun"

	"piyasa/domain/fundamentals"
	"piyasa/domain/funds"
	"piyasa/domain/ipo"
	"piyasa/domain/kap"
	"piyasa/domain/macro"
	"piyasa/domain/market"
	"piyasa/domain/news"
	"piyasa/internal/epoch"
)

// PutAny is Put of a record of any type, so that a test can list records of
// several kinds.
func PutAny(b *Batch, record any, out *Outcome) { addAny(b, record, false, out) }

// WithdrawAny is Withdraw of a record of any type.
func WithdrawAny(b *Batch, record any, out *Outcome) { addAny(b, record, true, out) }

func addAny(b *Batch, record any, withdrawn bool, out *Outcome) {
	switch r := record.(type) {
	case *market.Instrument:
		add(b, entry[market.Instrument]{r, withdrawn, out})
	case *market.Sector:
		add(b, entry[market.Sector]{r, withdrawn, out})
	case *market.BistIndex:
		add(b, entry[market.BistIndex]{r, withdrawn, out})
	case *market.TradingDay:
		add(b, entry[market.TradingDay]{r, withdrawn, out})
	case *market.PriceLimits:
		add(b, entry[market.PriceLimits]{r, withdrawn, out})
	case *market.Observation:
		add(b, entry[market.Observation]{r, withdrawn, out})
	case *market.Bar:
		add(b, entry[market.Bar]{r, withdrawn, out})
	case *market.IndexBar:
		add(b, entry[market.IndexBar]{r, withdrawn, out})
	case *market.SourceStatus:
		add(b, entry[market.SourceStatus]{r, withdrawn, out})
	case *market.LogoRecord:
		add(b, entry[market.LogoRecord]{r, withdrawn, out})
	case *kap.CompanyRecord:
		add(b, entry[kap.CompanyRecord]{r, withdrawn, out})
	case *kap.Record:
		add(b, entry[kap.Record]{r, withdrawn, out})
	case *kap.FilingRecord:
		add(b, entry[kap.FilingRecord]{r, withdrawn, out})
	case *news.Item:
		add(b, entry[news.Item]{r, withdrawn, out})
	case *macro.Point:
		add(b, entry[macro.Point]{r, withdrawn, out})
	case *macro.IndexLink:
		add(b, entry[macro.IndexLink]{r, withdrawn, out})
	case *macro.CalendarEvent:
		add(b, entry[macro.CalendarEvent]{r, withdrawn, out})
	case *macro.CalendarRecord:
		add(b, entry[macro.CalendarRecord]{r, withdrawn, out})
	case *funds.Fund:
		add(b, entry[funds.Fund]{r, withdrawn, out})
	case *funds.Flow:
		add(b, entry[funds.Flow]{r, withdrawn, out})
	case *funds.Holding:
		add(b, entry[funds.Holding]{r, withdrawn, out})
	case *ipo.Record:
		add(b, entry[ipo.Record]{r, withdrawn, out})
	case *fundamentals.DividendRecord:
		add(b, entry[fundamentals.DividendRecord]{r, withdrawn, out})
	case *fundamentals.Statement:
		add(b, entry[fundamentals.Statement]{r, withdrawn, out})
	case *fundamentals.Metrics:
		add(b, entry[fundamentals.Metrics]{r, withdrawn, out})
	default:
		panic(fmt.Sprintf("%T is no record", record))
	}
}

// Watched returns the store, telling seen every statement that it reads or stores with.
func (s *Store) Watched(seen func(statement string)) *Store {
	watched := *s
	watched.read, watched.write = s.read.WithQueryHook(hook(seen)), s.write.WithQueryHook(hook(seen))
	watched.hot = &prepared{pool: s.read, postgres: s.hot.postgres, mode: s.hot.mode, kept: map[string]*sql.Stmt{}, watch: seen}
	return &watched
}

// WatchedLooks returns a copy of s that passes what followers ask after a commit to seen.
func (s *Store) WatchedLooks(seen func(statement string)) *Store {
	watched := *s
	watched.looks = &prepared{pool: s.follow, postgres: s.looks.postgres, mode: s.looks.mode, kept: map[string]*sql.Stmt{}, watch: seen}
	return &watched
}

// SearchIndexed returns the numbers of what q selects, found through the index of words alone.
func SearchIndexed(ctx context.Context, s *Store, q kap.Query) (numbers []int, err error) {
	err = s.searchIndexed(q).Scan(ctx, &numbers)
	return numbers, err
}

type hook func(statement string)

// BeforeQuery implements bun.QueryHook.
func (h hook) BeforeQuery(ctx context.Context, e *bun.QueryEvent) context.Context {
	h(e.Query)
	return ctx
}

// AfterQuery implements bun.QueryHook.
func (hook) AfterQuery(context.Context, *bun.QueryEvent) {}

// WriteSetting returns a setting of a connection that writes.
func WriteSetting(ctx context.Context, s *Store, name string) (is string, err error) {
	err = s.write.NewRaw("SELECT current_setting(?)", name).Scan(ctx, &is)
	return is, err
}

// Replicas is what a primary says of its standbys.
type Replicas = replicas

// What every gateway asks of a primary after each commit, besides the log.
const (
	ReplicasQuery    = replicasQuery
	ReplicationQuery = replicationQuery
)

// Reached returns the position up to which the synchronous standbys have everything.
func (r replicas) Reached() (position int64, known bool) { return r.reached() }

// Flushed holds disclosures back.
type Flushed = flushed

// See takes note of numbers and positions.
func (f *flushed) See(in epoch.Epoch, last, written, reached int64) (safe int64, sure bool) {
	return f.see(in, last, written, reached, false, true)
}

// ReadSetting returns a setting of a connection that reads.
func ReadSetting(ctx context.Context, s *Store, name string) (is string, err error) {
	err = s.read.NewRaw("SELECT current_setting(?)", name).Scan(ctx, &is)
	return is, err
}

// WriteSettings runs a statement on the connection of an SQLite database that writes.
func WriteSettings(ctx context.Context, s *Store, statement string) error {
	_, err := s.write.ExecContext(ctx, statement)
	return err
}

// NumberedTables returns the tables whose numbers Verify looks at.
func NumberedTables() (names []string) {
	for _, t := range numberedTables {
		names = append(names, t.name)
	}
	return names
}

// WithoutValues is what a span shows of a statement.
var WithoutValues = withoutValues

// GrowTo takes a database, which may be new, to what the versions up to a migration made, and
// after each migration runs the statements that rows returns.
func GrowTo(ctx context.Context, url, last string, rows func(migration string) []string) error {
	s, err := connect(url, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	one := s.write
	if s.isPostgres() {
		one = s.onlyPool()
		defer one.Close()
	}
	if err := s.beginMigration(ctx, one); err != nil {
		return err
	}
	m, err := s.migrator(one)
	if err != nil {
		return err
	}
	if err := m.Init(ctx); err != nil {
		return err
	}
	all, err := m.MigrationsWithStatus(ctx)
	if err != nil {
		return err
	}
	for _, migration := range all {
		if migration.Name > last {
			break
		}
		if migration.IsApplied() {
			continue
		}
		if err := s.apply(ctx, one, &migration, ""); err != nil {
			return fmt.Errorf("%s: %w", migration, err)
		}
		if err := m.MarkApplied(ctx, &migration); err != nil {
			return err
		}
		for _, statement := range rows(migration.String()) {
			if _, err := one.ExecContext(ctx, statement); err != nil {
				return fmt.Errorf("%s: %w\n%s", migration, err, statement)
			}
		}
	}
	_, err = one.ExecContext(ctx, "COMMIT")
	return err
}

// MigrateWatched migrates a Postgres database as Migrate does; after is called after each
// statement, with the process of Postgres that ran it.
func MigrateWatched(ctx context.Context, url string, after func(statement string, pid int)) error {
	s, err := connect(url, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	one := s.onlyPool()
	defer one.Close()
	var pid int
	if err := one.NewRaw("SELECT pg_backend_pid()").Scan(ctx, &pid); err != nil {
		return err
	}
	watched := one.WithQueryHook(afterQuery(func(statement string) { after(statement, pid) }))
	for more := true; more && err == nil; {
		_, more, err = s.migrateSome(ctx, watched)
	}
	return err
}

type afterQuery func(statement string)

func (afterQuery) BeforeQuery(ctx context.Context, _ *bun.QueryEvent) context.Context { return ctx }

func (f afterQuery) AfterQuery(_ context.Context, event *bun.QueryEvent) { f(event.Query) }

// SchemaIn returns the parts of the schema of a Postgres database, as schema_postgres.tsv has them.
func SchemaIn(ctx context.Context, url string) (text string, err error) {
	s, err := connect(url, nil)
	if err != nil {
		return "", err
	}
	defer s.Close()
	all, err := schemaIn(ctx, s.write, true)
	for _, part := range all {
		text += part.What + "\t" + part.Of + "\t" + part.How + "\n"
	}
	return text, err
}
