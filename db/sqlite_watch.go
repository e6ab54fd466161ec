package db

import (
	"context"
	"os"
	"time"
)

// watchInterval is how often watch looks at the write-ahead log: a look takes a microsecond,
// and other processes cannot wake this one.
const watchInterval = 10 * time.Millisecond

// watch wakes the followers until ctx ends whenever the write-ahead log of the SQLite file at
// path has changed: another process may have stored something. Polling finds what it misses.
func (s *Store) watch(ctx context.Context, path string) {
	look := time.NewTicker(watchInterval)
	defer look.Stop()
	var last os.FileInfo
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
		now, err := os.Stat(path + "-wal")
		if err != nil { // it does not exist while nobody has the file open
			now = nil
		}
		if last == nil || now == nil || now.Size() != last.Size() || !now.ModTime().Equal(last.ModTime()) {
			if last != nil || now != nil {
				s.poke()
			}
		}
		last = now
	}
}
