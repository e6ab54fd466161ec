package rest

import (
	"net/http"

	"github.com/swaggest/openapi-go"
	"github.com/swaggest/openapi-go/openapi31"

	"piyasa/problem"
	"piyasa/value"
)

// other is an operation that is no row of the table: it has no twin.
type other struct {
	method, path, id, tag string
	summary, description  string
	keyed, deprecated     bool
	params, body          any // what decodes them; nil: none
	answers               []described
	problems              []problem.Kind
}

// described is one answer of another operation.
type described struct {
	status int
	media  string
	body   any // nil: not described further
	text   string
}

func (o other) describe(r *openapi31.Reflector) {
	op, err := r.NewOperationContext(o.method, o.path)
	must(err)
	op.SetID(o.id)
	op.SetTags(o.tag)
	op.SetSummary(o.summary)
	op.SetDescription(o.description)
	op.SetIsDeprecated(o.deprecated)
	if o.keyed {
		op.AddSecurity("key")
	}
	for _, from := range []any{o.params, o.body} {
		if from != nil {
			op.AddReqStructure(from)
		}
	}
	for _, a := range o.answers {
		op.AddRespStructure(a.body, func(u *openapi.ContentUnit) {
			u.HTTPStatus, u.ContentType, u.Description = a.status, a.media, a.text
			if a.status == http.StatusOK && a.media == JSON {
				withExample(o.id)(u)
			}
		})
	}
	describeProblems(op, o.problems)
	must(r.AddOperation(op))
}

// The tags of other operations.
const (
	documentsTag = "Documents"
	streamsTag   = "Streams"
	graphQLTag   = "GraphQL"
	serviceTag   = "Service"
)

type (
	documentParams struct {
		N         int    `path:"n" description:"Which document, from 1."`
		Expires   string `query:"expires" required:"true" description:"As the link has it."`
		Signature string `query:"signature" required:"true" description:"As the link has it."`
	}
	attachmentParams struct {
		Index int `path:"index" description:"The platform's number of the disclosure."`
		documentParams
	}
	ipoDocumentParams struct {
		ID string `path:"id" description:"Id of the public offering."`
		documentParams
	}
	streamToken struct {
		Token     string        `json:"token" description:"Stands for the key as the parameter token of /graphql/stream."`
		ExpiresAt value.Instant `json:"expires_at" description:"From here on it does not."`
	}
	health struct {
		Status  string `json:"status"`
		Version string `json:"version"`
	}
	readiness struct {
		Status string `json:"status"`
		Reason string `json:"reason,omitempty" description:"Why requests cannot be served, or what is worth knowing although they can."`
	}
	graphQLParams struct {
		Query         string `query:"query" description:"The document; without it extensions name a persisted one."`
		OperationName string `query:"operationName" description:"Which operation of the document."`
		Variables     string `query:"variables" description:"A JSON object."`
		Extensions    string `query:"extensions" description:"A JSON object."`
	}
	graphQLRequest struct {
		Query         string         `json:"query,omitempty" description:"The document; without it extensions name a persisted one."`
		OperationName string         `json:"operationName,omitempty" description:"Which operation of the document."`
		Variables     map[string]any `json:"variables,omitempty"`
		Extensions    map[string]any `json:"extensions,omitempty"`
	}
	graphQLError struct {
		Message    string         `json:"message"`
		Path       []any          `json:"path,omitempty"`
		Extensions map[string]any `json:"extensions,omitempty" description:"code, and problem as REST spells it."`
	}
	graphQLAnswer struct {
		Data       map[string]any `json:"data,omitempty"`
		Errors     []graphQLError `json:"errors,omitempty"`
		Extensions map[string]any `json:"extensions,omitempty" description:"usage_units: what the answer cost."`
	}
	streamParams struct {
		graphQLParams
		Token string `query:"token" description:"A stream token, or that of a reserved stream."`
	}
	reservedParams struct {
		Token       string `query:"token" description:"Of the reserved stream; the header X-GraphQL-Event-Stream-Token does the same."`
		OperationID string `query:"operationId" required:"true" description:"Which operation ends."`
	}
	problemParams struct {
		Kind string `path:"kind" description:"The last part of a problem's type."`
	}
)

// others are the operations beside the table.
func others() []other {
	keyed := []problem.Kind{problem.Unauthenticated, problem.RateLimited, problem.Internal, problem.StoreUnavailable}
	linked := []problem.Kind{problem.NotFound, problem.Internal, problem.ContentStoreUnavailable}
	socket := []problem.Kind{problem.OriginNotAllowed, problem.UpgradeRequired, problem.Internal}
	upgraded := []described{{status: http.StatusSwitchingProtocols, text: "A WebSocket; /asyncapi.json describes its messages."}}
	text := func(status int, what string) described {
		return described{status: status, media: "text/plain", text: what}
	}
	answered := func(status int, what string) described { return described{status, JSON, new(graphQLAnswer), what} }
	page := []described{{status: http.StatusOK, media: "text/html", text: "A page for people."}}
	document := []described{{status: http.StatusOK, media: "application/octet-stream", text: "The bytes, with the media type that the document states."}}
	description := []described{{status: http.StatusOK, media: JSON, text: "The description."}, {status: http.StatusNotModified, text: "If-None-Match names the present version."}}
	refusals := []described{
		answered(http.StatusBadRequest, "The request or its document is refused."), answered(http.StatusNotAcceptable, "Accept names none of the media types, or the operation is a subscription."),
		answered(http.StatusRequestEntityTooLarge, "The body is too large."), answered(http.StatusUnsupportedMediaType, "The body is not JSON."),
	}
	ran := append([]described{answered(http.StatusOK, "The answer; for clients that take application/json only, a refused document, too."), {http.StatusOK, "application/graphql-response+json", new(graphQLAnswer), "The answer."}}, refusals...)
	events := append([]described{{status: http.StatusOK, media: "text/event-stream", text: "Events next and complete, as graphql-sse has them."}, text(http.StatusAccepted, "The operation runs on the reserved stream."), answered(http.StatusNotFound, "There is no such stream."), answered(http.StatusConflict, "The stream or the operation is open already."), answered(http.StatusServiceUnavailable, "Streams are not served now.")}, refusals...)
	return []other{
		{method: http.MethodGet, path: "/v1/kap-feed/disclosures/{index}/attachments/{n}", id: "attachment", tag: documentsTag, summary: "A document of a disclosure", description: "Needs no key: the link that a disclosure carries is signed, and works up to its expires_at.", params: new(attachmentParams), answers: document, problems: append([]problem.Kind{problem.StoreUnavailable}, linked...)},
		{method: http.MethodGet, path: "/v1/ipo/{id}/documents/{n}", id: "ipoDocument", tag: documentsTag, summary: "A document of a public offering", description: "Needs no key: the link that an offering carries is signed, and works up to its expires_at.", params: new(ipoDocumentParams), answers: document, problems: linked},
		{method: http.MethodGet, path: "/v1/stream-token", id: "streamToken", tag: streamsTag, summary: "What stands for the key in the address of a stream", description: "For a browser's EventSource, which sends no header of ours. Any key; costs no unit.", keyed: true, answers: []described{{http.StatusOK, JSON, new(streamToken), "The token."}}, problems: keyed},
		{method: http.MethodGet, path: "/v1/kap-feed/stream", id: "disclosureSocket", tag: streamsTag, summary: "Disclosures as they are stored", description: "The key is in the first message.", answers: upgraded, problems: socket},
		{method: http.MethodGet, path: "/v1/kap/stream", id: "disclosureSocketFormerly", tag: streamsTag, summary: "The former path of /v1/kap-feed/stream", deprecated: true, answers: upgraded, problems: socket},
		{method: http.MethodGet, path: "/v1/ws", id: "priceSocket", tag: streamsTag, summary: "Quotes as they change", description: "The key is in the first message.", answers: upgraded, problems: socket},
		{method: http.MethodPost, path: "/graphql", id: "graphQL", tag: graphQLTag, summary: "Runs a GraphQL document", description: "Any key; each field needs the scope of its REST twin.", keyed: true, body: new(graphQLRequest), answers: ran, problems: keyed},
		{method: http.MethodGet, path: "/graphql", id: "graphQLByGet", tag: graphQLTag, summary: "Runs a GraphQL query; a WebSocket of graphql-transport-ws opens here, too", keyed: true, params: new(graphQLParams), answers: append([]described{upgraded[0], answered(http.StatusMethodNotAllowed, "GET runs queries only.")}, ran...), problems: append([]problem.Kind{problem.OriginNotAllowed}, keyed...)},
		{method: http.MethodPost, path: "/graphql/stream", id: "eventStream", tag: streamsTag, summary: "Runs an operation as server-sent events, or on a reserved stream", keyed: true, body: new(graphQLRequest), answers: events, problems: keyed},
		{method: http.MethodGet, path: "/graphql/stream", id: "eventStreamByGet", tag: streamsTag, summary: "Runs an operation as server-sent events, or opens a reserved stream", keyed: true, params: new(streamParams), answers: append([]described{answered(http.StatusMethodNotAllowed, "GET runs queries and subscriptions only.")}, events...), problems: keyed},
		{method: http.MethodPut, path: "/graphql/stream", id: "reserveStream", tag: streamsTag, summary: "Reserves a stream", keyed: true, answers: []described{text(http.StatusCreated, "The token of the stream."), answered(http.StatusConflict, "A stream is reserved without a token."), answered(http.StatusServiceUnavailable, "Streams are not served now.")}, problems: keyed},
		{method: http.MethodDelete, path: "/graphql/stream", id: "endOperation", tag: streamsTag, summary: "Ends an operation of a reserved stream", keyed: true, params: new(reservedParams), answers: []described{text(http.StatusOK, "It has ended."), answered(http.StatusBadRequest, "operationId is missing."), answered(http.StatusNotFound, "There is no such stream.")}, problems: keyed},
		{method: http.MethodGet, path: "/healthz", id: "health", tag: serviceTag, summary: "Whether the server lives", answers: []described{{http.StatusOK, JSON, new(health), "It does."}}},
		{method: http.MethodGet, path: "/readyz", id: "ready", tag: serviceTag, summary: "Whether requests can be served", answers: []described{{http.StatusOK, JSON, new(readiness), "They can."}, {http.StatusServiceUnavailable, JSON, new(readiness), "Not now."}}},
		{method: http.MethodGet, path: "/openapi.json", id: "openAPI", tag: serviceTag, summary: "This description", answers: description},
		{method: http.MethodGet, path: "/asyncapi.json", id: "asyncAPI", tag: serviceTag, summary: "The description of the sockets", answers: description},
		{method: http.MethodGet, path: "/docs", id: "docs", tag: serviceTag, summary: "Where to ask, and every route", answers: page},
		{method: http.MethodGet, path: "/graphiql", id: "graphiQL", tag: serviceTag, summary: "GraphiQL", answers: append([]described{{status: http.StatusServiceUnavailable, media: "text/html", text: "This program was built without the page."}}, page...)},
		{method: http.MethodGet, path: "/problems/{kind}", id: "problem", tag: serviceTag, summary: "What a problem's type means", params: new(problemParams), answers: page, problems: []problem.Kind{problem.NotFound}},
		{method: http.MethodGet, path: "/", id: "home", tag: serviceTag, summary: "Leads to /docs", answers: []described{{status: http.StatusFound, text: "To /docs."}}},
	}
}
