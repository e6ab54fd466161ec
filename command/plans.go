package command

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"time"

	"piyasa/access"
)

// readPlans returns the built-in plans with those of a file, which may be none.
func readPlans(path string) (access.Plans, error) {
	if path == "" {
		return access.ShippedPlans(), nil
	}
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return access.ShippedPlans().With(file)
}

// planCheck is how often a server looks whether its plans have changed.
const planCheck = 5 * time.Second

// followPlans hands the plans of a file to set whenever it has changed, until ctx ends. A
// file with mistakes changes nothing, and the log says so once.
func followPlans(ctx context.Context, path string, set func(access.Plans)) {
	tick := time.NewTicker(planCheck)
	defer tick.Stop()
	var last []byte // what the server began with may have changed since
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		file, err := os.ReadFile(path)
		if err != nil || bytes.Equal(file, last) { // one that is being replaced is there in a moment
			continue
		}
		last = file
		plans, err := access.ShippedPlans().With(file)
		if err != nil {
			slog.Error("the file of plans has changed and cannot be used; the plans stay as they were", "file", path, "error", err)
			continue
		}
		set(plans)
		slog.Info("the plans have changed", "file", path)
	}
}
