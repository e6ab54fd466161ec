package access_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"piyasa/account/access"
	"piyasa/internal/problem"
)

func TestEnter(t *testing.T) {
	mistake := problem.Parameter("limit", "x", "a whole number")
	for _, c := range []struct {
		name    string
		key     string
		mistake error
		needs   []access.Scope
		kind    problem.Kind // empty: it may go on
		missing []string
	}{
		{"no needs", "", nil, nil, "", nil},
		{"no needs, a mistake", "", mistake, nil, problem.InvalidParameter, nil},
		{"one of one", "fx", nil, []access.Scope{access.FX}, "", nil},
		{"one of one, a mistake", "fx", mistake, []access.Scope{access.FX}, problem.InvalidParameter, nil},
		{"none of one", "kap", nil, []access.Scope{access.FX}, problem.MissingScope, []string{"fx"}},
		{"none of one, a mistake", "kap", mistake, []access.Scope{access.FX}, problem.MissingScope, []string{"fx"}},
		{"one of three", "fx", nil, []access.Scope{access.KAP, access.FX, access.Live}, problem.MissingScope, []string{"kap", "live"}},
		{"three of three", "fx,kap,live", nil, []access.Scope{access.KAP, access.FX, access.Live}, "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, call := access.WithCall(t.Context(), &access.Key{Scopes: access.ParseScopes(c.key)})
			if access.CallOf(ctx) != call {
				t.Error("the context carries another call")
			}
			if c.mistake != nil {
				call.SetParameterError(c.mistake)
			}
			err := access.Enter(ctx, c.needs...)
			if c.kind == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			e, ok := errors.AsType[*problem.Error](err)
			if !ok || e.Kind != c.kind || !slices.Equal(e.Members.MissingScopes, c.missing) {
				t.Errorf("%v, missing %v", err, e.Members.MissingScopes)
			}
		})
	}
}

func TestEnterWithoutACall(t *testing.T) {
	if e := problem.From(access.Enter(context.Background())); e.Kind != problem.Unauthenticated {
		t.Errorf("%v", e)
	}
	if access.CallOf(t.Context()) != nil {
		t.Error("a bare context carries a call")
	}
	access.Charge(t.Context(), 1) // without a call, it charges nothing
}

func TestChargesOfFieldsThatRunAtOnce(t *testing.T) {
	ctx, call := access.WithCall(t.Context(), &access.Key{})
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() { access.Charge(ctx, 2) })
	}
	wg.Wait()
	if call.Units() != 100 {
		t.Errorf("%d units", call.Units())
	}
}
