package access_test

import (
	"testing"

	"piyasa/account/access"
	"piyasa/internal/problem"
)

// While the keys are not known to be current, no key passes, known or not: each
// gets store-unavailable. A request without a key gets unauthenticated.
func TestKeysThatAreNotCurrent(t *testing.T) {
	secret, current := access.NewSecret(false), false
	g := access.NewGate(access.ShippedPlans())
	g.Current = func() bool { return current }
	kind := func(_ *access.Key, err error) problem.Kind {
		if err == nil {
			return ""
		}
		return problem.From(err).Kind
	}
	check := func(known, other problem.Kind) {
		t.Helper()
		if got := kind(g.Authenticate(string(secret))); got != known {
			t.Errorf("a known key: %q, want %q", got, known)
		}
		if got := kind(g.ByID("k")); got != known {
			t.Errorf("a known id: %q, want %q", got, known)
		}
		if got := kind(g.Authenticate("piyasa_live_x")); got != other {
			t.Errorf("another key: %q, want %q", got, other)
		}
		if got := kind(g.ByID("x")); got != other {
			t.Errorf("another id: %q, want %q", got, other)
		}
		if got := kind(g.Authenticate("")); got != problem.Unauthenticated {
			t.Errorf("no key: %q", got)
		}
	}
	check(problem.StoreUnavailable, problem.StoreUnavailable)
	g.Replace([]*access.Key{{ID: "k", Hash: secret.Hash()}})
	check(problem.StoreUnavailable, problem.StoreUnavailable)
	current = true
	check("", problem.Unauthenticated)
}
