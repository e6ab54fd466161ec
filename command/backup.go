package command

import (
	"context"
	"errors"
	"fmt"
	"os"

	"piyasa/db"
)

type backupCommand struct {
	database
	File string `arg:"" help:"The new file; it must not exist." placeholder:"FILE"`
}

// Run writes a copy of the database, which may be in use.
func (c *backupCommand) Run(ctx context.Context, s streams) error {
	url, _, err := c.existing(s)
	if err != nil {
		return err
	}
	if err := db.Backup(ctx, url, c.File); err != nil {
		if errors.Is(err, db.ErrNotSQLite) {
			return errors.New("backup is for SQLite databases; back up Postgres with pg_dump, or with pg_basebackup and " +
				"its write-ahead log: " +
				"see Backups in docs/operating.md")
		}
		return fmt.Errorf("back up: %w", err)
	}
	info, err := os.Stat(c.File)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%s: %d bytes\n", c.File, info.Size())
	return nil
}
