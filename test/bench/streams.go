package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"strconv"
	"time"

	"piyasa/test/bench/dataset"
	"piyasa/test/bench/load"
	"piyasa/test/bench/machine"
	"piyasa/test/fixture/need"
)

// streamer is a server that delivers disclosures.
type streamer struct {
	name string
	// open starts it again, empty.
	open func(ctx context.Context, r *rig) (*stream, error)
}

// stream is a server that runs, and how disclosures come to it and from it.
type stream struct {
	process *process
	dialect load.Dialect
	publish func(dataset.Disclosure) error
	// replay returns the dialect of a client that wants so many disclosures again,
	// and nil if the server keeps none.
	replay func(count int) (load.Dialect, error)
	close  func()
}

func streamers() []streamer {
	return []streamer{{piyasaName, openPiyasa}, {"centrifuge", openCentrifuge}, {"nats", openNATS}, {"loop", openLoop}}
}

// openPiyasa starts `piyasa serve`, and `piyasa ingest` beside the clients, to which
// a line is written for each disclosure.
func openPiyasa(ctx context.Context, r *rig) (*stream, error) {
	process, err := r.start(ctx, r.clock(r.streams), r.piyasa, "serve", "--listen=127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	ingest, err := r.openInput(r.clock(r.streams))
	if err != nil {
		process.stop()
		return nil, err
	}
	return &stream{
		process: process, dialect: r.disclosures("null", `"subscribed"`),
		publish: func(d dataset.Disclosure) error { return ingest.line(d.Line()) },
		replay: func(count int) (load.Dialect, error) {
			return r.disclosures(strconv.Itoa(dataset.FirstDisclosure+r.next-count-1), `"replay_done"`), nil
		},
		close: func() {
			ingest.close()
			process.stop()
		},
	}, nil
}

// disclosures are what a socket says that follows all of them after a number.
func (r *rig) disclosures(after string, until string) load.Dialect {
	return load.WebSocket("/v1/kap-feed/stream", r.auth(),
		[2]string{`{"action":"subscribe","ids":["all"],"last_seen_index":` + after + `}`, until})
}

func (r *rig) auth() [2]string {
	return [2]string{`{"action":"auth","api_key":"` + r.key + `"}`, `"auth_ok"`}
}

// input is `piyasa ingest`, to which lines are written.
type input struct {
	command *exec.Cmd
	to      io.WriteCloser
	log     *need.Said
}

func (r *rig) openInput(environment []string) (*input, error) {
	in := &input{command: exec.Command(r.piyasa, "ingest", "-"), log: &need.Said{}}
	in.command.Env = append(os.Environ(), environment...)
	in.command.Stdout, in.command.Stderr = in.log, in.log
	to, err := in.command.StdinPipe()
	if err != nil {
		return nil, err
	}
	in.to = to
	return in, in.command.Start()
}

func (in *input) line(line []byte) error {
	if _, err := in.to.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("piyasa ingest: %w\n%s", err, in.log)
	}
	return nil
}

// close lets it store the rest.
func (in *input) close() error {
	in.to.Close()
	if err := in.command.Wait(); err != nil {
		return fmt.Errorf("piyasa ingest: %w\n%s", err, in.log)
	}
	return nil
}

// openCentrifuge starts a server to which a line is written for each disclosure.
func openCentrifuge(ctx context.Context, r *rig) (*stream, error) {
	program, err := r.built(ctx, "centrifuge")
	if err != nil {
		return nil, err
	}
	process, err := r.start(ctx, nil, program)
	if err != nil {
		return nil, err
	}
	subscribe := func(options, until string) load.Dialect {
		return load.WebSocket("/", [2]string{`{"id":1,"connect":{}}`, `"connect"`},
			[2]string{`{"id":2,"subscribe":{"channel":"disclosures"` + options + `}}`, until})
	}
	return &stream{
		process: process, dialect: subscribe("", `"subscribe"`),
		publish: func(d dataset.Disclosure) error {
			_, err := process.input.Write(append(d.Row(), '\n'))
			return err
		},
		replay: func(count int) (load.Dialect, error) {
			answer, err := load.Say(process.address, subscribe(`,"recoverable":true`, `"subscribe"`))
			if err != nil {
				return load.Dialect{}, err
			}
			var message struct {
				Subscribe struct {
					Epoch  string
					Offset int
				}
			}
			if err := json.Unmarshal(answer, &message); err != nil {
				return load.Dialect{}, err
			}
			if message.Subscribe.Offset < count {
				return load.Dialect{}, fmt.Errorf("centrifuge has fewer than %d: %s", count, answer)
			}
			return subscribe(fmt.Sprintf(`,"recover":true,"recoverable":true,"epoch":%q,"offset":%d`,
				message.Subscribe.Epoch, message.Subscribe.Offset-count), `"recovered":true`), nil
		},
		close: process.stop,
	}, nil
}

// openNATS starts a server, to which disclosures come over one more connection in
// the protocol of NATS, as they leave.
func openNATS(ctx context.Context, r *rig) (*stream, error) {
	program, err := r.built(ctx, "nats")
	if err != nil {
		return nil, err
	}
	process, err := r.start(ctx, nil, program)
	if err != nil {
		return nil, err
	}
	publisher, err := load.OpenNATS(process.address)
	if err != nil {
		process.stop()
		return nil, err
	}
	return &stream{
		process: process, dialect: load.NATS("disclosures"),
		publish: func(d dataset.Disclosure) error { return publisher.Publish("disclosures", d.Row()) },
		close: func() {
			publisher.Close()
			process.stop()
		},
	}, nil
}

// openLoop starts a server that can do no less, to which a line is written for each
// disclosure.
func openLoop(ctx context.Context, r *rig) (*stream, error) {
	program, err := r.built(ctx, "loop")
	if err != nil {
		return nil, err
	}
	process, err := r.start(ctx, nil, program)
	if err != nil {
		return nil, err
	}
	return &stream{
		process: process, dialect: load.WebSocket("/", [2]string{`"subscribe"`, `"subscribed"`}),
		publish: func(d dataset.Disclosure) error {
			_, err := process.input.Write(append(d.Row(), '\n'))
			return err
		},
		close: process.stop,
	}, nil
}

// delivered is one measurement of a streamer with a number of clients.
type delivered struct {
	perSecond   float64       // saturated
	paced       time.Duration // p99 at pacedRate
	pacedMedian time.Duration
	perSocket   float64 // bytes of memory, idle
	use         use     // saturated
	pacedUse    use
}

// perProcessor is how many deliveries a second of processor time makes, of the
// server and Postgres together.
func (m delivered) perProcessor() float64 { return m.perSecond / (m.use.server + m.use.postgres) }

const pacedRate = 30_000 // deliveries a second

// deliver measures a streamer with so many clients.
func (b *bench) deliver(ctx context.Context, s streamer, clients int) (m delivered, err error) {
	stream, err := s.open(ctx, b.rig)
	if err != nil {
		return m, err
	}
	defer stream.close()
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s with %d clients: %w\n%s", s.name, clients, err, stream.process.said)
		}
	}()
	time.Sleep(b.settle / 5)
	empty, err := machine.Resident(stream.process.id())
	if err != nil {
		return m, err
	}
	publish := b.publisher(stream)
	sockets, err := load.Follow([]netip.AddrPort{stream.process.address}, stream.dialect, clients, dataset.FirstDisclosure+b.rig.next)
	if err != nil {
		return m, err
	}
	defer sockets.Close()
	time.Sleep(b.settle)
	full, err := machine.Resident(stream.process.id())
	if err != nil {
		return m, err
	}
	m.perSocket = float64(full-empty) / float64(clients)
	var saturated, paced load.Deliveries
	m.use, err = b.used(stream, func(started func() error) (err error) {
		saturated, err = sockets.Saturate(b.outstanding, b.warm, b.seconds, publish, started)
		return err
	})
	if err != nil {
		return m, err
	}
	m.perSecond = saturated.PerSecond()
	m.pacedUse, err = b.used(stream, func(started func() error) (err error) {
		paced, err = sockets.Pace(float64(pacedRate)/float64(clients), b.warm, b.paced, publish, started)
		return err
	})
	m.paced, m.pacedMedian = paced.Quantile(0.99), paced.Quantile(0.5)
	return m, err
}

// used tells what processor time everybody took while something was measured, which
// calls started when it begins.
func (b *bench) used(s *stream, measure func(started func() error) error) (use, error) {
	var before machine.Usage
	id := s.process.id()
	if err := measure(func() (err error) {
		before, err = machine.Read(id, b.rig.master)
		return err
	}); err != nil {
		return use{}, err
	}
	after, err := machine.Read(id, b.rig.master)
	return shares(before, after, id, b.rig.master), err
}

const (
	replayed = 1_000
	replays  = 50
)

// replay measures how long a client waits for the newest disclosures again.
func (b *bench) replay(ctx context.Context, s streamer) (all []time.Duration, err error) {
	stream, err := s.open(ctx, b.rig)
	if err != nil {
		return nil, err
	}
	defer stream.close()
	if stream.replay == nil {
		return nil, nil
	}
	publish := b.publisher(stream)
	sockets, err := load.Follow([]netip.AddrPort{stream.process.address}, stream.dialect, 1, dataset.FirstDisclosure+b.rig.next)
	if err != nil {
		return nil, err
	}
	defer sockets.Close()
	if err := sockets.Send(replayed, b.outstanding, publish); err != nil {
		return nil, err
	}
	again, err := stream.replay(replayed)
	if err != nil {
		return nil, err
	}
	for range replays {
		took, err := load.Replay(stream.process.address, again, dataset.FirstDisclosure+b.rig.next-replayed, replayed)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		all = append(all, took)
	}
	return all, nil
}

// publisher publishes the data set's next disclosures.
func (b *bench) publisher(s *stream) load.Publish {
	return func(int) error {
		d := dataset.DisclosureOf(b.rig.next)
		b.rig.next++
		return s.publish(d)
	}
}
