package load

import (
	"bytes"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Quotes are clients that follow quotes and read all that comes, beside the one that publishes.
type Quotes struct {
	Messages, Bytes, Quotes atomic.Int64 // of compressed messages, no quotes are counted

	sockets *Sockets
	sent    func(asOf string) (published time.Time, known bool)
	ended   atomic.Bool
	reading sync.WaitGroup
	lags    []time.Duration // of what came
	err     error
}

// FollowQuotes connects a number of clients; sent returns when the quotes of a moment were published.
func FollowQuotes(to netip.AddrPort, d Dialect, clients int, sent func(asOf string) (time.Time, bool)) (*Quotes, error) {
	sockets, err := Follow([]netip.AddrPort{to}, d, clients, 0)
	if err != nil {
		return nil, err
	}
	q := &Quotes{sockets: sockets, sent: sent}
	q.reading.Go(func() {
		for !q.ended.Load() && q.err == nil {
			q.err = sockets.poll.wait(100*time.Millisecond, q.read)
		}
	})
	return q, nil
}

func (q *Quotes) read(i int) error {
	s := q.sockets
	return s.messages(i, func(message []byte) error {
		q.Messages.Add(1)
		q.Bytes.Add(int64(len(message)))
		q.Quotes.Add(int64(bytes.Count(message, quoteName)))
		if _, asOf, found := bytes.Cut(message, asOfName); found {
			asOf, _, _ = bytes.Cut(asOf, []byte(`"`))
			if published, known := q.sent(string(asOf)); known {
				q.lags = append(q.lags, time.Since(published))
			}
		}
		return nil
	})
}

var quoteName, asOfName = []byte(`"instrument_id":`), []byte(`"as_of":"`)

// Close hangs up and returns how long messages were on their way, sorted.
func (q *Quotes) Close() ([]time.Duration, error) {
	q.ended.Store(true)
	q.reading.Wait()
	q.sockets.Close()
	slices.Sort(q.lags)
	return q.lags, q.err
}

// Compressed lets the server compress messages. Its answers to the greeting must be too short for that.
func (d Dialect) Compressed() Dialect {
	d.Greeting = slices.Clone(d.Greeting)
	d.Greeting[0].Say = bytes.Replace(d.Greeting[0].Say, []byte("\r\n\r\n"),
		[]byte("\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n"), 1)
	return d
}
