// Package mcp serves piyasa to agents as tools of the Model Context Protocol: streamable HTTP,
// stateless. A tool is a view of the graph: it runs one GraphQL query, charged to the key as any
// other, and keeps its answer short enough for a model to read.
package mcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/vektah/gqlparser/v2/ast"

	"piyasa/account/access"
	"piyasa/internal/problem"
	"piyasa/serve/answer"
	"piyasa/serve/graphqlhttp"
)

// Path is the path of the MCP endpoint.
const Path = "/mcp"

// Limits of a request.
const (
	maxBody  = 256 << 10        // bytes, as of a GraphQL request
	callTime = 30 * time.Second // timeout of a tool
	listTTL  = time.Hour        // for how long clients may keep the list of tools
)

// Config holds what New makes a Handler of.
type Config struct {
	Version  string
	BaseURL  string // start of the addresses that answers name
	Problems answer.Problems
	Schema   *ast.Schema
	Ask      func(context.Context, graphqlhttp.Question, func(graphqlhttp.Reply)) // runs a query
	// whether a page of the request's origin may ask
	Origin func(*http.Request) bool
}

// Handler answers requests of the Model Context Protocol, by which agents call tools. A tool runs
// one GraphQL document, with the key and at the cost of any other, and shortens the answer to what
// a model can read. Each request stands alone, without a session.
type Handler struct {
	config Config
	schema *schemaIndex
	json   http.Handler // answers in one piece
	events http.Handler // as server-sent events
}

// New returns the handler of the tools.
func New(c Config) *Handler {
	h := &Handler{config: c, schema: newSchemaIndex(c.Schema)}
	server := sdk.NewServer(&sdk.Implementation{Name: "piyasa", Title: "piyasa market data", Version: c.Version}, &sdk.ServerOptions{
		Instructions: instructions,
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}}, // which never change
		SetCacheable: func(_ context.Context, _ sdk.Request, cached *sdk.Cacheable) {
			cached.TTLMs, cached.CacheScope = int(listTTL/time.Millisecond), "public"
		},
	})
	for _, t := range h.tools() {
		server.AddTool(t.described(), h.handler(t))
	}
	options := sdk.StreamableHTTPOptions{
		Stateless: true, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true,
		DisableLocalhostProtection: true, // allowed checks pages by their origin; proxies ask from this machine, too
	}
	inEvents, inJSON := options, options
	inJSON.JSONResponse = true
	of := func(*http.Request) *sdk.Server { return server }
	h.json, h.events = sdk.NewStreamableHTTPHandler(of, &inJSON), sdk.NewStreamableHTTPHandler(of, &inEvents)
	return h
}

const instructions = `Market data: Istanbul equities and funds, US equities, crypto, FX, world indices, commodities; statements, valuations, disclosures (KAP), calendar, IPOs.
Find ids with search_instruments. Prices, statements and everything else: search_schema, then graphql. Figures are exact decimal text; an unknown one is null, with a reason where there is one. State as_of and the delay with every price.`

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !h.allowed(r) {
		h.config.Problems.Write(w, r, problem.New(problem.OriginNotAllowed,
			"Pages of this origin may not ask here; the server's operator lists the allowed origins (PIYASA_ORIGINS)."))
		return
	}
	const inJSON, inEvents = "application/json", "text/event-stream"
	answers := h.json
	switch accept := r.Header.Values("Accept"); {
	case answer.Negotiate(accept, inJSON) != "":
		r.Header.Set("Accept", inJSON+", "+inEvents) // as the protocol wants it
	case answer.Negotiate(accept, inEvents) != "":
		r.Header.Set("Accept", inJSON+", "+inEvents)
		answers = h.events
	}
	body, err := answer.RequestBody(w, r, maxBody)
	if errors.Is(err, answer.ErrEncoding) {
		refuse(w, http.StatusUnsupportedMediaType, "The content encoding must be gzip or none.")
		return
	}
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		refuse(w, http.StatusRequestEntityTooLarge, "The message is longer than 262144 bytes.")
		return
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, "The message could not be read.")
		return
	}
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	var message map[string]jsontext.Value
	if err := json.Unmarshal(body, &message); err != nil || message == nil { // a batch would be one token for many calls
		refuse(w, http.StatusBadRequest, "A request is one message, a JSON object in UTF-8 with each member once; batches are not read.")
		return
	}
	if id := message["id"]; id.Kind() == '0' && (len(id) > 15 || bytes.ContainsAny(id, ".eE")) {
		message["id"] = slices.Concat([]byte{'"'}, id, []byte{'"'})
		w = idWriter{w, slices.Concat([]byte(`"id":`), message["id"]), slices.Concat([]byte(`"id":`), id)}
		body, _ = json.Marshal(message) // Unmarshal has accepted it
	}
	r.Header.Del("Content-Encoding")
	r.Body = io.NopCloser(bytes.NewReader(body))
	ctx, cancel := context.WithTimeout(r.Context(), callTime)
	defer cancel()
	answers.ServeHTTP(w, r.WithContext(context.WithValue(ctx, requestKey{}, ctx)))
}

// idWriter restores the id of a message as the client sent it: the SDK reads numbers as float64, so
// it is given the id as text.
type idWriter struct {
	http.ResponseWriter
	text, sent []byte
}

// Write implements http.ResponseWriter. The SDK writes a message in one call, and the message
// begins with its id.
func (w idWriter) Write(p []byte) (int, error) {
	_, err := w.ResponseWriter.Write(bytes.Replace(p, w.text, w.sent, 1))
	return len(p), err
}

// Unwrap lets http.ResponseController reach the wrapped writer.
func (w idWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// requestKey is the key under which a context holds the context of its HTTP request. That one ends
// with the request; the context in which older versions of the protocol run tools does not.
type requestKey struct{}

// requestOf returns the context of the request that ctx belongs to.
func requestOf(ctx context.Context) context.Context {
	if of, ok := ctx.Value(requestKey{}).(context.Context); ok {
		return of
	}
	return ctx
}

// refuse answers a body that is not a valid message.
func refuse(w http.ResponseWriter, status int, detail string) {
	answer.JSON(w, status, map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": -32600, "message": detail}})
}

// handler returns the function that runs a tool.
func (h *Handler) handler(t tool) sdk.ToolHandler {
	return func(ctx context.Context, call *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		ctx = requestOf(ctx)
		in, err := t.read(call.Params.Arguments)
		var out string
		if err == nil {
			out, err = t.run(ctx, in)
		}
		if err != nil {
			out = h.failed(ctx, err)
		}
		result := &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: out}}, IsError: err != nil}
		if of := access.CallOf(ctx); of != nil && of.Cost.Asked > 0 {
			result.Meta = sdk.Meta{"usage_units": of.Units(), "cost": of.Cost}
		}
		return result, nil
	}
}

// failed returns the text of a problem for a model.
func (h *Handler) failed(ctx context.Context, err error) string {
	if refused, ok := errors.AsType[*queryError](err); ok {
		return refused.text
	}
	e := problem.From(err)
	answer.LogCause(ctx, Path, e)
	h.config.Problems.Note(ctx, e)
	return strings.TrimSuffix(string(answer.Encoded(e.Document(h.config.BaseURL, Path, answer.RequestID(ctx)))), "\n")
}
