package macro_test

import (
	"context"
	"testing"

	"piyasa/domain/macro"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
)

// failing is a store that fails.
type failing struct{ err error }

func (s failing) CalendarRecords(context.Context, value.Instant, value.Instant, []int) ([]*macro.CalendarRecord, error) {
	return nil, s.err
}

func TestStoreFailures(t *testing.T) {
	e := newEconomy()
	calls.StoreFailures(t, func(err error) { e.Store = failing{err} }, map[string]func(context.Context) error{
		"CalendarRecords": func(ctx context.Context) error {
			_, err := e.Calendar(ctx, macro.EventFilter{}, nil, nil)
			return err
		},
		"CalendarRecords of events": func(ctx context.Context) error {
			_, errs := e.ItemsOf(ctx, []*macro.CalendarEvent{event(12, "TR", 2)}, macro.ItemsArgs{})
			return errs[0]
		},
	})
}
