package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// imageUser is nobody's number on the machine that runs the image.
const imageUser = 65532

// image makes an OCI image for all architectures of Linux, from nothing but the program and
// an empty folder for its data, as one file.
func (r *release) image(_ context.Context, work string) error {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, p := range r.linux() {
		one, err := r.imageOf(p)
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: one, Descriptor: v1.Descriptor{
			Platform:    &v1.Platform{OS: p.os, Architecture: p.arch},
			Annotations: map[string]string{"org.opencontainers.image.ref.name": r.tag()},
		}})
	}
	folder := filepath.Join(work, "oci")
	if _, err := layout.Write(folder, index); err != nil {
		return err
	}
	var entries []entry
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(folder, path)
		entries = append(entries, entry{name: filepath.ToSlash(name), mode: 0o644, text: text})
		return err
	})
	if err != nil {
		return err
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	var out bytes.Buffer
	if err := tarred(&out, entries, r.at); err != nil {
		return err
	}
	return r.write("piyasa_"+r.version+"_oci.tar", out.Bytes())
}

// tag returns the version as a tag of an image may be.
func (r *release) tag() string { return strings.ReplaceAll(r.version, "+", "-") }

func (r *release) imageOf(p program) (v1.Image, error) {
	binary, err := os.ReadFile(p.path)
	if err != nil {
		return nil, err
	}
	var files bytes.Buffer
	if err := tarred(&files, []entry{
		{name: "piyasa", mode: 0o755, text: binary},
		{name: "data/", mode: 0o750, user: imageUser},
		{name: "tmp/", mode: 0o1777},
		{name: "etc/", mode: 0o755},
		{name: "etc/passwd", mode: 0o644, text: []byte("piyasa:x:65532:65532:piyasa:/data:/\n")},
	}, r.at); err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(files.Bytes())), nil },
		tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	img, err := mutate.Append(mutate.MediaType(mutate.ConfigMediaType(empty.Image, types.OCIConfigJSON), types.OCIManifestSchema1),
		mutate.Addendum{Layer: layer, History: v1.History{Created: v1.Time{Time: r.at}, CreatedBy: "packaging"}})
	if err != nil {
		return nil, err
	}
	return mutate.ConfigFile(img, r.imageConfig(img, p))
}

func (r *release) imageConfig(img v1.Image, p program) *v1.ConfigFile {
	config, err := img.ConfigFile()
	if err != nil {
		panic(err) // it was made here
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = p.os, p.arch, v1.Time{Time: r.at}
	config.Config = v1.Config{
		User: "65532:65532", Entrypoint: []string{"/piyasa"}, Cmd: []string{"serve"}, WorkingDir: "/data", StopSignal: "SIGTERM",
		Env: []string{
			"PIYASA_DATABASE=sqlite:/data/piyasa.db", "PIYASA_ACME_FOLDER=/data/acme", "PIYASA_LISTEN=0.0.0.0:8080",
			"PIYASA_METRICS_LISTEN=127.0.0.1:9090",
		},
		ExposedPorts: map[string]struct{}{"8080/tcp": {}}, Volumes: map[string]struct{}{"/data": {}},
		Healthcheck: &v1.HealthConfig{Test: []string{"CMD", "/piyasa", "health"}, Interval: 10 * time.Second, Timeout: 5 * time.Second,
			StartPeriod: 30 * time.Second, Retries: 3},
		Labels: map[string]string{
			"org.opencontainers.image.title": "piyasa", "org.opencontainers.image.description": summary,
			"org.opencontainers.image.version": r.version, "org.opencontainers.image.licenses": "Apache-2.0",
		},
	}
	return config
}
