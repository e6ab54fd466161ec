package graphqlhttp

import (
	"context"
	"net/http"
	"net/url"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"piyasa/internal/problem"
	"piyasa/serve/admission"
	"piyasa/serve/queryplan"
)

// Question is a query from a transport outside this package.
type Question struct {
	Query         string
	OperationName string
	Variables     map[string]any
	// Own marks a document that the transport wrote itself, which runs even if it is not in
	// the list of documents.
	Own bool
}

// Reply is the answer to a Question.
type Reply struct {
	Data   []byte // JSON, valid until use returns; nil: the question was rejected
	Errors gqlerror.List
}

// Ask runs a query like a request to Path: for the call of ctx, at its cost and in its turn,
// within which it passes the reply to use.
func (h *Handler) Ask(ctx context.Context, q Question, use func(Reply)) {
	r := &http.Request{Method: http.MethodPost, URL: &url.URL{Path: Path}, Header: http.Header{}}
	h.answers.ServeHTTP(unheard{}, r.WithContext(context.WithValue(ctx, questionKey{}, &question{q, use})))
}

type questionKey struct{}

type question struct {
	Question
	use func(Reply)
}

// unheard discards what is written: the answer is passed on as a Reply.
type unheard struct{}

// Header implements http.ResponseWriter.
func (unheard) Header() http.Header { return http.Header{} }

// Write implements http.ResponseWriter.
func (unheard) Write(text []byte) (int, error) { return len(text), nil }

// WriteHeader implements http.ResponseWriter.
func (unheard) WriteHeader(int) {}

// askTransport answers the questions of other transports.
type askTransport struct {
	documents *documents
	door      admission.Door
}

// Supports implements graphql.Transport.
func (*askTransport) Supports(r *http.Request) bool { return r.Context().Value(questionKey{}) != nil }

// Do implements graphql.Transport.
func (t *askTransport) Do(_ http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor) {
	ctx := r.Context()
	q := ctx.Value(questionKey{}).(*question)
	guarded(ctx, exec, func() { t.answer(ctx, exec, q) }, func(failed *graphql.Response) { q.use(Reply{Errors: failed.Errors}) })
}

func (t *askTransport) answer(ctx context.Context, exec graphql.GraphExecutor, q *question) {
	documents := t.documents
	if q.Own {
		documents = documents.without()
	}
	in := asked{RawParams: &graphql.RawParams{Query: q.Query, OperationName: q.OperationName, Variables: q.Variables}}
	o, errs := documents.begin(ctx, exec, in)
	if len(errs) == 0 && o.request.Operation.Operation != ast.Query {
		errs = gqlerror.List{coded(problem.InvalidParameter.Code(),
			"a %s is not answered here, only queries are; streams are at %s over WebSocket or as server-sent events",
			o.request.Operation.Operation, Path)}
	}
	if len(errs) == 0 {
		o.described(ctx)
		err := t.door.Pay(ctx, o.cost, o.units)
		if err == nil {
			err = o.answered(ctx, t.door, func(response *graphql.Response) {
				defer queryplan.Free(response.Data)
				q.use(Reply{response.Data, response.Errors})
			})
		}
		if err == nil {
			return
		}
		errs = gqlerror.List{gqlerror.Wrap(err)}
	}
	q.use(Reply{Errors: o.refused(ctx, errs).Errors})
}
