package rest

import (
	"net/http"
	"slices"

	"github.com/swaggest/openapi-go"
	"github.com/swaggest/openapi-go/openapi31"

	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// other is an operation that is not in the table of routes and has no field in GraphQL.
type other struct {
	method, path, id, tag string
	summary, description  string
	keyed, deprecated     bool
	params, body          any // the types that decode them; nil: none
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
	} else {
		op.(openapi31.OperationExposer).Operation().WithMapOfAnythingItem("security", []any{}) // it needs no key
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
		N         int    `path:"n" description:"Number of the document, from 1."`
		Expires   string `query:"expires" required:"true" description:"As in the signed link."`
		Signature string `query:"signature" required:"true" description:"As in the signed link."`
	}
	attachmentParams struct {
		Index int `path:"index" description:"disclosure_index of the disclosure."`
		documentParams
	}
	ipoDocumentParams struct {
		ID string `path:"id" description:"Id of the IPO."`
		documentParams
	}
	bulkParams struct {
		Kind       string            `path:"kind" description:"A kind of record." enum:"bar,index_bar,dividend,corporate_action,trading_day,instrument,statement,market_metrics,fund,fund_flow"`
		Market     market.Market     `query:"market" description:"Of the records; required but for index_bar, fund and fund_flow, which have none."`
		Resolution market.Resolution `query:"resolution" enum:"5m,2h,1d" description:"Of bars. Default: 1d."`
		Year       string            `query:"year" description:"Records of a year, such as 2026. Without a year, a month, a day, from and to: all."`
		Month      string            `query:"month" description:"Records of a month, such as 2026-03."`
		Day        string            `query:"day" description:"Records of a day, such as 2026-03-18."`
		From       string            `query:"from" description:"First day, in the calendar of the market."`
		To         string            `query:"to" description:"Last day."`
		Format     string            `query:"format" enum:"parquet,csv,ndjson" description:"Of the file. Default: parquet."`
		Range      string            `header:"Range" description:"The bytes that are wanted, to go on after a cut."`
		IfRange    string            `header:"If-Range" description:"ETag of the file that the Range is of; it is sent whole if it is no longer kept."`
	}
	streamToken struct {
		Token     string        `json:"token" description:"Replaces the key when a stream opens: as token in its address, or in the auth or connection_init of a WebSocket."`
		ExpiresAt value.Instant `json:"expires_at" description:"When the token expires."`
	}
	linkRequest struct {
		Address string `json:"address" required:"true" description:"Path and query of a GET of REST, such as /v1/eod/bist:DMOST?format=csv."`
		Days    int    `json:"days,omitempty" default:"30" minimum:"1" maximum:"366" description:"How many days the link works."`
	}
	link struct {
		Link      string        `json:"link" description:"The address, which needs no header."`
		ExpiresAt value.Instant `json:"expires_at" description:"When the link expires."`
	}
	webhookRequest struct {
		URL    string   `json:"url" required:"true" description:"Where events go: https, of a host that everybody can reach, at most 2000 bytes."`
		Topics []string `json:"topics,omitempty" minItems:"1" maxItems:"100" description:"Of all, type:<TYPE> and symbol:<CODE>, as streams follow them. Default: all."`
		From   string   `json:"from,omitempty" default:"now" description:"now, start, or the position after which to begin."`
	}
	webhookParams struct {
		ID string `path:"id" description:"Id of the webhook."`
	}
	deletedWebhook struct {
		Deleted string `json:"deleted" description:"Its id."`
	}
	health struct {
		Status  string        `json:"status"`
		Version string        `json:"version"`
		Now     value.Instant `json:"now" description:"The service's clock, which --now sets for a replay."`
	}
	readiness struct {
		Status string  `json:"status"`
		Reason string  `json:"reason,omitempty" description:"Why the server is not ready, or a note if it is."`
		Empty  bool    `json:"empty,omitempty" description:"Present, and true, while nothing is stored."`
		First  string  `json:"first_run,omitempty" description:"What the home page of a first run offers: key, file."`
		Lag    float64 `json:"lag_seconds,omitempty" description:"How many seconds ago what is served was last known to be everything that is stored; missing if it is not known."`
	}
	graphQLParams struct {
		Query         string `query:"query" description:"The document; may be left out if documentId or extensions name one."`
		DocumentID    string `query:"documentId" description:"Id of a document in the list of the server, instead of query."`
		OperationName string `query:"operationName" description:"Name of the operation to run."`
		Variables     string `query:"variables" description:"A JSON object."`
		Extensions    string `query:"extensions" description:"A JSON object."`
	}
	graphQLRequest struct {
		Query         string         `json:"query,omitempty" description:"The document; may be left out if documentId or extensions name one."`
		DocumentID    string         `json:"documentId,omitempty" description:"Id of a document in the list of the server, instead of query."`
		OperationName string         `json:"operationName,omitempty" description:"Name of the operation to run."`
		Variables     map[string]any `json:"variables,omitempty"`
		Extensions    map[string]any `json:"extensions,omitempty"`
	}
	graphQLError struct {
		Message    string         `json:"message"`
		Path       []any          `json:"path,omitempty"`
		Extensions map[string]any `json:"extensions,omitempty" description:"code, and problem with the problem document of REST."`
	}
	graphQLAnswer struct {
		Data       map[string]any `json:"data,omitempty"`
		Errors     []graphQLError `json:"errors,omitempty"`
		Extensions map[string]any `json:"extensions,omitempty" description:"usage_units: the cost in request units. cost: that in work, with what was asked, granted and left."`
	}
	streamParams struct {
		graphQLParams
		Token string `query:"token" description:"A stream token, or the token of a reserved stream."`
	}
	reservedParams struct {
		Token       string `query:"token" description:"Token of the reserved stream; the header X-GraphQL-Event-Stream-Token also works."`
		OperationID string `query:"operationId" required:"true" description:"Id of the operation to end."`
	}
	message struct {
		JSONRPC string         `json:"jsonrpc" required:"true" description:"2.0"`
		ID      *int           `json:"id,omitempty" description:"Of a call, repeated by its answer; a number or text."`
		Method  string         `json:"method,omitempty" description:"Such as tools/list or tools/call."`
		Params  map[string]any `json:"params,omitempty"`
		Result  map[string]any `json:"result,omitempty"`
		Error   map[string]any `json:"error,omitempty"`
	}
	pageParams struct {
		Page string `path:"page" description:"Address of the page below /docs."`
	}
	searchParams struct {
		Q string `query:"q" description:"Words, or how they begin; at most 200 bytes and 8 words are read."`
	}
	disclosurePageParams struct {
		Index int `path:"index" description:"The number of a disclosure."`
	}
	instrumentPageParams struct {
		ID string `path:"id" description:"An instrument id."`
	}
	problemParams struct {
		Kind string `path:"kind" description:"Last part of a problem's type."`
	}
)

// others returns the operations that are not in the table of routes.
func others() []other {
	keyed := []problem.Kind{problem.Unauthenticated, problem.ConflictingParameters, problem.RateLimited, problem.QuotaExceeded,
		problem.Overloaded, problem.Internal, problem.StoreUnavailable}
	linked := []problem.Kind{problem.NotFound, problem.Internal, problem.ContentStoreUnavailable}
	socket := []problem.Kind{problem.OriginNotAllowed, problem.UpgradeRequired, problem.Internal}
	upgraded := []described{{status: http.StatusSwitchingProtocols, text: "A WebSocket; /asyncapi.json describes its messages."}}
	text := func(status int, what string) described {
		return described{status: status, media: "text/plain", text: what}
	}
	answered := func(status int, what string) described { return described{status, JSON, new(graphQLAnswer), what} }
	page := []described{{status: http.StatusOK, media: "text/html", text: "A page for people."}}
	document := []described{{status: http.StatusOK, media: "application/octet-stream", text: "The document, with its own media type."}}
	unchangedAnswer := described{status: http.StatusNotModified, text: "If-None-Match matches the current version."}
	read := []described{page[0], {status: http.StatusOK, media: "text/markdown", text: "The same as Markdown, for clients that prefer it."},
		unchangedAnswer}
	description := []described{{status: http.StatusOK, media: JSON, text: "The description."}, unchangedAnswer}
	refusals := []described{
		answered(http.StatusBadRequest, "The request or its document is rejected."),
		answered(http.StatusNotAcceptable, "Accept allows none of the media types, or the operation is a subscription."),
		answered(http.StatusRequestEntityTooLarge, "The body is too large."),
		answered(http.StatusUnsupportedMediaType, "The body is not JSON."),
	}
	ran := append([]described{answered(http.StatusOK,
		"The answer; for clients that accept only application/json, also errors of a rejected document."),
		{http.StatusOK, "application/graphql-response+json", new(graphQLAnswer), "The answer."},
		{status: http.StatusOK, media: "multipart/mixed",
			text: "Events of a subscription, for a client that accepts subscriptionSpec=1.0."}}, refusals...)
	events := append([]described{{status: http.StatusOK, media: "text/event-stream",
		text: "Events next and complete of the graphql-sse protocol."},
		text(http.StatusAccepted, "The operation runs on the reserved stream."),
		answered(http.StatusNotFound, "The stream does not exist."),
		answered(http.StatusConflict, "The stream or the operation is already open."),
		answered(http.StatusServiceUnavailable, "Streams are not available now.")}, refusals...)
	built := append([]described{{status: http.StatusServiceUnavailable, media: "text/html",
		text: "This binary was built without the page."}}, page...)
	file := func(media, what string) described { return described{status: http.StatusOK, media: media, text: what} }
	return []other{
		{method: http.MethodGet, path: "/v1/bulk/{kind}", id: "bulk", tag: "Bulk files", summary: "All records of a kind, as a file",
			description: "The columns are those of ingest, behind number, key, withdrawn and known_from. Bars are exactly those that " +
				"candles show. The header X-Position says from where to follow what changes. Needs the scope of the kind's routes: " +
				"quotes:fund for fund, any key for trading_day and instrument, else history; the plan may not allow it. " +
				"Costs 1 request unit.",
			keyed: true, params: new(bulkParams),
			answers: []described{file("application/vnd.apache.parquet", "The file."), file(CSV, "The file."),
				file("application/x-ndjson", "The file, in the lines that ingest reads."), unchangedAnswer,
				{status: http.StatusPartialContent, media: "application/octet-stream", text: "The bytes of the Range."},
				text(http.StatusPreconditionFailed, "If-Match names another version."),
				text(http.StatusRequestedRangeNotSatisfiable, "The file has no bytes of the Range.")},
			problems: append([]problem.Kind{problem.MissingScope, problem.TestPlan, problem.NotInPlan, problem.NotFound,
				problem.InvalidParameter, problem.UnsupportedResolution, problem.InvertedWindow, problem.WindowTooLong,
				problem.RepeatedParameter}, keyed...)},
		{method: http.MethodGet, path: "/v1/kap-feed/disclosures/{index}/attachments/{n}", id: "attachment", tag: documentsTag,
			summary: "A document of a disclosure", description: "Needs no key: the signed link of a disclosure works until its expires_at.",
			params: new(attachmentParams), answers: document, problems: append([]problem.Kind{problem.StoreUnavailable}, linked...)},
		{method: http.MethodGet, path: "/v1/ipo/{id}/documents/{n}", id: "ipoDocument", tag: documentsTag, summary: "A document of an IPO",
			description: "Needs no key: the signed link of an IPO works until its expires_at.", params: new(ipoDocumentParams),
			answers: document, problems: linked},
		{method: http.MethodGet, path: "/v1/stream-token", id: "streamToken", tag: streamsTag,
			summary:     "A short-lived token that opens streams in place of the key",
			description: "For pages, which must not know the key, and whose EventSource cannot send it. Any key; costs no request units.",
			keyed:       true, answers: []described{{http.StatusOK, JSON, new(streamToken), "The token."}}, problems: keyed},
		{method: http.MethodPost, path: "/v1/links", id: "makeLink", tag: "Your key",
			summary: "An address of REST that needs no header",
			description: "For programs that cannot send a key, such as spreadsheets. The link gives the one answer at its address, with " +
				"the scopes, limits and usage of the key, until it expires or the key is revoked. Any key; costs no request units.",
			keyed: true, body: new(linkRequest), answers: []described{{http.StatusOK, JSON, new(link), "The link."}},
			problems: append([]problem.Kind{problem.InvalidParameter}, keyed...)},
		{method: http.MethodPost, path: "/v1/webhooks", id: "registerWebhook", tag: "Your key",
			summary: "Has disclosures posted to an address as they are stored",
			description: "Each event is signed after the Standard Webhooks specification, and costs 1 request unit. The plan says " +
				"how many webhooks a key may have. Needs kap; costs no request units.",
			keyed: true, body: new(webhookRequest),
			answers: []described{{http.StatusOK, JSON, new(kap.Registered), "The webhook."}},
			problems: append([]problem.Kind{problem.MissingScope, problem.NotInPlan, problem.InvalidParameter, problem.TooManyValues,
				problem.PositionAhead, problem.PositionGone}, keyed...)},
		{method: http.MethodDelete, path: "/v1/webhooks/{id}", id: "deleteWebhook", tag: "Your key",
			summary:     "Deletes a webhook of the key",
			description: "Nothing is posted after some seconds. Needs kap; costs no request units.",
			keyed:       true, params: new(webhookParams),
			answers:  []described{{http.StatusOK, JSON, new(deletedWebhook), "It is deleted."}},
			problems: append([]problem.Kind{problem.MissingScope, problem.NotFound}, keyed...)},
		{method: http.MethodGet, path: "/v1/kap-feed/stream", id: "disclosureSocket", tag: streamsTag,
			summary: "Disclosures as they are stored", description: "Send the key in the first message.", answers: upgraded,
			problems: socket},
		{method: http.MethodGet, path: "/v1/kap/stream", id: "disclosureSocketFormerly", tag: streamsTag,
			summary: "The former path of /v1/kap-feed/stream", deprecated: true, answers: upgraded, problems: socket},
		{method: http.MethodGet, path: "/v1/ws", id: "priceSocket", tag: streamsTag, summary: "Quotes as they change",
			description: "Send the key in the first message.", answers: upgraded, problems: socket},
		{method: http.MethodPost, path: "/graphql", id: "graphQL", tag: graphQLTag, summary: "Runs a GraphQL document",
			description: "Any key; each field needs the scope of its REST counterpart.", keyed: true, body: new(graphQLRequest),
			answers: ran, problems: keyed},
		{method: http.MethodGet, path: "/graphql", id: "graphQLByGet", tag: graphQLTag,
			summary: "Runs a GraphQL query, or opens a graphql-transport-ws WebSocket", keyed: true, params: new(graphQLParams),
			answers: append([]described{upgraded[0], unchangedAnswer, answered(http.StatusMethodNotAllowed, "GET runs queries only.")},
				ran...), problems: append([]problem.Kind{problem.OriginNotAllowed}, keyed...)},
		{method: http.MethodPost, path: "/mcp", id: "agentTools", tag: graphQLTag,
			summary: "Tools for agents, in the Model Context Protocol",
			description: "Streamable HTTP, stateless: each request is one JSON-RPC message. The key may also come as " +
				"Authorization: Bearer KEY.", keyed: true, body: new(message),
			answers: []described{{http.StatusOK, JSON, new(message), "The answer; a tool that failed says so in it."},
				text(http.StatusAccepted, "A notification was read."),
				{http.StatusBadRequest, JSON, new(message), "The body is not one message."},
				{http.StatusRequestEntityTooLarge, JSON, new(message), "The body is too large."},
				text(http.StatusUnsupportedMediaType, "The body is not JSON.")},
			problems: append([]problem.Kind{problem.OriginNotAllowed}, keyed...)},
		{method: http.MethodPost, path: "/graphql/stream", id: "eventStream", tag: streamsTag,
			summary: "Runs an operation as server-sent events, or on a reserved stream", keyed: true, body: new(graphQLRequest),
			answers: events, problems: keyed},
		{method: http.MethodGet, path: "/graphql/stream", id: "eventStreamByGet", tag: streamsTag,
			summary: "Runs an operation as server-sent events, or opens a reserved stream", keyed: true, params: new(streamParams),
			answers:  append([]described{answered(http.StatusMethodNotAllowed, "GET runs queries and subscriptions only.")}, events...),
			problems: keyed},
		{method: http.MethodPut, path: "/graphql/stream", id: "reserveStream", tag: streamsTag, summary: "Reserves a stream", keyed: true,
			answers: []described{text(http.StatusCreated, "The token of the stream."),
				answered(http.StatusConflict, "The request already has a stream token; reserve without one."),
				answered(http.StatusServiceUnavailable, "Streams are not available now.")}, problems: keyed},
		{method: http.MethodDelete, path: "/graphql/stream", id: "endOperation", tag: streamsTag,
			summary: "Ends an operation of a reserved stream", keyed: true, params: new(reservedParams),
			answers: []described{text(http.StatusOK, "The operation has ended."),
				answered(http.StatusBadRequest, "operationId is missing."), answered(http.StatusNotFound, "The stream does not exist.")},
			problems: keyed},
		{method: http.MethodGet, path: "/healthz", id: "health", tag: serviceTag, summary: "Whether the server is alive",
			answers: []described{{http.StatusOK, JSON, new(health), "Alive."}}},
		{method: http.MethodGet, path: "/readyz", id: "ready", tag: serviceTag, summary: "Whether the server is ready",
			answers: []described{{http.StatusOK, JSON, new(readiness), "Ready."},
				{http.StatusServiceUnavailable, JSON, new(readiness), "Not ready."}}},
		{method: http.MethodGet, path: "/openapi.json", id: "openAPI", tag: serviceTag, summary: "This description", answers: description},
		{method: http.MethodGet, path: "/openapi-3.0.json", id: "openAPI30", tag: serviceTag, summary: "This description as OpenAPI 3.0",
			answers: description},
		{method: http.MethodGet, path: "/asyncapi.json", id: "asyncAPI", tag: serviceTag, summary: "The description of the sockets",
			answers: description},
		{method: http.MethodGet, path: "/schema.graphql", id: "graphQLSchema", tag: graphQLTag,
			summary: "The GraphQL schema, in its definition language",
			answers: []described{text(http.StatusOK, "The schema."), unchangedAnswer}},
		{method: http.MethodGet, path: "/docs", id: "docs", tag: serviceTag, summary: "The table of contents of the documentation",
			answers: read},
		{method: http.MethodGet, path: "/docs/{page}", id: "docsPage", tag: serviceTag, summary: "A page of the documentation",
			description: "Its Markdown has the ending .md. A page may lie in a folder.", params: new(pageParams),
			answers: append(slices.Clone(read),
				described{status: http.StatusNotFound, media: "text/html", text: "A page that says so, for browsers."}),
			problems: []problem.Kind{problem.NotFound}},
		{method: http.MethodGet, path: "/docs/search", id: "docsSearch", tag: serviceTag,
			summary: "The sections of the documentation that have all words", params: new(searchParams), answers: page},
		{method: http.MethodGet, path: "/llms.txt", id: "llms", tag: serviceTag, summary: "The list of pages, for language models",
			answers: []described{text(http.StatusOK, "Markdown."), unchangedAnswer}},
		{method: http.MethodGet, path: "/llms-full.txt", id: "llmsFull", tag: serviceTag,
			summary: "The pages that authors of clients need, in one",
			answers: []described{text(http.StatusOK, "Markdown."), unchangedAnswer}},
		{method: http.MethodGet, path: "/graphiql", id: "graphiQL", tag: serviceTag, summary: "GraphiQL", answers: built},
		{method: http.MethodGet, path: "/problems/{kind}", id: "problem", tag: serviceTag, summary: "Explanation of a kind of problem",
			params: new(problemParams), answers: page, problems: []problem.Kind{problem.NotFound}},
		{method: http.MethodGet, path: "/", id: "home", tag: serviceTag, summary: "The home page", answers: built},
		{method: http.MethodGet, path: "/instruments/{id}", id: "instrumentPage", tag: serviceTag, summary: "The page of an instrument",
			params: new(instrumentPageParams), answers: built},
		{method: http.MethodGet, path: "/disclosures", id: "disclosuresPage", tag: serviceTag,
			summary: "The page of disclosures", answers: built},
		{method: http.MethodGet, path: "/disclosures/{index}", id: "disclosurePage", tag: serviceTag, summary: "The page of a disclosure",
			params: new(disclosurePageParams), answers: built},
		{method: http.MethodGet, path: "/streams", id: "streamsPage", tag: serviceTag,
			summary: "A page that follows the stream of disclosures", answers: built},
		{method: http.MethodGet, path: "/markets", id: "marketsPage", tag: serviceTag, summary: "The page of movers, sectors and indices",
			answers: built},
		{method: http.MethodGet, path: "/screener", id: "screenerPage", tag: serviceTag,
			summary: "The page of instruments by their figures", answers: built},
		{method: http.MethodGet, path: "/compare", id: "comparePage", tag: serviceTag,
			summary: "The page of instruments beside each other", answers: built},
		{method: http.MethodGet, path: "/funds", id: "fundsPage", tag: serviceTag, summary: "The page of funds by their returns",
			answers: built},
		{method: http.MethodGet, path: "/calendar", id: "calendarPage", tag: serviceTag,
			summary: "The page of economic releases and public offerings", answers: built},
		{method: http.MethodGet, path: "/macro", id: "macroPage", tag: serviceTag, summary: "The page of producer prices", answers: built},
		{method: http.MethodGet, path: "/status", id: "statusPage", tag: serviceTag, summary: "A page about the server and a key",
			answers: built},
	}
}
