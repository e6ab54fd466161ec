package graphqlhttp

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"piyasa/account/access"
	"piyasa/account/usage"
	"piyasa/internal/epoch"
	"piyasa/serve/admission"
	"piyasa/serve/answer"
	"piyasa/serve/queryplan"
)

// element is one operation of an array. It is charged as a separate request.
type element struct {
	ctx    context.Context
	o      operation
	failed any // its answer if it cannot run; nil: it may run
}

// isBatch reports whether the body of a POST is an array of requests.
func isBatch(r *http.Request, text []byte) bool {
	text = bytes.TrimSpace(text)
	return r.Method == http.MethodPost && len(text) > 0 && text[0] == '['
}

// batch answers an array of requests with the array of their answers, and runs them one after
// the other. It checks all of them before any runs, and the sum of their costs like that of one
// document.
func (t *httpTransport) batch(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor, media string, text []byte) {
	var bodies []json.RawMessage
	switch err := json.Unmarshal(text, &bodies); {
	case t.most == 0:
		refuse(w, media, http.StatusBadRequest,
			"this server answers one operation per request; its operator allows arrays with --graphql-batch (PIYASA_GRAPHQL_BATCH)")
		return
	case err != nil || len(bodies) == 0:
		refuse(w, media, http.StatusBadRequest, "an array must have 1 to "+strconv.Itoa(t.most)+" requests, each a JSON object")
		return
	case len(bodies) > t.most:
		refuse(w, media, http.StatusBadRequest, "an array may have at most "+strconv.Itoa(t.most)+" requests; got "+
			strconv.Itoa(len(bodies)))
		return
	}
	list, sum := t.documents.list(), 0
	elements := make([]element, len(bodies))
	for i, body := range bodies {
		elements[i] = t.element(r, exec, t.documents.with(list), body)
		sum += elements[i].o.cost
	}
	key := access.CallOf(r.Context()).Key
	if admission.CostOnly(r) {
		showCost(w, media, t.door.Cost(r.Context(), sum))
		return
	}
	if most := t.door.Gate.Plan(key).CostPerDocument; most > 0 && sum > most {
		refuse(w, media, http.StatusBadRequest, "the operations of the array have complexity "+strconv.Itoa(sum)+
			" together, which exceeds the limit of "+strconv.Itoa(most))
		return
	}
	answers := []byte{'['}
	for i, e := range elements {
		if i > 0 {
			answers = append(answers, ',')
		}
		answers = append(answers, t.answerOf(e, key, i == 0)...)
		if r.Context().Err() != nil {
			return
		}
	}
	w.Header().Add("Vary", "Accept")
	answer.Write(w, http.StatusOK, media+"; charset=utf-8", append(answers, "]\n"...))
}

// element reads one request of an array.
func (t *httpTransport) element(r *http.Request, exec graphql.GraphExecutor, documents *documents, body []byte) element {
	ctx, call := access.WithCall(graphql.StartOperationTrace(r.Context()), access.CallOf(r.Context()).Key)
	call.Operation = Path
	e := element{ctx: ctx}
	in, refusal := readRequest(r, body)
	if refusal != nil {
		e.failed = map[string]any{"errors": gqlerror.List{{Message: refusal.message}}}
		return e
	}
	o, errs := documents.begin(ctx, exec, in)
	if len(errs) == 0 && o.isSubscription() {
		err := gqlerror.Errorf("a subscription is answered as %s or over %s, not in an array", mediaEvents, subprotocol)
		errcode.Set(err, errcode.ValidationFailed)
		errs = gqlerror.List{err}
	}
	if len(errs) > 0 {
		e.failed = shown(o.refused(ctx, errs))
		return e
	}
	e.o = o
	return e
}

// answerOf runs an element for a key. The request has taken the token and a unit of the first
// element; the others take their own, like operations of a socket.
func (t *httpTransport) answerOf(e element, key *access.Key, first bool) (answer []byte) {
	if e.failed != nil {
		return line(e.failed)
	}
	var ctx context.Context
	var paid *usage.Reservation
	var err error
	if first {
		ctx, paid = usage.TakeOver(e.ctx)
	} else if a := t.door.Take(e.ctx, key); !a.Allowed {
		err = admission.RateLimited(a)
	} else {
		ctx, paid, err = t.door.Meter.Of(key).Reserve(e.ctx)
	}
	if err != nil {
		return line(shown(e.o.refused(e.ctx, gqlerror.List{gqlerror.Wrap(err)})))
	}
	_ = e.o.run(ctx, t.door, nil, paid, func(response *graphql.Response, _ epoch.Position) error {
		answer = bytes.TrimSuffix(bytes.Join(encoded(response), nil), []byte("\n"))
		queryplan.Free(response.Data)
		return nil
	})
	if answer == nil { // the client has left
		return []byte("null")
	}
	return answer
}
