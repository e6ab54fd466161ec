package queryplan

import "sync"

// Answers are written into buffers that are used again. What is larger than a
// usual answer is not kept.
const (
	usualBuffer = 4 << 10
	keptBuffer  = 1 << 20
)

var buffers = sync.Pool{New: func() any { return &pooled{make([]byte, 0, usualBuffer)} }}

type pooled struct{ b []byte }

// buffer returns an empty buffer.
func buffer() []byte { return buffers.Get().(*pooled).b[:0] }

// Free returns the data of a response that has been sent to the pool; it must not
// be read afterwards. Data that is not returned is garbage like any other.
func Free(data []byte) {
	if cap(data) >= usualBuffer && cap(data) <= keptBuffer {
		buffers.Put(&pooled{data})
	}
}
