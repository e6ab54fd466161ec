package ingest

import (
	"cmp"
	"context"
	"io"

	"piyasa/db"
)

// Source produces records inside the process.
type Source interface {
	// Run passes lines of the record contract to emit until ctx ends or there are no more. emit
	// blocks while the store is behind.
	Run(ctx context.Context, emit func(lines []byte) error) error
}

// Feed stores the lines that a source emits, like Run, until the source has ended. Lines that
// it emitted before are still stored, if the database accepts them soon.
func Feed(ctx context.Context, store *db.Store, source Source, options Options) (*Summary, error) {
	running, stop := context.WithCancel(ctx)
	defer stop()
	lines, out := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		out.CloseWithError(source.Run(running, func(lines []byte) error {
			_, err := out.Write(lines)
			return err
		}))
	}()
	options.Paths, options.Stdin = []string{Stdin}, lines
	summary, err := run(context.WithoutCancel(ctx), ctx.Done(), store, options)
	stop()
	lines.CloseWithError(cmp.Or(err, io.ErrClosedPipe)) // a blocked emit then fails
	<-ended
	return summary, err
}
