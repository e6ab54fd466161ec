package resolvers

import (
	"context"

	"piyasa/internal/value"
	"piyasa/services"
)

// then answers as of a moment, or as of now if at is nil.
func then[T any](ctx context.Context, s *services.Services, at *value.Instant,
	answer func(*services.Services) (T, error)) (none T, err error) {
	of, err := s.At(ctx, at)
	if err != nil {
		return none, err
	}
	return answer(of)
}

// catalogThen is like then, for what the catalog alone answers.
func catalogThen[T any](ctx context.Context, s *services.Services, at *value.Instant,
	answer func(*services.Services) (T, error)) (none T, err error) {
	of, err := s.CatalogAt(ctx, at)
	if err != nil {
		return none, err
	}
	return answer(of)
}

// thenEach is like then, for a relation of several parents.
func thenEach[P, T any](ctx context.Context, s *services.Services, at *value.Instant, parents []P,
	answer func(*services.Services) ([]T, []error)) ([]T, []error) {
	of, err := s.At(ctx, at)
	if err == nil {
		return answer(of)
	}
	errs := make([]error, len(parents))
	for i := range errs {
		errs[i] = err
	}
	return make([]T, len(parents)), errs
}
