package ipo_test

import (
	"strings"
	"testing"
	"time"

	"piyasa/internal/attachment"
	"piyasa/internal/problem"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
)

// A document takes its link and nothing else.
func TestDocument(t *testing.T) {
	r := recordOf("a/b c", "", "", "")
	r.Documents = []attachment.Document{{Name: "1", Location: "one"}, {Name: "2", Location: "two"}}
	other := recordOf("other", "", "", "")
	other.Documents = r.Documents
	x := newFixture(r, other)
	one, err := x.Ipo(calls.Anyone(), r.ID)
	need.NoError(t, err)
	prefix := "https://api.example.test/v1/ipo/a%2Fb%20c/documents/2?"
	query, ok := strings.CutPrefix(one.Documents[1].URL, prefix)
	if !ok {
		t.Fatalf("link %s", one.Documents[1].URL)
	}
	expires, signature, _ := strings.Cut(strings.TrimPrefix(query, "expires="), "&signature=")
	if d, err := x.Document(r.ID, 2, expires, signature); err != nil || d.Location != "two" {
		t.Errorf("%+v, %v", d, err)
	}
	for _, c := range []struct {
		id                 string
		n                  int
		expires, signature string
	}{{r.ID, 1, expires, signature}, {"other", 2, expires, signature}, {"nope", 2, expires, signature}, {r.ID, 2, expires + "0", signature},
		{r.ID, 2, expires, ""}, {r.ID, 2, "", signature}} {
		calls.WantProblem(t, second(x.Document(c.id, c.n, c.expires, c.signature)), problem.NotFound)
	}
	x.now = x.now.Add(15*time.Minute - time.Millisecond)
	if _, err := x.Document(r.ID, 2, expires, signature); err != nil {
		t.Error(err)
	}
	r.Documents = r.Documents[:1] // gone meanwhile
	calls.WantProblem(t, second(x.Document(r.ID, 2, expires, signature)), problem.NotFound)
	r.Documents = other.Documents
	x.now = x.now.Add(time.Millisecond)
	calls.WantProblem(t, second(x.Document(r.ID, 2, expires, signature)), problem.NotFound)
}
