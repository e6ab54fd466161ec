package stream

import (
	"errors"
	"net"
	"os"
	"sync/atomic"
	"time"
)

// Steady is the connection below one of TLS, where an interrupted write could not be
// continued: another record would follow half a record. So when a Wire nudges a write, it
// does not end: it reports whether it has made progress, and continues.
type Steady struct {
	net.Conn
	nudged atomic.Pointer[func(progress bool) (goOn bool)] // nil: a deadline ends a write, as usual
}

// Write implements net.Conn.
func (s *Steady) Write(p []byte) (sent int, err error) {
	for {
		n, err := s.Conn.Write(p[sent:])
		sent += n
		nudged := s.nudged.Load()
		if err == nil || nudged == nil || !errors.Is(err, os.ErrDeadlineExceeded) || !(*nudged)(n > 0) {
			return sent, err
		}
		_ = s.Conn.SetWriteDeadline(time.Time{})
	}
}

// layered is a connection that wraps another, such as one of TLS.
type layered interface{ NetConn() net.Conn }

// steadyBelow returns the Steady that conn wraps, or nil.
func steadyBelow(conn net.Conn) *Steady {
	for conn != nil {
		if s, ok := conn.(*Steady); ok {
			return s
		}
		outer, ok := conn.(layered)
		if !ok {
			return nil
		}
		conn = outer.NetConn()
	}
	return nil
}

// steady makes nudged writes of the wire continue, if it runs over a Steady.
func (w *Wire) steady() {
	below := steadyBelow(w.conn)
	if below == nil {
		return
	}
	goOn := func(progress bool) bool {
		w.noteNudge(progress)
		return !w.cut.Load()
	}
	below.nudged.Store(&goOn)
}
