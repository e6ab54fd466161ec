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

// Messages are compressed where a client offers permessage-deflate and there is a place for
// it. Each is compressed for itself: none remembers those before it, so that a message for
// many is compressed once.

const (
	deflated = 1 << 6 // marks the frame of a compressed message
	// deflateBits is the window that compressed messages need: some clients, as those in
	// Python, ask for no more.
	deflateBits = 12
	// minAlone is how many bytes are compressed for one client: shorter messages would save
	// little for the time that it takes.
	minAlone = 1 << 10
)

// narrow matches an offer of a client that has less than deflateBits for a message.
var narrow = regexp.MustCompile(`server_max_window_bits\s*=\s*"?([89]|10|11)\b`)

// mayDeflate takes one of the places of sockets that compress, if the client offers it and
// there is one.
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

// leaveDeflating gives a place back.
func (s *Sockets) leaveDeflating() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deflating--
}

// packer compresses; it takes a megabyte.
type packer struct {
	to bytes.Buffer
	w  *flate.Writer // nil before the first text
}

// packers are as many as can work at once.
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
		if p.to.Cap() > maxMessage { // it was a long one
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
	packed := bytes.TrimSuffix(p.to.Bytes(), []byte("\x00\x00\xff\xff")) // which the client adds again
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
