package history_test

import (
	"slices"
	"strings"
	"testing"

	"piyasa/test/fixture/need"
	"piyasa/test/torture/history"
)

// A history of a good stream: two clients, one by seq that reconnects and one by
// number, and a store of five rows. Row 3 concerns neither.
const good = `
{"kind":"acknowledged","actor":"writer","numbers":[1,2,3]}
{"kind":"connect","actor":"s","connection":1,"by":"seq","topics":["a"],"after":"E:0"}
{"kind":"subscribed","actor":"s","connection":1}
{"kind":"event","actor":"s","connection":1,"number":1,"position":"E:1","replay":true}
{"kind":"replay_done","actor":"s","connection":1,"position":"E:1"}
{"kind":"event","actor":"s","connection":1,"number":2,"position":"E:2"}
{"kind":"close","actor":"s","connection":1}
{"kind":"connect","actor":"n","connection":1,"by":"number","topics":["a"],"after":"0"}
{"kind":"event","actor":"n","connection":1,"number":1,"replay":true}
{"kind":"event","actor":"n","connection":1,"number":2,"replay":true}
{"kind":"replay_done","actor":"n","connection":1}
{"kind":"acknowledged","actor":"writer","numbers":[4,5]}
{"kind":"event","actor":"n","connection":1,"number":4}
{"kind":"event","actor":"n","connection":1,"number":5}
{"kind":"connect","actor":"s","connection":2,"by":"seq","topics":["a"],"after":"E:2"}
{"kind":"event","actor":"s","connection":2,"number":4,"position":"E:4","replay":true}
{"kind":"replay_done","actor":"s","connection":2,"position":"E:4"}
{"kind":"event","actor":"s","connection":2,"number":5,"position":"E:5"}
` + store

const store = `
{"kind":"row","number":1,"position":"1","topics":["a"]}
{"kind":"row","number":2,"position":"2","topics":["a","b"]}
{"kind":"row","number":3,"position":"3","topics":["b"]}
{"kind":"row","number":4,"position":"4","topics":["a"]}
{"kind":"row","number":5,"position":"5","topics":["a"]}
`

// A history in which the store went back: rows 3 and 4 were acknowledged and
// delivered, and are gone; the client was told.
const wentBack = `
{"kind":"acknowledged","actor":"writer","numbers":[1,2,3,4]}
{"kind":"connect","actor":"s","connection":1,"by":"seq","topics":["all"],"after":"E:0"}
{"kind":"event","actor":"s","connection":1,"number":1,"position":"E:1"}
{"kind":"event","actor":"s","connection":1,"number":2,"position":"E:2"}
{"kind":"event","actor":"s","connection":1,"number":3,"position":"E:3"}
{"kind":"event","actor":"s","connection":1,"number":4,"position":"E:4"}
{"kind":"connect","actor":"n","connection":1,"by":"number","topics":["all"],"after":"0"}
{"kind":"event","actor":"n","connection":1,"number":1}
{"kind":"event","actor":"n","connection":1,"number":2}
{"kind":"event","actor":"n","connection":1,"number":3}
{"kind":"event","actor":"n","connection":1,"number":4}
{"kind":"fault","text":"the standby is promoted"}
{"kind":"gap","actor":"n","connection":1,"position":"F:2"}
{"kind":"event","actor":"n","connection":1,"number":5}
{"kind":"gap","actor":"s","connection":1,"position":"F:2"}
{"kind":"event","actor":"s","connection":1,"number":5,"position":"F:5000000000"}
{"kind":"row","number":1,"position":"1","topics":["a"]}
{"kind":"row","number":2,"position":"2","topics":["a"]}
{"kind":"row","number":5,"position":"5000000000","topics":["a"]}
`

// without returns a history without the lines that contain a text; they must exist.
func without(text, part string) string {
	return replaced(text, part, "")
}

// replaced replaces the lines that contain part by lines; they must exist.
func replaced(text, part string, lines string) string {
	var kept []string
	found := false
	for line := range strings.Lines(text) {
		if strings.Contains(line, part) {
			found = true
			line = lines + "\n"
		}
		kept = append(kept, line)
	}
	if !found {
		panic("the history has no line with " + part)
	}
	return strings.Join(kept, "")
}

// check reads a history, with empty lines left out, and returns the rules it breaks.
func check(t *testing.T, text string) (rules []history.Rule, all []history.Violation) {
	t.Helper()
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, `{"at":"2026-03-18T12:00:00Z",`+line[1:])
		}
	}
	entries, err := history.Read(strings.NewReader(strings.Join(lines, "\n")))
	need.NoError(t, err)
	all = history.Check(entries)
	for _, v := range all {
		if !slices.Contains(rules, v.Rule) {
			rules = append(rules, v.Rule)
		}
	}
	slices.Sort(rules)
	return rules, all
}

func TestCheck(t *testing.T) {
	const (
		seq1    = `"actor":"s","connection":1,`
		seq2    = `"actor":"s","connection":2,`
		number1 = `"actor":"n","connection":1,`
	)
	for _, test := range []struct {
		name, text string
		broken     []history.Rule // none: a good history
	}{
		{"good", good, nil},
		{"a store that went back and said so", wentBack, nil},
		{"an empty history", "", nil},

		{"a live event out of order", replaced(good, seq2+`"number":5`, `{"kind":"event",`+seq2+`"number":5,"position":"E:5"}
{"kind":"event",`+seq2+`"number":1,"position":"E:1"}`), []history.Rule{history.Ordered}},
		{"a replay by number out of order", replaced(good, number1+`"number":2`, `{"kind":"event",`+number1+`"number":4,"replay":true}
{"kind":"event",`+number1+`"number":2,"replay":true}`), []history.Rule{history.Ordered, history.Resumable, history.Unique}},
		{"live events by number in another order than they were stored", replaced(without(good, number1+`"number":4`), number1+`"number":5`,
			`{"kind":"event",`+number1+`"number":5}
{"kind":"event",`+number1+`"number":4}`), []history.Rule{history.Ordered, history.Resumable}},

		{"a position twice on a connection", replaced(good, seq1+`"number":2`, `{"kind":"event",`+seq1+`"number":2,"position":"E:2"}
{"kind":"event",`+seq1+`"number":2,"position":"E:2"}`), []history.Rule{history.Unique}},
		{"a number twice on a connection", replaced(good, number1+`"number":5`, `{"kind":"event",`+number1+`"number":5}
{"kind":"event",`+number1+`"number":5}`), []history.Rule{history.Unique}},
		{"a number again on another connection", good + `
{"kind":"connect","actor":"n","connection":2,"by":"number","topics":["a"],"after":"4"}
{"kind":"event","actor":"n","connection":2,"number":5}`, nil},

		{"the last row never came", without(good, seq2+`"number":5`), []history.Rule{history.Reliable}},
		{"the last row never came by number", without(good, number1+`"number":5`), []history.Rule{history.Reliable}},
		{"a subscription without a position misses a row after it", `
{"kind":"connect","actor":"s","connection":1,"by":"seq","topics":["a"]}
{"kind":"subscribed","actor":"s","connection":1,"position":"4"}` + store, []history.Rule{history.Reliable}},
		{"a subscription without a position need not have what was before it", `
{"kind":"connect","actor":"s","connection":1,"by":"seq","topics":["a"]}
{"kind":"subscribed","actor":"s","connection":1,"position":"4"}
{"kind":"event","actor":"s","connection":1,"number":5,"position":"5"}` + store, nil},

		{"a row was skipped after a reconnect", without(good, seq2+`"number":4`), []history.Rule{history.Bookmarkable, history.Reliable}},
		{"a row was skipped and came later", replaced(replaced(without(good, `"kind":"replay_done",`+seq2), seq2+`"number":4`, ""), seq2+
			`"number":5`,
			`{"kind":"event",`+seq2+`"number":5,"position":"E:5"}
{"kind":"connect","actor":"s","connection":3,"by":"seq","topics":["a"],"after":"E:3"}
{"kind":"event","actor":"s","connection":3,"number":4,"position":"E:4"}
{"kind":"event","actor":"s","connection":3,"number":5,"position":"E:5"}`), []history.Rule{history.Resumable}},
		{"what was received before did not come again", good + `
{"kind":"connect","actor":"s","connection":3,"by":"seq","topics":["a"],"after":"E:1"}`, []history.Rule{history.Resumable}},
		{"a truncated replay may leave rows out if they come later", `
{"kind":"connect","actor":"s","connection":1,"by":"seq","topics":["a"],"after":"0"}
{"kind":"event","actor":"s","connection":1,"number":1,"position":"1","replay":true}
{"kind":"replay_done","actor":"s","connection":1,"position":"1","truncated":true}
{"kind":"event","actor":"s","connection":1,"number":5,"position":"5"}
{"kind":"connect","actor":"s","connection":2,"by":"seq","topics":["a"],"after":"1"}
{"kind":"event","actor":"s","connection":2,"number":2,"position":"2"}
{"kind":"event","actor":"s","connection":2,"number":4,"position":"4"}
{"kind":"event","actor":"s","connection":2,"number":5,"position":"5"}` + store, nil},
		{"a row that was stored late is not promised by number", `
{"kind":"connect","actor":"n","connection":1,"by":"number","topics":["all"],"after":"0"}
{"kind":"event","actor":"n","connection":1,"number":2}
{"kind":"row","number":2,"position":"1","topics":["a"]}
{"kind":"row","number":1,"position":"2","topics":["a"]}`, nil},
		{"a row that was stored late is promised by seq", `
{"kind":"connect","actor":"s","connection":1,"by":"seq","topics":["all"],"after":"0"}
{"kind":"event","actor":"s","connection":1,"number":2,"position":"1"}
{"kind":"row","number":2,"position":"1","topics":["a"]}
{"kind":"row","number":1,"position":"2","topics":["a"]}`, []history.Rule{history.Reliable}},

		{"a position of an epoch that is gone is above rows of the next",
			replaced(wentBack, number1+`"number":1`, `{"kind":"event",`+number1+`"number":1}
{"kind":"replay_done","actor":"s","connection":1,"position":"E:6000000000"}`), nil},
		{"a position that no gap takes back lacks a row", replaced(without(good, seq2+`"number":4`), seq2+`"position":"E:4"`,
			`{"kind":"replay_done",`+seq2+`"position":"E:4"}
{"kind":"gap",`+seq2+`"position":"E:4"}`), []history.Rule{history.Bookmarkable, history.Reliable}},
		{"lost rows were not announced to a client by seq", without(wentBack, `"kind":"gap","actor":"s"`),
			[]history.Rule{history.Explicit}},
		{"lost rows were not announced to a connected client by number", without(wentBack, `"kind":"gap","actor":"n"`),
			[]history.Rule{history.Explicit}},
		{"lost rows were announced too late", replaced(without(wentBack, `"kind":"gap","actor":"s"`), `"position":"F:5`,
			`{"kind":"event","actor":"s","connection":1,"number":5,"position":"F:5000000000"}
{"kind":"gap","actor":"s","connection":1}`), []history.Rule{history.Explicit}},
		{"a client by number resumes after a lost number", replaced(without(wentBack, `"kind":"gap","actor":"n"`), number1+`"number":5`,
			`{"kind":"connect","actor":"n","connection":2,"by":"number","topics":["all"],"after":"4"}
{"kind":"event","actor":"n","connection":2,"number":5}`), nil},
		{"a client by seq resumes after a lost position without being told", replaced(replaced(wentBack, `"position":"F:5`,
			`{"kind":"event","actor":"s","connection":2,"number":5,"position":"F:5000000000"}`), `"kind":"gap","actor":"s"`,
			`{"kind":"connect","actor":"s","connection":2,"by":"seq","topics":["all"],"after":"E:4"}`), []history.Rule{history.Explicit}},
		{"a position above everything is answered with silence", good + `
{"kind":"connect","actor":"f","connection":1,"by":"seq","topics":["a"],"after":"E:77"}
{"kind":"subscribed","actor":"f","connection":1}`, []history.Rule{history.Explicit}},
		{"a position above everything is refused", good + `
{"kind":"connect","actor":"f","connection":1,"by":"seq","topics":["a"],"after":"E:77"}
{"kind":"gap","actor":"f","connection":1,"text":"410"}`, nil},
		{"an acknowledged row is gone and nobody was told", `{"kind":"acknowledged","actor":"writer","numbers":[6]}` + store,
			[]history.Rule{history.Explicit}},
		{"an acknowledged row is gone and operators were told", `{"kind":"acknowledged","actor":"writer","numbers":[6]}
{"kind":"notice","text":"lost"}` + store, nil},
		{"an acknowledged row is gone of a store that was suspicious before", `{"kind":"notice","text":"a new epoch"}
{"kind":"acknowledged","actor":"writer","numbers":[6]}` + store, nil},
		{"an acknowledged row is gone after a fault of which nobody was told", `{"kind":"notice","text":"a new epoch"}
{"kind":"fault","text":"another"}
{"kind":"acknowledged","actor":"writer","numbers":[6]}` + store, []history.Rule{history.Explicit}},
		{"an acknowledged row is gone, which was promised never to happen", `{"kind":"promise","text":"durable"}
{"kind":"acknowledged","actor":"writer","numbers":[6]}
{"kind":"notice","text":"lost"}` + store, []history.Rule{history.DurableRows}},
		{"a delivered row is gone, which was promised never to happen", `{"kind":"promise","text":"durable"}` +
			without(without(wentBack, `"kind":"acknowledged"`), `"actor":"n"`), []history.Rule{history.DurableRows}},

		{"a row for which nobody asked", replaced(good, number1+`"number":4`, `{"kind":"event",`+number1+`"number":3}
{"kind":"event",`+number1+`"number":4}`), []history.Rule{history.Asked}},
		{"an event on a connection that was not opened", good + `
{"kind":"event","actor":"s","connection":9,"number":5,"position":"5"}`, []history.Rule{history.Asked}},
		{"a hole in the log", without(store, `"number":3`), []history.Rule{history.Dense}},
		{"a position twice in the log", replaced(store, `"number":3`, `{"kind":"row","number":3,"position":"2"}`),
			[]history.Rule{history.Dense}},
		{"a number twice in the log", store + `{"kind":"row","number":5,"position":"6"}`, []history.Rule{history.Dense}},
	} {
		t.Run(test.name, func(t *testing.T) {
			rules, all := check(t, test.text)
			if !slices.Equal(rules, test.broken) {
				t.Errorf("broken rules: %v, want %v", rules, test.broken)
				for _, v := range all {
					t.Log(v)
				}
			}
		})
	}
}
