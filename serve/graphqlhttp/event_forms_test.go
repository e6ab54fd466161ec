package graphqlhttp_test

import (
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"strings"
	"testing"

	"piyasa/test/fixture"
)

// apollo is what Apollo Client sends with a subscription, and with everything else but its first media type.
const apollo = "multipart/mixed;boundary=graphql;subscriptionSpec=1.0,application/graphql-response+json,application/json"

// A subscription of Apollo Client comes as parts, which a reader of multipart bodies reads one by one; all else as JSON.
func TestParts(t *testing.T) {
	b := fixture.NewBroadcast(t)
	b.Publish(1, 2)
	ask := func(document, accept string) *fixture.Listener {
		return b.Request("POST", "/graphql", fixture.Body(document, ""), "X-API-Key", fixture.All, "Accept", accept, "Content-Type",
			"application/json")
	}
	l := ask(fixture.Follow(", afterSeq: 0"), apollo)
	media, params, err := mime.ParseMediaType(l.Header.Get("Content-Type"))
	if err != nil || l.StatusCode != 200 || media != "multipart/mixed" || params["subscriptionspec"] != "1.0" {
		t.Fatal(l.StatusCode, l.Header, err)
	}
	delimiter, preamble := "\r\n--"+params["boundary"], true
	next := func() string {
		t.Helper()
		var read strings.Builder
		for !strings.HasSuffix(read.String(), delimiter) { // as Apollo Client knows that a part is there
			c, err := l.Lines.ReadByte()
			if err != nil {
				t.Fatal(read.String(), err)
			}
			read.WriteByte(c)
		}
		if preamble {
			preamble = false
			return read.String()
		}
		head, text, _ := strings.Cut(strings.TrimSuffix(read.String(), delimiter), "\r\n\r\n")
		var message struct {
			Payload struct {
				Data map[string]struct {
					Typename string `json:"__typename"`
				}
			}
		}
		if err := json.Unmarshal([]byte(text), &message); err != nil || head != "\r\nContent-Type: application/json" {
			t.Fatalf("%q %q %v", head, text, err)
		}
		return message.Payload.Data["disclosureStream"].Typename
	}
	for _, want := range []string{delimiter, "Subscribed", "DisclosureEvent", "DisclosureEvent", "ReplayDone"} {
		if got := next(); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
	}
	b.Publish(3)
	if got := next(); got != "DisclosureEvent" {
		t.Fatal(got)
	}
	for name, c := range map[string]struct {
		document, accept string
		status           int
		media, has       string
	}{
		"a query":                 {question, apollo, 200, "application/graphql-response+json", `"state":"open"`},
		"a query for parts alone": {question, "multipart/mixed;subscriptionSpec=1.0", 406, "application/json", "answers are"},
		"a refused document":      {"{nope}", apollo, 400, "application/graphql-response+json", "GRAPHQL_VALIDATION_FAILED"},
		"another specification": {forQuotes, strings.Replace(apollo, "1.0", "2.0", 1), 406,
			"application/graphql-response+json", "is answered as"},
		"refused by quality": {forQuotes, strings.Replace(apollo, "1.0", "1.0;q=0", 1), 406,
			"application/graphql-response+json", "is answered as"},
		"a stream that ends": {`subscription { quoteStream(ids: []) { __typename } }`, apollo, 200, "multipart/mixed",
			"{\"payload\":{\"errors\":[{"},
	} {
		l := ask(c.document, c.accept)
		text, err := io.ReadAll(l.Lines)
		got, _, _ := strings.Cut(l.Header.Get("Content-Type"), ";")
		if err != nil || l.StatusCode != c.status || got != c.media || !strings.Contains(string(text), c.has) {
			t.Errorf("%s: %d %s %s %v", name, l.StatusCode, got, text, err)
		}
		if c.media == "multipart/mixed" && !strings.HasSuffix(string(text), "\r\n--graphql--\r\n") {
			t.Errorf("%s: it has no end: %q", name, text)
		}
		if c.media == "multipart/mixed" {
			parts := multipart.NewReader(strings.NewReader(string(text)), "graphql")
			if _, err := parts.NextPart(); err != nil {
				t.Error(err)
			}
			if _, err := parts.NextPart(); err != io.EOF {
				t.Errorf("after the only part: %v", err)
			}
		}
	}
}
