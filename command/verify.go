package command

import (
	"context"
	"encoding/json"
	"fmt"

	"piyasa/db"
)

type verifyCommand struct {
	database
	JSON bool `name:"json" help:"Print each finding as one JSON object."`
}

// Run prints the findings in the database, one per line.
func (c *verifyCommand) Run(ctx context.Context, s streams) error {
	url, _, err := c.existing(s)
	if err != nil {
		return err
	}
	findings := 0
	looked, err := db.Verify(ctx, url, func(f db.Finding) {
		findings++
		if c.JSON {
			_ = json.NewEncoder(s.out).Encode(f)
			return
		}
		fmt.Fprintf(s.out, "%s: %s: %s\n", f.Check, f.Subject, f.Problem)
	})
	if err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	fmt.Fprintf(s.err, "findings: %d; looked at %d feeds, %d disclosures and the bars of %d instruments\n",
		findings, len(db.Feeds), looked.Disclosures, looked.Recordings)
	if looked.LeftOut > 0 {
		fmt.Fprintf(s.err, "bars and quotes with figures that cannot be, such as a low above the high, which are not shown: %d\n",
			looked.LeftOut)
	}
	if looked.OffDays > 0 {
		fmt.Fprintf(s.err, "bars of days on which their market does not trade, which are not shown: %d\n", looked.OffDays)
	}
	if findings > 0 {
		return exit(exitFailed)
	}
	return nil
}
