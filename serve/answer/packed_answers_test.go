package answer_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"piyasa/account/access"
	"piyasa/serve/answer"
	"piyasa/test/fixture/need"
)

// unpacked returns what is packed as one member of gzip, and nothing after it.
func unpacked(t *testing.T, packed []byte) string {
	t.Helper()
	from := bytes.NewReader(packed)
	unzip, err := gzip.NewReader(from)
	need.NoError(t, err)
	unzip.Multistream(false)
	text, err := io.ReadAll(unzip)
	if err != nil || from.Len() > 0 {
		t.Fatalf("%v; %d bytes are left", err, from.Len())
	}
	return string(text)
}

// A kept answer is packed once, and has the end of each call.
func TestPackedAnswers(t *testing.T) {
	long := strings.Repeat(`{"t":1773834300,"close":"12.34"},`, 5000)
	for body, packs := range map[string]bool{long: true, long[:1024]: true, long[:1023]: false, "": false} {
		k := &answer.Kept{Media: "application/json", Body: []byte(body)}
		for _, end := range []string{"", "}\n", strings.Repeat("x", 65_535), strings.Repeat("y", 200_000)} {
			k.End = func(b []byte, _ *access.Call) []byte { return append(b, end...) }
			for accepts, wants := range map[string]bool{"gzip": true, "br;q=1, GZIP;q=0.5": true, "gzip;q=0": false,
				"br": false, "": false} {
				for _, method := range []string{"GET", "POST", "HEAD"} {
					r := httptest.NewRequest(method, "/", nil)
					if accepts != "" {
						r.Header.Set("Accept-Encoding", accepts)
					}
					ctx, _ := access.WithCall(r.Context(), &access.Key{})
					w := httptest.NewRecorder()
					k.Write(w, r.WithContext(ctx))
					res := w.Result()
					sent, err := io.ReadAll(res.Body)
					if err != nil || res.StatusCode != http.StatusOK || res.Header.Get("Content-Length") != strconv.Itoa(len(sent)) {
						t.Fatal(err, res.Status, res.Header)
					}
					want := packs && wants && method != "HEAD"
					if got := res.Header.Get("Content-Encoding") == "gzip"; got != want {
						t.Errorf("%d bytes for %s %q: packed %t", len(body), method, accepts, got)
					} else if got {
						sent = []byte(unpacked(t, sent))
					}
					if string(sent) != body+end {
						t.Errorf("%d bytes for %s %q are not what they were", len(body), method, accepts)
					}
				}
			}
		}
	}
}

func FuzzPacked(f *testing.F) {
	f.Add([]byte("a"), []byte("end"), uint16(2000))
	f.Fuzz(func(t *testing.T, part, end []byte, times uint16) {
		body := bytes.Repeat(part, int(times))
		if len(body) < 1024 || len(body) > 1<<20 {
			return
		}
		k := &answer.Kept{Body: body, End: func(b []byte, _ *access.Call) []byte { return append(b, end...) }}
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept-Encoding", "gzip")
		ctx, _ := access.WithCall(r.Context(), &access.Key{})
		w := httptest.NewRecorder()
		k.Write(w, r.WithContext(ctx))
		if got := unpacked(t, w.Body.Bytes()); got != string(body)+string(end) {
			t.Errorf("%d bytes are not what they were", len(body)+len(end))
		}
	})
}
