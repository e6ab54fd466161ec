package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// clients makes the packages of the clients in docs/clients: a wheel and a source distribution
// for Python, a package for npm, and the module for Go as a proxy of modules serves it.
func (r *release) clients(context.Context, string) error {
	v, err := versionsOf(r.version)
	if err != nil {
		return err
	}
	license, err := r.read("LICENSE")
	if err != nil {
		return err
	}
	for _, make := range []func(versions, []byte) error{r.python, r.npm, r.module} {
		if err := make(v, license); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) read(name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(r.root, filepath.FromSlash(name)))
}

// versions is the version of a release as the package managers write it.
type versions struct{ python, npm, module string }

var (
	semantic = regexp.MustCompile(`^(\d+\.\d+\.\d+)(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.]+))?$`)
	// A commit after a tag, or before the first one, is one of development; a candidate has a word that PEP 440 knows.
	pre        = regexp.MustCompile(`^(?:0\.)?(?:(alpha|beta|rc)\.(\d+))?\.?(?:(dev)(?:\.(\d+))?)?$`)
	prerelease = map[string]string{"alpha": "a", "beta": "b", "rc": "rc", "": ""}
)

func versionsOf(version string) (v versions, err error) {
	m := semantic.FindStringSubmatch(version)
	var p []string
	if m != nil {
		p = pre.FindStringSubmatch(m[2])
	}
	if p == nil {
		return v, fmt.Errorf("packages of clients need a version such as 1.2.3 or 1.2.3-rc.1; got %q", version)
	}
	v.npm, v.module, v.python = version, "v"+m[1], m[1]+prerelease[p[1]]+p[2]
	if p[3] != "" {
		v.python += ".dev" + cmp.Or(p[4], "0")
	}
	build := m[3]
	if build != "" {
		v.python += "+" + build
		build = "g" + strings.TrimPrefix(build, "g") // modules have no build metadata, and no number with a zero in front
	}
	if after := strings.Trim(m[2]+"."+build, "."); after != "" {
		v.module += "-" + after
	}
	return v, nil
}

const pythonBuild = `[build-system]
requires = ["setuptools>=61"]
build-backend = "setuptools.build_meta"

[project]
name = "piyasa"
version = "%s"
description = "%s"
readme = "README"
license = {text = "Apache-2.0"}
requires-python = ">=3.9"

[tool.setuptools]
packages = ["piyasa"]
package-data = {piyasa = ["py.typed"]}
`

// python makes a wheel and a source distribution. The module is a folder, so that py.typed says
// that its annotations count.
func (r *release) python(v versions, license []byte) error {
	source, err := r.read("docs/clients/python/piyasa.py")
	if err != nil {
		return err
	}
	summary, story, _ := strings.Cut(strings.TrimPrefix(string(source), `"""`), "\n")
	story, _, _ = strings.Cut(story, `"""`)
	story = strings.TrimSpace(summary+"\n"+story) + "\n"
	metadata := fmt.Sprintf("Metadata-Version: 2.1\nName: piyasa\nVersion: %s\nSummary: %s\nLicense: Apache-2.0\nRequires-Python: >=3.9\n"+
		"Classifier: Typing :: Typed\nDescription-Content-Type: text/plain\n\n%s", v.python, summary, story)
	module := []entry{{name: "piyasa/__init__.py", mode: 0o644, text: source}, {name: "piyasa/py.typed", mode: 0o644}}

	info := "piyasa-" + v.python + ".dist-info/"
	wheel := append(module[:2:2],
		entry{name: info + "LICENSE", mode: 0o644, text: license},
		entry{name: info + "METADATA", mode: 0o644, text: []byte(metadata)},
		entry{name: info + "WHEEL", mode: 0o644, text: []byte("Wheel-Version: 1.0\n" +
			"Generator: piyasa\nRoot-Is-Purelib: true\nTag: py3-none-any\n")})
	var record strings.Builder
	for _, e := range wheel {
		sum := sha256.Sum256(e.text)
		fmt.Fprintf(&record, "%s,sha256=%s,%d\n", e.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(e.text))
	}
	record.WriteString(info + "RECORD,,\n")
	packed, err := zipped(append(wheel, entry{name: info + "RECORD", mode: 0o644, text: []byte(record.String())}), r.at)
	if err == nil {
		err = r.write("piyasa-"+v.python+"-py3-none-any.whl", packed)
	}
	if err != nil {
		return err
	}
	return r.tarball("piyasa-"+v.python+".tar.gz", "piyasa-"+v.python, append(module,
		entry{name: "LICENSE", mode: 0o644, text: license},
		entry{name: "PKG-INFO", mode: 0o644, text: []byte(metadata)},
		entry{name: "README", mode: 0o644, text: []byte(story)},
		entry{name: "pyproject.toml", mode: 0o644, text: fmt.Appendf(nil, pythonBuild, v.python, summary)}))
}

// tarball writes an archive whose files are in one folder.
func (r *release) tarball(name, folder string, entries []entry) error {
	for i := range entries {
		entries[i].name = path.Join(folder, entries[i].name)
	}
	packed, err := tarGz(entries, r.at)
	if err != nil {
		return err
	}
	return r.write(name, packed)
}

// npm makes what `npm pack` would, of what a published package.json needs.
func (r *release) npm(v versions, license []byte) error {
	const folder = "docs/clients/javascript/"
	text, err := r.read(folder + "package.json")
	if err != nil {
		return err
	}
	about := map[string]any{}
	if err := json.Unmarshal(text, &about); err != nil {
		return err
	}
	for _, name := range []string{"private", "dependencies", "devDependencies"} { // of the examples
		delete(about, name)
	}
	about["version"] = v.npm
	text, err = json.MarshalIndent(about, "", "  ")
	if err != nil {
		return err
	}
	entries := []entry{{name: "package.json", mode: 0o644, text: text}, {name: "LICENSE", mode: 0o644, text: license}}
	var readme strings.Builder
	for _, name := range []string{"piyasa.mjs", "piyasa.d.mts"} {
		source, err := r.read(folder + name)
		if err != nil {
			return err
		}
		entries = append(entries, entry{name: name, mode: 0o644, text: source})
		for line := range strings.Lines(string(source)) {
			comment, is := strings.CutPrefix(line, "//")
			if !is {
				break
			}
			readme.WriteString(strings.TrimPrefix(comment, " "))
		}
	}
	entries = append(entries, entry{name: "README.md", mode: 0o644, text: []byte(readme.String())})
	return r.tarball("piyasa-"+v.npm+".tgz", "package", entries)
}

// module makes the folder of a proxy for the Go module, which GOPROXY=file://… reads.
func (r *release) module(v versions, license []byte) error {
	const name, folder = "example.org/piyasa", "docs/clients/go/piyasa"
	at := name + "@" + v.module + "/"
	entries := []entry{{name: at + "LICENSE", mode: 0o644, text: license}}
	var gomod []byte
	for _, file := range []string{"piyasa.go", "follow.go", "example/main.go", "go.mod"} {
		text, err := r.read(path.Join(folder, file))
		if err != nil {
			return err
		}
		entries, gomod = append(entries, entry{name: at + file, mode: 0o644, text: text}), text
	}
	sources, err := zipped(entries, r.at)
	if err != nil {
		return err
	}
	served := name + "/@v/" + v.module
	proxy, err := zipped([]entry{
		{name: name + "/@v/list", mode: 0o644, text: []byte(v.module + "\n")},
		{name: served + ".info", mode: 0o644, text: fmt.Appendf(nil, `{"Version":"%s","Time":"%s"}`, v.module, r.at.Format(time.RFC3339))},
		{name: served + ".mod", mode: 0o644, text: gomod},
		{name: served + ".zip", mode: 0o644, text: sources},
	}, r.at)
	if err != nil {
		return err
	}
	return r.write("piyasa_"+r.version+"_goproxy.zip", proxy)
}
