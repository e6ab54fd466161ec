package stream

import (
	"context"
	"log/slog"
)

// replay sends stored events; meanwhile new ones wait in the subscription.
func (c *connection[E]) replay(ctx context.Context, topics []string, afterIndex, upToSeq int64) error {
	done := replayDoneFrame{"replay_done", afterIndex, false}
	if len(topics) > 0 {
		c.sockets.Traffic(TransportSocket).replay()
		sending := c.flush()
		if sending != nil {
			return sending
		}
		ctx, end := c.replaying(ctx)
		defer end()
		last, truncated, err := c.channel.Replay(ctx, topics, afterIndex, upToSeq, func(page [][]byte) error {
			for _, text := range page {
				if sending = c.sendPaid(c.frameOf(text)); sending != nil {
					return sending
				}
			}
			if sending = c.flush(); sending != nil {
				return sending
			}
			return c.sockets.Gate.DebitAndWait(ctx, c.key, costReplayed*len(page))
		})
		if sending != nil {
			return sending
		}
		done.LastIndex, done.Truncated = last, truncated
		if ctx.Err() != nil { // the client has left
			return errClosing
		}
		if err != nil {
			slog.ErrorContext(c.ctx, "a replay failed", "error", err)
			done.Truncated = true
			if err := c.sendFrame(replayError); err != nil {
				return err
			}
		}
	}
	return c.sendFrame(done)
}

// cancel ends the running replay, and any that begins later.
func (c *connection[E]) cancel() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	if c.endReplay != nil {
		c.endReplay()
	}
}

// replaying derives the context of a replay; it also ends with the reader.
func (c *connection[E]) replaying(of context.Context) (ctx context.Context, done func()) {
	ctx, cancel := context.WithCancel(of)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.endReplay = cancel; c.over {
		cancel()
	}
	return ctx, func() {
		cancel()
		c.mu.Lock()
		defer c.mu.Unlock()
		c.endReplay = nil
	}
}
