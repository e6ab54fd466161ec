package stream

import (
	"time"

	"go.opentelemetry.io/otel/attribute"

	"piyasa/account/access"
	"piyasa/internal/spans"
)

// command is a message to be handled in order; wrong is the error if it could not be read.
type command struct {
	message
	wrong error
}

// push queues a command. If the queue is full, it returns a channel that is closed once
// there may be room.
func (c *connection[E]) push(cmd command) (room <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.commands) == maxPending {
		if c.room == nil {
			c.room = make(chan struct{})
		}
		return c.room
	}
	c.commands = append(c.commands, cmd)
	c.task.wake()
	return nil
}

// pop removes the first command.
func (c *connection[E]) pop() (cmd command, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.commands) == 0 {
		return cmd, false
	}
	if cmd, c.commands = c.commands[0], c.commands[1:]; len(c.commands) == 0 {
		c.commands = nil
	}
	if c.room != nil {
		close(c.room)
		c.room = nil
	}
	return cmd, true
}

// handle executes a command.
func (c *connection[E]) handle(cmd command) error {
	switch {
	case cmd.wrong != nil:
		return c.rejectMessage(cmd.wrong.Error())
	case cmd.action == "subscribe":
		return c.subscribe(cmd.message)
	case cmd.action == "unsubscribe":
		topics, _ := c.topics(cmd.ids)
		return c.sendFrame(unsubscribedFrame{"unsubscribed", append([]string{}, c.sub.Unfollow(topics)...)})
	case c.token != "" && (cmd.apiKey == "" || cmd.apiKey == c.token):
		c.token = "" // the client has had its auth_ok; it may send auth all the same
		return nil
	}
	return c.rejectMessage("auth must be sent first and only once")
}

// rejectMessage answers a bad message. The one that reaches maxBadMessages ends the connection.
func (c *connection[E]) rejectMessage(what string) error {
	c.rejected++
	if err := c.sendFrame(errorFrame{"error", "bad_message", what}); err != nil {
		return err
	}
	if c.rejected == maxBadMessages {
		return badMessages
	}
	return nil
}

// topics returns the valid topics among the ids of a message, and the invalid ids.
func (c *connection[E]) topics(ids []string) (valid, invalid []string) {
	return topicsOf(ids, func(text string) (string, bool) { return c.channel.Topic(c.key, text) })
}

// successors returns the new ids of instruments that had one of ids before.
func (c *connection[E]) successors(ids []string) []*Succession {
	if c.channel.Successors == nil {
		return nil
	}
	return c.channel.Successors(ids)
}

func (c *connection[E]) subscribe(m message) error {
	ctx, span := spans.Begin(c.ctx, "subscribe")
	defer span.End()
	if span.IsRecording() {
		span.SetAttributes(attribute.String("http.route", c.operation), attribute.Int("piyasa.topics", len(m.ids)),
			attribute.Bool("piyasa.replay", m.after != nil))
	}
	c.sockets.Gate.Debit(c.key, access.BaseCost, time.Now())
	valid, invalid := c.topics(m.ids)
	active := c.sub.Topics()
	for _, topic := range valid {
		if !c.sub.Follows(topic) {
			active++
		}
	}
	if active > maxTopics {
		return c.sendFrame(limitError)
	}
	position, now := c.sub.Follow(valid)
	if err := c.deliver(now); err != nil {
		return err
	}
	if err := c.sendFrame(subscribedFrame{"subscribed", valid, invalid, c.successors(invalid)}); err != nil {
		return err
	}
	if m.batch != nil {
		c.batches = *m.batch
	}
	if c.channel.Current != nil {
		for _, e := range c.channel.Current(valid) {
			if err := c.sendEvent(e, true); err != nil {
				return err
			}
		}
	}
	if m.after == nil || c.channel.Replay == nil {
		return nil
	}
	return c.replay(ctx, valid, *m.after, position.Seq)
}
