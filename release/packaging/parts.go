package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// parts lists what the programs are made of (CycloneDX): the modules that the program for
// Linux says that it contains, or that of the first platform, and the npm packages of the
// pages, as docs/licences.md has them.
func (r *release) parts(context.Context, string) error {
	of := r.built[0]
	info, err := buildinfo.ReadFile(of.path)
	if err != nil {
		return err
	}
	list := cdx.NewBOM()
	list.Metadata = &cdx.Metadata{
		Timestamp: r.at.Format(time.RFC3339),
		Component: &cdx.Component{Type: cdx.ComponentTypeApplication, Name: "piyasa", Version: r.version, BOMRef: "piyasa",
			Licenses: &cdx.Licenses{{License: &cdx.License{ID: "Apache-2.0"}}}},
	}
	components := []cdx.Component{{Type: cdx.ComponentTypeFramework, Name: "std", Version: strings.TrimPrefix(info.GoVersion, "go"),
		PackageURL: "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go"), BOMRef: "std"}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		url := "pkg:golang/" + m.Path + "@" + m.Version
		components = append(components, cdx.Component{Type: cdx.ComponentTypeLibrary, Name: m.Path, Version: m.Version, PackageURL: url,
			BOMRef: url})
	}
	pages, err := r.npmPackages()
	if err != nil {
		return err
	}
	components = append(components, pages...)
	list.Components = &components
	var out bytes.Buffer
	if err := cdx.NewBOMEncoder(&out, cdx.BOMFileFormatJSON).SetPretty(true).Encode(list); err != nil {
		return err
	}
	return r.write("piyasa_"+r.version+".cdx.json", out.Bytes())
}

var npmRow = regexp.MustCompile(`^\| \[?([^\]| ]+)\]?(?:\([^)]*\))? \| ([^ |]+) \|`)

// npmPackages reads the packages in docs/licences.md.
func (r *release) npmPackages() (out []cdx.Component, err error) {
	text, err := os.ReadFile(filepath.Join(r.root, "docs", "licences.md"))
	if err != nil {
		return nil, err
	}
	_, rest, _ := strings.Cut(string(text), "<!-- packages:")
	rest, _, _ = strings.Cut(rest, "<!-- end of packages")
	for line := range strings.Lines(rest) {
		m := npmRow.FindStringSubmatch(line)
		if m == nil || strings.HasPrefix(m[1], "---") || m[2] == "version" {
			continue
		}
		url := "pkg:npm/" + strings.Replace(m[1], "@", "%40", 1) + "@" + m[2]
		out = append(out, cdx.Component{Type: cdx.ComponentTypeLibrary, Name: m[1], Version: m[2], PackageURL: url, BOMRef: url})
	}
	return out, nil
}
