package resolvers

import (
	"context"
	"slices"
	"sync"

	"piyasa/internal/value"
	"piyasa/services"
)

// moment is the argument knownAt of a field. Everything below the field is also as of that moment,
// so that no answer mixes moments unless its document says so.
type moment struct {
	at value.Instant

	mu             sync.Mutex
	catalog, store *services.Services // as of the moment, shared by everything below one field; nil: not needed yet
}

type momentKey struct{}

// Below returns the context of everything below a field with these arguments.
func Below(ctx context.Context, arguments map[string]any) context.Context {
	if at, _ := arguments["knownAt"].(*value.Instant); at != nil {
		return context.WithValue(ctx, momentKey{}, &moment{at: *at})
	}
	return ctx
}

// above returns the moment of a field above, or nil.
func above(ctx context.Context) *moment {
	m, _ := ctx.Value(momentKey{}).(*moment)
	return m
}

// asOf returns services as of a moment; if at is nil, that of a field above, or else now. described
// is for records that state when they were published, as in services.At.
func asOf(ctx context.Context, s *services.Services, at *value.Instant, described bool) (*services.Services, error) {
	read := s.CatalogAt
	if described {
		read = s.At
	}
	m := above(ctx)
	if at != nil || m == nil {
		return read(ctx, at)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	kept := &m.catalog
	if described {
		kept = &m.store
	}
	if *kept != nil {
		return *kept, nil
	}
	then, err := read(ctx, &m.at)
	if err == nil {
		*kept = then
	}
	return then, err
}

// then calls answer with the services as of a moment, as asOf returns them.
func then[T any](ctx context.Context, s *services.Services, at *value.Instant,
	answer func(*services.Services) (T, error)) (none T, err error) {
	of, err := asOf(ctx, s, at, true)
	if err != nil {
		return none, err
	}
	return answer(of)
}

// catalogThen is like then, for answers from the catalog alone.
func catalogThen[T any](ctx context.Context, s *services.Services, at *value.Instant,
	answer func(*services.Services) (T, error)) (none T, err error) {
	of, err := asOf(ctx, s, at, false)
	if err != nil {
		return none, err
	}
	return answer(of)
}

// thenEach is like then, for a relation of several parents.
func thenEach[P, T any](ctx context.Context, s *services.Services, at *value.Instant, parents []P,
	answer func(*services.Services) ([]T, []error)) ([]T, []error) {
	of, err := asOf(ctx, s, at, true)
	if err != nil {
		return make([]T, len(parents)), slices.Repeat([]error{err}, len(parents))
	}
	return answer(of)
}

// onlyNow returns the problem invalid-parameter for a field that can only be stated as of now, if
// it is below a field with knownAt.
func onlyNow(ctx context.Context, field string) error {
	m := above(ctx)
	if m == nil {
		return nil
	}
	return services.OnlyNow(field, m.at)
}

// nowEach answers a relation that can only be stated as of now.
func nowEach[P, T any](ctx context.Context, field string, parents []P, answer func() ([]T, []error)) ([]T, []error) {
	if err := onlyNow(ctx, field); err != nil {
		return make([]T, len(parents)), slices.Repeat([]error{err}, len(parents))
	}
	return answer()
}
