package load

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
)

// Dialect is how a server delivers events.
type Dialect struct {
	// Greeting is the opening message of a client, and the reply that it waits for.
	Greeting []Exchange
	// next cuts the first message off data: its size, 0 while it is not complete.
	next func(data []byte) (message []byte, size int, err error)
}

// Exchange is a step of a greeting.
type Exchange struct {
	Say   []byte
	Until string // part of the message that answers
}

// WebSocket upgrades at a path and says text frames, each with its answer.
func WebSocket(path string, frames ...[2]string) Dialect {
	d := Dialect{next: nextFrame, Greeting: []Exchange{{
		Say: []byte("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
			"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"),
		Until: "\r\n\r\n",
	}}}
	for _, f := range frames {
		d.Greeting = append(d.Greeting, Exchange{Frame(f[0]), f[1]})
	}
	return d
}

// NATS subscribes to a subject in the protocol of NATS.
func NATS(subject string) Dialect {
	return Dialect{next: nextMessage, Greeting: []Exchange{{
		[]byte("CONNECT {\"verbose\":false,\"pedantic\":false,\"headers\":false}\r\nSUB " + subject + " 1\r\nPING\r\n"), "PONG",
	}}}
}

// Frame returns a text frame of a client, which is masked.
func Frame(text string) []byte {
	frame := []byte{0x81}
	if n := len(text); n < 126 {
		frame = append(frame, 0x80|byte(n))
	} else {
		frame = binary.BigEndian.AppendUint16(append(frame, 0x80|126), uint16(n))
	}
	mask := binary.BigEndian.AppendUint32(nil, rand.Uint32())
	frame = append(frame, mask...)
	for i := range len(text) {
		frame = append(frame, text[i]^mask[i%4])
	}
	return frame
}

// nextFrame reads a frame of a server, which is not masked.
func nextFrame(data []byte) (payload []byte, size int, err error) {
	if len(data) < 2 {
		return nil, 0, nil
	}
	header, length := 2, uint64(data[1])
	switch length {
	case 126:
		if header = 4; len(data) < header {
			return nil, 0, nil
		}
		length = uint64(binary.BigEndian.Uint16(data[2:]))
	case 127:
		if header = 10; len(data) < header {
			return nil, 0, nil
		}
		length = binary.BigEndian.Uint64(data[2:])
	}
	if length > maxMessage {
		return nil, 0, fmt.Errorf("a frame of %d bytes", length)
	}
	if size = header + int(length); len(data) < size {
		return nil, 0, nil
	}
	payload = data[header:size]
	switch kind := data[0] & 15; {
	case kind == 8 && len(payload) >= 2:
		return nil, 0, fmt.Errorf("the server closed a connection: %d %s", binary.BigEndian.Uint16(payload), payload[2:])
	case kind > 2 || data[0]&0x80 == 0:
		return nil, 0, fmt.Errorf("an unexpected frame, %#x", data[0])
	}
	return payload, size, nil
}

// maxMessage bounds what a server may send at once.
const maxMessage = 16 << 20

// nextMessage reads a message of NATS, or a line of its protocol.
func nextMessage(data []byte) (message []byte, size int, err error) {
	end := bytes.Index(data, []byte("\r\n"))
	if end < 0 {
		return nil, 0, nil
	}
	line := data[:end]
	if !bytes.HasPrefix(line, []byte("MSG ")) {
		if bytes.HasPrefix(line, []byte("-ERR")) {
			return nil, 0, errors.New("the server said " + string(line))
		}
		return line, end + 2, nil
	}
	length := 0
	for _, c := range line[bytes.LastIndexByte(line, ' ')+1:] {
		length = length*10 + int(c-'0')
	}
	if length < 0 || length > maxMessage {
		return nil, 0, fmt.Errorf("a message of %d bytes", length)
	}
	if size = end + 2 + length + 2; len(data) < size {
		return nil, 0, nil
	}
	return data[end+2 : size-2], size, nil
}

var numberName = []byte(`"disclosure_index":`)

// numbers calls each with the number of every disclosure in a message; some
// servers put several into one.
func numbers(message []byte, each func(number int) error) error {
	for {
		at := bytes.Index(message, numberName)
		if at < 0 {
			return nil
		}
		message = message[at+len(numberName):]
		number := 0
		for len(message) > 0 && message[0] >= '0' && message[0] <= '9' {
			number, message = number*10+int(message[0]-'0'), message[1:]
		}
		if err := each(number); err != nil {
			return err
		}
	}
}
