package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

func (b *bench) roundOfRequests(ctx context.Context, round int) error {
	for _, w := range b.works {
		for _, s := range b.servers {
			p := b.ready[pair{w.name, s.name}]
			if p == nil {
				continue
			}
			var m sample
			err := b.undisturbed(func() (err error) {
				m, err = b.ask(w, s, p)
				return err
			})
			if err != nil {
				return fmt.Errorf("%s of %s: %w\n%s", w.name, s.name, err, s.process.said)
			}
			b.results.requests[pair{w.name, s.name}] = append(b.results.requests[pair{w.name, s.name}], m)
			fmt.Printf("round %d  %-13s %-18s %9.0f/s  %8.0f per processor second  median %7.2f ms  p99 %7.2f ms  %s  %d bytes\n",
				round, w.name, s.name, m.perSecond, m.perProcessor(), milliseconds(m.median), milliseconds(m.p99), m.use, m.bytes)
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	return nil
}

func (b *bench) roundOfStreams(ctx context.Context, round int) error {
	for _, clients := range b.clients {
		name := deliveries(clients)
		for _, s := range b.streamers {
			var m delivered
			err := b.undisturbed(func() (err error) {
				m, err = b.deliver(ctx, s, clients)
				return err
			})
			if err != nil {
				return err
			}
			b.results.streams[pair{name, s.name}] = append(b.results.streams[pair{name, s.name}], m)
			fmt.Printf("round %d  %-13s %-18s %9.0f/s  %8.0f per processor second  at %d/s: median %7.2f ms  p99 %7.2f ms  "+
				"%6.1f KiB a socket  %s\n",
				round, name, s.name, m.perSecond, m.perProcessor(), pacedRate, milliseconds(m.pacedMedian), milliseconds(m.paced),
				m.perSocket/1024, m.use)
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	return nil
}

func (b *bench) roundOfReplays(ctx context.Context, round int) error {
	if !b.replays {
		return nil
	}
	for _, s := range b.streamers {
		var all []time.Duration
		err := b.undisturbed(func() (err error) {
			all, err = b.replay(ctx, s)
			return err
		})
		if err != nil {
			return err
		}
		if all == nil {
			continue
		}
		b.results.replays[s.name] = append(b.results.replays[s.name], all...)
		fmt.Printf("round %d  %-13s %-18s median %7.2f ms\n", round, "replay", s.name, middle(inMilliseconds(all)))
	}
	return nil
}

func (b *bench) roundOfStarts(ctx context.Context, round int) error {
	if !b.starts {
		return nil
	}
	for _, s := range b.servers {
		at := slices.IndexFunc(works(), func(w work) bool { return slices.Contains(s.apis, w.api) })
		if at < 0 {
			continue // it has no data to get ready
		}
		w := works()[at]
		var took time.Duration
		err := b.undisturbed(func() (err error) {
			took, err = b.coldStart(ctx, s, w)
			return err
		})
		if err != nil {
			return err
		}
		b.results.starts[s.name] = append(b.results.starts[s.name], took)
		fmt.Printf("round %d  %-13s %-18s %7.1f ms\n", round, "start", s.name, milliseconds(took))
	}
	return nil
}
