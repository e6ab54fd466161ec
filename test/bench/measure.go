package main

import (
	"fmt"
	"slices"
	"time"

	"piyasa/test/bench/load"
	"piyasa/test/bench/machine"
)

// sample is one measurement of a work of a server.
type sample struct {
	perSecond   float64
	median, p99 time.Duration
	bytes       int
	use         use
}

// use is the processor time that was taken, in cores.
type use struct{ server, postgres, load, others float64 }

// shares states who took how much between two moments.
func shares(before, after machine.Usage, server, postgres int) (u use) {
	u = use{server: before.Took(after, server), postgres: before.Took(after, postgres), others: before.Others(after)}
	ours := (after.Ours - before.Ours).Seconds() / after.At.Sub(before.At).Seconds()
	u.load = max(0, ours-u.server-u.postgres)
	return u
}

// String states percentages of a core.
func (u use) String() string {
	return fmt.Sprintf("server %3.0f %%  Postgres %3.0f %%  load %3.0f %%  others %3.0f %%",
		u.server*100, u.postgres*100, u.load*100, u.others*100)
}

// perProcessor is how many requests a second of processor time answers, of the
// server and Postgres together; it suffers little when others use the machine.
func (m sample) perProcessor() float64 { return m.perSecond / (m.use.server + m.use.postgres) }

const (
	quiet = 0.05 // of a core that others may take
	tries = 3    // of a measurement that others disturb
)

// undisturbed measures, and again if others used the machine meanwhile.
func (b *bench) undisturbed(measure func() error) error {
	for try := 1; ; try++ {
		before, err := machine.Read()
		if err != nil {
			return err
		}
		if err := measure(); err != nil {
			return err
		}
		after, err := machine.Read()
		if err != nil {
			return err
		}
		others := before.Others(after)
		if b.force || others <= quiet {
			b.others = max(b.others, others)
			return nil
		}
		if try == tries {
			return fmt.Errorf("others use %.0f %% of a core; quiet the machine, or force a report that says so (-force)", others*100)
		}
	}
}

// ask keeps a server busy with a work.
func (b *bench) ask(w work, s *server, p *prepared) (m sample, err error) {
	var before, after machine.Usage
	connections := w.connections
	if b.connections > 0 {
		connections = b.connections
	}
	result, err := load.HTTP(s.process.address, p.requests, connections, b.warm, b.seconds, func() (err error) {
		before, err = machine.Read(s.process.id(), b.rig.master)
		return err
	})
	if err != nil {
		return m, err
	}
	if after, err = machine.Read(s.process.id(), b.rig.master); err != nil {
		return m, err
	}
	return sample{
		perSecond: result.PerSecond(), median: result.Quantile(0.5), p99: result.Quantile(0.99), bytes: p.bytes,
		use: shares(before, after, s.process.id(), b.rig.master),
	}, nil
}

// middle returns the median.
func middle(figures []float64) float64 {
	sorted := slices.Sorted(slices.Values(figures))
	n := len(sorted)
	if n == 0 {
		return 0
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1000 }

func inMilliseconds(all []time.Duration) []float64 {
	figures := make([]float64, len(all))
	for i, d := range all {
		figures[i] = milliseconds(d)
	}
	return figures
}
