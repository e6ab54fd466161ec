package kap_test

import (
	"context"
	"errors"
	"testing"

	"piyasa/access"
	"piyasa/domain/kap"
	"piyasa/problem"
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

// caller is a request that may read disclosures.
func caller(t testing.TB) context.Context {
	ctx, _ := access.WithCall(t.Context(), &access.Key{ID: "k", Scopes: []access.Scope{access.KAP}})
	return ctx
}

// kindOf is the name of the problem that err is, "" for none.
func kindOf(err error) string {
	if e, ok := errors.AsType[*problem.Error](err); ok {
		return string(e.Kind)
	}
	if err != nil {
		return err.Error()
	}
	return ""
}
