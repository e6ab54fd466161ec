package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// entry is a file of an archive.
type entry struct {
	name string // a folder ends with a slash
	mode int64
	text []byte
	user int
}

// archives packs each program with what belongs to it, for those without packages.
func (r *release) archives(context.Context, string) error {
	for _, p := range r.built {
		binary, err := os.ReadFile(p.path)
		if err != nil {
			return err
		}
		folder := fmt.Sprintf("piyasa_%s_%s_%s", r.version, p.os, p.arch)
		entries := []entry{{name: path.Join(folder, filepath.Base(p.path)), mode: 0o755, text: binary}}
		for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md", "docs/operating.md", "docs/installing.md",
			"docs/licences.md"} {
			text, err := os.ReadFile(filepath.Join(r.root, name))
			if err != nil {
				return err
			}
			entries = append(entries, entry{name: path.Join(folder, name), mode: 0o644, text: text})
		}
		for _, page := range r.manual {
			entries = append(entries, entry{name: path.Join(folder, "share", page.name), mode: 0o644, text: page.text})
		}
		pack, end := tarGz, ".tar.gz"
		if p.os == "windows" {
			pack, end = zipped, ".zip"
		}
		packed, err := pack(entries, r.at)
		if err != nil {
			return err
		}
		if err := r.write(folder+end, packed); err != nil {
			return err
		}
	}
	return nil
}

// tarred packs entries, in their order, with one time and no names of this machine.
func tarred(to io.Writer, entries []entry, at time.Time) error {
	w := tar.NewWriter(to)
	for _, e := range entries {
		head := &tar.Header{Name: e.name, Mode: e.mode, Size: int64(len(e.text)), ModTime: at, Typeflag: tar.TypeReg, Format: tar.FormatPAX,
			Uid: e.user, Gid: e.user}
		if strings.HasSuffix(e.name, "/") {
			head.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(head); err != nil {
			return err
		}
		if _, err := w.Write(e.text); err != nil {
			return err
		}
	}
	return w.Close()
}

func tarGz(entries []entry, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	if err := gzipped(&out, func(w io.Writer) error { return tarred(w, entries, at) }); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// gzipped packs what write writes, without a name or a time.
func gzipped(to io.Writer, write func(io.Writer) error) error {
	w, err := gzip.NewWriterLevel(to, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := write(w); err != nil {
		return err
	}
	return w.Close()
}

func zipped(entries []entry, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, e := range entries {
		head := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: at}
		head.SetMode(os.FileMode(e.mode))
		to, err := w.CreateHeader(head)
		if err != nil {
			return nil, err
		}
		if _, err := to.Write(e.text); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// sums writes the checksums of all that is released.
func (r *release) sums(context.Context, string) error {
	slices.Sort(r.produced)
	var out strings.Builder
	for _, name := range r.produced {
		text, err := os.ReadFile(filepath.Join(r.to, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&out, "%x  %s\n", sha256.Sum256(text), name)
	}
	return r.write("SHA256SUMS", []byte(out.String()))
}
