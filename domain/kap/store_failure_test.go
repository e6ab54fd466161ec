package kap_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"piyasa/access"
	"piyasa/domain/kap"
	"piyasa/domain/macro"
	"piyasa/domain/market"
	"piyasa/fixture/calls"
	"piyasa/problem"
	"piyasa/value"
)

// failing is a store whose method of a name fails; the others answer.
type failing struct {
	*disclosureStore
	*filed
	method string
	err    error
}

func (f *failing) fail(method string) error {
	if method == f.method {
		return f.err
	}
	return nil
}

// Disclosures implements kap.Store.
func (f *failing) Disclosures(context.Context, kap.Query) ([]*kap.Stored, error) {
	return nil, f.fail("Disclosures")
}

// NewestDisclosures implements kap.Store.
func (f *failing) NewestDisclosures(ctx context.Context, of [][]kap.Origin, first int) ([][]*kap.Stored, error) {
	if err := f.fail("NewestDisclosures"); err != nil {
		return nil, err
	}
	return f.disclosureStore.NewestDisclosures(ctx, of, first)
}

// DisclosuresByNumber implements kap.Store.
func (f *failing) DisclosuresByNumber(ctx context.Context, numbers []int) (map[int]*kap.Disclosure, error) {
	if err := f.fail("DisclosuresByNumber"); err != nil {
		return nil, err
	}
	return f.disclosureStore.DisclosuresByNumber(ctx, numbers)
}

// DisclosureRecords implements kap.Store.
func (f *failing) DisclosureRecords(ctx context.Context, numbers []int) (map[int]*kap.Record, error) {
	if err := f.fail("DisclosureRecords"); err != nil {
		return nil, err
	}
	return f.disclosureStore.DisclosureRecords(ctx, numbers)
}

// Contents implements kap.Store.
func (f *failing) Contents(ctx context.Context, numbers []int) (map[int]*kap.Content, error) {
	if err := f.fail("Contents"); err != nil {
		return nil, err
	}
	return f.disclosureStore.Contents(ctx, numbers)
}

// FilingSummaries implements kap.Store.
func (f *failing) FilingSummaries(ctx context.Context, of []kap.Origin) ([]*kap.FilingSummary, error) {
	if err := f.fail("FilingSummaries"); err != nil {
		return nil, err
	}
	return f.filed.FilingSummaries(ctx, of)
}

// Filings implements kap.Store.
func (f *failing) Filings(ctx context.Context, numbers []int) ([]*kap.Filing, error) {
	if err := f.fail("Filings"); err != nil {
		return nil, err
	}
	return f.filed.Filings(ctx, numbers)
}

// What the store fails with is the problem of every operation that reads it. The
// answer has nothing of the cause, and costs nothing.
func TestStoreFailures(t *testing.T) {
	of := func(index int) []*kap.Disclosure {
		return []*kap.Disclosure{{DisclosureIndex: index, RelatedIndex: new(1)}}
	}
	first := func(errs []error) error { return errs[0] }
	filings := func(ctx context.Context, s *kap.Service) error {
		_, err := s.Filings(ctx, "DMOST", kap.FilingArgs{}, nil, nil)
		return err
	}
	tested := map[string]bool{}
	for _, c := range []struct {
		method, operation string
		ask               func(context.Context, *kap.Service) error
	}{
		{"Disclosures", "Disclosures", func(ctx context.Context, s *kap.Service) error {
			_, err := s.Disclosures(ctx, kap.Filter{}, nil, nil, nil)
			return err
		}},
		{"NewestDisclosures", "DisclosuresOf", func(ctx context.Context, s *kap.Service) error {
			_, errs := s.DisclosuresOf(ctx, []*market.Instrument{instrument("bist:DMOST")}, nil)
			return first(errs)
		}},
		{"DisclosuresByNumber", "RelatedOf", func(ctx context.Context, s *kap.Service) error {
			_, errs := s.RelatedOf(ctx, of(2))
			return first(errs)
		}},
		{"DisclosureRecords", "Disclosure", func(ctx context.Context, s *kap.Service) error {
			_, err := s.Disclosure(ctx, 1)
			return err
		}},
		{"DisclosureRecords", "DetailsOf", func(ctx context.Context, s *kap.Service) error {
			_, errs := s.DetailsOf(ctx, of(1))
			return first(errs)
		}},
		{"DisclosureRecords", "Body", func(ctx context.Context, s *kap.Service) error {
			_, err := s.Body(ctx, 1, nil)
			return err
		}},
		{"Contents", "Body", func(ctx context.Context, s *kap.Service) error {
			_, err := s.Body(ctx, 1, nil)
			return err
		}},
		{"Contents", "BodiesOf", func(ctx context.Context, s *kap.Service) error {
			_, errs := s.BodiesOf(ctx, []*kap.Detail{{Disclosure: kap.Disclosure{DisclosureIndex: 1}}}, nil)
			return first(errs)
		}},
		{"FilingSummaries", "Filings", filings},
		{"Filings", "Filings", filings},
	} {
		tested[c.method] = true
		cause := errors.New("disk 7 is gone")
		for kind, err := range map[problem.Kind]error{problem.StoreUnavailable: problem.StoreFailed(cause), problem.Internal: fmt.Errorf("query: %w", cause)} {
			s, shelf := newShelf()
			s.Inflation = macro.NewLive()
			ctx := calls.Caller(access.KAP)
			if err := c.ask(ctx, withStore(s, &failing{disclosureStore: shelf, filed: oneFiling()})); err != nil {
				t.Errorf("%s of a store that answers: %v", c.operation, err)
			}
			ctx = calls.Caller(access.KAP)
			got := c.ask(ctx, withStore(s, &failing{disclosureStore: shelf, filed: oneFiling(), method: c.method, err: err}))
			if got == nil {
				t.Errorf("%s without %s: no problem", c.operation, c.method)
				continue
			}
			shown := problem.From(got)
			if shown.Kind != kind || strings.Contains(shown.Detail, "disk") || access.CallOf(ctx).Units() != 0 {
				t.Errorf("%s without %s: %s, %q for %d units, want %s", c.operation, c.method, shown.Kind, shown.Detail, access.CallOf(ctx).Units(), kind)
			}
		}
	}
	for m := range reflect.TypeFor[kap.Store]().Methods() {
		if !tested[m.Name] {
			t.Errorf("no operation is tested without %s", m.Name)
		}
	}
}

// withStore is s over another store.
func withStore(s *kap.Service, store kap.Store) *kap.Service {
	other := *s
	other.Store = store
	return &other
}

// oneFiling is a store of one filing of DMOST.
func oneFiling() *filed {
	return &filed{filings: []*kap.FilingRecord{{Symbol: "DMOST", Filing: kap.Filing{
		DisclosureIndex: 5, Year: "2025", Period: "FY", EndDate: value.MustDate("2025-12-31"), Consolidation: string(kap.CS), Currency: "TRY",
	}}}}
}
