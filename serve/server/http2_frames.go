package server

import (
	"net"
	"sync/atomic"
	"time"
)

// The preface of HTTP/2, and of its frames the length of headers, some types and a flag (RFC
// 9113).
const (
	preface          = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
	headOfFrame      = 9
	frameData        = 0
	frameHeaders     = 1
	frameContinued   = 9
	flagEndOfHeaders = 4
)

// frames follows the bytes received on a connection. If they are HTTP/2 and something that has
// begun does not end in time, it closes the connection; net/http would wait for as long as the
// client answers pings. The first headers, and a frame or a block of headers, have
// headerTimeout; a frame of a body has readTimeout.
type frames struct {
	spoken atomic.Bool // the preface is complete; atomic, since writes also ask

	begun int  // bytes of the preface received
	plain bool // the connection speaks HTTP/1
	head  []byte
	left  int           // bytes left of a frame's payload
	data  bool          // the payload is part of a body
	block bool          // frames must follow until the end of the headers
	asked bool          // the first headers have begun
	limit time.Duration // the timeout that late runs for; 0: it does not run
	late  *time.Timer
}

// areSpoken reports whether the connection speaks HTTP/2.
func (f *frames) areSpoken() bool { return f.spoken.Load() }

// follow reads the bytes received on conn.
func (f *frames) follow(b []byte, conn net.Conn) {
	for len(b) > 0 && !f.plain {
		n := 0
		switch {
		case !f.areSpoken():
			n = min(len(b), len(preface)-f.begun)
			f.plain = string(b[:n]) != preface[f.begun:f.begun+n]
			f.begun += n
			f.spoken.Store(!f.plain && f.begun == len(preface))
		case f.left > 0:
			n = min(len(b), f.left)
			f.left -= n
		default:
			n = min(len(b), headOfFrame-len(f.head))
			if f.head = append(f.head, b[:n]...); len(f.head) == headOfFrame {
				f.begin()
			}
		}
		b = b[n:]
	}
	if f.plain {
		return
	}
	limit := time.Duration(0)
	switch {
	case f.left > 0 && f.data:
		limit = readTimeout
	case f.left > 0 || f.block || len(f.head) > 0 || f.areSpoken() && !f.asked:
		limit = headerTimeout
	}
	if limit != f.limit {
		f.await(limit, conn)
	}
}

// begin reads the header of a frame.
func (f *frames) begin() {
	kind, flags := f.head[3], f.head[4]
	f.left = int(f.head[0])<<16 | int(f.head[1])<<8 | int(f.head[2])
	f.data, f.asked = kind == frameData, f.asked || kind == frameHeaders
	f.block = (kind == frameHeaders || kind == frameContinued) && flags&flagEndOfHeaders == 0
	f.head = f.head[:0]
}

// await sets the timeout of what has begun; 0: nothing has.
func (f *frames) await(limit time.Duration, conn net.Conn) {
	switch f.limit = limit; {
	case limit == 0:
		f.late.Stop()
	case f.late == nil:
		f.late = time.AfterFunc(limit, func() { _ = conn.Close() })
	default:
		f.late.Reset(limit)
	}
}
