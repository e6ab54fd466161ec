package answer

import (
	"context"
	"net/http"
	"net/netip"

	"github.com/google/uuid"
)

type identityKey struct{}

// identity is what tells one request from others.
type identity struct {
	id     string
	client netip.Addr
}

// RequestID returns the id of the request that ctx belongs to.
func RequestID(ctx context.Context) string { return identityOf(ctx).id }

// ClientOf returns the address of the client of the request that ctx belongs to;
// invalid: it is not known.
func ClientOf(ctx context.Context) netip.Addr { return identityOf(ctx).client }

func identityOf(ctx context.Context) identity {
	of, _ := ctx.Value(identityKey{}).(identity)
	return of
}

// Identified gives every request an id, which is in the header X-Request-Id
// and in every problem, and the address that client finds for it.
func Identified(client func(*http.Request) netip.Addr) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			of := identity{uuid.NewString(), client(r)}
			w.Header().Set("X-Request-Id", of.id)
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), identityKey{}, of)))
		})
	}
}
