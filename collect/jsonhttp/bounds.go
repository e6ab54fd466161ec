package jsonhttp

import (
	"context"
	"fmt"
	"runtime"
	"runtime/metrics"
	"sync"
	"time"
)

// Bounds of what a program needs.
const (
	mostMemory = 256 << 20
	lookEvery  = 5 * time.Millisecond
)

// turn is of the program that runs: one at a time, so that memory that grows is its own,
// more or less.
var turn sync.Mutex

// bounded returns a context that ends when a program has run for too long, or when memory
// has grown by too much since, and does not shrink by collecting garbage.
func bounded() (ctx context.Context, done func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	timed, stop := context.WithTimeoutCause(ctx, runTime, fmt.Errorf("the program runs for longer than %s", runTime))
	before := heap()
	go func() {
		look := time.NewTicker(lookEvery)
		defer look.Stop()
		for {
			select {
			case <-timed.Done():
				return
			case <-look.C:
			}
			if heap() < before+mostMemory {
				continue
			}
			if runtime.GC(); heap() >= before+mostMemory {
				cancel(fmt.Errorf("the program needs more than %d MiB of memory", mostMemory>>20))
				return
			}
		}
	}()
	return timed, func() {
		stop()
		cancel(nil)
	}
}

// heap returns how many bytes objects take, live or not collected yet.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
