package queryplan

import "sync"

// Answers are written into reused buffers. Buffers much larger than a usual answer are not
// kept.
const (
	usualBuffer = 4 << 10
	keptBuffer  = 1 << 20
)

var buffers = sync.Pool{New: func() any { return &pooled{make([]byte, 0, usualBuffer)} }}

type pooled struct{ b []byte }

// buffer returns an empty buffer.
func buffer() []byte { return buffers.Get().(*pooled).b[:0] }

// Free returns the data of a response to the pool, once it has been sent; the data must not be
// read afterwards. Without Free, the data is ordinary garbage.
func Free(data []byte) {
	if cap(data) >= usualBuffer && cap(data) <= keptBuffer {
		buffers.Put(&pooled{data})
	}
}
