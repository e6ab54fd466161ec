package command

import (
	"errors"
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
		for feed, head := range tailer.LastNumbers() {
			if feed != db.FeedKeys && head > 0 {
				return "", nil
			}
		}
		return "nothing is stored yet: `piyasa ingest` brings records in", nil
	}
}
