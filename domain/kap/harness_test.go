package kap_test

import (
	"context"

	"piyasa/domain/kap"
)

// asked is a store that has nothing and remembers what it was asked for.
type asked struct {
	kap.Store
	kap.Query
}

// Disclosures implements kap.Store.
func (a *asked) Disclosures(_ context.Context, q kap.Query) ([]*kap.Stored, error) {
	a.Query = q
	return nil, nil
}
