package stream

import "sync"

// buffers is a pool of buffers for pieces, so that only connections that are sending have
// one.
var buffers bufferPool

type bufferPool struct{ free sync.Pool }

// get makes sure that a buffer has memory.
func (p *bufferPool) get(buffer *[]byte) {
	if *buffer != nil {
		return
	}
	if kept, ok := p.free.Get().(*[maxPiece]byte); ok {
		*buffer = kept[:0]
		return
	}
	*buffer = make([]byte, 0, maxPiece)
}

// put takes the memory of a buffer back.
func (p *bufferPool) put(buffer *[]byte) {
	if cap(*buffer) == maxPiece { // otherwise it has grown for a long frame
		p.free.Put((*[maxPiece]byte)((*buffer)[:maxPiece]))
	}
	*buffer = nil
}
