package command

import (
	"context"
	"fmt"
	"os"

	"piyasa/db"
)

type backupCommand struct {
	database
	File string `arg:"" help:"The new file; it must not exist." placeholder:"FILE"`
}

// Run writes a backup of the database, which may be in use.
func (c *backupCommand) Run(ctx context.Context, s streams) error {
	if _, _, err := c.existing(s); err != nil {
		return err
	}
	if err := db.Backup(ctx, c.addressToBackUp(), c.File); err != nil {
		return fmt.Errorf("back up: %w", err)
	}
	info, err := os.Stat(c.File)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%s: %d bytes\n", c.File, info.Size())
	return nil
}
