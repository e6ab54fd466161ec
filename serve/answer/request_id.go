package answer

import (
	"context"
	"net/http"
	"net/netip"
	"sync/atomic"

	"github.com/google/uuid"

	"piyasa/account/access"
)

func init() { uuid.EnableRandPool() } // ids are not secret: one read of randomness serves sixteen

type identityKey struct{}

// identity identifies a request, for the request itself and for the handlers around it.
type identity struct {
	id     string
	client netip.Addr
	key    atomic.Pointer[access.Key] // atomic: a socket's key comes while other goroutines may log
	call   *access.Call
}

// RequestID returns the id of the request that ctx belongs to, or "".
func RequestID(ctx context.Context) string {
	if of := identityOf(ctx); of != nil {
		return of.id
	}
	return ""
}

// ClientOf returns the address of the client of the request that ctx belongs to; invalid if not
// known.
func ClientOf(ctx context.Context) netip.Addr {
	if of := identityOf(ctx); of != nil {
		return of.client
	}
	return netip.Addr{}
}

// NoteKey records the live key of the request of ctx, for all code with its context, and for
// the handlers around it.
func NoteKey(ctx context.Context, key *access.Key) {
	if of := identityOf(ctx); of != nil {
		of.key.Store(key)
	}
}

// KeyID returns the id of the key of the request of ctx, or "" before it is known.
func KeyID(ctx context.Context) string {
	if of := identityOf(ctx); of != nil {
		if key := of.key.Load(); key != nil {
			return key.ID
		}
	}
	return ""
}

// NoteCall records the call of the request of ctx, for the handlers around it.
func NoteCall(ctx context.Context, call *access.Call) {
	if of := identityOf(ctx); of != nil {
		of.call = call
	}
}

// NotedCall returns the call of the request of ctx, or nil. It is for handlers that run after
// the request has been answered.
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

// Identified gives every request an id, which is in the header X-Request-Id and in every
// problem, and the address that client returns for it.
func Identified(client func(*http.Request) netip.Addr) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			of := &identity{id: uuid.NewString(), client: client(r)}
			w.Header().Set("X-Request-Id", of.id)
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), identityKey{}, of)))
		})
	}
}
