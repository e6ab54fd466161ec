package db

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"piyasa/value"
)

// Result says what became of a record.
type Result int

// The results.
const (
	Stored    Result = iota // new, or newer than what was there
	Unchanged               // already there, digit for digit
	Stale                   // older than what is there; the newest stays
	Refused                 // against a rule that only the store can see
)

// Outcome is the result of one record; a refused one says why.
type Outcome struct {
	Result        Result
	Field, Reason string // of a refused record, and of a stale one
}

func refused(field, reason string) Outcome { return Outcome{Refused, field, reason} }

func stale(field, reason string) Outcome { return Outcome{Stale, field, reason} }

// Batch collects records to be stored in one transaction, in the order they
// were put in.
type Batch struct {
	parts    map[reflect.Type]part
	BackFill bool // disclosures are not published to streams

	// Horizon is the moment after which nothing can have been observed yet, or
	// null. A withdrawal of something later takes it away.
	Horizon value.Instant
}

// Put adds a record, a pointer to one of the types of kinds. Its outcome is to
// be written at out.
func (b *Batch) Put(record any, out *Outcome) { b.add(record, false, out) }

// Withdraw takes back what is stored under the key of record, of which nothing
// else need be stated but what its versions are ordered by. Withdrawing what is
// not there changes nothing.
func (b *Batch) Withdraw(record any, out *Outcome) { b.add(record, true, out) }

func (b *Batch) add(record any, withdrawn bool, out *Outcome) {
	of := reflect.TypeOf(record)
	p := b.parts[of]
	if p == nil {
		k := kinds[of]
		if k == nil {
			panic(fmt.Sprintf("db: a batch takes no %T", record))
		}
		if b.parts == nil {
			b.parts = map[reflect.Type]part{}
		}
		p = k.part()
		b.parts[of] = p
	}
	p.add(record, withdrawn, out)
}

// entry is a record, whether it is withdrawn, and the place of its outcome.
type entry[T any] struct {
	record    *T
	withdrawn bool
	outcome   *Outcome
}

// part is the records of one kind in a batch.
type part interface {
	add(record any, withdrawn bool, out *Outcome)
	store(ctx context.Context, tx *numbered, w writing) error
}

// writing is how a batch is stored.
type writing struct {
	postgres, backFill bool
	horizon            value.Instant
}

// kind is how the records of one type are stored.
type kind struct {
	feeds []string // that they are numbered in
	part  func() part
}

type entries[T any] struct {
	all []entry[T]
	to  func(context.Context, *numbered, writing, []entry[T]) error
}

func (e *entries[T]) add(record any, withdrawn bool, out *Outcome) {
	e.all = append(e.all, entry[T]{record.(*T), withdrawn, out})
}

func (e *entries[T]) store(ctx context.Context, tx *numbered, w writing) error {
	return e.to(ctx, tx, w, e.all)
}

// kinds are all kinds of records by their type; storeOrder is the order in
// which they are stored.
var (
	kinds      = map[reflect.Type]*kind{}
	storeOrder []reflect.Type
)

// storing declares a kind of record.
func storing[T any](to func(context.Context, *numbered, writing, []entry[T]) error, feeds ...string) {
	of := reflect.TypeFor[*T]()
	kinds[of] = &kind{feeds, func() part { return &entries[T]{to: to} }}
	storeOrder = append(storeOrder, of)
}

// storingIn declares a kind of record that a table takes.
func storingIn[T, R any, K comparable](t table[T, R, K]) {
	storing(func(ctx context.Context, tx *numbered, w writing, entries []entry[T]) error {
		return t.store(ctx, tx, w, entries)
	}, append(t.touches, t.feed)...)
}

func init() {
	storingIn(instruments)
	storingIn(sectors)
	storingIn(indices)
	storingIn(tradingDays)
	storing(storeObservations, FeedQuotes, FeedBars) // observations become bars
	storing(storeBars, FeedBars)
	storing(storeIndexBars, FeedBars)
	storing(storeCompanies, FeedCompanies)
	storing(storeDisclosures, FeedDisclosures)
	storingIn(filings)
	storingIn(newsItems)
	storingIn(inflationPoints)
	storingIn(dividends)
	storingIn(sources)
	storingIn(calendarEvents)
	storingIn(calendarItems)
	storingIn(fundProfiles)
	storingIn(fundFlows)
	storingIn(fundHoldings)
	storingIn(ipos)
	storing(storeStatements, FeedStatements)
	storingIn(marketMetrics)
	storing(storeLogos, FeedLogos)
}

// Store stores a batch: all of it, or, with an error, nothing. Outcomes are
// valid once it returns nil.
func (s *Store) Store(ctx context.Context, b *Batch) error {
	var feeds []string
	for of := range b.parts {
		feeds = append(feeds, kinds[of].feeds...)
	}
	if len(feeds) == 0 {
		return nil
	}
	slices.Sort(feeds)
	return s.inFeeds(ctx, slices.Compact(feeds), func(ctx context.Context, tx *numbered) error {
		for _, of := range storeOrder {
			if p := b.parts[of]; p != nil {
				if err := p.store(ctx, tx, writing{s.isPostgres(), b.BackFill, b.Horizon}); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
