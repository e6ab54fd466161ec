// The command rooms draws the packages of piyasa and their imports as a Mermaid flowchart in
// docs/architecture.md. With -check it only reports whether the picture is current. Run it in the
// folder of the module.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

const (
	page  = "docs/architecture.md"
	begin = "<!-- rooms: made by `make rooms` -->\n"
	end   = "<!-- end of rooms -->\n"
)

// layers lists the layers from top to bottom, each with packages that belong to it. Any other
// package belongs to the highest layer that it imports.
var layers = []struct {
	title    string
	packages []string
}{
	{"command", []string{"command", "demo"}},
	{"transports", []string{"serve/server", "rest", "serve/stream", "serve/asyncapi", "site/web", "docs", "site/book", "site/reference",
		"serve/admission", "serve/answer"}},
	{"graph", []string{"graph", "resolvers", "services", "loaders", "serve/queryplan", "serve/document"}},
	{"store and ingest", []string{"db", "ingest", "internal/content"}},
	{"domains", []string{"domain/market", "domain/macro"}},
	{"basics", []string{"account/access", "internal/problem", "internal/value"}},
}

// basics is the index of the lowest layer.
var basics = len(layers) - 1

// rooms maps each package of the program to the packages it imports.
type rooms map[string][]string

func main() {
	check := flag.Bool("check", false, "only report whether the picture is current")
	flag.Parse()
	if err := run(*check); err != nil {
		fmt.Fprintln(os.Stderr, "rooms:", err)
		os.Exit(1)
	}
}

func run(check bool) error {
	all, err := read()
	if err != nil {
		return err
	}
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, rest, opened := strings.Cut(string(text), begin)
	_, after, closed := strings.Cut(rest, end)
	if !opened || !closed {
		return fmt.Errorf("%s lacks the lines %q and %q", page, begin, end)
	}
	current := before + begin + all.picture() + end + after
	switch {
	case current == string(text):
		return nil
	case check:
		return errors.New("the picture in " + page + " is out of date; run make rooms")
	}
	return os.WriteFile(page, []byte(current), 0o644)
}

// read lists the packages that the program consists of, without main.
func read() (rooms, error) {
	list := exec.Command("go", "list", "-deps", "-json=ImportPath,Imports,Module", ".")
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, err
	}
	all := rooms{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath string
			Imports    []string
			Module     *struct{ Path string }
		}
		if err := dec.Decode(&p); err == io.EOF {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		if name, ours := strings.CutPrefix(p.ImportPath, "piyasa/"); ours && p.Module != nil {
			name = room(name)
			all[name] = append(all[name], []string{}...) // also if it imports no package of piyasa
			for _, imported := range p.Imports {
				if other, ours := strings.CutPrefix(imported, "piyasa/"); ours && room(other) != name &&
					!slices.Contains(all[name], room(other)) {
					all[name] = append(all[name], room(other))
				}
			}
		}
	}
}

// room returns the package as which a package is drawn: the packages of a connector are drawn as
// one.
func room(name string) string {
	parts := strings.Split(name, "/")
	if parts[0] == "collect" {
		parts = parts[:min(2, len(parts))]
	}
	return strings.Join(parts, "/")
}

// layer returns the index of a package's layer.
func (r rooms) layer(name string) int {
	for i, l := range layers {
		if slices.Contains(l.packages, name) {
			return i
		}
	}
	highest := basics
	for _, imported := range r[name] {
		highest = min(highest, r.layer(imported))
	}
	return highest
}

// reaches reports whether a package imports another, however indirectly.
func (r rooms) reaches(from, to string) bool {
	return slices.ContainsFunc(r[from], func(next string) bool { return next == to || r.reaches(next, to) })
}

// many is how many arrows into one layer become a single arrow to the layer.
const many = 2

// arrows returns the node ids of a package's imports, without those that another import implies and
// without the basics, which all packages use.
func (r rooms) arrows(name string) []string {
	into := map[int][]string{}
	for _, to := range r[name] {
		if r.layer(to) < basics && !slices.ContainsFunc(r[name], func(other string) bool { return r.reaches(other, to) }) {
			into[r.layer(to)] = append(into[r.layer(to)], id(to))
		}
	}
	var all []string
	for layer, ids := range into {
		if len(ids) >= many && layer != r.layer(name) {
			ids = []string{layerID(layer)}
		}
		all = append(all, ids...)
	}
	slices.Sort(all)
	return all
}

// id returns the name of a package's node; Mermaid reserves words such as graph.
func id(name string) string { return "p_" + strings.ReplaceAll(name, "/", "_") }

func layerID(layer int) string { return fmt.Sprintf("layer%d", layer+1) }

// picture draws the rooms by layer, then the arrows.
func (r rooms) picture() string {
	var names []string
	for name := range r {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(r.layer(a), r.layer(b)), cmp.Compare(a, b)) })

	var b strings.Builder
	b.WriteString("```mermaid\nflowchart TB\n")
	for i, l := range layers {
		fmt.Fprintf(&b, "  subgraph %s[%q]\n", layerID(i), l.title)
		for _, name := range names {
			if r.layer(name) == i {
				fmt.Fprintf(&b, "    %s[%q]\n", id(name), name)
			}
		}
		b.WriteString("  end\n")
	}
	for _, name := range names {
		for _, to := range r.arrows(name) {
			fmt.Fprintf(&b, "  %s --> %s\n", id(name), to)
		}
	}
	b.WriteString("```\n")
	return b.String()
}
