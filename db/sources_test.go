package db_test

import (
	"testing"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// G-84: the newest word about a source stands.
func TestSources(t *testing.T) {
	source := func(up bool, at string) *market.SourceStatus {
		return &market.SourceStatus{Source: "ipo", Up: up, AsOf: value.MustInstant("2026-03-18T" + at + "Z")}
	}
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		want(t, put(t, s, source(false, "10:00:00"), source(true, "09:59:59.999"), source(false, "10:00:00")), db.Stored, db.Stale,
			db.Unchanged)
		want(t, put(t, s, source(true, "09:00:00"), source(true, "10:00:00")), db.Stale, db.Stored) // of one moment the later line
		want(t, put(t, s, source(true, "10:00:00.001"), source(false, "10:00:00")), db.Stored, db.Stale)
		other := &market.SourceStatus{Source: "kap", AsOf: value.MustInstant("2020-01-01T00:00:00Z")}
		want(t, put(t, s, other), db.Stored)
		same(t, "sources", must[[]*market.SourceStatus](t)(s.Sources(background)),
			[]*market.SourceStatus{source(true, "10:00:00.001"), other})
	})
}
