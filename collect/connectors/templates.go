package connectors

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
)

//go:embed templates
var templates embed.FS

// Template is a ready configuration file for an upstream, with one source that has the template's
// name.
type Template struct {
	Name  string
	About string // what data it collects, from where and on which terms
	Text  string // of the file
}

// Templates returns all templates, sorted by name.
func Templates() (all []Template) {
	names, err := fs.Glob(templates, "templates/*.json")
	if err != nil {
		panic(err) // the files are part of the program
	}
	for _, name := range names {
		text, err := templates.ReadFile(name)
		t := Template{Name: strings.TrimSuffix(strings.TrimPrefix(name, "templates/"), ".json"), Text: string(text)}
		if err == nil {
			err = json.Unmarshal(text, &t)
		}
		if err != nil {
			panic(fmt.Errorf("%s: %w", name, err))
		}
		all = append(all, t)
	}
	return all
}
