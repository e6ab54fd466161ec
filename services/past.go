package services

import (
	"context"

	"github.com/maypok86/otter/v2"

	"piyasa/db"
	"piyasa/internal/problem"
	"piyasa/internal/value"
	"piyasa/serve/stream"
)

// pastKey identifies the services as of a moment, made from the data that was stored when they
// were requested.
type pastKey struct {
	at        value.Instant
	described bool
	stored    Stamp
}

// keptPast is how many moments are kept; each takes about as much memory as the catalog.
const keptPast = 8

// dated are the feeds from which the past is made.
var dated = from(db.FeedCatalog, db.FeedCompanies, db.FeedDividends, db.FeedFilings, db.FeedInflation, db.FeedMetrics, db.FeedStatements)

// pastCache keeps the services of the last requested moments.
type pastCache = otter.Cache[pastKey, *Services]

func newPastCache() *pastCache {
	return otter.Must(&otter.Options[pastKey, *Services]{MaximumSize: keptPast})
}

// At returns services that answer as these could have at a moment, or these themselves if at is
// nil. Instruments that were recorded later are known by their first records, since statements
// and metrics state when they were published; CatalogAt is stricter. Problems:
// invalid-parameter for a moment after now, store-unavailable.
func (s *Services) At(ctx context.Context, at *value.Instant) (*Services, error) {
	return s.past(ctx, at, true)
}

// CatalogAt is like At, but an instrument, sector or index is known only from its recording on.
func (s *Services) CatalogAt(ctx context.Context, at *value.Instant) (*Services, error) {
	return s.past(ctx, at, false)
}

func (s *Services) past(ctx context.Context, at *value.Instant, described bool) (*Services, error) {
	if at == nil {
		return s, nil
	}
	if now := s.Clock(); at.After(now) {
		return nil, problem.Parameter("known_at", at.String(), "a moment that is not after now, "+now.String())
	}
	stored, followed := s.Stamp(dated)
	if !followed {
		return s.newPast(ctx, *at, described)
	}
	return s.moments.Get(ctx, pastKey{*at, described, stored}, otter.LoaderFunc[pastKey, *Services](
		func(ctx context.Context, k pastKey) (*Services, error) { return s.newPast(ctx, k.at, k.described) }))
}

// OnlyNow returns the problem invalid-parameter of a field that has no past and is requested as
// of a moment.
func OnlyNow(field string, at value.Instant) error {
	return problem.New(problem.InvalidParameter, "%s is of now, and cannot be below a field with knownAt; ask for it in a field without.",
		field).About("known_at", at.String())
}

// newPast builds the services as of a moment.
func (s *Services) newPast(ctx context.Context, at value.Instant, described bool) (*Services, error) {
	store, err := s.store.At(ctx, at, described)
	if err != nil {
		return nil, err
	}
	settings := s.settings
	settings.Clock, settings.Current, settings.StatementCache, settings.HistoryCache = func() value.Instant { return at }, nil, 0, 0
	past := New(settings, store)
	past.Epochs.Set(s.Epochs.Lineage())
	feeds := past.feeds()
	for _, feed := range []string{db.FeedCatalog, db.FeedQuotes, db.FeedMetrics, db.FeedCompanies, db.FeedInflation} {
		if err := feeds[feed](ctx, stream.Rows{Rebuild: true}); err != nil {
			return nil, err
		}
	}
	return past, nil
}
