package graphqlhttp

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"piyasa/account/access"
	"piyasa/internal/epoch"
	"piyasa/serve/admission"
	"piyasa/serve/answer"
	"piyasa/serve/stream"
)

// eventTransport is GraphQL over server-sent events, in both modes of the graphql-sse protocol:
// a stream for each operation, or a stream that a client reserves (PUT) and opens (GET) for
// operations that it posts and deletes. A stream for one operation may also be sent as parts of
// a multipart body.
type eventTransport struct {
	documents *documents
	door      admission.Door
	tokens    admission.StreamTokens
	streams   *stream.Sockets

	mu       sync.Mutex
	reserved map[string]*eventStream // by token
	unopened map[string]int          // how many reserved streams wait to be opened, by key id
}

// Supports implements graphql.Transport.
func (*eventTransport) Supports(r *http.Request) bool {
	return r.URL.Path == EventsPath || r.Header.Get("Accept") == mediaParts ||
		(r.Method == http.MethodGet || r.Method == http.MethodPost) && wantsEvents(r.Header.Values("Accept"))
}

// wantsEvents reports whether a client prefers events to one answer. Many clients always name
// both; they get the answer.
func wantsEvents(accept []string) bool {
	header := strings.Join(accept, ",")
	events := answer.PreferenceFor(header, mediaEvents)
	if !takesEvents(accept) {
		return false
	}
	for _, other := range []string{mediaJSON, mediaGraphQL} {
		if p := answer.PreferenceFor(header, other); p.Q > events.Q || (p.Q == events.Q && p.Closeness == answer.Named) {
			return false
		}
	}
	return true
}

// takesEvents reports whether a client names events among the types it accepts.
func takesEvents(accept []string) bool {
	events := answer.PreferenceFor(strings.Join(accept, ","), mediaEvents)
	return events.Closeness == answer.Named && events.Q > 0
}

// subscribes reports whether a request begins a subscription. Its body can be read again.
func (t *eventTransport) subscribes(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodPost {
		return false
	}
	if _, err := t.keyOf(r); err != nil { // the error is answered elsewhere
		return false
	}
	var read bytes.Buffer
	body := r.Body
	r.Body = io.NopCloser(io.TeeReader(body, &read))
	text, refused := readText(w, r)
	r.Body = io.NopCloser(io.MultiReader(&read, body))
	if refused != nil {
		return false
	}
	in, refused := readRequest(r, text)
	if refused != nil {
		return false
	}
	doc, errs := t.documents.read(graphql.WithOperationContext(r.Context(), new(graphql.OperationContext)), in)
	if len(errs) > 0 {
		return false
	}
	o := doc.Operations.ForName(in.OperationName)
	return o != nil && o.Operation == ast.Subscription
}

// keyOf returns the key of a request for events: from its header; or, since a browser cannot
// send one, from a stream token, or from the reserved stream that the request names.
func (t *eventTransport) keyOf(r *http.Request) (*access.Key, error) {
	if secret, err := admission.Secret(r.Header); secret != "" || err != nil {
		return t.door.HeaderKey(r)
	}
	if token := admission.InAddress(r); token != "" {
		return t.tokens.Key(token)
	}
	if e := t.find(reservationOf(r)); e != nil && t.door.Gate.Alive(e.key) {
		return e.key, nil
	}
	return nil, access.ErrUnauthenticated()
}

// Do implements graphql.Transport.
func (t *eventTransport) Do(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor) {
	token := reservationOf(r)
	if token != "" {
		t.reservedStream(w, r, exec, token)
		return
	}
	switch {
	case r.Method == http.MethodPut:
		t.reserve(w, r)
	case r.Method == http.MethodDelete:
		refuse(w, mediaJSON, http.StatusBadRequest, "the stream token is missing")
	case answer.Negotiate(r.Header.Values("Accept"), mediaEvents) == "" && formOf(r) == serverSent{}:
		refuse(w, mediaJSON, http.StatusNotAcceptable, "this path answers only "+mediaEvents)
	default:
		t.distinct(w, r, exec)
	}
}

// distinct answers one operation with its own stream.
func (t *eventTransport) distinct(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor) {
	after, err := lastEventID(r)
	if err != nil {
		refuse(w, mediaJSON, http.StatusBadRequest, err.Error())
		return
	}
	o, errs, ok := t.read(w, r, exec)
	if !ok {
		return
	}
	if len(errs) > 0 {
		t.tell(w, r, o, errs)
		return
	}
	e, refused := t.newStream(r.Context(), formOf(r))
	if refused == nil && !e.open() {
		refused = &notNow
	}
	if refused != nil {
		refused.tell(w)
		return
	}
	e.start(r, &eventOperation{operation: o,
		with: &stream.Operation{After: after, Heartbeat: bookmarkEvery, Traffic: t.streams.Traffic(stream.TransportEvents)}})
	go e.endWithOperations()
	e.serve(w, r)
}

// read reads the operation of a request; errs say why its document is rejected. If ok is false,
// the request has been answered.
func (t *eventTransport) read(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor) (o operation,
	errs gqlerror.List, ok bool) {
	text, refused := readText(w, r)
	if refused != nil {
		refuse(w, mediaJSON, refused.status, refused.message)
		return o, nil, false
	}
	in, refused := readRequest(r, text)
	if refused != nil {
		refuse(w, mediaJSON, refused.status, refused.message)
		return o, nil, false
	}
	o, errs = t.documents.begin(r.Context(), exec, in)
	switch {
	case len(errs) > 0:
	case r.Method == http.MethodGet && o.request.Operation.Operation == ast.Mutation:
		w.Header().Set("Allow", http.MethodPost)
		refuse(w, mediaJSON, http.StatusMethodNotAllowed, "GET runs queries and subscriptions only")
		return o, nil, false
	case o.isSubscription() && !t.streams.Available():
		notNow.tell(w)
		return o, nil, false
	}
	return o, errs, true
}

// tell answers a rejected document: with events, as the protocol requires, if it can be read
// at all.
func (t *eventTransport) tell(w http.ResponseWriter, r *http.Request, o operation, errs gqlerror.List) {
	response, form := o.refused(r.Context(), errs), formOf(r)
	if errs[0].Extensions["code"] == errcode.ParseFailed || form == (parts{}) {
		writeResponse(w, r, mediaJSON, http.StatusBadRequest, response)
		return
	}
	out := newEventWriter(form, w)
	if out.begin() == nil && out.write(form.next(epoch.Position{}, shown(response))) == nil {
		_ = out.write(form.complete())
	}
}

// lastEventID returns the position after which a client resumes, or nil.
func lastEventID(r *http.Request) (*epoch.Position, error) {
	text := r.Header.Get("Last-Event-ID")
	if text == "" {
		return nil, nil
	}
	p, err := epoch.ParsePosition(text)
	if err != nil {
		return nil, errors.New("Last-Event-ID must be the id of an event")
	}
	return &p, nil
}
