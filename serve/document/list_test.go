package document

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"piyasa/test/fixture/need"
)

// folderOf returns a folder of files: name, text, name, text …
func folderOf(files ...string) fstest.MapFS {
	folder := fstest.MapFS{}
	for i := 0; i < len(files); i += 2 {
		folder[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	return folder
}

// listIn returns the list of a folder.
func listIn(folder fs.FS) (*List, error) {
	files, err := ReadFiles(folder)
	if err != nil {
		return nil, err
	}
	return files.List(NewReader(schema, 0))
}

const status = "{ marketStatus { state } }"

// A document is known by the ids of its files, and by its own sum.
func TestListedIDs(t *testing.T) {
	other := "query Q { marketStatus { state } }\n"
	l, err := listIn(folderOf(
		"a.json", `{"one": "{ marketStatus { state } }", "sha256:`+sumOf(other)+`": "query Q { marketStatus { state } }\n"}`,
		"b.json", `{"one": "{ marketStatus { state } }", "\u006fne": "{ marketStatus { state } }", "two": "{ marketStatus { state } }"}`,
		"q.graphql", other,
		".hidden", "nonsense",
		"apollo.json", `{"format": "apollo-persisted-query-manifest", "version": 1, "operations": [{"id": "three", "name": "Q", "type": "query", "body": "{ __typename }"}]}`,
		"empty.json", "{}",
	))
	need.NoError(t, err)
	for id, want := range map[string]string{
		"one": status, "two": status, sumOf(status): status, "sha256:" + sumOf(status): status,
		"q": other, sumOf(other): other, "sha256:" + sumOf(other): other, "three": "{ __typename }",
		"q.graphql": "", "": "", ".hidden": "", "Q": "", strings.ToUpper(sumOf(other)): "",
	} {
		if text, ok := l.Named(id); text != want || ok != (want != "") {
			t.Errorf("%s: %q %v, want %q", id, text, ok, want)
		}
	}
	if l.Len() != 3 || !l.Has(other) || l.Has(strings.TrimSpace(other)) {
		t.Errorf("%d documents, exact %v", l.Len(), l.Has(other))
	}
}

func TestMistakesOfLists(t *testing.T) {
	const manifest = `a manifest must be a JSON object of ids and documents (strings)`
	for name, c := range map[string]struct {
		folder fstest.MapFS
		want   []string
	}{
		"nothing":              {folderOf(), []string{"no documents"}},
		"hidden only":          {folderOf(".a.json", `{"a": "{ __typename }"}`), []string{"no documents"}},
		"empty":                {folderOf("a.json", "{}"), []string{"no documents"}},
		"another kind of file": {folderOf("a.json", "{}", "README.md", ""), []string{"README.md", ".json", ".graphql"}},
		"a folder":             {fstest.MapFS{"a.json": {Mode: fs.ModeDir}}, []string{"a.json", "no file"}},
		"broken":               {folderOf("a.json", `{"a": "{ __typename }"`), []string{"a.json: " + manifest, "EOF"}},
		"no text":              {folderOf("a.json", ""), []string{"a.json: " + manifest, "EOF"}},
		"a list":               {folderOf("a.json", "[]"), []string{"a.json: " + manifest, "no object"}},
		"two objects":          {folderOf("a.json", "{} {}"), []string{"a.json: " + manifest, "follows"}},
		"null":                 {folderOf("a.json", `{"a": null}`), []string{`a.json: ` + manifest, `"a" is no string`}},
		"an object":            {folderOf("a.json", `{"a": {"b": "c"}}`), []string{`"a" is no string`}},
		"not UTF-8":            {folderOf("a.json", "{\"a\": \"\xff\"}"), []string{"a.json", "UTF-8"}},
		"GraphQL not UTF-8":    {folderOf("a.graphql", "# \xff\n{ __typename }"), []string{"a.graphql", "UTF-8"}},
		"another version": {folderOf("a.json", `{"format": "apollo-persisted-query-manifest", "version": 2, "operations": []}`),
			[]string{"version is 2"}},
		"an operation no body": {folderOf("a.json",
			`{"format": "apollo-persisted-query-manifest", "version": 1, "operations": [{"id": "x"}]}`),
			[]string{"operation 1 lacks id or body"}},
		"operations no list": {folderOf("a.json", `{"format": "apollo-persisted-query-manifest", "version": 1, "operations": {}}`),
			[]string{"a.json: " + manifest}},
		"another format": {folderOf("a.json", `{"format": "other", "version": 1}`), []string{`"version" is no string`}},
		"no id":          {folderOf("a.json", `{"": "{ __typename }"}`), []string{"1 to 256 bytes"}},
		"a long id":      {folderOf("a.json", `{"`+strings.Repeat("a", 257)+`": "{ __typename }"}`), []string{"1 to 256 bytes"}},
		"does not parse": {folderOf("a.json", `{"broken": "{ quote("}`), []string{`a.json: "broken": `, "line 1, column"}},
		"invalid": {folderOf("nope.graphql", "{\n nope }"),
			[]string{`nope.graphql: "nope": Cannot query field "nope"`, "line 2, column 2"}},
		"beyond a limit": {folderOf("a.graphql", "{ "+strings.Repeat("__typename ", 2001)+"}"),
			[]string{`a.graphql: "a": `, "token"}},
		"no operation": {folderOf("a.graphql", "fragment F on Query { __typename }"), []string{"no operation"}},
		"one id in one file": {folderOf("a.json", `{"x": "{ __typename }", "x": "{ a: __typename }"}`),
			[]string{`a.json: "x": "x" is the id of another document, in a.json`}},
		"one id in two files": {folderOf("a.json", `{"x": "{ __typename }"}`, "x.graphql", "{ a: __typename }"),
			[]string{`x.graphql: "x": "x" is the id of another document, in a.json`}},
		"the sum of another": {folderOf("a.json", `{"`+sumOf("{ __typename }")+`": "{ a: __typename }"}`, "b.graphql", "{ __typename }"),
			[]string{"b.graphql", "is the id of another document, in a.json"}},
		"a sum that is none": {folderOf("a.json", `{"sha256:00": "{ __typename }"}`),
			[]string{`a.json: "sha256:00": the SHA-256 of the document is ` + sumOf("{ __typename }")}},
		"every mistake": {folderOf("a.json", `{"x": "{ nope }"}`, "b.json", "[]", "c.graphql", "{"),
			[]string{"a.json", "b.json", "c.graphql"}},
		"more than are told": {folderOf("a.json", "{"+strings.TrimSuffix(strings.Repeat(`"": "",`, 30), ",")+"}"),
			[]string{"there are more mistakes"}},
		"too many bytes": {folderOf("a.graphql", "{ __typename }", "b.graphql", strings.Repeat(" ", MaxFolderBytes)),
			[]string{"b.graphql", "16777216 bytes"}},
		"too many files":        {manyFiles(MaxFiles + 1), []string{"more than 1000 files"}},
		"too many documents":    {folderOf("a.json", manyDocuments(MaxListed+1)), []string{"more than 10000 documents"}},
		"what the schema lacks": {folderOf("a.graphql", "mutation { nothing }"), []string{"a.graphql"}},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := listIn(c.folder)
			if err == nil {
				t.Fatalf("a list of %d documents", l.Len())
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q lacks %q", err, want)
				}
			}
			if lines := strings.Count(err.Error(), "\n") + 1; lines > maxFaults+1 {
				t.Errorf("%d lines", lines)
			}
		})
	}
}

func manyFiles(n int) fstest.MapFS {
	folder := fstest.MapFS{}
	for i := range n {
		folder[fmt.Sprintf("q%d.graphql", i)] = &fstest.MapFile{Data: []byte("{ __typename }")}
	}
	return folder
}

func manyDocuments(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"%d": "{ a%[1]d: __typename }",`, i)
	}
	return "{" + strings.TrimSuffix(b.String(), ",") + "}"
}

// As many as are allowed are a list.
func TestLargestLists(t *testing.T) {
	if l, err := listIn(manyFiles(MaxFiles)); err != nil || l.Len() != 1 {
		t.Error(err)
	}
	if l, err := listIn(folderOf("a.json", manyDocuments(MaxListed))); err != nil || l.Len() != MaxListed {
		t.Error(err)
	}
}

// Whatever differs in the files makes another version.
func TestVersionsOfLists(t *testing.T) {
	versions := map[string]bool{}
	folders := []fs.FS{
		folderOf("a.graphql", "{ __typename }"), folderOf("b.graphql", "{ __typename }"), folderOf("a.graphql", "{ __typename } "),
		folderOf("a.graphql", "{ __typename }", "b.graphql", ""), folderOf(),
	}
	for range 2 {
		for _, folder := range folders {
			files, err := ReadFiles(folder)
			need.NoError(t, err)
			versions[files.Version()] = true
		}
	}
	if len(versions) != len(folders) {
		t.Errorf("%d versions of %d folders", len(versions), len(folders))
	}
}

// The manifests in testdata/tools are made by the tools themselves, with our schema:
// GraphQL Code Generator's client preset 6.2.0, relay-compiler 21.0.1 and
// @apollo/generate-persisted-query-manifest 1.4.0.
func TestManifestsOfTools(t *testing.T) {
	l, err := listIn(os.DirFS("testdata/tools"))
	need.NoError(t, err)
	if l.Len() != 7 {
		t.Errorf("%d documents", l.Len())
	}
	for id, begin := range map[string]string{
		"sha256:4516a8bb047b5890782c755b09181aecd353fb0163d6563c193d8001357ef2b1": "query Status {",
		"38202dd5bf54c5f4e4b33495a755a046188cdc93":                                "query Status {",
		"c38d241ab6b9d2cd6669feb62e5af79c":                                        "query appWatchlistQuery(",
		"4f2f41cec637bf5239b5b949da26d69012ca4a79c8ca29b7d8014b1cf4a97075":        "subscription Prices(",
	} {
		if text, _ := l.Named(id); !strings.HasPrefix(text, begin) {
			t.Errorf("%s: %q", id, text)
		}
	}
}
