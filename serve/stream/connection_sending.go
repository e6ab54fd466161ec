package stream

import (
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"runtime/debug"
	"time"

	"github.com/gorilla/websocket"

	"piyasa/account/access"
	"piyasa/internal/problem"
)

// work handles commands and sends events until there are none, and ends the connection
// if something fails.
func (c *connection[E]) work() {
	if c.failed {
		for ok := true; ok; {
			_, ok = c.pop()
		}
		return
	}
	defer buffers.put(&c.frames)
	err := c.safely(c.serve)
	if err == nil {
		return
	}
	c.failed = true
	var stop Closing
	switch {
	case errors.As(err, &stop):
		_ = c.flush()
		c.Close(stop)
	case !c.isClosing() && !isNetwork(err):
		slog.ErrorContext(c.ctx, "a stream failed", "error", err)
		c.Close(serverError)
	}
	c.account.Free(int64(len(c.paid)) * access.Unit)
	c.paid = nil
	if !c.isClosing() { // otherwise the reader waits for the client's close frame
		c.Cut()
	}
}

// safely turns a panic into the end of the connection.
func (c *connection[E]) safely(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			slog.ErrorContext(c.ctx, "panic", "panic", p, "stack", string(debug.Stack()))
			err = serverError
		}
	}()
	return do()
}

// serve handles commands and sends events. Commands come first, but before each one serve
// sends the events published before it. So neither delays the other for longer than it
// takes to empty the queue once.
func (c *connection[E]) serve() error {
	for {
		if cmd, ok := c.pop(); ok {
			if err := c.deliver(c.sub.Mark()); err != nil {
				return err
			}
			if err := c.handle(cmd); err != nil {
				return err
			}
			continue
		}
		if c.batches {
			c.sub.Reached() // so that events published together are all in the queue
		}
		for range max(1, c.sub.Pending()) { // and no more, so that a piece is not delayed
			switch ok, err := c.deliverNext(math.MaxInt64); {
			case err != nil:
				return err
			case !ok: // later events wake the task again
				return c.flush()
			}
		}
		if err := c.flush(); err != nil {
			return err
		}
	}
}

// deliver sends the pending events that were published before the mark.
func (c *connection[E]) deliver(before Mark) error {
	for {
		if ok, err := c.deliverNext(before); !ok {
			return err
		}
	}
}

// deliverNext sends the oldest pending event, if it was published before the mark; ok is
// false when there is none.
func (c *connection[E]) deliverNext(before Mark) (ok bool, err error) {
	e, ok, ended := c.sub.Next(before)
	switch {
	case ended == ErrSlow:
		return false, slowConsumer
	case ended != nil:
		return false, GoingAway
	case !ok:
		return false, nil
	}
	if err := c.sendEvent(e, false); err != nil {
		return false, err
	}
	return true, nil
}

func (c *connection[E]) sendEvent(e E, again bool) error {
	frame, err := c.encode(e, again)
	if err != nil || frame == nil {
		return err
	}
	c.spent += costLive
	switch {
	case c.channel.Costs != nil && c.channel.Costs(e):
		return c.sendPaid(frame.on(c.Wire))
	case c.batches:
		return c.gather(frame.text)
	}
	return c.add(frame.on(c.Wire))
}

// sendPaid sends a frame that costs a unit once it is delivered.
func (c *connection[E]) sendPaid(frame []byte) error {
	if err := c.account.Hold(access.Unit); err != nil {
		if err := c.sendFrame(errorFrame{"error", "quota_exceeded", problem.From(err).Detail}); err != nil {
			return err
		}
		return quotaUsedUp
	}
	err := c.add(frame)
	if err != nil {
		c.account.Free(access.Unit)
		return err
	}
	c.paid = append(c.paid, len(c.frames))
	return nil
}

// sendFrame encodes and sends a frame of the protocol.
func (c *connection[E]) sendFrame(frame any) error {
	text, err := json.Marshal(frame)
	if err != nil {
		return err
	}
	return c.add(c.frameOf(text))
}

// gather adds an event to the batch, where it waits for others that are due now.
func (c *connection[E]) gather(text []byte) error {
	if c.batched > 0 && len(c.batch)+len(text)+len(",]}") > maxBatch {
		if err := c.seal(); err != nil {
			return err
		}
	}
	if c.batched == 0 {
		buffers.get(&c.batch)
		c.batch = append(c.batch, `{"type":"quotes","data":[`...)
	} else {
		c.batch = append(c.batch, ',')
	}
	c.batch = append(c.batch, text...)
	c.batched++
	return nil
}

// seal adds the batch to the piece, if there is one.
func (c *connection[E]) seal() error {
	n := c.batched
	if n == 0 {
		return nil
	}
	text := append(c.batch, "]}"...)
	var frame []byte
	if c.deflates {
		frame = c.frameOf(text)
	} else {
		buffers.get(&frame)
		frame = appendFrame(frame, websocket.TextMessage, text)
	}
	c.batched = 0
	buffers.put(&c.batch)
	defer buffers.put(&frame)
	return c.place(frame, n)
}

// add seals the batch and adds a frame to the piece.
func (c *connection[E]) add(frame []byte) error {
	if err := c.seal(); err != nil {
		return err
	}
	return c.place(frame, 1)
}

// place adds a frame with so many messages to the piece, after a flush if it does not fit.
func (c *connection[E]) place(frame []byte, messages int32) error {
	if len(c.frames)+len(frame) > maxPiece {
		if err := c.flush(); err != nil {
			return err
		}
	}
	buffers.get(&c.frames)
	c.frames = append(c.frames, frame...)
	c.inPiece.Add(messages)
	return nil
}

// flush writes the piece, and charges the key for what the client received of it.
func (c *connection[E]) flush() error {
	if err := c.seal(); err != nil {
		return err
	}
	if len(c.frames) == 0 {
		return nil
	}
	sent, err := c.write(c.frames)
	delivered := 0
	for _, end := range c.paid {
		if end <= sent {
			delivered++
		}
	}
	c.sockets.Traffic(TransportSocket).deliver(delivered)
	if len(c.paid) > 0 {
		c.account.Pay(int64(len(c.paid))*access.Unit, access.Used{Operation: c.delivering, Units: int64(delivered) * access.Unit})
	}
	if c.spent > 0 {
		c.sockets.Gate.Debit(c.key, c.spent, time.Now())
	}
	c.frames, c.paid, c.spent = c.frames[:0], c.paid[:0], 0
	c.inPiece.Store(0)
	return err
}
