package load

import (
	"errors"
	"fmt"
	"net/netip"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// Sockets are clients that follow the same events.
type Sockets struct {
	dialect Dialect
	poll    *poll
	clients []follower
	buffer  []byte
	first   int // number of the first event
	events  []event
	whole   int // events that everybody has
}

type follower struct {
	fd   int
	part []byte // of a message
	seen int    // events
}

type event struct {
	published time.Time
	received  int
}

// Follow connects a number of clients to servers by turns. First is the number of the next event.
func Follow(to []netip.AddrPort, d Dialect, clients, first int) (s *Sockets, err error) {
	s = &Sockets{dialect: d, clients: make([]follower, 0, clients), buffer: make([]byte, 1<<20), first: first}
	if s.poll, err = newPoll(); err != nil {
		return nil, err
	}
	for i := range clients {
		fd, rest, err := Dial(to[i%len(to)], d)
		if err == nil {
			s.clients = append(s.clients, follower{fd: fd, part: rest})
			err = unix.SetNonblock(fd, true)
		}
		if err == nil {
			err = unix.EpollCtl(s.poll.epoll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(i)})
		}
		if err != nil {
			s.Close()
			return nil, fmt.Errorf("client %d: %w", i+1, err)
		}
	}
	return s, nil
}

// Close hangs up.
func (s *Sockets) Close() {
	for _, c := range s.clients {
		unix.Close(c.fd)
	}
	s.poll.close()
}

// Deliveries is what a run came to: an event that a client received is one.
type Deliveries struct {
	Count     int
	All       int // with those before the measured time, and after it
	Bytes     int // of all
	Took      time.Duration
	Latencies []time.Duration // from publishing to receiving, sorted
}

// PerSecond returns the deliveries in a second.
func (d Deliveries) PerSecond() float64 { return float64(d.Count) / d.Took.Seconds() }

// Quantile returns the latency that a share of the deliveries stayed within.
func (d Deliveries) Quantile(share float64) time.Duration {
	return Result{Latencies: d.Latencies}.Quantile(share)
}

// Publish brings an event to the server, given its place from 0.
type Publish func(place int) error

// Saturate publishes whenever fewer events than outstanding are on their way to
// some client. It reports what was delivered in the measured time after warm;
// started is called between the two.
func (s *Sockets) Saturate(outstanding int, warm, measured time.Duration, publish Publish, started func() error) (Deliveries, error) {
	return s.run(run{warm: warm, measured: measured, publish: publish, started: started, due: s.window(outstanding)})
}

// Send publishes a number of events and returns when everybody has them.
func (s *Sockets) Send(count, outstanding int, publish Publish) error {
	_, err := s.run(run{total: len(s.events) + count, publish: publish, due: s.window(outstanding)})
	return err
}

// Pace publishes so many events a second and reports how long they took; started is
// called when the measured time begins.
func (s *Sockets) Pace(perSecond float64, warm, measured time.Duration, publish Publish, started func() error) (Deliveries, error) {
	began, before := time.Now(), len(s.events)
	return s.run(run{warm: warm, measured: measured, publish: publish, started: started, timed: true,
		due: func(now time.Time) (int, time.Duration) {
			published := len(s.events) - before
			due := int(now.Sub(began).Seconds()*perSecond) + 1 - published
			next := began.Add(time.Duration(float64(published+max(0, due)) / perSecond * float64(time.Second)))
			return due, max(0, next.Sub(now))
		}})
}

func (s *Sockets) window(outstanding int) func(time.Time) (int, time.Duration) {
	return func(time.Time) (int, time.Duration) { return s.whole + outstanding - len(s.events), time.Second }
}

// run is what is published, and when.
type run struct {
	warm, measured time.Duration
	total          int          // end when so many are published; 0: when the time is over
	started        func() error // may be nil
	publish        Publish
	timed          bool // latencies are kept
	// due returns how many are to be published now, and when to ask again.
	due func(now time.Time) (int, time.Duration)

	begin, end time.Time // of what is measured
}

// over tells whether nothing more is to be published, and begins to measure.
func (r *run) over(now time.Time, published int) (bool, error) {
	if r.total > 0 {
		return published >= r.total, nil
	}
	if r.end.IsZero() && !now.Before(r.begin) {
		if r.started != nil {
			if err := r.started(); err != nil {
				return true, err
			}
		}
		r.begin = time.Now()
		r.end = r.begin.Add(r.measured)
	}
	return !r.end.IsZero() && !now.Before(r.end), nil
}

// measures tells whether a moment is in the measured time.
func (r *run) measures(t time.Time) bool {
	return !r.end.IsZero() && !t.Before(r.begin) && t.Before(r.end)
}

func (s *Sockets) run(r run) (d Deliveries, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	heard := time.Now()
	r.begin = heard.Add(r.warm)
	for {
		now := time.Now()
		over, err := r.over(now, len(s.events))
		switch {
		case err != nil:
			return d, err
		case over && s.whole == len(s.events):
			d.Took = r.measured
			slices.Sort(d.Latencies)
			return d, nil
		case now.Sub(heard) > patience && s.whole < len(s.events):
			return d, fmt.Errorf("no client has received anything for %s; %d of %d events are with everybody",
				patience, s.whole, len(s.events))
		}
		pause := time.Second
		if !over {
			var n int
			for n, pause = r.due(now); n > 0 && (r.total == 0 || len(s.events) < r.total); n-- {
				if s.whole == len(s.events) {
					heard = now // nobody was owed anything
				}
				s.events = append(s.events, event{published: time.Now()})
				if err := r.publish(len(s.events) - 1); err != nil {
					return d, err
				}
			}
		}
		err = s.poll.wait(pause, func(i int) error {
			heard = time.Now()
			counts := r.measures(heard)
			seen, err := s.read(i, func(e *event, bytes int) {
				d.All, d.Bytes = d.All+1, d.Bytes+bytes
				if counts {
					d.Count++
				}
				if r.timed && r.measures(e.published) {
					d.Latencies = append(d.Latencies, heard.Sub(e.published))
				}
			})
			if err != nil {
				return fmt.Errorf("client %d of %d, after %d of %d events: %w", i+1, len(s.clients), seen, len(s.events), err)
			}
			return nil
		})
		if err != nil {
			return d, err
		}
	}
}

// read takes what a client has received: the events in their order, none missing.
func (s *Sockets) read(i int, received func(e *event, bytes int)) (seen int, err error) {
	c := &s.clients[i]
	err = s.messages(i, func(message []byte) error {
		return numbers(message, func(number int) error {
			if want := s.first + c.seen; number != want {
				return fmt.Errorf("number %d instead of %d", number, want)
			}
			if c.seen >= len(s.events) {
				return fmt.Errorf("number %d was not published", number)
			}
			e := &s.events[c.seen]
			c.seen++
			if e.received++; e.received == len(s.clients) {
				s.whole++
			}
			received(e, len(message))
			return nil
		})
	})
	return c.seen, err
}

// messages calls each with every whole message that a client has received; what it returns
// ends the reading.
func (s *Sockets) messages(i int, each func(message []byte) error) error {
	c := &s.clients[i]
	n, err := unix.Read(c.fd, s.buffer)
	if err == unix.EAGAIN || err == unix.EINTR {
		return nil
	}
	if err != nil || n == 0 {
		return errors.Join(err, errClosed(n))
	}
	data := s.buffer[:n]
	if len(c.part) > 0 {
		data = append(c.part, data...)
	}
	for {
		message, size, err := s.dialect.next(data)
		if err != nil {
			return err
		}
		if size == 0 {
			c.part = append(c.part[:0:0], data...)
			return nil
		}
		data = data[size:]
		if err := each(message); err != nil {
			return err
		}
	}
}
