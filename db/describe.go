package db

import "context"

// Description describes a database.
type Description struct {
	Engine string // SQLite or PostgreSQL, with its version
	Schema string // the last migration that was applied
	Bytes  int64  // size of its files
}

// Describe returns the description of the database.
func (s *Store) Describe(ctx context.Context) (d Description, err error) {
	ctx, done := s.following(ctx)
	defer done(&err)
	engine := "SELECT 'SQLite ' || sqlite_version() AS engine, page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()"
	if s.isPostgres() {
		engine = "SELECT 'PostgreSQL ' || current_setting('server_version') AS engine, pg_database_size(current_database()) AS bytes"
	}
	if err := s.follow.NewRaw(engine).Scan(ctx, &d); err != nil {
		return d, err
	}
	err = s.follow.NewRaw("SELECT max(name) FROM bun_migrations").Scan(ctx, &d.Schema)
	return d, err
}
