package main

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// chart packs the chart of Helm, whose version is the release's.
func (r *release) chart(context.Context, string) error {
	folder := filepath.Join(r.root, "release", "packaging", "helm")
	var entries []entry
	err := filepath.WalkDir(folder, func(name string, of fs.DirEntry, err error) error {
		if err != nil || of.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		below, err := filepath.Rel(folder, name)
		if below == "Chart.yaml" {
			stated, _, _ := strings.Cut(string(text), "version: 0.0.0")
			text = []byte(stated + "version: " + r.version + "\nappVersion: " + r.version + "\n")
		}
		entries = append(entries, entry{name: path.Join("piyasa", filepath.ToSlash(below)), mode: 0o644, text: text})
		return err
	})
	if err != nil {
		return err
	}
	packed, err := tarGz(entries, r.at)
	if err != nil {
		return err
	}
	return r.write("piyasa-chart-"+r.version+".tgz", packed)
}
