package stream

import (
	"errors"
	"net"
	"os"
	"sync/atomic"
	"time"
)

// Steady is what lies below a connection of TLS, on which a write that was interrupted
// could never go on: half a record would be followed by another one. So a Wire that nudges
// a write does not interrupt it there; the write tells how far it is, and goes on.
type Steady struct {
	net.Conn
	nudged atomic.Pointer[func(progress bool) (goOn bool)] // nil: a deadline ends a write, as ever
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

// layered is a connection that wraps another, as one of TLS does.
type layered interface{ NetConn() net.Conn }

// steadyBelow returns the steady connection that conn wraps; nil: there is none.
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

// steady lets what the wire writes go on when it is nudged, if the connection needs that.
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
