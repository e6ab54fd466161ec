package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"piyasa/db"
	"piyasa/serve/server"
	"piyasa/serve/stream"
)

// maxFeedBehind is how long after its last update a server still counts its keys as current.
const maxFeedBehind = 10 * time.Second

// stored lists the feeds of ingested data.
var stored = slices.DeleteFunc(slices.Clone(db.Feeds), func(feed string) bool { return feed == db.FeedKeys })

// readiness reports why requests cannot be served yet: the database has not been read, or the
// lag is maxLag or more. An empty database is ready; the note says that nothing is stored.
func readiness(store *db.Store, tailer *stream.Tailer, maxLag time.Duration) func() (server.Readiness, error) {
	return func() (is server.Readiness, err error) {
		select {
		case <-tailer.CaughtUp():
		default:
			return is, errors.New("the database has not been read yet")
		}
		if tailer.BehindFor() >= maxLag {
			return is, fmt.Errorf("what is served is more than %s behind the database; the server's log says why", maxLag)
		}
		var notes []string
		if m, _ := tailer.Moment(); m.Empty(stored...) {
			is.Empty = true
			notes = append(notes, "nothing is stored yet: `piyasa ingest` brings records in")
		}
		if store.LosesLastCommits() {
			notes = append(notes, "no synchronous standby is configured: a failover may lose the last commits")
		}
		is.Note = strings.Join(notes, "; ")
		return is, nil
	}
}
