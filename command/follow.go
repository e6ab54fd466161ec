package command

import (
	"context"
	"log/slog"
	"time"
)

// followed are files that a server reads again when they change. Call run to follow them.
type followed[T any] struct {
	what, place string
	version     string // with which the server began; empty: not known
	// read returns the version of the files, and a function that parses them.
	read func() (version string, parse func() (T, error), err error)
	set  func(T)
}

// followCheck is how often a server checks whether files have changed.
const followCheck = 5 * time.Second

// run applies the content of the files whenever they have changed, until ctx ends. Unreadable
// or invalid files change nothing, and are logged once.
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
