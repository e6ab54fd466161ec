package command

import (
	"context"
	"log/slog"
	"time"
)

// followed are files that a server reads again when they change.
type followed[T any] struct {
	what, place string
	version     string // of what the server began with; empty: not known
	// read returns the version of the files, and a function that applies them.
	read func() (version string, parse func() (T, error), err error)
	set  func(T)
}

// followCheck is how often a server looks whether files have changed.
const followCheck = 5 * time.Second

// run sets what the files say whenever they have changed, until ctx ends. Files that cannot
// be read, or have mistakes, change nothing, and the log says so once.
func (f followed[T]) run(ctx context.Context) {
	tick := time.NewTicker(followCheck)
	defer tick.Stop()
	for last, unreadable := f.version, ""; ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		version, parse, err := f.read()
		if err != nil {
			if err.Error() != unreadable {
				unreadable = err.Error()
				slog.Error("files cannot be read; what they said before stays", "what", f.what, "place", f.place, "error", err)
			}
			continue
		}
		if unreadable = ""; version == last {
			continue
		}
		last = version
		now, err := parse()
		if err != nil {
			slog.Error("files have changed and cannot be used; what they said before stays", "what", f.what, "place", f.place, "error", err)
			continue
		}
		f.set(now)
		slog.Info("files have changed and were read again", "what", f.what, "place", f.place)
	}
}
