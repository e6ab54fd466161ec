package stream

import "time"

// When a client that reads too slowly, or has stopped reading, is closed (4429).
const (
	maxWaiting  = 512              // frames that may wait for a client that has stopped reading
	WriteWait   = 30 * time.Second // in which the client receives nothing of what waits for it
	StoppedWait = 3 * time.Second  // the same, if maxWaiting frames wait
)

// hasStopped reports whether to close a client that has received nothing for the time idle:
// always after WriteWait, and after StoppedWait if too many frames wait for it.
func (w *Wire) hasStopped(idle time.Duration) bool {
	return idle >= WriteWait || idle >= StoppedWait && w.full != nil && w.full()
}

// isFull reports whether maxWaiting frames wait for the client, which has stopped reading.
func (c *connection[E]) isFull() bool {
	c.mu.Lock()
	sub := c.sub
	c.mu.Unlock()
	return sub != nil && int(c.inPiece.Load())+sub.Waiting(maxWaiting) >= maxWaiting
}
