package kap_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"testing"

	"piyasa/account/access"
	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/internal/attachment"
	"piyasa/internal/value"
	"piyasa/test/fixture/calls"
)

// disclosureStore is a store of a few disclosures that notes how it is read.
type disclosureStore struct {
	kap.Store
	records map[int]*kap.Record
	reads   int
	of      [][]kap.Origin // that newest disclosures were asked of
	first   int
	broken  error
}

// NewestDisclosures implements kap.Store.
func (s *disclosureStore) NewestDisclosures(_ context.Context, of [][]kap.Origin, first int) ([][]*kap.Stored, error) {
	s.reads++
	s.of, s.first = of, first
	newest := make([][]*kap.Stored, len(of))
	for i, origins := range of {
		for _, n := range []int{5, 4, 3, 2, 1} {
			if r := s.records[n]; slices.ContainsFunc(origins, func(o kap.Origin) bool { return slices.Contains(r.Symbols, o.Code) }) {
				newest[i] = append(newest[i], &kap.Stored{Disclosure: r.Disclosure})
			}
		}
	}
	return newest, s.broken
}

// DisclosuresByNumber implements kap.Store.
func (s *disclosureStore) DisclosuresByNumber(_ context.Context, numbers []int) (map[int]*kap.Stored, error) {
	s.reads++
	found := map[int]*kap.Stored{}
	for _, n := range numbers {
		if r := s.records[n]; r != nil {
			found[n] = &kap.Stored{Disclosure: r.Disclosure}
		}
	}
	return found, s.broken
}

// DisclosureRecords implements kap.Store.
func (s *disclosureStore) DisclosureRecords(_ context.Context, numbers []int) (map[int]*kap.Record, error) {
	s.reads++
	found := map[int]*kap.Record{}
	for _, n := range numbers {
		if r := s.records[n]; r != nil {
			found[n] = r
		}
	}
	return found, s.broken
}

// Contents implements kap.Store.
func (s *disclosureStore) Contents(_ context.Context, numbers []int) (map[int]*kap.Content, error) {
	s.reads++
	found := map[int]*kap.Content{}
	for _, n := range numbers {
		found[n] = s.records[n].Body
	}
	return found, s.broken
}

// newShelf is a service over five disclosures. 2 corrects 1; 3 corrects one
// that is not stored; 4 is market-wide; 5 is a report. DMOST and DMOSR are one
// company, which DMF files for, too.
func newShelf() (*kap.Service, *disclosureStore) {
	record := func(index int, of kap.Type, symbols ...string) *kap.Record {
		return &kap.Record{Disclosure: kap.Disclosure{DisclosureIndex: index, Type: of, Symbols: symbols, FilerCodes: symbols}}
	}
	s := &disclosureStore{records: map[int]*kap.Record{
		1: record(1, kap.ODA, "DMOST"), 2: record(2, kap.ODA, "DMOSR"), 3: record(3, kap.ODA, "DMBNK"), 4: record(4, kap.DUY),
		5: record(5, kap.FR, "DMOST", "DMF"),
	}}
	s.records[1].Body = &kap.Content{SourceFormat: "flatData", FileType: "x",
		Content: json.RawMessage(`[{"key":"n","label":{"tr":"N"},"value":{"tr":"2.50"}}]`)}
	s.records[3].Body = &kap.Content{SourceFormat: "flatData", FileType: "x", Content: json.RawMessage(`{`)}
	s.records[1].Attachments = []attachment.Document{{Name: "a.pdf", Location: "/a"}, {Name: "b.pdf", Location: "/b"}}
	s.records[2].RelatedIndex, s.records[3].RelatedIndex = new(1), new(77)
	live := kap.NewLive()
	live.PutCompanies([]*kap.CompanyRecord{{CompanyID: "K1", Codes: []string{"DMOST", "DMOSR", "DMF"}},
		{CompanyID: "K2", Codes: []string{"DMBNK"}}, {CompanyID: "K3", Codes: []string{}}})
	now := func() value.Instant { return value.MustInstant("2026-03-18T12:00:00Z") }
	return &kap.Service{Store: s, Live: live, Signer: access.Signer{Secret: []byte("secret")}, Now: now, BaseURL: "https://api.test"}, s
}

// all are the disclosures of the store by number.
func (s *disclosureStore) all() (found []*kap.Disclosure) {
	for n := 1; n <= 5; n++ {
		found = append(found, &s.records[n].Disclosure)
	}
	return found
}

func instrument(id market.ID) *market.Instrument {
	return &market.Instrument{InstrumentID: id, Symbol: id.Symbol(), Market: id.Market()}
}

func TestFilerOf(t *testing.T) {
	s, _ := newShelf()
	for name, c := range map[string]struct {
		id    *string
		codes []string
		want  string
	}{
		"the id":                      {new("K2"), []string{"DMOST"}, "K2"},
		"an unknown id, a known code": {new("K9"), []string{"DMOST"}, "K1"},
		"the first known code":        {nil, []string{"NOPE", "DMBNK", "DMOST"}, "K2"},
		"a company without codes":     {new("K3"), nil, "K3"},
		"unknown":                     {new("K9"), []string{"NOPE"}, ""},
		"market-wide":                 {nil, []string{}, ""},
	} {
		found, err := s.FilerOf(calls.Caller(access.KAP), &kap.Disclosure{CompanyID: c.id, FilerCodes: c.codes})
		if got := idOf(found); err != nil || got != c.want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, c.want)
		}
	}
}

func idOf(c *kap.CompanyProfile) string {
	if c == nil {
		return ""
	}
	return c.Identity.CompanyID
}

func TestCompanyOf(t *testing.T) {
	s, _ := newShelf()
	for id, want := range map[market.ID]string{"bist:DMOSR": "K1", "fund:DMF": "K1", "bist:NOPE": "", "us:DMOST": "", "crypto:1": ""} {
		found, err := s.CompanyOf(calls.Caller(access.KAP), instrument(id))
		if got := idOf(found); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", id, got, err, want)
		}
	}
	root, _ := s.Company(calls.Caller(access.KAP), "DMOSR")
	related, _ := s.CompanyOf(calls.Caller(access.KAP), instrument("bist:DMOSR"))
	if !reflect.DeepEqual(root, related) {
		t.Errorf("%+v, as a root field %+v", related, root)
	}
}

// What belongs to an instrument is looked for under these codes.
func TestDisclosuresOf(t *testing.T) {
	s, store := newShelf()
	instruments := []*market.Instrument{instrument("bist:DMOSR"), instrument("bist:NEW"), instrument("fund:DMF"), instrument("us:DMOST"),
		instrument("bist:DMBNK")}
	ctx, call := access.WithCall(t.Context(), &access.Key{Scopes: []access.Scope{access.KAP}})
	rows, errs := s.DisclosuresOf(ctx, instruments, new(7))
	if want := [][]kap.Origin{{{CompanyID: "K1"}, {Code: "DMF"}, {Code: "DMOSR"}, {Code: "DMOST"}}, {{Code: "NEW"}}, {{Code: "DMF"}}, nil,
		{{CompanyID: "K2"}, {Code: "DMBNK"}}}; !reflect.DeepEqual(store.of, want) || store.first != 7 || store.reads != 1 {
		t.Errorf("asked for the newest %d of %+v in %d reads", store.first, store.of, store.reads)
	}
	if got, want := numbers(rows), [][]int{{5, 2, 1}, {}, {5}, {}, {3}}; !reflect.DeepEqual(got, want) || call.Units() != 4 ||
		!slices.Equal(errs, make([]error, 5)) {
		t.Errorf("%v for %d units, %v; want %v for 4", got, call.Units(), errs, want)
	}
	if rows[3] == nil {
		t.Error("a market without disclosures has an empty list, not none")
	}
}

func TestDisclosuresOfCompanies(t *testing.T) {
	s, store := newShelf()
	ctx, call := access.WithCall(t.Context(), &access.Key{Scopes: []access.Scope{access.KAP}})
	var companies []*kap.CompanyProfile
	for _, id := range []string{"K2", "K3", "K1"} {
		c, _ := s.FilerOf(ctx, &kap.Disclosure{CompanyID: &id})
		companies = append(companies, c)
	}
	rows, errs := s.DisclosuresOfCompanies(ctx, companies, nil)
	if got, want := numbers(rows), [][]int{{3}, {}, {5, 2, 1}}; !reflect.DeepEqual(got, want) || store.first != 20 || store.reads != 1 ||
		call.Units() != 3 || !slices.Equal(errs, make([]error, 3)) {
		t.Errorf("%v, the newest %d, in %d reads for %d units, %v", got, store.first, store.reads, call.Units(), errs)
	}
}

func numbers(rows [][]*kap.Disclosure) [][]int {
	out := make([][]int, len(rows))
	for i, row := range rows {
		out[i] = []int{}
		for _, d := range row {
			out[i] = append(out[i], d.DisclosureIndex)
		}
	}
	return out
}

func TestRelatedOf(t *testing.T) {
	s, store := newShelf()
	ctx, call := access.WithCall(t.Context(), &access.Key{Scopes: []access.Scope{access.KAP}})
	related, errs := s.RelatedOf(ctx, store.all())
	if want := []*kap.Disclosure{nil, &store.records[1].Disclosure, nil, nil, nil}; !reflect.DeepEqual(related, want) ||
		!slices.Equal(errs, make([]error, 5)) {
		t.Errorf("%v, %v", related, errs)
	}
	if store.reads != 1 || call.Units() != 1 {
		t.Errorf("%d reads, %d units", store.reads, call.Units())
	}
	if _, errs := s.RelatedOf(ctx, store.all()[:1]); errs[0] != nil || store.reads != 1 {
		t.Errorf("an original is looked for: %v", errs)
	}
}

// What relations read together is what the root fields read one by one.
func TestDetailsAndBodiesOf(t *testing.T) {
	s, store := newShelf()
	ctx, call := access.WithCall(t.Context(), &access.Key{Scopes: []access.Scope{access.KAP}})
	details, errs := s.DetailsOf(ctx, append(store.all(), &kap.Disclosure{DisclosureIndex: 9}))
	if store.reads != 1 || call.Units() != 5 || !slices.Equal(errs, make([]error, 6)) || details[5] != nil {
		t.Fatalf("%d reads, %d units, %v, %v", store.reads, call.Units(), errs, details[5])
	}
	for i, d := range details[:5] {
		if alone, err := s.Disclosure(ctx, i+1); err != nil || !reflect.DeepEqual(d, alone) {
			t.Errorf("%+v, alone %+v, %v", d, alone, err)
		}
	}
	if link := details[0].Attachments[1]; link.URL == details[0].Attachments[0].URL || link.ExpiresAt.IsNull() {
		t.Errorf("link %+v", link)
	}
	for _, as := range []*kap.BodyFormat{nil, new(kap.AsKAP), new(kap.AsHTML)} {
		ctx, call := access.WithCall(t.Context(), &access.Key{Scopes: []access.Scope{access.KAP}})
		store.reads = 0
		bodies, errs := s.BodiesOf(ctx, append(details[:5:5], &kap.Detail{Disclosure: kap.Disclosure{DisclosureIndex: 9}}), as)
		if store.reads > 2 {
			t.Errorf("%v: %d reads", as, store.reads)
		}
		units := call.Units()
		alone := int64(0)
		for i, n := range []int{1, 2, 3, 4, 5, 9} {
			ctx, call := access.WithCall(t.Context(), &access.Key{Scopes: []access.Scope{access.KAP}})
			body, err := s.Body(ctx, n, as)
			if !reflect.DeepEqual(bodies[i], body) || calls.KindOf(errs[i]) != calls.KindOf(err) ||
				(err != nil && errs[i].Error() != err.Error()) {
				t.Errorf("%d: %v, %v; alone %v, %v", n, bodies[i], errs[i], body, err)
			}
			alone += call.Units()
		}
		if units != alone {
			t.Errorf("%v: %d units, alone %d", as, units, alone)
		}
	}
}

// Each relation needs kap, and fails for all when the store does.
func TestRelationsThatFail(t *testing.T) {
	s, store := newShelf()
	company := &kap.CompanyProfile{Identity: &kap.CompanyIdentity{Codes: []string{"DMOST"}}}
	relations := map[string]func(context.Context) []error{
		"disclosures": func(ctx context.Context) []error {
			_, errs := s.DisclosuresOf(ctx, []*market.Instrument{instrument("bist:DMOST"), instrument("us:X")}, nil)
			return errs
		},
		"disclosures of a company": func(ctx context.Context) []error {
			_, errs := s.DisclosuresOfCompanies(ctx, []*kap.CompanyProfile{company, company}, nil)
			return errs
		},
		"related": func(ctx context.Context) []error { _, errs := s.RelatedOf(ctx, store.all()[1:3]); return errs },
		"detail":  func(ctx context.Context) []error { _, errs := s.DetailsOf(ctx, store.all()[:2]); return errs },
		"body": func(ctx context.Context) []error {
			_, errs := s.BodiesOf(ctx, []*kap.Detail{{Disclosure: store.records[1].Disclosure},
				{Disclosure: store.records[1].Disclosure}}, nil)
			return errs
		},
		"filer": func(ctx context.Context) []error {
			_, err := s.FilerOf(ctx, store.all()[0])
			return []error{err, err}
		},
		"company": func(ctx context.Context) []error {
			_, err := s.CompanyOf(ctx, instrument("us:X"))
			return []error{err, err}
		},
	}
	for name, ask := range relations {
		ctx, call := access.WithCall(t.Context(), &access.Key{})
		for _, err := range ask(ctx) {
			if calls.KindOf(err) != "missing-scope" {
				t.Errorf("%s without the scope: %v", name, err)
			}
		}
		if call.Units() != 0 {
			t.Errorf("%s: a refusal costs %d", name, call.Units())
		}
		if name == "filer" || name == "company" {
			continue
		}
		store.broken = errors.New("the disk is gone")
		ctx, call = access.WithCall(t.Context(), &access.Key{Scopes: []access.Scope{access.KAP}})
		if errs := ask(ctx); len(errs) != 2 || errs[0] == nil || errs[1] == nil || call.Units() != 0 {
			t.Errorf("%s from a broken store: %v for %d units", name, errs, call.Units())
		}
		store.broken = nil
	}
	for _, first := range []int{0, 101, -1} {
		if _, errs := s.DisclosuresOf(calls.Caller(access.KAP), []*market.Instrument{instrument("bist:DMOST"), instrument("us:X")},
			&first); calls.KindOf(errs[0]) != "invalid-parameter" || calls.KindOf(errs[1]) != "invalid-parameter" {
			t.Errorf("first %d: %v", first, errs)
		}
	}
}
