package load

import (
	"strings"
	"testing"
)

const (
	head    = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	counted = head + "content-length: 5\r\n\r\nhello"
	chunks  = head + "Transfer-Encoding: chunked\r\n\r\n3;x=y\r\nhel\r\n2\r\nlo\r\n0\r\nTrailer: x\r\n\r\n"
)

func TestAnswersArriveInPieces(t *testing.T) {
	for _, answer := range []string{counted, chunks, head + "Content-Length: 0\r\n\r\n"} {
		for size := 1; size <= len(answer); size++ {
			var r response
			done := false
			for at := 0; at < len(answer); at += size {
				if done {
					t.Fatalf("complete too early, in pieces of %d: %q", size, answer)
				}
				var err error
				if done, err = r.take([]byte(answer[at:min(len(answer), at+size)])); err != nil {
					t.Fatalf("pieces of %d of %q: %v", size, answer, err)
				}
			}
			want := 5
			if strings.Contains(answer, "Length: 0") {
				want = 0
			}
			if !done || r.status != 200 || r.body != want {
				t.Errorf("pieces of %d of %q: done %t, status %d, %d bytes", size, answer, done, r.status, r.body)
			}
		}
	}
}

func TestWrongAnswers(t *testing.T) {
	for name, answer := range map[string]string{
		"of another protocol":   "SSH-2.0-OpenSSH\r\n\r\n",
		"without a status":      "HTTP/1.1 abc OK\r\n\r\n",
		"without a length":      head + "\r\nhello",
		"with a wrong length":   head + "Content-Length: five\r\n\r\nhello",
		"longer than stated":    counted + "!",
		"with a wrong chunk":    head + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n",
		"with more than chunks": chunks + "!",
		"whose header is long":  strings.Repeat("x", maxHead+1),
		"whose chunk is long":   head + "Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat("0", maxHead+1),
	} {
		var r response
		if _, err := r.take([]byte(answer)); err == nil {
			t.Errorf("an answer %s is taken", name)
		}
	}
}

func FuzzResponse(f *testing.F) {
	f.Add([]byte(counted), 7)
	f.Add([]byte(chunks), 3)
	f.Fuzz(func(t *testing.T, answer []byte, at int) {
		if at < 0 || at > len(answer) {
			return
		}
		var whole, parted response
		done, err := whole.take(answer)
		first, failed := parted.take(answer[:at])
		if first || failed != nil {
			return // complete or wrong before the second part
		}
		again, failed := parted.take(answer[at:])
		if (err == nil) != (failed == nil) && !errorsOfLength(err, failed) {
			t.Fatalf("%v in one piece, %v in two", err, failed)
		}
		if err == nil && (done != again || whole.body != parted.body || whole.status != parted.status) {
			t.Fatalf("%t, %d bytes in one piece; %t, %d bytes in two", done, whole.body, again, parted.body)
		}
	})
}

// errorsOfLength tells whether one of the errors is of a bound on what is kept between pieces.
func errorsOfLength(errs ...error) bool {
	for _, err := range errs {
		if err != nil && strings.Contains(err.Error(), "does not end") {
			return true
		}
	}
	return false
}
