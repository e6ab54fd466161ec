package graphqlhttp

import (
	"bytes"
	"context"
	"iter"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"go.opentelemetry.io/otel/trace"

	"piyasa/account/access"
	"piyasa/account/cost"
	"piyasa/account/usage"
	"piyasa/internal/epoch"
	"piyasa/internal/problem"
	"piyasa/internal/spans"
	"piyasa/serve/admission"
	"piyasa/serve/answer"
	"piyasa/serve/queryplan"
	"piyasa/serve/stream"
)

// tooManyOperations returns the problem of a connection that already runs as many operations as
// its plan allows.
func tooManyOperations(limit int) error {
	e := problem.New(problem.TooManyValues, "A connection may run at most %d operations at once.", limit)
	e.Members.Limit = &limit
	return e
}

// tooManyStreams returns the problem of a key that already runs as many subscriptions as its
// plan allows.
func tooManyStreams(limit int) error {
	e := problem.New(problem.TooManyValues, "This key may run at most %d subscriptions at once.", limit)
	e.Members.Limit = &limit
	return e
}

// operation is a document that may run.
type operation struct {
	request *graphql.OperationContext
	exec    graphql.GraphExecutor
	cost    int   // for a subscription, also that of each event
	units   int64 // the most units that it will be charged; for a subscription, for the relations of each event

	warnings []warning // about parts of the request that nothing reads
}

// begin reads an operation. The errors say why it is rejected.
func (d *documents) begin(ctx context.Context, exec graphql.GraphExecutor, in asked) (operation, gqlerror.List) {
	oc := new(graphql.OperationContext)
	doc, errs := d.read(graphql.WithOperationContext(ctx, oc), in)
	if len(errs) == 0 {
		if asked := doc.Operations.ForName(in.OperationName); asked != nil {
			errs = listOf(d.checkVariables(asked, in.Variables))
		}
	}
	if len(errs) == 0 {
		oc, errs = exec.CreateOperationContext(context.WithValue(ctx, documentKey{}, doc), in.RawParams)
	}
	if len(errs) == 0 {
		errs = listOf(checkConditions(oc))
	}
	o := operation{request: oc, exec: exec}
	if len(errs) == 0 {
		o.cost, o.units, errs = d.costOf(ctx, oc)
	}
	if len(errs) == 0 {
		if err := d.check(oc); err != nil {
			errs = gqlerror.List{gqlerror.Wrap(err)}
		}
	}
	for _, e := range errs {
		if e.Extensions["code"] == nil {
			errcode.Set(e, errcode.ValidationFailed)
		}
	}
	if len(errs) == 0 {
		o.warnings = unknownVariables(in.Variables, oc.Operation)
	}
	return o, errs
}

// listOf returns a list of err; it is empty if err is nil.
func listOf(err *gqlerror.Error) gqlerror.List {
	if err == nil {
		return nil
	}
	return gqlerror.List{err}
}

func (o operation) isSubscription() bool { return o.request.Operation.Operation == ast.Subscription }

// refused returns the response that reports errs.
func (o operation) refused(ctx context.Context, errs gqlerror.List) *graphql.Response {
	return o.exec.DispatchError(graphql.WithOperationContext(ctx, o.request), errs)
}

// responses runs the operation and yields its responses: those of a subscription until it or ctx
// ends. A response without data is the last one.
func (o operation) responses(ctx context.Context) iter.Seq[*graphql.Response] {
	return func(yield func(*graphql.Response) bool) {
		next, ctx := o.exec.DispatchOperation(ctx, o.request)
		if o.isSubscription() { // the span covers only the beginning of a subscription
			trace.SpanFromContext(ctx).End()
			ctx = spans.Ended(ctx)
		}
		for response := next(ctx); response != nil; response = next(ctx) {
			if !yield(response) || response.Data == nil || !o.isSubscription() {
				return
			}
		}
	}
}

// answered runs a query in its turn and passes the response to use. Problem: overloaded.
func (o operation) answered(ctx context.Context, door admission.Door, use func(*graphql.Response)) error {
	ctx, done, err := door.Turn(ctx)
	if err != nil {
		return err
	}
	defer done()
	for response := range o.responses(ctx) {
		use(response) // a query has one response
		return nil
	}
	return nil
}

// run runs an operation for the key of ctx, which pays from a reservation, and passes its
// responses to send, each with the position after which a client may resume. When it returns,
// everything that it has started has ended.
func (o operation) run(ctx context.Context, door admission.Door, with *stream.Operation, paid *usage.Reservation,
	send func(response *graphql.Response, position epoch.Position) error) error {
	defer paid.Settle()
	ctx, span := spans.Begin(ctx, "operation")
	defer span.End()
	if span.IsRecording() {
		span.SetName(string(o.request.Operation.Operation) + " " + o.rootField())
		o.described(ctx)
	}
	now, units := o.cost, o.units
	if o.isSubscription() { // the rest is charged for each event
		now, units = cost.Request, access.Unit
	}
	if err := door.Pay(ctx, now, units); err != nil {
		return send(o.refused(ctx, gqlerror.List{gqlerror.Wrap(err)}), epoch.Position{})
	}
	if !o.isSubscription() {
		return o.runQuery(ctx, door, paid, send)
	}
	release, limit, ok := door.Gate.Hold(access.CallOf(ctx).Key, access.Subscriptions)
	if !ok {
		return send(o.refused(ctx, gqlerror.List{gqlerror.Wrap(tooManyStreams(limit))}), epoch.Position{})
	}
	defer release()
	with.Account, with.Metered, with.Relations = paid.Account(), Path+":"+o.rootField(), o.units
	defer with.End()
	defer with.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for response := range o.responses(stream.WithOperation(ctx, with)) {
		position := with.Next()
		if response.Data != nil { // the subscription has begun
			paid.Settle(access.Used{Operation: with.Metered, Units: access.Unit})
		}
		err := send(response, position)
		queryplan.Free(response.Data)
		if err != nil {
			return err
		}
		with.Delivered(access.CallOf(ctx).Take())
		if err := door.Gate.DebitAndWait(ctx, access.CallOf(ctx).Key, o.cost-cost.Request); err != nil {
			return err
		}
	}
	return nil
}

// runQuery is run for operations with one response.
func (o operation) runQuery(ctx context.Context, door admission.Door, paid *usage.Reservation,
	send func(*graphql.Response, epoch.Position) error) error {
	var response *graphql.Response
	err := o.answered(ctx, door, func(r *graphql.Response) { response = r })
	switch {
	case err != nil:
		response = o.refused(ctx, gqlerror.List{gqlerror.Wrap(err)})
	case response == nil:
		return nil
	default:
		withExtensions(ctx, response, o.warnings)
		paid.Settle(access.CallOf(ctx).Used()...)
	}
	return send(response, epoch.Position{})
}

// rootField returns the name of the operation's first field; a subscription has no other.
func (o operation) rootField() string {
	for _, f := range graphql.CollectFields(o.request, o.request.Operation.SelectionSet, nil) {
		return f.Name
	}
	return ""
}

// guarded runs work for a background goroutine, where a panic would end the process, and turns a
// panic into a response for failed.
func guarded(ctx context.Context, exec graphql.GraphExecutor, work func(), failed func(*graphql.Response)) {
	defer func() {
		if p := recover(); p != nil {
			failed(exec.DispatchError(ctx, gqlerror.List{gqlerror.Wrap(panicked(ctx, p))}))
		}
	}()
	work()
}

// shown returns a response for encoding: without data, it has no such member. (encoded is the
// same for HTTP, whose answers can be long.)
func shown(response *graphql.Response) any {
	if response.Data != nil {
		return response
	}
	return struct {
		Errors     gqlerror.List  `json:"errors"`
		Extensions map[string]any `json:"extensions,omitempty"`
	}{response.Errors, response.Extensions}
}

// line returns body as JSON without a line break.
func line(body any) []byte { return bytes.TrimSuffix(answer.Encoded(body), []byte("\n")) }
