package command

import (
	"context"
	"errors"
	"fmt"

	"piyasa/db"
)

type restoreCommand struct {
	database
	Yes  bool   `help:"Replace the database although it has more than the backup."`
	File string `arg:"" help:"The backup." placeholder:"FILE"`
}

// Run replaces the database by the backup and prints what is lost.
func (c *restoreCommand) Run(ctx context.Context, s streams) error {
	url, _, err := c.check()
	if err != nil {
		return err
	}
	fmt.Fprintln(s.err, "database:", db.Shown(url))
	found := func(f db.Finding) { fmt.Fprintf(s.err, "%s: %s: %s\n", f.Check, f.Subject, f.Problem) }
	done, err := db.Restore(ctx, url, c.File, found, func(losses []db.Loss, unknown error) error {
		if unknown != nil {
			fmt.Fprintf(s.out, "what is lost is not known: %v\n", unknown)
		}
		for _, l := range losses {
			fmt.Fprintf(s.out, "%s: %d of %d changes\n", l.Feed, l.Kept, l.Total)
		}
		if (unknown != nil || len(losses) > 0) && !c.Yes {
			return errors.New("the database has more than the backup, which would be lost; --yes replaces it nevertheless")
		}
		return nil
	})
	switch {
	case errors.Is(err, db.ErrNotSQLite):
		return errors.New("restore is for SQLite databases; restore Postgres with pg_restore or from a base backup, and " +
			"a new epoch begins " +
			"by itself: see Backups in docs/operating.md")
	case errors.Is(err, db.ErrInUse):
		return fmt.Errorf("restore: %w; stop it first", err)
	case err != nil:
		return fmt.Errorf("restore: %w", err)
	}
	if done.Replaced != "" {
		fmt.Fprintf(s.out, "the replaced database is kept as %s\n", done.Replaced)
	}
	fmt.Fprintf(s.out, "restored; epoch %s begins\n", done.Epoch)
	return nil
}
