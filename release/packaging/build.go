package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// firstVersion is the version to come while nothing has been released.
const firstVersion = "0.1.0"

var described = regexp.MustCompile(`^v(\d+)\.(\d+)\.(\d+)(-[0-9A-Za-z.-]+?)?-(\d+)-g([0-9a-f]+)(-dirty)?$`)

// identify sets the version and the time of what is built.
func (r *release) identify(ctx context.Context) error {
	if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" {
		seconds, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil {
			return fmt.Errorf("SOURCE_DATE_EPOCH must be seconds since 1970; got %q", epoch)
		}
		r.at = time.Unix(seconds, 0).UTC()
	} else {
		text, err := r.output(ctx, "git", "log", "-1", "--format=%ct")
		if err != nil {
			return err
		}
		seconds, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return err
		}
		r.at = time.Unix(seconds, 0).UTC()
	}
	if r.version != "" {
		return nil
	}
	text, err := r.output(ctx, "git", "describe", "--tags", "--match", "v[0-9]*", "--dirty", "--always", "--long")
	if err != nil {
		return err
	}
	r.version = versionOf(text)
	return nil
}

// versionOf returns the semantic version of what git describes. Commits after a tag are
// before the next patch.
func versionOf(text string) string {
	m := described.FindStringSubmatch(text)
	if m == nil { // no tag
		return firstVersion + "-dev+" + strings.ReplaceAll(text, "-", ".")
	}
	if m[5] == "0" && m[7] == "" {
		return m[1] + "." + m[2] + "." + m[3] + m[4]
	}
	patch, _ := strconv.Atoi(m[3])
	if m[4] == "" {
		patch++
	}
	return fmt.Sprintf("%s.%s.%d%s.dev.%s+g%s%s", m[1], m[2], patch, orDash(m[4]), m[5], m[6], strings.ReplaceAll(m[7], "-", "."))
}

// orDash returns where the words for a commit after a tag go.
func orDash(prerelease string) string {
	if prerelease == "" {
		return "-0"
	}
	return prerelease
}

// output runs a program in the folder of the sources.
func (r *release) output(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = r.root
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, exit.Stderr)
	}
	return strings.TrimSpace(string(out)), err
}

// build makes the programs: static, without paths of this machine, and without what only a
// debugger reads.
func (r *release) build(ctx context.Context, work string) error {
	for _, platform := range r.platforms {
		system, arch, _ := strings.Cut(platform, "/")
		p := program{system, arch, filepath.Join(work, system+"_"+arch, "piyasa")}
		if system == "windows" {
			p.path += ".exe"
		}
		cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -buildid= -X main.version="+
			r.version, "-o", p.path, ".")
		cmd.Dir, cmd.Stderr = r.root, os.Stderr
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch, "GOAMD64=v1", "GOFLAGS=-mod=readonly")
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("build for %s: %w", platform, err)
		}
		r.built = append(r.built, p)
	}
	return nil
}

// completions are the folders of each shell, below /usr/share.
var completions = map[string]string{
	"bash": "bash-completion/completions/piyasa", "zsh": "zsh/vendor-completions/_piyasa", "fish": "fish/vendor_completions.d/piyasa.fish",
}

// writeManual asks the program of this machine for its manual and its completions.
func (r *release) writeManual(ctx context.Context, work string) error {
	var native string
	for _, p := range r.built {
		if p.os == runtime.GOOS && p.arch == runtime.GOARCH {
			native = p.path
		}
	}
	if native == "" {
		return fmt.Errorf("the manual is written by the program itself: build for %s/%s, too", runtime.GOOS, runtime.GOARCH)
	}
	folder := filepath.Join(work, "man")
	if _, err := r.output(ctx, native, "man", "--folder", folder); err != nil {
		return err
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return err
		}
		section := strings.TrimPrefix(filepath.Ext(e.Name()), ".")
		r.manual = append(r.manual, page{"man/man" + section + "/" + e.Name(), text})
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		text, err := r.output(ctx, native, "completion", shell)
		if err != nil {
			return err
		}
		r.manual = append(r.manual, page{completions[shell], []byte(text + "\n")})
	}
	return nil
}
