package main

import "testing"

func TestSameAnswers(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{`{"data":{"x":"1.50"},"extensions":{"u":1}}`, `{"data":{"x":"1.50"}}`, true},
		{`{"data":{"x":"1.5"}}`, `{"data":{"x":"1.50"}}`, false},
		{`{"data":{"x":1.50}}`, `{"data":{"x":1.5}}`, false}, // not through a float
		{`{"b":1,"a":[1,2]}`, `{"a":[1,2],"b":1}`, true},
		{`{"a":[1,2]}`, `{"a":[2,1]}`, false},
		{`{"next_cursor":"x"}`, `{"next_cursor":"y"}`, true},
		{`{"data":{"d":{"nextCursor":"x"}}}`, `{"data":{"d":{"nextCursor":null}}}`, false},
		{`{"errors":[{}],"data":null}`, `{"errors":[{}],"data":null}`, false},
		{`[]`, `[]`, false},
	} {
		if err := same([]byte(c.a), []byte(c.b)); (err == nil) != c.same {
			t.Errorf("%s and %s: %v", c.a, c.b, err)
		}
	}
}

func TestSameValues(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{`{"data":{"q":{"at":"2026-11-20T15:00:00+00:00","m":"bist","n":null}}}`,
			`{"data":{"quote":{"asOf":"2026-11-20T15:00:00Z","market":"BIST"}}}`, true},
		{`{"data":{"l":[{"v":"1","s":["A","B"]}],"pageInfo":{"endCursor":"x"}}}`,
			`{"data":{"items":[{"v":"1","s":["A","B"]}],"nextCursor":"y"}}`, true},
		{`{"data":{"l":[{"v":{"w":"1"}},{"v":{"w":"2"}}]}}`, `{"data":{"l":[{"w":"1"},{"w":"2"}]}}`, true},
		{`{"data":{"a":"1","b":"2"}}`, `{"data":{"b":"2","a":"1"}}`, false},
		{`{"data":{"a":"1.50"}}`, `{"data":{"a":"1.5"}}`, false},
		{`{"data":{"a":1,"b":true}}`, `{"data":{"a":1,"b":false}}`, false},
		{`{"data":{"a":1}}`, `{"data":{"a":1,"b":2}}`, false},
		{`{"data":{"a":null}}`, `{"data":{"a":null}}`, false}, // nothing proves nothing
		{`{"data":{"a":1},"errors":[{}]}`, `{"data":{"a":1}}`, false},
	} {
		if err := sameValues([]byte(c.a), []byte(c.b)); (err == nil) != c.same {
			t.Errorf("%s and %s: %v", c.a, c.b, err)
		}
	}
}

func TestNextCursor(t *testing.T) {
	for body, want := range map[string]string{
		`{"next_cursor":"x"}`: "x", `{"data":{"disclosures":{"nextCursor":"y"}}}`: "y", `{"next_cursor":null}`: "", `{}`: "", `x`: "",
	} {
		if got, err := nextCursor([]byte(body)); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", body, got, err)
		}
	}
}
