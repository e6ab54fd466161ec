package graphqlhttp

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"piyasa/account/access"
	"piyasa/account/usage"
	"piyasa/serve/admission"
	"piyasa/serve/stream"
)

const (
	reservationHeader = "X-GraphQL-Event-Stream-Token"
	reservationWait   = 30 * time.Second // within which a reserved stream must be opened
	maxUnopened       = 10               // reserved streams of a key
)

// reservationOf returns the token of a reserved stream that a request names.
func reservationOf(r *http.Request) string {
	if r.URL.Path != EventsPath {
		return ""
	}
	if token := r.Header.Get(reservationHeader); token != "" {
		return token
	}
	if token := r.URL.Query().Get("token"); !admission.IsStreamToken(token) {
		return token
	}
	return ""
}

// reservedStream answers a request about a reserved stream.
func (t *eventTransport) reservedStream(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor, token string) {
	e := t.find(token)
	switch {
	case r.Method == http.MethodPut:
		refuse(w, mediaJSON, http.StatusConflict, "reserve a stream without sending a token")
	case e == nil || e.key.ID != access.CallOf(r.Context()).Key.ID:
		refuse(w, mediaJSON, http.StatusNotFound, "stream not found")
	case r.Method == http.MethodDelete:
		e.remove(w, r)
	case r.Method == http.MethodPost || beginsOperation(r.URL.Query()):
		e.post(w, r, exec)
	case !e.open():
		refuse(w, mediaJSON, http.StatusConflict, "stream already open")
	default:
		_, paid := usage.TakeOver(r.Context())
		paid.Settle() // the operations of the stream pay
		e.serve(w, r)
	}
}

// beginsOperation reports whether a GET begins an operation, rather than opening the stream.
func beginsOperation(query url.Values) bool {
	return query.Has("query") || query.Has("documentId") || query.Has("extensions")
}

// reserve makes a stream and returns its token, with which the client opens it. For this stream
// the token replaces the key, since an EventSource cannot send a key.
func (t *eventTransport) reserve(w http.ResponseWriter, r *http.Request) {
	opened, ok := t.awaitOpening(access.CallOf(r.Context()).Key.ID)
	if !ok {
		w.Header().Set("Retry-After", strconv.Itoa(int(reservationWait/time.Second)))
		const why = "this key has reserved %d streams that it has not opened; open them, or wait %s until they lapse"
		refuse(w, mediaJSON, http.StatusTooManyRequests, fmt.Sprintf(why, maxUnopened, reservationWait))
		return
	}
	e, refused := t.newStream(context.WithoutCancel(r.Context()), serverSent{})
	if refused != nil {
		opened()
		refused.tell(w)
		return
	}
	e.onOpen = opened
	token := rand.Text()
	t.mu.Lock()
	t.reserved[token] = e
	t.mu.Unlock()
	context.AfterFunc(e.ctx, func() {
		opened()
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.reserved, token)
	})
	time.AfterFunc(reservationWait, func() {
		if e.open() { // the client has not opened it in time
			e.serving.Done()
			e.cancel()
		}
	})
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "private, no-store")
	w.WriteHeader(http.StatusCreated)
	_, _ = w.Write([]byte(token))
}

// awaitOpening counts a stream that a key reserves, until opened is called; ok is false if the
// key already has maxUnopened.
func (t *eventTransport) awaitOpening(key string) (opened func(), ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.unopened[key] >= maxUnopened {
		return nil, false
	}
	t.unopened[key]++
	return sync.OnceFunc(func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.unopened[key]--; t.unopened[key] == 0 {
			delete(t.unopened, key)
		}
	}), true
}

func (t *eventTransport) find(token string) *eventStream {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.reserved[token]
}

// post begins an operation on a reserved stream.
func (e *eventStream) post(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor) {
	o, errs, ok := e.transport.read(w, r, exec)
	if !ok {
		return
	}
	if len(errs) > 0 {
		writeResponse(w, r, mediaJSON, http.StatusBadRequest, o.refused(r.Context(), errs))
		return
	}
	id, _ := o.request.Extensions["operationId"].(string)
	if id == "" {
		refuse(w, mediaJSON, http.StatusBadRequest, "extensions.operationId is missing")
		return
	}
	if status, why := e.start(r, &eventOperation{operation: o, id: id,
		with: &stream.Operation{Traffic: e.transport.streams.Traffic(stream.TransportEvents)}}); status != 0 {
		refuse(w, mediaJSON, status, why)
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

// remove ends an operation of a reserved stream.
func (e *eventStream) remove(w http.ResponseWriter, r *http.Request) {
	id := r.URL.Query().Get("operationId")
	if id == "" {
		refuse(w, mediaJSON, http.StatusBadRequest, "operationId is missing")
		return
	}
	e.stop(id)
	w.WriteHeader(http.StatusOK)
}
