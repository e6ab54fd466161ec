package web

import (
	"encoding/json"
	"io/fs"
	"slices"
)

// manifest is Vite's list of the files that it has made.
type manifest map[string]chunk

type chunk struct {
	Name    string   `json:"name"`
	File    string   `json:"file"`
	IsEntry bool     `json:"isEntry"`
	CSS     []string `json:"css"`
	Imports []string `json:"imports"`
}

// readManifest reads the manifest of the build, and adds its entries by their names.
func readManifest(files fs.FS) manifest {
	text, err := fs.ReadFile(files, "manifest.json")
	if err != nil {
		panic(err) // it is in the binary
	}
	var m manifest
	if err := json.Unmarshal(text, &m); err != nil {
		panic(err) // the build wrote it
	}
	for _, c := range m { // entries by their names
		if c.IsEntry {
			m[c.Name] = c
		}
	}
	return m
}

// needs returns the scripts of entries, their styles, and the files that their scripts import.
func (m manifest) needs(entries []string) (scripts, styles, imports []string) {
	seen := map[string]bool{}
	var add func(chunk)
	add = func(c chunk) {
		for _, name := range c.Imports {
			imported := m[name]
			if seen[imported.File] {
				continue
			}
			seen[imported.File] = true
			add(imported)
			if !slices.Contains(scripts, imported.File) {
				imports = append(imports, imported.File)
			}
		}
		for _, style := range c.CSS {
			if !slices.Contains(styles, style) {
				styles = append(styles, style)
			}
		}
	}
	for _, entry := range entries {
		if c, ok := m[entry]; ok {
			scripts = append(scripts, c.File)
			add(c)
		}
	}
	return scripts, styles, imports
}
