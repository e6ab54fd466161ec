package ingest_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"piyasa/test/fixture/need"
)

// Every list of every kind at its largest: a line costs time that grows with its length, not with
// the square of it, whether it is accepted or not.
func TestLargestLists(t *testing.T) {
	size := 8 << 20
	if testing.Short() {
		size = 1 << 20
	}
	const limit = 20 * time.Second // a hundred times what it takes; the square took minutes
	s, examples, tried := openFile(t), exampleLines(t), 0
	for kind := range contract {
		for _, m := range membersOf(kind) {
			path, isList := strings.CutSuffix(m.path, "[0]")
			if !isList {
				continue
			}
			tried++
			example := strings.ReplaceAll(examples[kind], "@N", fmt.Sprint(tried))
			line := changed(t, example, path, largest(t, example, path, size))
			began := time.Now()
			r := run(t, s, strings.NewReader(line+"\n"+examples["sector"]+"\n"))
			took := time.Since(began)
			t.Logf("%s of %s: %s, %d refused", path, kind, took, r.Rejected)
			if r.err != nil || r.Read != 2 || took > limit {
				t.Errorf("%s of %s, %d bytes: %s, read %d, %v", path, kind, len(line), took, r.Read, r.err)
			}
		}
	}
}

// A record has at most 10,000 codes.
func TestMostCodes(t *testing.T) {
	s := openFile(t)
	for n, refused := range map[int]int{10_000: 0, 10_001: 1} {
		codes := make([]string, n)
		for i := range codes {
			codes[i] = fmt.Sprintf("A%05d", i)
		}
		symbols, err := json.Marshal(codes)
		need.NoError(t, err)
		r := run(t, s, strings.NewReader(fmt.Sprintf(`{"record":"news","news_id":"n%d","title":"Many","published_at":"2026-03-02T08:00:00Z","symbols":%s}`, n, symbols)))
		if r.err != nil || r.Rejected != refused || refused > 0 &&
			!strings.Contains(r.messages, "symbols: must have at most 10000 elements") {
			t.Errorf("%d: %+v %s", n, r.Counts, r.messages)
		}
	}
}

// largest returns a list of so many bytes: elements like the first of the line's, whose texts differ.
func largest(t *testing.T, line, path string, size int) string {
	t.Helper()
	var element any = ""
	need.NoError(t, json.Unmarshal([]byte(elementOf(t, line, path)), &element))
	var out strings.Builder
	out.WriteByte('[')
	for n := 0; out.Len() < size; n++ {
		if n > 0 {
			out.WriteByte(',')
		}
		text := fmt.Sprintf("A%07d", n)
		switch of := element.(type) {
		case string:
			if strings.Contains(of, ":") {
				text = "bist:" + text
			}
			fmt.Fprintf(&out, "%q", text)
		case map[string]any:
			for _, name := range []string{"symbol", "code", "id", "name", "key", "concept", "url", "path"} {
				if _, ok := of[name].(string); ok {
					of[name] = text
					break
				}
			}
			one, err := json.Marshal(of)
			need.NoError(t, err)
			out.Write(one)
		default:
			t.Fatalf("%s: %v", path, element)
		}
	}
	return out.String() + "]"
}

// elementOf returns the first element of a list of a line.
func elementOf(t *testing.T, line, path string) string {
	t.Helper()
	var at any
	need.NoError(t, json.Unmarshal([]byte(line), &at))
	for _, step := range strings.Split(strings.ReplaceAll(path, "[0]", ".0"), ".") {
		switch of := at.(type) {
		case map[string]any:
			at = of[step]
		case []any:
			at = of[0]
		}
	}
	list, _ := at.([]any)
	text, err := json.Marshal(list[0])
	need.NoError(t, err)
	return string(text)
}
