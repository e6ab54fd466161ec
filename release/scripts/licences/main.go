// The command licences lists the components of bin/piyasa and their licences in docs/licences.md:
// the linked Go modules, as go-licenses finds them in the module cache, and the npm packages of the
// pages, as the build of site/web/ lists them. With -check it only reports whether the list is
// current. Either way it fails on a licence that is not allowed. Run it in the folder of the
// module.
package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

const (
	page     = "docs/licences.md"
	packages = "site/web/dist/licenses.md.gz"

	modulesBegin  = "<!-- modules: made by `make licences` -->\n"
	modulesEnd    = "<!-- end of modules -->\n"
	packagesBegin = "<!-- packages: made by `make licences` -->\n"
	packagesEnd   = "<!-- end of packages -->\n"
)

// allowed are the licences (SPDX) under which piyasa, which is Apache-2.0, may contain
// others' code.
var allowed = []string{"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MPL-2.0", "Unlicense"}

// readTime is the timeout for reading the module cache and the addresses that go-licenses requests.
const readTime = 5 * time.Minute

// component is a module or a package that is part of the program.
type component struct {
	name, version string
	licences      []string // of the component and its parts, sorted; none: not recognized
}

func main() {
	check := flag.Bool("check", false, "only report whether the list is current")
	flag.Parse()
	if err := run(context.Background(), *check); err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, check bool) error {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	modules, err := linkedModules(ctx)
	if err != nil {
		return err
	}
	current, err := between(string(text), modulesBegin, modulesEnd, table("module", modules))
	if err != nil {
		return err
	}
	built, err := builtPackages(packages)
	switch {
	case errors.Is(err, fs.ErrNotExist) && check:
		fmt.Fprintf(os.Stderr, "licences: npm packages are NOT CHECKED: the pages are not built (make build)\n")
	case err != nil:
		return err
	default:
		if current, err = between(current, packagesBegin, packagesEnd, table("package", built)); err != nil {
			return err
		}
	}
	if err := forbidden(slices.Concat(modules, built)); err != nil {
		return err
	}
	switch {
	case current == string(text):
		return nil
	case check:
		return fmt.Errorf("%s is out of date: run make licences\n%s", page, difference(string(text), current))
	}
	return os.WriteFile(page, []byte(current), 0o644)
}

// linkedModules returns the modules whose packages bin/piyasa contains.
func linkedModules(ctx context.Context) ([]component, error) {
	// Linux, which servers run on; the list must not depend on the machine.
	env := append(os.Environ(), "GOOS=linux", "GOARCH=amd64")
	command := func(name string, args ...string) ([]byte, error) {
		cmd := exec.CommandContext(ctx, name, args...)
		cmd.Env = env
		var output bytes.Buffer
		cmd.Stderr = &output
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, output.String())
		}
		return out, nil
	}
	linked, err := command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}", ".")
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "piyasa-licences-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	template := filepath.Join(folder, "report")
	if err := os.WriteFile(template, []byte("{{range .}}{{.Name}} {{.LicenseName}}\n{{end}}"), 0o600); err != nil {
		return nil, err
	}
	// The host's own Go builds the tool.
	program, err := exec.CommandContext(ctx, "go", "tool", "-modfile=release/tools/go.mod", "-n", "go-licenses").Output()
	if err != nil {
		return nil, fmt.Errorf("build go-licenses: %w", err)
	}
	found, err := command(strings.TrimSpace(string(program)), "report", ".", "--ignore", "piyasa", "--template", template)
	if err != nil {
		return nil, err
	}
	return modulesOf(string(linked), string(found)), nil
}

// modulesOf joins the lines "module version" of linked and the lines "library licence" of found,
// where a library is a module or a folder of one.
func modulesOf(linked, found string) []component {
	versions := map[string]string{}
	for line := range strings.Lines(linked) {
		if name, version, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			versions[name] = version
		}
	}
	licences := map[string][]string{}
	for line := range strings.Lines(found) {
		library, licence, _ := strings.Cut(strings.TrimSpace(line), " ")
		module := ""
		for name := range versions {
			if (library == name || strings.HasPrefix(library, name+"/")) && len(name) > len(module) {
				module = name
			}
		}
		if !slices.Contains(licences[module], licence) {
			licences[module] = append(licences[module], licence)
		}
	}
	modules := make([]component, 0, len(versions))
	for name, version := range versions {
		slices.Sort(licences[name])
		modules = append(modules, component{name, version, licences[name]})
	}
	return sorted(modules)
}

// heading is how the build of site/web/ names a package: "## react - 19.3.1 (MIT)".
var heading = regexp.MustCompile(`(?m)^## (\S+) - (\S+) \(([^)]+)\)$`)

// builtPackages returns the npm packages that the pages contain.
func builtPackages(path string) ([]component, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	unzip, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(unzip)
	if err != nil {
		return nil, err
	}
	built := packagesIn(string(text))
	if len(built) == 0 || len(built) != bytes.Count(text, []byte("\n## ")) {
		return nil, fmt.Errorf("%s has headings that are not of the form %q", path, "## NAME - VERSION (LICENCE)")
	}
	return built, nil
}

func packagesIn(text string) (built []component) {
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		built = append(built, component{m[1], m[2], []string{m[3]}})
	}
	return sorted(built)
}

func sorted(all []component) []component {
	slices.SortFunc(all, func(a, b component) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.version, b.version))
	})
	return all
}

// forbidden returns an error that names every licence that is not allowed.
func forbidden(all []component) error {
	var wrong []error
	for _, c := range all {
		if len(c.licences) == 0 {
			wrong = append(wrong, fmt.Errorf("%s %s: no licence was recognized", c.name, c.version))
		}
		for _, licence := range c.licences {
			if !slices.Contains(allowed, licence) {
				wrong = append(wrong, fmt.Errorf("%s %s: the licence %s is not allowed; allowed are %s",
					c.name, c.version, licence, strings.Join(allowed, ", ")))
			}
		}
	}
	return errors.Join(wrong...)
}

// table writes a Markdown table.
func table(what string, all []component) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s | version | licences |\n| --- | --- | --- |\n", what)
	for _, c := range all {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", c.name, c.version, strings.Join(c.licences, ", "))
	}
	return b.String()
}

// between replaces the text between the lines begin and end.
func between(text, begin, end, content string) (string, error) {
	before, rest, opened := strings.Cut(text, begin)
	_, after, closed := strings.Cut(rest, end)
	if !opened || !closed {
		return "", fmt.Errorf("%s lacks the lines %q and %q", page, begin, end)
	}
	return before + begin + content + end + after, nil
}

// difference lists the lines that only one of the two texts has.
func difference(old, current string) string {
	var b strings.Builder
	lines := func(sign, of, without string) {
		known := strings.Split(without, "\n")
		for line := range strings.SplitSeq(of, "\n") {
			if !slices.Contains(known, line) {
				fmt.Fprintln(&b, sign, line)
			}
		}
	}
	lines("-", old, current)
	lines("+", current, old)
	return b.String()
}
