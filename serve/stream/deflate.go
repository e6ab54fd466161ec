package stream

import (
	"bytes"
	"net/http"
	"regexp"
	"runtime"
	"strings"
	"sync"

	"github.com/gorilla/websocket"
	"github.com/klauspost/compress/flate"
)

// Messages are compressed if a client offers permessage-deflate and fewer than Deflating
// WebSockets compress. Each message is compressed without the context of earlier ones, so
// that a message for many clients is compressed once.

const (
	deflated = 1 << 6 // marks the frame of a compressed message
	// deflateBits is the window size of compressed messages (as a power of 2). Some clients,
	// such as those in Python, ask for no more.
	deflateBits = 12
	// minAlone is the length in bytes from which a message to one client is compressed: a
	// shorter one would save too little for the time that it takes.
	minAlone = 1 << 10
)

// narrow matches an offer with a window smaller than deflateBits.
var narrow = regexp.MustCompile(`server_max_window_bits\s*=\s*"?([89]|10|11)\b`)

// mayDeflate reports whether a socket may compress, and counts it: the client must offer
// compression, and fewer than Deflating sockets may compress so far.
func (s *Sockets) mayDeflate(h http.Header) bool {
	offer := strings.Join(h.Values("Sec-WebSocket-Extensions"), ",")
	if !strings.Contains(offer, "permessage-deflate") || narrow.MatchString(offer) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.deflating >= s.Deflating {
		return false
	}
	s.deflating++
	return true
}

// leaveDeflating counts one compressing socket less.
func (s *Sockets) leaveDeflating() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deflating--
}

// packer compresses texts; it takes a megabyte of memory.
type packer struct {
	to bytes.Buffer
	w  *flate.Writer // nil before the first text
}

// packers holds one packer for each processor.
var packers = make(chan *packer, runtime.GOMAXPROCS(0))

func init() {
	for range cap(packers) {
		packers <- new(packer)
	}
}

// deflatedFrame returns the frame of a text, compressed if that makes it shorter.
func deflatedFrame(text []byte) []byte {
	p := <-packers
	defer func() {
		if p.to.Cap() > maxMessage { // a long message has grown the buffer
			p.to = bytes.Buffer{}
		}
		packers <- p
	}()
	if p.w == nil {
		p.w, _ = flate.NewWriterWindow(nil, 1<<deflateBits)
	}
	p.to.Reset()
	p.w.Reset(&p.to)
	_, _ = p.w.Write(text) // into memory
	_ = p.w.Flush()
	packed := bytes.TrimSuffix(p.to.Bytes(), []byte("\x00\x00\xff\xff")) // the client adds these bytes again
	if len(packed) >= len(text) {
		return textFrame(text)
	}
	return appendFrame(make([]byte, 0, maxHeader+len(packed)), websocket.TextMessage|deflated, packed)
}

// frameOf returns the frame of a text for this wire alone.
func (w *Wire) frameOf(text []byte) []byte {
	if w.deflates && len(text) >= minAlone {
		return deflatedFrame(text)
	}
	return textFrame(text)
}

// sharedFrame is the frame of a text for many wires.
type sharedFrame struct {
	plain []byte
	text  []byte // in plain

	once     sync.Once
	deflated []byte // made for the first wire that compresses
}

func newSharedFrame(text []byte) *sharedFrame {
	plain := textFrame(text)
	return &sharedFrame{plain: plain, text: plain[len(plain)-len(text):]}
}

// on returns the frame for a wire.
func (f *sharedFrame) on(w *Wire) []byte {
	if !w.deflates {
		return f.plain
	}
	f.once.Do(func() { f.deflated = deflatedFrame(f.text) })
	return f.deflated
}
