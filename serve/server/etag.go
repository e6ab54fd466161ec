package server

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/klauspost/compress/gzhttp"

	"piyasa/account/access"
	"piyasa/rest"
	"piyasa/serve/answer"
)

// keepable writes an answer that caches may store, or 304 without a body if If-None-Match
// names its current version.
func (s *Server) keepable(w http.ResponseWriter, r *http.Request, given *rest.Answer) {
	keep, h := given.Keep, w.Header()
	version := func(etag string) {
		h.Set("X-Usage-Units", strconv.FormatInt(access.CallOf(r.Context()).Units(), 10))
		h.Set("ETag", etag)
		h.Set("Cache-Control", fmt.Sprintf("public, max-age=%d", int(keep.MaxAge.Seconds())))
	}
	if answer.Matches(r.Header.Values("If-None-Match"), keep.ETag) {
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
	h.Set("Content-Type", given.Media)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set(gzhttp.HeaderNoCompression, "1") // a strong ETag covers exactly these bytes
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(body)
}
