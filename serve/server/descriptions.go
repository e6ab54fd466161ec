package server

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"sync"

	"github.com/vektah/gqlparser/v2/formatter"

	"piyasa/rest"
	"piyasa/serve/asyncapi"
)

// openAPI serves the description of the routes.
func (s *Server) openAPI() http.Handler {
	return s.described(rest.JSON, func() []byte { return rest.OpenAPI(s.routes, s.services.BaseURL, s.config.Version) })
}

// openAPI30 serves the same for tools that read only OpenAPI 3.0.
func (s *Server) openAPI30() http.Handler {
	return s.described(rest.JSON, func() []byte { return rest.OpenAPI30(rest.OpenAPI(s.routes, s.services.BaseURL, s.config.Version)) })
}

// asyncAPI serves the description of the sockets.
func (s *Server) asyncAPI() http.Handler {
	return s.described(rest.JSON, func() []byte { return asyncapi.Document(s.services.BaseURL, s.config.Version) })
}

// deferred declares @defer, which documents may contain. It is in no published specification,
// so tools know it only from the schema.
const deferred = "directive @defer(if: Boolean = true, label: String) on FRAGMENT_SPREAD | INLINE_FRAGMENT\n"

// schema serves the GraphQL schema for tools that generate clients.
func (s *Server) schema() http.Handler {
	return s.described("text/plain; charset=utf-8", func() []byte {
		var text bytes.Buffer
		text.WriteString(deferred)
		formatter.NewFormatter(&text, formatter.WithIndent("  ")).FormatSchema(s.costs.Schema())
		return text.Bytes()
	})
}

// described serves a document, which MakeDocs or the first request makes, with an ETag for
// caches.
func (s *Server) described(media string, document func() []byte) http.Handler {
	made := sync.OnceValue(func() madeText {
		text := document()
		return madeText{media, fmt.Sprintf(`"%x"`, sha256.Sum256(text)), text}
	})
	s.descriptions = append(s.descriptions, func() { made() })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { sendOnce(w, r, made()) })
}
