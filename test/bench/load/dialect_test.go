package load

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"piyasa/test/fixture/need"
)

func TestFramesOfAServer(t *testing.T) {
	for _, length := range []int{0, 1, 125, 126, 65_535, 65_536} {
		frame := []byte{0x81}
		switch {
		case length < 126:
			frame = append(frame, byte(length))
		case length < 65_536:
			frame = append(frame, 126, byte(length>>8), byte(length))
		default:
			frame = append(frame, 127, 0, 0, 0, 0, 0, byte(length>>16), byte(length>>8), byte(length))
		}
		payload := bytes.Repeat([]byte("x"), length)
		frame = append(frame, payload...)
		for _, part := range []int{0, 1, 3, len(frame) - 1} {
			if part >= len(frame) {
				continue
			}
			if _, size, err := nextFrame(frame[:part]); size != 0 || err != nil {
				t.Errorf("%d of %d bytes: size %d, %v", part, len(frame), size, err)
			}
		}
		got, size, err := nextFrame(append(frame, "more"...))
		if err != nil || size != len(frame) || !bytes.Equal(got, payload) {
			t.Errorf("a payload of %d bytes: size %d of %d, %v", length, size, len(frame), err)
		}
	}
	for name, frame := range map[string]string{
		"a close": "\x88\x02\x11\x4d", "a ping": "\x89\x00", "a part of a message": "\x01\x01x",
		"one too long": "\x81\x7f\xff\xff\xff\xff\xff\xff\xff\xff",
	} {
		if _, _, err := nextFrame([]byte(frame)); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

func TestFramesOfAClientAreMasked(t *testing.T) {
	for _, length := range []int{1, 125, 126, 300} {
		text := strings.Repeat("a", length)
		frame := Frame(text)
		header := 2
		if length > 125 {
			header = 4
		}
		if frame[0] != 0x81 || frame[1]&0x80 == 0 || len(frame) != header+4+length {
			t.Fatalf("%d bytes make a frame of %d that begins %x", length, len(frame), frame[:4])
		}
		mask, payload := frame[header:header+4], slices.Clone(frame[header+4:])
		for i := range payload {
			payload[i] ^= mask[i%4]
		}
		if string(payload) != text {
			t.Errorf("unmasked: %q", payload)
		}
	}
}

func TestMessagesOfNATS(t *testing.T) {
	data := []byte("MSG x 1 7\r\na\r\nbcde\r\nPONG\r\nMSG x 1 3\r\nab")
	var got []string
	for {
		message, size, err := nextMessage(data)
		need.NoError(t, err)
		if size == 0 {
			break
		}
		got, data = append(got, string(message)), data[size:]
	}
	if want := []string{"a\r\nbcde", "PONG"}; !slices.Equal(got, want) || string(data) != "MSG x 1 3\r\nab" {
		t.Errorf("%q and %q left", got, data)
	}
	for _, wrong := range []string{"-ERR 'Slow Consumer'\r\n", "MSG x 1 99999999\r\n"} {
		if _, _, err := nextMessage([]byte(wrong)); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
}

func TestNumbersInAMessage(t *testing.T) {
	var got []int
	add := func(n int) error {
		got = append(got, n)
		return nil
	}
	if err := numbers([]byte(`{"disclosure_index":12,"x":1}`+"\n"+`{"data":{"disclosure_index":345}}`), add); err != nil ||
		!slices.Equal(got, []int{12, 345}) {
		t.Errorf("%v, %v", got, err)
	}
	stop := errors.New("stop")
	if err := numbers([]byte(`"disclosure_index":1`), func(int) error { return stop }); err != stop {
		t.Errorf("an error of the caller becomes %v", err)
	}
}
