package command_test

import (
	"strings"
	"testing"
)

// The command prices a document as a server does, which test the server's own tests.
func TestCostOfADocument(t *testing.T) {
	const document = `query Cheap { marketStatus { state } } query Dear($id: ID!, $from: Date) { candles(id: $id, from: $from) { bars { close } } }`
	for name, c := range map[string]struct {
		document string
		args     []string
		status   int
		says     []string
	}{
		"priced": {document, []string{"--variables", `{"id": "bist:A", "from": "2020-01-01"}`}, 0,
			[]string{"operation  cost", "Cheap      602", "Dear       "}},
		"without an id":    {document, nil, 1, []string{"Dear", "id must be defined"}},
		"no JSON":          {document, []string{"--variables", `[1]`}, 2, []string{"must be a JSON object", "[1]"}},
		"no such field":    {`{ nothing }`, nil, 1, []string{`Cannot query field "nothing"`}},
		"no document":      {``, nil, 1, []string{"no operation"}},
		"far too long":     {strings.Repeat(" ", 1<<20+1), nil, 1, []string{"larger than a MiB"}},
		"another argument": {document, []string{"more"}, 2, []string{"more"}},
	} {
		res := run(t, "", c.document, nil, append([]string{"cost", "-"}, c.args...)...)
		if res.status != c.status {
			t.Errorf("%s: status %d: %s%s", name, res.status, res.stdout, res.err)
		}
		for _, says := range c.says {
			if !strings.Contains(res.stdout+res.err, says) {
				t.Errorf("%s: %q is not in %s%s", name, says, res.stdout, res.err)
			}
		}
	}
	if res := run(t, "", "", nil, "cost", "/nowhere/at/all.graphql"); res.status != 1 || !strings.Contains(res.err, "no such file") {
		t.Errorf("%+v", res)
	}
}
