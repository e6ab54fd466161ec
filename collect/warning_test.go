package collect_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piyasa/collect"
)

// doubtful is a source whose second answer is stored with a warning, and that keeps nothing of
// its first.
type doubtful struct{ *counting }

func (d doubtful) Parse(kept json.RawMessage, asked *collect.Request, got *collect.Answer) (*collect.Result, error) {
	r, err := d.counting.Parse(kept, asked, got)
	if err == nil && asked.Path == "number/2" {
		r.Warning = "two is odd"
	}
	return r, err
}

func (doubtful) Redact(asked *collect.Request, got *collect.Answer) []byte {
	if asked.Path == "number/1" {
		return nil
	}
	return append([]byte("less than "), got.Body...)
}

// What is wrong upstream is stored as the status of the source, which goes on; afterwards the
// source is up again.
func TestWarnings(t *testing.T) {
	m := newMemory()
	source := doubtful{&counting{most: 3}}
	c := collector(t, m, source.counting, numbers)
	c.Config.Sources[0].Source = source
	c.Config.Keep = collect.Keep{Folder: t.TempDir(), Days: 1}
	o := c.Once(t.Context())[0]
	if o.Err != nil || o.Warning == nil || o.Warning.Error() != "two is odd" || m.kinds() != "1 2 3 up=false" {
		t.Fatalf("%+v %s", o, m.kinds())
	}
	source.most = 4
	c.Now = func() time.Time { return noon.Add(time.Hour) }
	if o := c.Once(t.Context())[0]; o.Err != nil || o.Warning != nil || m.kinds() != "1 2 3 up=false 4 up=true" {
		t.Errorf("%+v %s", o, m.kinds())
	}
	files, err := filepath.Glob(filepath.Join(c.Config.Keep.Folder, "c", "*.gz"))
	if err != nil || len(files) != 3 {
		t.Errorf("%v, %v", files, err)
	}
	var replayed strings.Builder
	if err := c.Config.Replay(c.Config.Keep.Folder, &replayed); err != nil || replayed.Len() > 0 {
		t.Errorf("an answer is kept as it came: %q, %v", replayed.String(), err)
	}
}

// Records that are refused are reported as the status of the source.
func TestRefusedRecordsAreTold(t *testing.T) {
	m := newMemory()
	c := collector(t, m, &counting{most: 1}, numbers)
	c.Emit = func(ctx context.Context, lines []byte, before func([]collect.Refusal) error) ([]collect.Refusal, error) {
		_, err := m.emit(ctx, lines, before)
		if !strings.Contains(string(lines), `"number"`) {
			return nil, err
		}
		return []collect.Refusal{{Record: 0, Member: "n", Reason: "differs"}}, err
	}
	o := c.Once(t.Context())[0]
	status := m.lines[len(m.lines)-2]
	if o.Err != nil || o.Refused != 1 || m.kinds() != "1 up=false" ||
		status["error"] != "a record of an answer was refused, because n differs" {
		t.Errorf("%+v %s %v", o, m.kinds(), status)
	}
}
