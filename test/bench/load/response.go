package load

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
)

// response reads an HTTP/1.1 answer piece by piece and keeps only its status
// and how long its body is.
type response struct {
	head    []byte // while it is not complete
	inBody  bool
	status  int
	body    int  // bytes of the body so far
	left    int  // bytes of the body, or of the chunk, that are missing
	chunked bool // what follows is in chunks
	line    []byte
	place   chunkPlace
}

type chunkPlace uint8

const (
	atSize  chunkPlace = iota // the line with the size of a chunk
	inChunk                   // its bytes
	atEnd                     // the end of line after them
	atTail                    // the lines after the last chunk
)

// maxHead bounds the header of an answer, and a line between chunks.
const maxHead = 64 << 10

var errTooMuch = errors.New("the server sent more than its answer")

// take reads the next bytes of an answer and tells whether it is complete.
func (r *response) take(data []byte) (done bool, err error) {
	if !r.inBody {
		if len(r.head) > 0 {
			data = append(r.head, data...)
			r.head = nil
		}
		end := bytes.Index(data, []byte("\r\n\r\n"))
		if end < 0 {
			if len(data) > maxHead {
				return false, errors.New("the header of the answer does not end")
			}
			r.head = bytes.Clone(data)
			return false, nil
		}
		if err := r.begin(data[:end+2]); err != nil {
			return false, err
		}
		data = data[end+4:]
	}
	if r.chunked {
		return r.takeChunks(data)
	}
	if len(data) > r.left {
		return false, errTooMuch
	}
	r.left -= len(data)
	r.body += len(data)
	return r.left == 0, nil
}

// begin reads the header: the first line and those after it, each with its end.
func (r *response) begin(head []byte) (err error) {
	if len(head) < 13 || !bytes.HasPrefix(head, []byte("HTTP/1.1 ")) {
		return fmt.Errorf("not an answer of HTTP/1.1: %.60q", head)
	}
	if r.status, err = strconv.Atoi(string(head[9:12])); err != nil {
		return err
	}
	r.inBody, r.left = true, -1
	for line := range bytes.Lines(head) {
		name, value, _ := bytes.Cut(line, []byte(":"))
		switch value = bytes.TrimSpace(value); {
		case len(name) == len("Content-Length") && bytes.EqualFold(name, []byte("Content-Length")):
			if r.left, err = strconv.Atoi(string(value)); err != nil {
				return err
			}
		case len(name) == len("Transfer-Encoding") && bytes.EqualFold(name, []byte("Transfer-Encoding")):
			r.chunked = bytes.EqualFold(value, []byte("chunked"))
		}
	}
	if r.left < 0 && !r.chunked {
		return errors.New("the answer states neither its length nor that it is chunked")
	}
	return nil
}

func (r *response) takeChunks(data []byte) (done bool, err error) {
	for len(data) > 0 {
		if r.place == inChunk {
			n := min(r.left, len(data))
			r.body, r.left, data = r.body+n, r.left-n, data[n:]
			if r.left == 0 {
				r.place = atEnd
			}
			continue
		}
		end := bytes.IndexByte(data, '\n')
		if end < 0 {
			if r.line = append(r.line, data...); len(r.line) > maxHead {
				return false, errors.New("a line between chunks does not end")
			}
			return false, nil
		}
		line := bytes.TrimSpace(append(r.line, data[:end]...))
		r.line, data = r.line[:0], data[end+1:]
		switch r.place {
		case atEnd:
			r.place = atSize
		case atSize:
			size, _, _ := bytes.Cut(line, []byte(";"))
			n, err := strconv.ParseUint(string(size), 16, 31)
			if err != nil {
				return false, err
			}
			if r.left, r.place = int(n), inChunk; n == 0 {
				r.place = atTail
			}
		case atTail:
			if len(line) == 0 {
				if len(data) > 0 {
					return false, errTooMuch
				}
				return true, nil
			}
		}
	}
	return false, nil
}
