package web

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
)

// file serves a file of the build. It expects paths as the client sent them.
func (s *Site) file(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if path.Ext(name) == ".gz" { // compressed files are served as an encoding only
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	file, size, ok := s.open(name)
	body := io.Reader(file)
	if !ok { // most files are stored as gzip only
		if file, size, ok = s.open(name + ".gz"); !ok {
			http.NotFound(w, r)
			return
		}
		h.Set("Vary", "Accept-Encoding")
		if body = file; acceptsGzip(r) {
			h.Set("Content-Encoding", "gzip")
		} else {
			body, size = unpack(file)
		}
	}
	defer file.Close()
	h.Set("Content-Type", contentType(name))
	h.Set("Content-Length", strconv.FormatInt(size, 10))
	if strings.HasPrefix(name, "assets/") { // their names carry a hash of the content
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	} else {
		h.Set("Cache-Control", "public, max-age=3600")
	}
	if r.Method == http.MethodGet {
		io.Copy(w, body)
	}
}

// open opens a regular file; names that leave the folder are not found.
func (s *Site) open(name string) (fs.File, int64, bool) {
	file, err := s.files.Open(name)
	if err != nil {
		return nil, 0, false
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		file.Close()
		return nil, 0, false
	}
	return file, info.Size(), true
}

// contentType returns the type of a file of the build. Package mime would ask the system, which may
// not know fonts.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".woff2":
		return "font/woff2"
	case ".woff":
		return "font/woff"
	case ".ttf":
		return "font/ttf"
	case ".md":
		return "text/markdown; charset=utf-8"
	default:
		return "application/octet-stream"
	}
}

// acceptsGzip reads Accept-Encoding, where q=0 means "not this one".
func acceptsGzip(r *http.Request) bool {
	for _, value := range r.Header.Values("Accept-Encoding") {
		for part := range strings.SplitSeq(value, ",") {
			coding, params, _ := strings.Cut(part, ";")
			if !strings.EqualFold(strings.TrimSpace(coding), "gzip") {
				continue
			}
			weight, found := strings.CutPrefix(strings.TrimSpace(params), "q=")
			q, err := strconv.ParseFloat(weight, 64)
			return !found || err == nil && q > 0
		}
	}
	return false
}

// unpack returns the uncompressed content of a file of the build, and its length in bytes.
func unpack(file io.Reader) (io.Reader, int64) {
	packed, err := io.ReadAll(file)
	if err != nil {
		panic(err) // it is in memory
	}
	unzip, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		panic(err) // the build wrote it
	}
	return unzip, int64(binary.LittleEndian.Uint32(packed[len(packed)-4:])) // gzip ends with the length
}
