package db_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"piyasa/account/access"
	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/kap"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// disclosure returns a disclosure with nothing optional but a publication time,
// which may be empty.
func disclosure(index int, publishedAt string, symbols ...string) *kap.Record {
	r := &kap.Record{Disclosure: kap.Disclosure{
		DisclosureIndex: index, Type: kap.ODA, Class: "ODA", Symbols: append([]string{}, symbols...), FilerCodes: []string{},
	}}
	if publishedAt != "" {
		r.PublishedAt = value.MustInstant(publishedAt)
	}
	return r
}

// putDisclosures stores records in one batch.
func putDisclosures(t rapid.TB, s *db.Store, backFill bool, records ...*kap.Record) []db.Outcome {
	t.Helper()
	b, out := &db.Batch{BackFill: backFill}, make([]db.Outcome, len(records))
	for i, r := range records {
		db.Put(b, r, &out[i])
	}
	if err := s.Store(background, b); err != nil {
		t.Fatalf("store: %v", err)
	}
	return out
}

// filed is a disclosure of the reference: what the store was given, and where
// the rules put it.
type filed struct {
	*kap.Record
	seq       int64
	live      bool
	effective value.Instant
}

// filings are what a store of disclosures must hold.
type filings struct {
	byIndex map[int]*filed
	seq     int64
}

func newFilings(t rapid.TB, s *db.Store) *filings {
	return &filings{map[int]*filed{}, heads(t, s)[db.FeedDisclosures]}
}

// put takes in a batch of records with new numbers. A batch is stored at one
// moment, so a row without a time finds its predecessor in it, too.
func (f *filings) put(records []*kap.Record, backFill bool) {
	for _, r := range records {
		f.seq++
		f.byIndex[r.DisclosureIndex] = &filed{r, f.seq, !backFill, r.PublishedAt}
	}
	for _, r := range records {
		of := f.byIndex[r.DisclosureIndex]
		if !r.PublishedAt.IsNull() {
			continue
		}
		of.effective = value.MustInstant("1900-01-01T00:00:00Z")
		nearest := -1
		for index, other := range f.byIndex {
			if index < r.DisclosureIndex && index > nearest && !other.PublishedAt.IsNull() {
				nearest, of.effective = index, other.PublishedAt
			}
		}
	}
}

// all returns the disclosures in the order of lists.
func (f *filings) all(ascending bool) []*filed {
	var out []*filed
	for _, d := range f.byIndex {
		out = append(out, d)
	}
	slices.SortFunc(out, func(a, b *filed) int {
		order := cmp.Or(a.effective.Time().Compare(b.effective.Time()), cmp.Compare(a.DisclosureIndex, b.DisclosureIndex))
		if ascending {
			return order
		}
		return -order
	})
	return out
}

// The few values that random disclosures have, so that they often meet.
var (
	fewTimes = []string{"", "", "2026-03-17T20:59:59.999Z", "2026-03-17T21:00:00Z", "2026-03-18T06:00:00Z", "2026-03-18T06:00:00.001Z",
		"2026-03-18T20:59:59.999Z", "2026-03-18T21:00:00Z"}
	fewCodes   = []string{"A1", "A2", "A3", "B1", "C1"} // A1, A2 and A3 are of one company
	fewTypes   = []kap.Type{kap.FR, kap.ODA, kap.DUY}
	fewClasses = []string{"FR", "ODA", "Özel Durum"}
)

var fewReasons = []*kap.Reason{nil, new(kap.New), new(kap.Corrects)}

// recordsOf draws disclosures with new numbers, in any order.
func recordsOf(t *rapid.T, known *filings, atMost int) []*kap.Record {
	numbers := rapid.SliceOfNDistinct(rapid.IntRange(1, 60), 0, atMost, rapid.ID).Draw(t, "numbers")
	numbers = slices.DeleteFunc(numbers, func(n int) bool { return known.byIndex[n] != nil })
	records := make([]*kap.Record, len(numbers))
	for i, n := range numbers {
		r := disclosure(n, rapid.SampledFrom(fewTimes).Draw(t, "time"),
			rapid.SliceOfN(rapid.SampledFrom(fewCodes), 0, 3).Draw(t, "symbols")...)
		r.Type, r.Class = rapid.SampledFrom(fewTypes).Draw(t, "type"), rapid.SampledFrom(fewClasses).Draw(t, "class")
		r.Reason = rapid.SampledFrom(fewReasons).Draw(t, "reason")
		r.CompanyID = rapid.SampledFrom([]*string{nil, new("K1"), new("K2")}).Draw(t, "company")
		records[i] = r
	}
	return records
}

// disclosureService answers from s; A1, A2, A3 and as many others as more says
// are of one company. Another, which has B1, had C1, and A3 before the one did.
func disclosureService(s *db.Store, more int) *kap.Service {
	codes := []string{"A1", "A2", "A3"}
	for i := range more {
		codes = append(codes, fmt.Sprintf("A0%d", i))
	}
	live := kap.NewLive()
	live.PutCompanies([]*kap.CompanyRecord{{CompanyID: "K1", Codes: codes}, {CompanyID: "K2", Codes: []string{"B1"}}},
		kap.CodeHeld{CompanyID: "K2", Code: "A3"}, kap.CodeHeld{CompanyID: "K2", Code: "C1"})
	return &kap.Service{Store: s, Live: live, Signer: access.Signer{Secret: []byte("secret")}, Now: value.SystemClock}
}

// under returns the origins of codes that belong to no known company.
func under(codes ...string) []kap.Origin {
	origins := make([]kap.Origin, len(codes))
	for i, code := range codes {
		origins[i] = kap.Origin{Code: code}
	}
	return origins
}

// reach returns the reach of these codes and no more.
func reach(codes ...string) *kap.Reach { return &kap.Reach{Origins: under(codes...)} }

// asking returns the context of a key that may read disclosures.
func asking() context.Context {
	ctx, _ := access.WithCall(background, &access.Key{ID: "k", Scopes: []access.Scope{access.KAP}})
	return ctx
}

// problemOf returns the name of the problem that err is, "" for none.
func problemOf(err error) string {
	if e, ok := errors.AsType[*problem.Error](err); ok {
		return string(e.Kind)
	}
	if err != nil {
		return fmt.Sprintf("no problem: %v", err)
	}
	return ""
}

// emptying returns what removes every disclosure of the database at url, so
// that a round of a property begins again.
func emptying(t testing.TB, url string) func(rapid.TB) {
	t.Helper()
	raw := dbtest.Raw(t, url)
	return func(t rapid.TB) {
		t.Helper()
		for _, table := range []string{"disclosures", "disclosure_codes", "disclosure_parts"} {
			if _, err := raw.Exec("DELETE FROM " + table); err != nil {
				t.Fatal(err)
			}
		}
	}
}
