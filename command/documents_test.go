package command_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piyasa/test/fixture/need"
)

// A server runs the documents of its folder only, and those of a folder that has changed,
// but not of one with mistakes.
func TestDocumentsAreReadAgain(t *testing.T) {
	t.Parallel()
	database, folder := "sqlite:"+filepath.Join(t.TempDir(), "piyasa.db"), t.TempDir()
	const one, two = "query One { marketStatus { state } }", "query Two { marketStatus { state } }"
	write := func(name, text string) {
		t.Helper()
		need.NoError(t, os.WriteFile(filepath.Join(folder, ".new"), []byte(text), 0o600))
		need.NoError(t, os.Rename(filepath.Join(folder, ".new"), filepath.Join(folder, name)))
	}
	write("one.graphql", one)
	secret, _ := newKey(t, database, "--scopes", "all")
	s := start(t, database, "PIYASA_DOCUMENTS="+folder)
	runs := func(document string) bool {
		t.Helper()
		text := s.query(document, secret)
		if ran := strings.Contains(text, `"marketStatus":{`); ran || strings.Contains(text, "PERSISTED_DOCUMENT_REQUIRED") {
			return ran
		}
		t.Fatal(text)
		return false
	}
	if !runs(one) || runs(two) {
		t.Fatalf("the first list does not hold\n%s", s.stderr)
	}
	if !strings.Contains(s.stderr.String(), "documents=1") {
		t.Errorf("the log does not say that there is a list: %s", s.stderr)
	}
	if _, body := s.get("/graphql?documentId=one", secret); body["data"] == nil {
		t.Errorf("by its id: %v", body)
	}
	write("manifest.json", `{"two": "{ nope }"}`)
	s.eventually(deadline, "the log to tell of mistakes", func() bool {
		return strings.Contains(s.stderr.String(), `manifest.json: \"two\": Cannot query field`)
	})
	if !runs(one) || runs(two) {
		t.Error("files with mistakes have changed the list")
	}
	write("manifest.json", `{"two": "`+two+`"}`)
	need.NoError(t, os.Remove(filepath.Join(folder, "one.graphql")))
	s.eventually(deadline, "the new list to hold", func() bool { return runs(two) && !runs(one) })
}
