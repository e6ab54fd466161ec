package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// Whatever JSON is fitted stays JSON, is short enough, and unchanged if it was.
func FuzzFit(f *testing.F) {
	rows := make([]string, 3_000)
	for i := range rows {
		rows[i] = fmt.Sprintf(`{"t":"2026-03-%02d","close":"%d.50","of":[1,2,{"x":null}]}`, i%31, i)
	}
	for _, seed := range []string{
		`{}`, `[]`, `"x"`, `null`, `1e400`, `{"a":1,"a":2}`, `[[],[]]`, `[{},{}]`, `{"rows":[` + strings.Join(rows, ",") + `]}`, `[` +
			strings.Join(rows, ",") + `]`,
		`{"text":"` + strings.Repeat("Kâr payı ", 5_000) + `"}`, `{"n":[` + strings.Repeat(`"\u0000",`, 4_000) + `0]}`,
		strings.Repeat("[", 500) + strings.Repeat("]", 500),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := parse([]byte(text))
		if err != nil || !json.Valid([]byte(text)) {
			return
		}
		out, err := fit(n, "rest")
		if err != nil {
			return
		}
		if !json.Valid([]byte(out)) || tokens([]byte(out)) > maxAnswer {
			t.Errorf("%d tokens: %.300s", tokens([]byte(out)), out)
		}
		if whole := n.json(); tokens([]byte(whole)) <= maxAnswer && out != whole {
			t.Errorf("%.300s became %.300s", whole, out)
		}
	})
}
