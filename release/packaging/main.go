// The command packaging builds what is released into a folder: static programs, archives,
// packages for Debian and Fedora, an OCI image, packages of clients, a list of parts (CycloneDX) and checksums.
// Two runs on the same commit, wherever they are, make the same bytes.
//
//	go run . -to ../out/dist
//	go run . -to ../out/dist -platforms linux/amd64 -packages deb
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	r := release{}
	var platforms, packages string
	flag.StringVar(&r.root, "root", "../..", "folder of the sources")
	flag.StringVar(&r.to, "to", "../../out/dist", "folder to write to; what it holds goes")
	flag.StringVar(&r.version, "version", "", "version; default: by the tags of git")
	flag.StringVar(&platforms, "platforms", strings.Join(allPlatforms, ","), "platforms to build for")
	flag.StringVar(&packages, "packages", strings.Join(allPackages, ","), "kinds of packages to make")
	flag.Parse()
	r.platforms, r.packages = strings.Split(platforms, ","), strings.Split(packages, ",")
	if err := r.make(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "packaging:", err)
		os.Exit(1)
	}
}

var (
	allPlatforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64"}
	allPackages  = []string{"deb", "rpm", "oci", "clients", "helm"}
)

// release is what is to be made.
type release struct {
	root, to, version   string
	platforms, packages []string

	at       time.Time // of the commit; every file has it
	built    []program
	manual   []page // manual pages and completions
	produced []string
}

// program is the program for one platform.
type program struct{ os, arch, path string }

// page is a file that the program itself writes.
type page struct {
	name string // its path below /usr/share
	text []byte
}

func (r *release) make(ctx context.Context) error {
	for what, list := range map[string][2][]string{"platform": {r.platforms, allPlatforms}, "kind of package": {r.packages, allPackages}} {
		for _, one := range list[0] {
			if !slices.Contains(list[1], one) {
				return fmt.Errorf("there is no %s %q; there are %s", what, one, strings.Join(list[1], ", "))
			}
		}
	}
	if err := r.identify(ctx); err != nil {
		return err
	}
	if err := errors.Join(os.RemoveAll(r.to), os.MkdirAll(r.to, 0o755)); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "piyasa-packaging-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	steps := []func(context.Context, string) error{r.build, r.writeManual, r.archives}
	for kind, step := range map[string]func(context.Context, string) error{"deb": r.debs, "rpm": r.rpms, "oci": r.image,
		"clients": r.clients, "helm": r.chart} {
		if slices.Contains(r.packages, kind) {
			steps = append(steps, step)
		}
	}
	for _, step := range append(steps, r.parts, r.sums) {
		if err := step(ctx, work); err != nil {
			return err
		}
	}
	return nil
}

// write writes a file that is released.
func (r *release) write(name string, text []byte) error {
	r.produced = append(r.produced, name)
	return os.WriteFile(filepath.Join(r.to, name), text, 0o644)
}

// linux returns the programs for Linux.
func (r *release) linux() []program {
	return slices.DeleteFunc(slices.Clone(r.built), func(p program) bool { return p.os != "linux" })
}
