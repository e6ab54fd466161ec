package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // registers the format
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm" // registers the format
)

const (
	maintainer = "The piyasa authors <piyasa@example.org>"
	summary    = "market data as an API that people can trust"
	story      = summary + `
 piyasa turns market-data feeds into GraphQL and REST: quotes, history,
 fundamentals and company disclosures, with streams that lose nothing. It is
 one program with an embedded database, or many on one Postgres.`
)

func (r *release) debs(_ context.Context, work string) error {
	return r.pack("deb", work, nfpm.Scripts{
		PostInstall: r.file("postinst"), PreRemove: r.file("prerm"), PostRemove: r.file("postrm"),
	}, []string{"passwd"})
}

func (r *release) rpms(_ context.Context, work string) error {
	return r.pack("rpm", work, nfpm.Scripts{
		PreInstall: r.file("rpm-preinstall"), PostInstall: r.file("rpm-postinstall"), PreRemove: r.file("rpm-preremove"),
	}, []string{"shadow-utils"})
}

// file returns the path of a file of packages.
func (r *release) file(name string) string {
	return filepath.Join(r.root, "release", "packaging", "files", name)
}

// pack makes the packages of one format.
func (r *release) pack(format, work string, scripts nfpm.Scripts, depends []string) error {
	packager, err := nfpm.Get(format)
	if err != nil {
		return err
	}
	for _, p := range r.linux() {
		folder := filepath.Join(work, format+p.arch)
		contents, err := r.contents(format, folder, p)
		if err != nil {
			return err
		}
		info := nfpm.WithDefaults(&nfpm.Info{
			Name: "piyasa", Arch: p.arch, Platform: "linux", Version: r.version, Section: "net", Priority: "optional",
			Maintainer:  maintainer,
			Description: story, License: "Apache-2.0", MTime: r.at, DisableGlobbing: true,
			Overridables: nfpm.Overridables{Contents: contents, Scripts: scripts, Depends: depends, Umask: 0o022},
		})
		info.RPM.Summary, info.RPM.BuildHost = "piyasa, "+summary, "localhost"
		info.RPM.Group = "System Environment/Daemons"
		if format == "deb" { // which has it in the file copyright
			info.License = ""
		}
		if err := nfpm.PrepareForPackager(info, format); err != nil {
			return err
		}
		var out bytes.Buffer
		if err := packager.Package(info, &out); err != nil {
			return fmt.Errorf("%s for %s: %w", format, p.arch, err)
		}
		if err := r.write(packager.ConventionalFileName(info), out.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// contents returns the files of a package; those that are made lie in folder.
func (r *release) contents(format, folder string, p program) (files.Contents, error) {
	var out files.Contents
	add := func(to, from, kind string, mode os.FileMode) {
		out = append(out, &files.Content{Source: from, Destination: to, Type: kind,
			FileInfo: &files.ContentFileInfo{Mode: mode, MTime: r.at, Owner: "root", Group: "root"}})
	}
	made := func(to string, text []byte) error {
		from := filepath.Join(folder, filepath.FromSlash(to))
		add(to, from, "", 0o644)
		if err := os.MkdirAll(filepath.Dir(from), 0o755); err != nil {
			return err
		}
		return os.WriteFile(from, text, 0o644)
	}
	packed := func(to string, text []byte) error {
		var out bytes.Buffer
		if err := gzipped(&out, func(w io.Writer) error { _, err := w.Write(text); return err }); err != nil {
			return err
		}
		return made(to+".gz", out.Bytes())
	}
	add("/usr/bin/piyasa", p.path, "", 0o755)
	add("/usr/lib/systemd/system/piyasa.service", r.file("piyasa.service"), "", 0o644)
	add("/usr/lib/sysusers.d/piyasa.conf", r.file("sysusers.conf"), "", 0o644)
	add("/etc/piyasa/piyasa.toml", r.file("piyasa.toml"), "config|noreplace", 0o640)
	const doc = "/usr/share/doc/piyasa"
	add(doc+"/examples/piyasa.socket", r.file("piyasa.socket"), "", 0o644)
	if format == "deb" {
		add(doc+"/copyright", r.file("copyright"), "", 0o644)
		add("/usr/share/lintian/overrides/piyasa", r.file("lintian-overrides"), "", 0o644)
		history := fmt.Sprintf("piyasa (%s) unstable; urgency=medium\n\n  * CHANGELOG.md.gz beside this file has the "+
			"changes.\n\n -- %s  %s\n",
			strings.Replace(r.version, "-", "~", 1), maintainer, r.at.Format("Mon, 02 Jan 2006 15:04:05 -0700"))
		if err := packed(doc+"/changelog", []byte(history)); err != nil {
			return nil, err
		}
	} else {
		add(doc+"/LICENSE", filepath.Join(r.root, "LICENSE"), "license", 0o644)
	}
	for _, name := range []string{"README.md", "CHANGELOG.md", "docs/operating.md", "docs/installing.md", "docs/licences.md",
		"docs/ingest.md", "docs/reliability.md"} {
		text, err := os.ReadFile(filepath.Join(r.root, name))
		if err != nil {
			return nil, err
		}
		if err := packed(path.Join(doc, path.Base(name)), text); err != nil {
			return nil, err
		}
	}
	for _, page := range r.manual {
		write := made
		if strings.HasPrefix(page.name, "man/") {
			write = packed
		}
		if err := write(path.Join("/usr/share", page.name), page.text); err != nil {
			return nil, err
		}
	}
	return out, nil
}
