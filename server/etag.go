package server

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzhttp"

	"piyasa/access"
	"piyasa/rest"
)

// keepable writes an answer that caches may keep, or 304 without a body if
// If-None-Match names its current version.
func (s *Server) keepable(w http.ResponseWriter, r *http.Request, answer *rest.Answer) {
	keep, h := answer.Keep, w.Header()
	version := func(etag string) {
		h.Set("X-Usage-Units", strconv.FormatInt(access.CallOf(r.Context()).Units(), 10))
		h.Set("ETag", etag)
		h.Set("Cache-Control", fmt.Sprintf("public, max-age=%d", int(keep.MaxAge.Seconds())))
	}
	if matches(r.Header.Values("If-None-Match"), keep.ETag) {
		version(keep.ETag)
		w.WriteHeader(http.StatusNotModified)
		return
	}
	etag, body, err := keep.Read(r.Context())
	if err != nil {
		h.Set("X-Usage-Units", "0")
		s.problems.Write(w, r, err)
		return
	}
	version(etag)
	h.Set("Content-Type", answer.Media)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set(gzhttp.HeaderNoCompression, "1") // a strong ETag is of these very bytes
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(body)
}

// matches reports whether If-None-Match names etag: any version (*), or one of
// a list, a weak tag as good as a strong one. What is no entity tag ends the
// list.
func matches(header []string, etag string) bool {
	list := strings.TrimSpace(strings.Join(header, ","))
	if list == "*" {
		return true
	}
	for {
		list = strings.TrimPrefix(strings.TrimLeft(list, ", \t"), "W/")
		if !strings.HasPrefix(list, `"`) {
			return false
		}
		tag, rest, closed := strings.Cut(list[1:], `"`)
		if !closed {
			return false
		}
		if `"`+tag+`"` == etag {
			return true
		}
		list = rest
	}
}
