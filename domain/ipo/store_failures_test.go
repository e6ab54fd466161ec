package ipo_test

import (
	"context"
	"testing"

	"piyasa/domain/ipo"
	"piyasa/domain/market"
	"piyasa/test/fixture/calls"
)

func TestStoreFailures(t *testing.T) {
	store := &tape{days: map[market.ID][]string{}}
	x := listed(store, "AAA", of("AAA", recordOf("a", "2026-03-10", "2026-03-11", "")))
	calls.StoreFailures(t, func(err error) { store.fails = err }, map[string]func(context.Context) error{
		"FirstDays":        func(ctx context.Context) error { _, err := x.Ipos(ctx, ipo.Filter{}); return err },
		"FirstDays of one": func(ctx context.Context) error { _, err := x.Ipo(ctx, "a"); return err },
	})
}
