package answer

import (
	"context"
	"net/http"
	"net/netip"
	"sync/atomic"

	"github.com/google/uuid"

	"piyasa/account/access"
)

func init() { uuid.EnableRandPool() } // ids are no secrets: one read of the system's randomness serves sixteen

type identityKey struct{}

// identity distinguishes a request from others, for itself and for the handlers around it.
type identity struct {
	id     string
	client netip.Addr
	key    atomic.Pointer[access.Key] // a socket's comes while others may log
	call   *access.Call
}

// RequestID returns the id of the request that ctx belongs to; empty: to none.
func RequestID(ctx context.Context) string {
	if of := identityOf(ctx); of != nil {
		return of.id
	}
	return ""
}

// ClientOf returns the address of the client of the request that ctx belongs to;
// invalid: it is not known.
func ClientOf(ctx context.Context) netip.Addr {
	if of := identityOf(ctx); of != nil {
		return of.client
	}
	return netip.Addr{}
}

// NoteKey notes the live key that the request of ctx has shown, for all that have its
// context or that of a handler around them.
func NoteKey(ctx context.Context, key *access.Key) {
	if of := identityOf(ctx); of != nil {
		of.key.Store(key)
	}
}

// KeyID returns the id of the key that the request of ctx has shown; empty: none yet.
func KeyID(ctx context.Context) string {
	if of := identityOf(ctx); of != nil {
		if key := of.key.Load(); key != nil {
			return key.ID
		}
	}
	return ""
}

// NoteCall notes the call that the request of ctx has become, for the handlers around it.
func NoteCall(ctx context.Context, call *access.Call) {
	if of := identityOf(ctx); of != nil {
		of.call = call
	}
}

// NotedCall returns the call that the request of ctx has become, or nil. It is for who
// runs when the request has been answered.
func NotedCall(ctx context.Context) *access.Call {
	if of := identityOf(ctx); of != nil {
		return of.call
	}
	return nil
}

func identityOf(ctx context.Context) *identity {
	of, _ := ctx.Value(identityKey{}).(*identity)
	return of
}

// Identified gives every request an id, which is in the header X-Request-Id
// and in every problem, and the address that client finds for it.
func Identified(client func(*http.Request) netip.Addr) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			of := &identity{id: uuid.NewString(), client: client(r)}
			w.Header().Set("X-Request-Id", of.id)
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), identityKey{}, of)))
		})
	}
}
