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

// Request is what is sent, and how long the body of its answer must be: an answer
// of another length is not the one that was compared before. A length below zero
// is the least.
type Request struct {
	Raw  []byte
	Want int
}

// Result is what a run of requests came to.
type Result struct {
	Requests  int
	Bytes     int64
	Took      time.Duration
	Latencies []time.Duration // sorted
}

// PerSecond returns how many requests were answered in a second.
func (r Result) PerSecond() float64 { return float64(r.Requests) / r.Took.Seconds() }

// Quantile returns the latency that a share of the requests stayed within.
func (r Result) Quantile(share float64) time.Duration {
	if len(r.Latencies) == 0 {
		return 0
	}
	return r.Latencies[min(len(r.Latencies)-1, int(share*float64(len(r.Latencies))))]
}

// patience is how long a server may leave a request without a byte.
const patience = 30 * time.Second

type client struct {
	fd     int
	next   int // of the requests
	asked  time.Time
	answer response
}

// HTTP keeps a number of connections busy, each with one request after the
// other, for as long as both durations say, and reports what was answered after
// the first of them. Started is called between the two.
func HTTP(to netip.AddrPort, requests []Request, connections int, warm, measured time.Duration,
	started func() error) (result Result, err error) {
	if len(requests) == 0 {
		return result, errors.New("there is nothing to ask")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	p, err := newPoll()
	if err != nil {
		return result, err
	}
	defer p.close()
	clients := make([]client, connections)
	for i := range clients {
		c := &clients[i]
		if c.fd, err = p.add(to, i); err != nil {
			return result, err
		}
		defer unix.Close(c.fd)
		c.next = i * len(requests) / connections
		if err := c.ask(requests); err != nil {
			return result, err
		}
	}
	buffer := make([]byte, 1<<20)
	begin := time.Now().Add(warm)
	var end time.Time
	heard := time.Now()
	for {
		err := p.wait(time.Second, func(i int) error {
			c := &clients[i]
			n, err := unix.Read(c.fd, buffer)
			if err == unix.EAGAIN || err == unix.EINTR {
				return nil
			}
			if err != nil {
				return err
			}
			if n == 0 {
				return errors.New("the server closed a connection")
			}
			heard = time.Now()
			done, err := c.answer.take(buffer[:n])
			if err != nil || !done {
				return err
			}
			if want := requests[c.next].Want; c.answer.status != 200 || want >= 0 && c.answer.body != want || c.answer.body < -want {
				return fmt.Errorf("status %d with %d bytes instead of %d to %.300q",
					c.answer.status, c.answer.body, want, requests[c.next].Raw)
			}
			if !end.IsZero() && heard.Before(end) {
				result.Requests++
				result.Bytes += int64(c.answer.body)
				result.Latencies = append(result.Latencies, heard.Sub(c.asked))
			}
			if c.next++; c.next == len(requests) {
				c.next = 0
			}
			return c.ask(requests)
		})
		if err != nil {
			return result, err
		}
		switch now := time.Now(); {
		case now.Sub(heard) > patience:
			return result, fmt.Errorf("the server has not answered for %s", patience)
		case end.IsZero() && !now.Before(begin):
			if err := started(); err != nil {
				return result, err
			}
			begin = time.Now()
			end = begin.Add(measured)
		case !end.IsZero() && !now.Before(end):
			result.Took = measured
			slices.Sort(result.Latencies)
			return result, nil
		}
	}
}

func (c *client) ask(requests []Request) error {
	c.answer, c.asked = response{line: c.answer.line}, time.Now()
	return send(c.fd, requests[c.next].Raw)
}
