package command

import (
	"errors"
	"slices"
	"time"

	"piyasa/db"
	"piyasa/stream"
)

// How long ago the log may have been followed last: for the server to be ready
// and to open streams, and for its keys to count as those that are stored.
const (
	maxBehind     = 5 * time.Second
	maxKeysBehind = 10 * time.Second
)

// stored lists the feeds of what is ingested.
var stored = slices.DeleteFunc(slices.Clone(db.Feeds), func(feed string) bool { return feed == db.FeedKeys })

// readiness returns what is missing until requests can be served. An empty
// database is ready; the note says that nothing is stored.
func readiness(tailer *stream.Tailer) func() (string, error) {
	return func() (note string, err error) {
		select {
		case <-tailer.CaughtUp():
		default:
			return "", errors.New("the database has not been read yet")
		}
		if tailer.BehindFor() >= maxBehind {
			return "", errors.New("the database cannot be followed; the server's log says why")
		}
		if m, _ := tailer.Moment(); !m.Empty(stored...) {
			return "", nil
		}
		return "nothing is stored yet: `piyasa ingest` brings records in", nil
	}
}
