package asyncapi_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"piyasa/serve/stream"
	"piyasa/test/fixture/need"
)

func streams(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/streams.md")
	need.NoError(t, err)
	return string(text)
}

// The tables of docs/streams.md are what the protocol says of itself.
func TestTablesOfTheDocumentation(t *testing.T) {
	var want []string
	for _, c := range stream.Closes() {
		reason := ""
		if c.Reason != "" {
			reason = "`" + c.Reason + "` "
		}
		want = append(want, fmt.Sprintf("| %d | %s| %s | %s |", c.Code, reason, c.When, c.Client))
	}
	for _, l := range append(stream.DescribeDisclosures().Limits, stream.DescribePrices().Limits...) {
		if row := fmt.Sprintf("| `%s` | %d | %s |", l.Name, l.Value, l.About); !slices.Contains(want, row) {
			want = append(want, row)
		}
	}
	rows := regexp.MustCompile("(?m)^\\| (?:[0-9]{4} \\||`[a-z_]+` \\| [0-9]+ \\|).*$").FindAllString(streams(t), -1)
	for _, row := range want {
		if !slices.Contains(rows, row) {
			t.Errorf("docs/streams.md lacks\n%s", row)
		}
	}
	if len(rows) != len(want) {
		t.Errorf("docs/streams.md has %d rows of limits and closes, want %d", len(rows), len(want))
	}
}

// The conversations of docs/streams.md are as the document describes.
func TestConversationsOfTheDocumentation(t *testing.T) {
	doc := document(t)
	messages := doc["components"].(object)["messages"].(object)
	checked := 0
	for line := range strings.Lines(streams(t)) {
		who, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		if who != "<" && who != ">" {
			continue
		}
		checked++
		frame := read(t, []byte(text))
		ok := false
		for name, m := range messages {
			word := frame["type"]
			if who == ">" {
				word = frame["action"]
			}
			ok = ok || m.(object)["name"] == word && compile(t, doc, "/components/messages/"+name+"/payload").Validate(any(frame)) == nil
		}
		if !ok {
			t.Errorf("no message of the document: %s", text)
		}
	}
	if checked == 0 {
		t.Error("docs/streams.md shows no conversation")
	}
}
