// Package contract compares the promises of piyasa to its clients with those of its last release:
// the OpenAPI document and the GraphQL schema. The folder released has the
// latter.
package contract

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oasdiff/oasdiff/checker"
	"github.com/oasdiff/oasdiff/diff"
	"github.com/oasdiff/oasdiff/load"
)

// Break is a change that breaks clients.
type Break struct {
	Of   string // the path of a route, or a type or Type.field of GraphQL
	What string
}

// harmless are changes of OpenAPI that the library warns of and that break no client which
// copes with values that it does not know.
var harmless = regexp.MustCompile(`^response-.*enum-value-added$`)

// REST returns what breaks clients of routes below /v1 between two OpenAPI documents in files.
func REST(before, after string) ([]Break, error) {
	loader := openapi3.NewLoader()
	older, err := load.NewSpecInfo(loader, load.NewSource(before))
	if err != nil {
		return nil, err
	}
	newer, err := load.NewSpecInfo(loader, load.NewSource(after))
	if err != nil {
		return nil, err
	}
	changed, sources, err := diff.GetWithOperationsSourcesMap(diff.NewConfig(), older, newer)
	if err != nil {
		return nil, err
	}
	var all []Break
	for _, change := range checker.CheckBackwardCompatibility(checker.NewConfig(checker.GetAllChecks()), changed, sources) {
		if strings.HasPrefix(change.GetPath(), "/v1/") && !harmless.MatchString(change.GetId()) {
			all = append(all, Break{change.GetPath(), change.GetUncolorizedText(checker.NewDefaultLocalizer())})
		}
	}
	return all, nil
}

// GraphQL returns what breaks clients between two schemas in files, as graphql-js sees it.
func GraphQL(before, after string) ([]Break, error) {
	cmd := exec.Command("node", "breaking.mjs", before, after)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("node breaking.mjs: %w", err)
	}
	var changes []string
	if err := json.Unmarshal(out, &changes); err != nil {
		return nil, err
	}
	var all []Break
	for _, what := range changes {
		if strings.HasPrefix(what, "Standard scalar ") {
			continue // nothing uses it any more, which is said of what did
		}
		all = append(all, Break{subject(what), what})
	}
	return all, nil
}

var (
	member    = regexp.MustCompile(`\b[A-Z]\w*\.\w+`)
	enumValue = regexp.MustCompile(`^(\w+) was removed from enum type (\w+)`)
	someType  = regexp.MustCompile(`\b[A-Z]\w+`)
)

// subject returns what a change is about, such as Quote.last.
func subject(what string) string {
	if m := enumValue.FindStringSubmatch(what); m != nil {
		return m[2] + "." + m[1]
	}
	if m := member.FindString(what); m != "" {
		return m
	}
	return someType.FindString(what)
}

// Unnamed returns those that no line of the changelog names under "Unreleased". Such a line
// says **Breaking** and has what is broken in backquotes.
func Unnamed(all []Break, changelog string) (missing []Break) {
	_, unreleased, _ := strings.Cut(changelog, "## Unreleased\n")
	unreleased, _, _ = strings.Cut(unreleased, "\n## ")
	for _, b := range all {
		named := false
		for entry := range strings.SplitSeq(unreleased, "\n- ") {
			named = named || strings.Contains(entry, "**Breaking**") && strings.Contains(entry, "`"+b.Of+"`")
		}
		if !named {
			missing = append(missing, b)
		}
	}
	return missing
}
