// Package access decides which key may ask for what, how often, and at what cost: keys and
// their scopes, plans and their token buckets, and the Call that travels with every request.
//
// The order of checks is fixed (key, rate, scope, parameters, existence) and
// kept here: a transport authenticates and takes a token before it makes a
// Call, and every operation of a service begins with Enter, which checks the
// scope first and then reports the parameter error that the transport found, if
// any. So REST and GraphQL need not know the scope of an operation; a WebSocket
// checks the scope of its channel itself.
package access

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"

	"piyasa/internal/problem"
)

// Call is one authenticated request, or a part of one that is metered separately. It travels
// in the context and collects the units that operations charge.
type Call struct {
	Key            *Key
	Operation      string // name under which its units are metered
	Cost           Cost   // of the whole call
	parameterError error
	units          atomic.Int64

	parent *Call // the call that this is a part of; nil: it is a whole call
	mu     sync.Mutex
	parts  []*Call
	again  []Used // the charges of an answer made before; shared, so read-only
}

// Used is the usage of one operation, in request units.
type Used struct {
	Operation string
	Units     int64
}

// Cost is what a call costs in work, in fields of an answer.
type Cost struct {
	Asked   int  `json:"asked"`   // what the whole call costs
	Granted int  `json:"granted"` // what was taken from the bucket
	Left    Left `json:"left"`    // in the bucket
}

type callKey struct{}

// WithCall returns a context that carries the call of key.
func WithCall(ctx context.Context, key *Key) (context.Context, *Call) {
	call := &Call{Key: key}
	return context.WithValue(ctx, callKey{}, call), call
}

// WithPart returns a context whose charges are metered under operation, as a part of the call
// of ctx.
func WithPart(ctx context.Context, operation string) context.Context {
	parent := CallOf(ctx)
	if parent == nil {
		return ctx
	}
	if parent.parent != nil {
		parent = parent.parent
	}
	part := &Call{Key: parent.Key, Operation: operation, parameterError: parent.parameterError, parent: parent}
	parent.mu.Lock()
	parent.parts = append(parent.parts, part)
	parent.mu.Unlock()
	return context.WithValue(ctx, callKey{}, part)
}

// CallOf returns the call that ctx carries, or nil.
func CallOf(ctx context.Context) *Call {
	call, _ := ctx.Value(callKey{}).(*Call)
	return call
}

// SetParameterError records the error in the parameters of the call. Enter returns it after
// the check of the scope.
func (c *Call) SetParameterError(err error) { c.parameterError = err }

// Units returns the request units that the call and its parts have cost so far.
func (c *Call) Units() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	units := c.units.Load()
	for _, part := range c.parts {
		units += part.units.Load()
	}
	for _, u := range c.again {
		units += u.Units
	}
	return units
}

// Used returns what each operation of the call has cost so far.
func (c *Call) Used() (used []Used) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.again != nil {
		return c.again
	}
	if units := c.units.Load(); units > 0 {
		used = append(used, Used{c.Operation, units})
	}
	for _, part := range c.parts {
		if units := part.units.Load(); units > 0 {
			used = append(used, Used{part.Operation, units})
		}
	}
	return used
}

// Take returns the request units that the call has cost since the last Take.
func (c *Call) Take() (units int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	units = c.units.Swap(0)
	for _, part := range c.parts {
		units += part.units.Swap(0)
	}
	return units
}

// ChargeAgain charges the call, which must not have been charged yet, for an answer that was
// made before, with its charges of that time.
func (c *Call) ChargeAgain(used []Used) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.again = used
}

// Enter begins an operation: it returns the problem that stops it, or nil. The
// key must have all scopes of needs; without needs any key may call.
func Enter(ctx context.Context, needs ...Scope) error {
	call := CallOf(ctx)
	if call == nil {
		return ErrUnauthenticated()
	}
	if missing := call.missing(needs); len(missing) > 0 {
		return missingScope(missing)
	}
	return call.parameterError
}

// EnterAny begins an operation that any one of some scopes allows.
func EnterAny(ctx context.Context, oneOf ...Scope) error {
	call := CallOf(ctx)
	if call == nil {
		return ErrUnauthenticated()
	}
	if missing := call.missing(oneOf); len(missing) == len(oneOf) {
		e := problem.New(problem.MissingScope, "This key lacks one of the scopes %s.", strings.Join(missing, ", "))
		e.Members.MissingScopes = missing
		return e
	}
	return call.parameterError
}

// Charge adds request units to the cost of the call of ctx. An operation charges once it has
// succeeded.
func Charge(ctx context.Context, units int) {
	if call := CallOf(ctx); call != nil {
		call.units.Add(int64(units))
	}
}

// missing returns the scopes that the key lacks.
func (c *Call) missing(needs []Scope) []string {
	var missing []string
	for _, scope := range needs {
		if !c.Key.Has(scope) {
			missing = append(missing, string(scope))
		}
	}
	return missing
}

// missingScope returns the problem of missing scopes.
func missingScope(missing []string) error {
	format := "This key lacks the scope %s."
	if len(missing) > 1 {
		format = "This key lacks the scopes %s."
	}
	e := problem.New(problem.MissingScope, format, strings.Join(missing, ", "))
	e.Members.MissingScopes = missing
	return e
}

// ErrUnauthenticated returns the problem of a missing, unknown or revoked key,
// which clients cannot tell apart.
func ErrUnauthenticated() error {
	return problem.New(problem.Unauthenticated, "Send a valid API key in the header X-API-Key, or as Authorization: Bearer KEY.")
}
