package kap_test

import (
	"context"
	"testing"

	"piyasa/domain/kap"
	"piyasa/domain/macro"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
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
func (f *failing) DisclosuresByNumber(ctx context.Context, numbers []int) (map[int]*kap.Stored, error) {
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
	store := &failing{filed: oneFiling()}
	s, answers := newShelf()
	store.disclosureStore, s.Store, s.Inflation = answers, store, macro.NewLive()
	filings := func(ctx context.Context) error {
		_, err := s.Filings(ctx, "DMOST", kap.FilingArgs{}, nil, nil)
		return err
	}
	calls.EveryStoreFailure[kap.Store](t, func(method string, err error) {
		store.method, store.err = method, err
	}, map[string]map[string]func(context.Context) error{
		"Disclosures": {
			"Disclosures": func(ctx context.Context) error {
				_, err := s.Disclosures(ctx, kap.Filter{}, nil, nil, nil)
				return err
			},
		},
		"NewestDisclosures": {
			"DisclosuresOf": func(ctx context.Context) error {
				_, errs := s.DisclosuresOf(ctx, []*market.Instrument{instrument("bist:DMOST")}, nil)
				return first(errs)
			},
		},
		"DisclosuresByNumber": {
			"RelatedOf": func(ctx context.Context) error {
				_, errs := s.RelatedOf(ctx, of(2))
				return first(errs)
			},
		},
		"DisclosureRecords": {
			"Disclosure": func(ctx context.Context) error {
				_, err := s.Disclosure(ctx, 1)
				return err
			},
			"DetailsOf": func(ctx context.Context) error {
				_, errs := s.DetailsOf(ctx, of(1))
				return first(errs)
			},
			"Body": func(ctx context.Context) error {
				_, err := s.Body(ctx, 1, nil)
				return err
			},
		},
		"Contents": {
			"Body": func(ctx context.Context) error {
				_, err := s.Body(ctx, 1, nil)
				return err
			},
			"BodiesOf": func(ctx context.Context) error {
				_, errs := s.BodiesOf(ctx, []*kap.Detail{{Disclosure: kap.Disclosure{DisclosureIndex: 1}}}, nil)
				return first(errs)
			},
		},
		"FilingSummaries": {
			"Filings": filings,
		},
		"Filings": {
			"Filings": filings,
		},
	})
}

// oneFiling returns a store of one filing of DMOST.
func oneFiling() *filed {
	return &filed{filings: []*kap.FilingRecord{{Symbol: "DMOST", Filing: kap.Filing{
		DisclosureIndex: 5, Year: "2025", Period: "FY", EndDate: value.MustDate("2025-12-31"), Consolidation: string(kap.CS),
		Currency: "TRY",
	}}}}
}
