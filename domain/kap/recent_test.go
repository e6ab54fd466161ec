package kap_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"piyasa/domain/kap"
	"piyasa/test/fixture/need"
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

// What is kept of many requests for groups that nothing is known of is no more than what is
// counted, however long the requests were that named them.
func TestRecentKeepsNoRequests(t *testing.T) {
	r := kap.NewRecent(slowLink{}, func() bool { return true })
	need.NoError(t, r.Apply(t.Context(), 0, false))
	heap := func() int {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before := heap()
	for i := range 200 {
		text := fmt.Sprintf("%04d", i) + strings.Repeat("x", 64<<10)
		for _, q := range []kap.Query{{CompanyID: new(text[:4]), Limit: 5},
			{Of: &kap.Reach{Origins: []kap.Origin{{Code: text[:4]}}}, Limit: 5}} {
			if _, err := r.Disclosures(t.Context(), q); err != nil {
				t.Fatal(err)
			}
		}
	}
	if kept := heap() - before; kept > 2<<20 {
		t.Errorf("%d bytes are kept, and %d are counted", kept, r.Counts().Bytes)
	}
	runtime.KeepAlive(r)
}

// Disclosures that are too large to be read together come a few at a time.
func TestRecentOverASlowLink(t *testing.T) {
	r := kap.NewRecent(slowLink{}, func() bool { return true })
	need.NoError(t, r.Apply(t.Context(), 0, false))
	for failed := 0; r.Apply(t.Context(), 500, false) != nil; failed++ {
		if failed > 20 {
			t.Fatal("they never come")
		}
	}
	if err := r.Apply(t.Context(), 503, false); err != nil {
		t.Error(err)
	}
}
