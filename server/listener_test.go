package server_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// listener is a client of server-sent events.
type listener struct {
	t testing.TB
	*http.Response
	lines *bufio.Reader
}

// request sends a request with headers in pairs.
func (b *broadcast) request(method, path, body string, header ...string) *listener {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	b.t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, method, b.url+path, bytes.NewBufferString(body))
	if err != nil {
		b.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	res, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = res.Body.Close() })
	return &listener{b.t, res, bufio.NewReader(res.Body)}
}

// text is the whole body.
func (l *listener) text() string {
	text, _ := io.ReadAll(l.lines)
	return string(text)
}

// hear is the next event in short, with its id; "end" at the end.
func (l *listener) hear() string {
	l.t.Helper()
	fields := map[string]string{}
	for {
		text, err := l.lines.ReadString('\n')
		if err != nil {
			return "end"
		}
		name, value, _ := strings.Cut(strings.TrimSuffix(text, "\n"), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case name != "":
			fields[name] = value
			continue
		case len(fields) == 0: // a comment
			continue
		case fields["retry"] != "":
			return "retry " + fields["retry"]
		}
		said := fields["event"]
		if said == "next" {
			said = short(l.t, json.RawMessage(fields["data"]))
			var named struct {
				ID      string
				Payload json.RawMessage
			}
			if _ = json.Unmarshal([]byte(fields["data"]), &named); named.ID != "" {
				said = named.ID + ": " + short(l.t, named.Payload)
			}
		} else if fields["data"] != "" {
			said += " " + fields["data"]
		}
		if id := fields["id"]; id != "" {
			said += " #" + id
		}
		return said
	}
}

func (l *listener) hears(want ...string) {
	l.t.Helper()
	if l.StatusCode != 200 {
		l.t.Fatalf("%d %s", l.StatusCode, l.text())
	}
	for i, w := range want {
		if got := l.hear(); got != w {
			l.t.Fatalf("event %d is %q, want %q", i+1, got, w)
		}
	}
}
