package main

import (
	"context"
	"time"
)

// coldStart measures how long it takes from starting a server to its first right
// answer to a request. The one that is asked otherwise keeps running.
func (b *bench) coldStart(ctx context.Context, s *server, w work) (took time.Duration, err error) {
	fresh := *s
	began := time.Now()
	if fresh.process, err = s.start(ctx, b.rig); err != nil {
		return 0, err
	}
	defer fresh.process.stop()
	asks, err := fresh.requests(ctx, w)
	if err != nil {
		return 0, err
	}
	for {
		if _, err = fresh.answer(ctx, asks[0]); err == nil {
			return time.Since(began), nil
		}
		if time.Since(began) > startTime || ctx.Err() != nil {
			return 0, err
		}
		time.Sleep(time.Millisecond)
	}
}
