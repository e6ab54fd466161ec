package kap_test

import (
	"context"
	"testing"

	"piyasa/domain/kap"
)

// slowLink is a store behind a connection over which no more than three disclosures come
// within the deadline of a read.
type slowLink struct{ kap.Store }

// RecentDisclosures implements kap.RecentStore.
func (slowLink) RecentDisclosures(_ context.Context, of []kap.Group, _ int) ([][]*kap.Stored, int64, error) {
	return make([][]*kap.Stored, len(of)), 0, nil
}

// ChangedDisclosures implements kap.RecentStore.
func (slowLink) ChangedDisclosures(_ context.Context, after, head int64, limit int) (found []*kap.Stored, err error) {
	for n := after + 1; n <= head && len(found) < limit; n++ {
		if found = append(found, &kap.Stored{Disclosure: kap.Disclosure{DisclosureIndex: int(n)}, Seq: n}); len(found) > 3 {
			return nil, context.DeadlineExceeded
		}
	}
	return found, nil
}

// Disclosures that are too large to be read together come a few at a time.
func TestRecentOverASlowLink(t *testing.T) {
	r := kap.NewRecent(slowLink{}, func() bool { return true })
	if err := r.Apply(t.Context(), 0, false); err != nil {
		t.Fatal(err)
	}
	for failed := 0; r.Apply(t.Context(), 500, false) != nil; failed++ {
		if failed > 20 {
			t.Fatal("they never come")
		}
	}
	if err := r.Apply(t.Context(), 503, false); err != nil {
		t.Error(err)
	}
}
