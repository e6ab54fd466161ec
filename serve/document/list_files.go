package document

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"
)

// Files holds the files of a folder that list documents. ReadFiles reads them, List checks
// them.
type Files struct {
	files   []file // by name
	version string
}

// file is a JSON file of documents by id, or a GraphQL file of one document.
type file struct {
	name string
	text []byte
}

// Version returns a text that differs for files with any difference.
func (f *Files) Version() string { return f.version }

// ReadFiles reads the files of a folder. It skips hidden ones; the others must end in .json or
// .graphql. The error names the file that cannot be read or is above the limits.
func ReadFiles(folder fs.FS) (*Files, error) {
	entries, err := fs.ReadDir(folder, ".") // by name
	if err != nil {
		return nil, err
	}
	f, sum, left := new(Files), sha256.New(), MaxFolderBytes
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") {
			continue
		}
		if ext := path.Ext(name); ext != ".json" && ext != ".graphql" {
			return nil, fmt.Errorf("%s: the folder may have only files that end in .json (manifests) or .graphql (documents)", name)
		}
		if len(f.files) == MaxFiles {
			return nil, fmt.Errorf("the folder has more than %d files", MaxFiles)
		}
		text, err := readAtMost(folder, name, left)
		if err != nil {
			return nil, err
		}
		left -= len(text)
		f.files = append(f.files, file{name, text})
		fmt.Fprintf(sum, "%q %d\n", name, len(text))
		sum.Write(text)
	}
	f.version = hex.EncodeToString(sum.Sum(nil)[:16])
	return f, nil
}

// readAtMost reads a file of at most limit bytes.
func readAtMost(folder fs.FS, name string, limit int) ([]byte, error) {
	if info, err := fs.Stat(folder, name); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: it is no file", name)
	}
	in, err := folder.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, int64(limit)+1))
	if err != nil {
		return nil, err
	}
	if len(text) > limit {
		return nil, fmt.Errorf("%s: the files of the folder have more than %d bytes together", name, MaxFolderBytes)
	}
	return text, nil
}

var errNoManifest = errors.New(`a manifest must be a JSON object of ids and documents (strings), ` +
	`or {"format": "apollo-persisted-query-manifest", "version": 1, "operations": [{"id", "body"}]}`)

// entries returns the documents of a file.
func (f file) entries() ([]entry, error) {
	if !utf8.Valid(f.text) {
		return nil, errors.New("the file is not UTF-8")
	}
	if name, ok := strings.CutSuffix(f.name, ".graphql"); ok {
		return []entry{{name, string(f.text)}}, nil
	}
	members, err := membersOf(f.text)
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", errNoManifest, err)
	}
	var format string
	for _, m := range members {
		if m.name == "format" && json.Unmarshal(m.value, &format) == nil && format == apolloFormat {
			return apolloEntries(f.text)
		}
	}
	entries := make([]entry, 0, len(members))
	for _, m := range members {
		var text *string
		if json.Unmarshal(m.value, &text) != nil || text == nil {
			return nil, fmt.Errorf("%w (%q is no string)", errNoManifest, short(m.name))
		}
		entries = append(entries, entry{m.name, *text})
	}
	return entries, nil
}

const apolloFormat = "apollo-persisted-query-manifest"

func apolloEntries(text []byte) ([]entry, error) {
	var manifest struct {
		Version    int
		Operations []struct{ ID, Body *string }
	}
	if err := json.Unmarshal(text, &manifest); err != nil {
		return nil, fmt.Errorf("%w (%w)", errNoManifest, err)
	}
	if manifest.Version != 1 {
		return nil, fmt.Errorf("%w (version is %d)", errNoManifest, manifest.Version)
	}
	entries := make([]entry, 0, len(manifest.Operations))
	for i, o := range manifest.Operations {
		if o.ID == nil || o.Body == nil {
			return nil, fmt.Errorf("%w (operation %d lacks id or body)", errNoManifest, i+1)
		}
		entries = append(entries, entry{*o.ID, *o.Body})
	}
	return entries, nil
}

// member is a member of a JSON object.
type member struct {
	name  string
	value json.RawMessage
}

// membersOf returns the members of a JSON object, including those with the same name.
func membersOf(text []byte) (members []member, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	begin, err := d.Token()
	if err != nil {
		return nil, err
	}
	if begin != json.Delim('{') {
		return nil, errors.New("it is no object")
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		m := member{name: name.(string)}
		if err := d.Decode(&m.value); err != nil {
			return nil, err
		}
		members = append(members, m)
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("something follows the object")
	}
	return members, nil
}
