package graphqlhttp

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/99designs/gqlgen/graphql"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"piyasa/account/access"
	"piyasa/account/usage"
	"piyasa/internal/value"
	"piyasa/serve/admission"
	"piyasa/serve/answer"
	"piyasa/serve/queryplan"
)

// httpTransport is GraphQL over HTTP, GET and POST. It replaces gqlgen's own transports, which
// send "data": null for a rejected document, answer 422 where clients expect 400 or 200, ignore
// q-values and leave @defer unfinished.
type httpTransport struct {
	documents *documents
	again     *again
	door      admission.Door
	most      int // most requests in an array; 0: arrays are rejected
}

const (
	mediaJSON    = "application/json"
	mediaGraphQL = "application/graphql-response+json"
)

// Supports implements graphql.Transport. Other transports have taken sockets and events before;
// any other upgrade that a client offers, such as h2c, is ignored.
func (*httpTransport) Supports(*http.Request) bool { return true }

// Do implements graphql.Transport.
func (t *httpTransport) Do(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor) {
	media := answer.Negotiate(r.Header.Values("Accept"), mediaJSON, mediaGraphQL)
	if media == "" {
		refuse(w, mediaJSON, http.StatusNotAcceptable, "answers are "+mediaGraphQL+" or "+mediaJSON)
		return
	}
	warnOfParameters(w, r)
	text, refusal := readText(w, r)
	if refusal != nil {
		refuse(w, media, refusal.status, refusal.message)
		return
	}
	if isBatch(r, text) {
		t.batch(w, r, exec, media, text)
		return
	}
	list := t.documents.list()
	key := keyOf(r, t.door.Gate.Plan(access.CallOf(r.Context()).Key), media, list, text)
	if kept := t.again.find(key); kept != nil && !admission.CostOnly(r) {
		described(r.Context(), string(ast.Query), kept.Name)
		if err := usage.Raise(r.Context(), kept.Units()); err != nil {
			t.door.Problems.Write(w, r, err)
			return
		}
		kept.Charge(r)
		t.again.show(w, r, kept)
		return
	}
	in, refusal := readRequest(r, text)
	if refusal != nil {
		refuse(w, media, refusal.status, refusal.message)
		return
	}
	registers := in.Query != "" && in.Extensions["persistedQuery"] != nil
	o, errs := t.documents.with(list).begin(r.Context(), exec, in) // the list that is part of its key
	if len(errs) > 0 {                                             // the document was rejected; a client that accepts only JSON gets 200
		status := http.StatusBadRequest
		if media == mediaJSON {
			status = http.StatusOK
		}
		writeResponse(w, r, media, status, o.refused(r.Context(), errs))
		return
	}
	o.described(r.Context())
	switch {
	case o.isSubscription():
		refuse(w, media, http.StatusNotAcceptable, "a subscription is answered as "+mediaEvents+" or over "+subprotocol)
		return
	case r.Method != http.MethodPost && o.request.Operation.Operation != ast.Query:
		w.Header().Set("Allow", http.MethodPost)
		refuse(w, media, http.StatusMethodNotAllowed, "GET runs queries only")
		return
	}
	if admission.CostOnly(r) {
		showCost(w, media, t.door.Cost(r.Context(), o.cost))
		return
	}
	if err := usage.Raise(r.Context(), o.units); err != nil {
		t.door.Problems.Write(w, r, err)
		return
	}
	run := runner(func(encode func(string, *graphql.Response) *answer.Kept) (made *answer.Kept) {
		if err := t.door.Pay(r.Context(), o.cost, 0); err != nil {
			t.door.Problems.Write(w, r, err)
			return nil
		}
		err := o.answered(r.Context(), t.door, func(response *graphql.Response) {
			made = encode(media+"; charset=utf-8", response)
			made.Pack(r)
		})
		if err != nil && r.Context().Err() == nil {
			t.door.Problems.Write(w, r, err)
		}
		return made
	})
	if t.again != nil && !registers { // registering the text must happen each time
		t.again.answer(w, r, key, o, run)
		return
	}
	run.once(w, r, o.warnings)
}

// runner runs an operation in its turn, once the request has paid, and returns what encode makes
// of its response, or nil if it has written another answer or the client has left.
type runner func(encode func(media string, response *graphql.Response) *answer.Kept) *answer.Kept

// once writes an answer that is not kept.
func (run runner) once(w http.ResponseWriter, r *http.Request, warnings []warning) {
	if made := run(func(media string, response *graphql.Response) *answer.Kept {
		return whole(r, media, response, warnings)
	}); made != nil {
		show(w, r, made)
	}
}

// whole returns a complete answer, with its errors, warnings and cost.
func whole(r *http.Request, media string, response *graphql.Response, warnings []warning) *answer.Kept {
	withExtensions(r.Context(), response, warnings)
	defer queryplan.Free(response.Data)
	return &answer.Kept{Media: media, Body: slices.Concat(encoded(response)...)}
}

// refusal is the answer to a request that is not valid GraphQL over HTTP.
type refusal struct {
	status  int
	message string
}

// request is the body of a POST.
type request struct {
	Query         *string        `json:"query"`
	DocumentID    *string        `json:"documentId"`
	OperationName string         `json:"operationName"`
	Variables     map[string]any `json:"variables"`
	Extensions    map[string]any `json:"extensions"`
}

// isComplete reports whether in states a document.
func (in request) isComplete() bool {
	return in.Query != nil || in.DocumentID != nil || in.Extensions["persistedQuery"] != nil
}

// params returns the parameters for the executor.
func (in request) params(header http.Header) asked {
	params := &graphql.RawParams{OperationName: in.OperationName, Variables: in.Variables, Extensions: in.Extensions, Headers: header}
	if in.Query != nil {
		params.Query = *in.Query
	}
	if params.Query != "" || in.Extensions["persistedQuery"] != nil { // some clients also send empty members
		in.DocumentID = value.NonEmpty(in.DocumentID)
	}
	return asked{params, in.DocumentID}
}

// readText returns the text of a request as sent: the body of a POST, or else the query string.
func readText(w http.ResponseWriter, r *http.Request) (text []byte, refused *refusal) {
	if r.Method != http.MethodPost {
		return []byte(r.URL.RawQuery), nil
	}
	if media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != mediaJSON || !answer.IsUTF8(params) {
		w.Header().Set("Accept-Post", mediaJSON)
		return nil, &refusal{http.StatusUnsupportedMediaType, "the content type must be " + mediaJSON + " in UTF-8"}
	}
	body, err := answer.RequestBody(w, r, maxBody)
	if errors.Is(err, answer.ErrEncoding) {
		return nil, &refusal{http.StatusUnsupportedMediaType, err.Error()}
	}
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return nil, &refusal{http.StatusRequestEntityTooLarge, "the request body is larger than " + strconv.Itoa(maxBody) + " bytes"}
	}
	if err != nil {
		return nil, &notOneObject
	}
	return bytes.TrimPrefix(body, []byte("\ufeff")), nil
}

var notOneObject = refusal{http.StatusBadRequest,
	`the request body must be one JSON object with "query" or "documentId" (strings) and, if needed, "operationName" (a string), "variables" and "extensions" (objects), each member once`}

func readRequest(r *http.Request, text []byte) (asked, *refusal) {
	start := graphql.Now()
	read := readQuery
	if r.Method == http.MethodPost {
		read = readBody
	}
	in, refused := read(text)
	if refused != nil {
		return asked{}, refused
	}
	if !in.isComplete() {
		return asked{}, &refusal{http.StatusBadRequest, "query is missing, and so is documentId"}
	}
	params := in.params(r.Header)
	params.ReadTime = graphql.TraceTiming{Start: start, End: graphql.Now()}
	return params, nil
}

func readBody(text []byte) (in request, refused *refusal) {
	if decodeStrict(text, &in) != nil {
		return in, &notOneObject
	}
	return in, nil
}

func readQuery(text []byte) (in request, refused *refusal) {
	query, err := url.ParseQuery(string(text))
	if err != nil {
		return in, &refusal{http.StatusBadRequest, "the query string is not correctly encoded"}
	}
	for _, name := range parameters {
		if len(query[name]) > 1 {
			return in, &refusal{http.StatusBadRequest, name + " may be given only once"}
		}
	}
	for name, into := range map[string]**string{"query": &in.Query, "documentId": &in.DocumentID} {
		if query.Has(name) {
			text := query.Get(name)
			*into = &text
		}
	}
	in.OperationName = query.Get("operationName")
	for name, into := range map[string]*map[string]any{"variables": &in.Variables, "extensions": &in.Extensions} {
		if text := query.Get(name); text != "" && decodeStrict([]byte(text), into) != nil {
			return in, &refusal{http.StatusBadRequest, name + " must be a JSON object"}
		}
	}
	return in, nil
}

// decodeStrict reads exactly one JSON object: member names must match exactly and be unique, and
// numbers keep all digits.
func decodeStrict(text []byte, into any) error {
	if text = bytes.TrimSpace(text); len(text) == 0 || text[0] != '{' {
		return errors.New("not an object")
	}
	return json.Unmarshal(text, into, numbersAsText)
}

// numbersAsText decodes numbers of no stated type as json.Number.
var numbersAsText = json.WithUnmarshalers(json.UnmarshalFromFunc(func(d *jsontext.Decoder, into *any) error {
	if d.PeekKind() != '0' {
		return errors.ErrUnsupported
	}
	number, err := d.ReadValue()
	*into = stdjson.Number(number)
	return err
}))

// refuse answers a request that never became an operation.
func refuse(w http.ResponseWriter, media string, status int, message string) {
	w.Header().Add("Vary", "Accept")
	answer.Write(w, status, media+"; charset=utf-8", map[string]any{"errors": gqlerror.List{{Message: message}}})
}

// writeResponse writes a short answer with what it cost.
func writeResponse(w http.ResponseWriter, r *http.Request, media string, status int, response *graphql.Response) {
	w.Header().Add("Vary", "Accept")
	media += "; charset=utf-8"
	answer.Write(w, status, media, whole(r, media, response, nil).Body)
}

// encoded returns an encoded response in pieces. Its data, which may be long, is already JSON
// without white space.
func encoded(response *graphql.Response) [][]byte {
	if response.Data == nil {
		return [][]byte{answer.Encoded(shown(response))}
	}
	head, tail := []byte(`{"data":`), []byte("}\n")
	if len(response.Errors) > 0 {
		head = append(append([]byte(`{"errors":`), line(response.Errors)...), `,"data":`...)
	}
	if len(response.Extensions) > 0 {
		tail = append(append([]byte(`,"extensions":`), line(response.Extensions)...), "}\n"...)
	}
	return [][]byte{head, response.Data, tail}
}
