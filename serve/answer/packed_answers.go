package answer

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"net/http"
	"strings"
	"sync"

	"github.com/klauspost/compress/flate"
)

// packed is a body compressed with gzip, without its last block, since each call may have its
// own end.
type packed struct {
	blocks []byte
	sum    uint32 // of the body
	size   uint32
}

// MinPacked is the fewest bytes of a body that are worth compressing.
const MinPacked = 1024

const packLevel = flate.BestSpeed

// gzipHead says deflate, no name, no time, and no system.
var gzipHead = []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff}

var packers = sync.Pool{New: func() any {
	z, err := flate.NewWriter(nil, packLevel)
	if err != nil {
		panic(err) // the level is a constant
	}
	return z
}}

func pack(body []byte) *packed {
	out := bytes.NewBuffer(make([]byte, 0, len(body)/8+len(gzipHead)))
	out.Write(gzipHead)
	z := packers.Get().(*flate.Writer)
	defer packers.Put(z)
	z.Reset(out)
	_, _ = z.Write(body) // a buffer takes everything
	_ = z.Flush()        // pads to a whole byte
	return &packed{bytes.Clone(out.Bytes()), crc32.ChecksumIEEE(body), uint32(len(body))}
}

// maxStored is the longest uncompressed block, in bytes.
const maxStored = 65_535

// end returns the rest after the blocks: the end of the body, uncompressed, and of the gzip file.
func (p *packed) end(text []byte) []byte {
	sum := crc32.Update(p.sum, crc32.IEEETable, text)
	size := p.size + uint32(len(text))
	b := make([]byte, 0, len(text)+5*(len(text)/maxStored+1)+8)
	for last := false; !last; {
		some := text[:min(len(text), maxStored)]
		text = text[len(some):]
		if last = len(text) == 0; last {
			b = append(b, 1)
		} else {
			b = append(b, 0)
		}
		b = binary.LittleEndian.AppendUint16(b, uint16(len(some)))
		b = binary.LittleEndian.AppendUint16(b, ^uint16(len(some)))
		b = append(b, some...)
	}
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b, sum), size)
}

// Pack compresses the body if the client of r accepts that and it is worth it, and keeps the
// result. It takes a millisecond for each 100 kB, so call it within the request's turn.
func (k *Kept) Pack(r *http.Request) { k.packedFor(r) }

// packedFor returns the compressed body for the client of r, or nil.
func (k *Kept) packedFor(r *http.Request) *packed {
	accepted := r.Header["Accept-Encoding"]
	if len(k.Body) < MinPacked || accepted == nil || r.Method == http.MethodHead ||
		PreferenceFor(strings.Join(accepted, ","), "gzip").Q <= 0 {
		return nil
	}
	k.packing.Do(func() { k.packed = pack(k.Body) })
	return k.packed
}
