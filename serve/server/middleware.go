package server

import (
	"log/slog"
	"net/http"
	"path"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/klauspost/compress/gzhttp"

	"piyasa/internal/problem"
	"piyasa/serve/answer"
)

// yielding lets the requests of other connections go first. Otherwise a connection whose next
// request has already arrived would continue at once, before connections that the scheduler
// must first learn about from the network; those would wait ten times as long.
func yielding(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		runtime.Gosched()
		next.ServeHTTP(w, r)
	})
}

const harmlessPolicy = "default-src 'none'; frame-ancestors 'none'"

// Values of headers that never change.
var (
	harmless   = []string{harmlessPolicy}
	asDeclared = []string{"nosniff"}
)

// contained sets headers that keep answers from loading, running or being framed as anything,
// unless an answer sets its own, as the pages do.
func contained(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h["Content-Security-Policy"], h["X-Content-Type-Options"] = harmless, asDeclared
		next.ServeHTTP(w, r)
	})
}

// recovered turns a panic into the problem internal.
func (s *Server) recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler {
					panic(p)
				}
				slog.ErrorContext(r.Context(), "panic", "path", r.URL.Path, "panic", p, "stack", string(debug.Stack()))
				s.problems.Write(w, r, problem.Wrap(nil))
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// compressed compresses answers for clients that accept it. The pages have their own
// compressed copies.
func compressed(next http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(answer.MinPacked))
	if err != nil {
		panic(err) // the options are constants
	}
	packed := wrap(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer w.Header().Del(gzhttp.HeaderNoCompression) // even if a panic keeps the compressor from doing so
		if r.Header["Accept-Encoding"] == nil {          // there is nothing to compress
			w.Header()["Vary"] = append(w.Header()["Vary"], "Accept-Encoding")
			next.ServeHTTP(&gzhttp.NoGzipResponseWriter{ResponseWriter: w}, r)
			return
		}
		packed.ServeHTTP(w, r)
	})
}

// asWritten answers 404 for paths that the mux would redirect to a cleaned path, or reject
// without a problem.
func (s *Server) asWritten(mux http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p := r.URL.Path; r.RequestURI == "*" || path.Clean(p) != p && path.Clean(p)+"/" != p {
			s.notFound(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// notFound answers browsers that navigate to a path with a page, and other clients with a
// problem.
func (s *Server) notFound(w http.ResponseWriter, r *http.Request) {
	s.problems.NoRoute(w.Header(), r)
	if reads := r.Method == http.MethodGet || r.Method == http.MethodHead; reads && !strings.HasPrefix(r.URL.Path, "/v1/") {
		w.Header().Add("Vary", "Accept")
		if strings.Contains(strings.Join(r.Header.Values("Accept"), ","), "text/html") {
			s.site.NotFound(w, problem.Clip(r.URL.Path))
			return
		}
	}
	s.problems.Write(w, r, problem.New(problem.NotFound, "This path does not exist; %s/docs/rest lists the routes.", s.services.BaseURL))
}
