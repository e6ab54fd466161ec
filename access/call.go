// Package access decides who may ask what, how often, and what it costs: keys
// and their scopes, plans and their token buckets, and the Call that travels
// with every request.
//
// The order of checks is fixed (key, rate, scope, parameters, existence) and
// kept here: a transport authenticates and takes a token before it makes a
// Call, and every operation of a service begins with Enter, which checks the
// scope first and then reports the parameter mistake that the transport found,
// if any. So no transport needs to know the scope of an operation.
package access

import (
	"context"
	"strings"
	"sync/atomic"

	"piyasa/problem"
)

// Call is one authenticated request.
type Call struct {
	Key            *Key
	parameterError error
	units          atomic.Int64
}

type callKey struct{}

// WithCall returns a context that carries the call of key.
func WithCall(ctx context.Context, key *Key) (context.Context, *Call) {
	call := &Call{Key: key}
	return context.WithValue(ctx, callKey{}, call), call
}

// CallOf is the call that ctx carries, or nil.
func CallOf(ctx context.Context) *Call {
	call, _ := ctx.Value(callKey{}).(*Call)
	return call
}

// SetParameterError notes what is wrong with the parameters of the call. The operation
// reports it once the scope has been checked.
func (c *Call) SetParameterError(err error) { c.parameterError = err }

// Units is what the call has cost so far.
func (c *Call) Units() int64 { return c.units.Load() }

// Enter begins an operation: it returns the problem that stops it, or nil. All
// of needs must be on the key; no needs means that any key may.
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

// EnterAny is Enter for an operation that any one of some scopes allows.
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

// Charge adds to the cost of the call, once an operation has succeeded.
func Charge(ctx context.Context, units int) {
	if call := CallOf(ctx); call != nil {
		call.units.Add(int64(units))
	}
}

func (c *Call) missing(needs []Scope) []string {
	var missing []string
	for _, scope := range needs {
		if !c.Key.Has(scope) {
			missing = append(missing, string(scope))
		}
	}
	return missing
}

func missingScope(missing []string) error {
	noun := "the scope"
	if len(missing) > 1 {
		noun = "the scopes"
	}
	e := problem.New(problem.MissingScope, "This key lacks %s %s.", noun, strings.Join(missing, ", "))
	e.Members.MissingScopes = missing
	return e
}

// ErrUnauthenticated is the answer to a missing, unknown or revoked key: one
// and the same.
func ErrUnauthenticated() error {
	return problem.New(problem.Unauthenticated, "Send a valid API key in the header X-API-Key.")
}
