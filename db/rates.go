package db

import (
	"time"

	"github.com/uptrace/bun"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

// The rates of pairs are read as market.ObservedRates and market.HeldRates describe them, from
// observations in the currency of the pair, the second in its id. A loaded 5m bar states the
// rate of its last moment.
const (
	observedOnPostgres = settledOnPostgres + `r.as_of, NULL, NULL, NULL, r.last, r.milliseconds, NULL, NULL
	FROM ` + spansOnPostgres + `
	JOIN LATERAL (
		SELECT DISTINCT ON (floor(extract(epoch FROM o.as_of) / 300), o.as_of = ` + coinSlotOnPostgres + `) o.as_of, o.last, o.milliseconds
		FROM (
			SELECT o.as_of, o.last, ` + currentOnPostgres + ` AS milliseconds, false AS loaded
			FROM observations AS o WHERE o.instrument_id = s.id AND o.as_of BETWEEN s.first AND s.last AND ` + ofThePair + `
			UNION ALL
			SELECT b.t + interval '299.999 seconds', b.close, NULL, true FROM bars AS b
			WHERE b.instrument_id = s.id AND ` + loadedRate + `
				AND b.t BETWEEN s.first - interval '299.999 seconds' AND s.last - interval '299.999 seconds'
		) AS o
		ORDER BY floor(extract(epoch FROM o.as_of) / 300), o.as_of = ` + coinSlotOnPostgres + `, o.as_of DESC, o.loaded DESC
	) AS r ON true`
	heldOnPostgres = settledOnPostgres + `o.as_of, NULL, NULL, NULL, o.last, ` + currentOnPostgres + `, NULL, NULL
	FROM ` + spansOnPostgres + `
	JOIN observations AS o ON o.instrument_id = s.id AND o.as_of BETWEEN s.first AND s.last AND ` + held + ` AND ` + ofThePair

	observedOnSQLite = `
		SELECT string_agg(concat(r.as_of / 1000, '    ', r.last, ' ', r.milliseconds, '   '), '') FROM (
			SELECT max(o.as_of * 2 + o.loaded), o.as_of, o.last, o.milliseconds FROM (
				SELECT o.as_of, o.last, (o.current_until - o.as_of) / 1000 AS milliseconds, 0 AS loaded FROM observations AS o
				WHERE o.instrument_id = s.value ->> 0 AND o.as_of BETWEEN s.value ->> 1 AND s.value ->> 2 AND ` + ofThePair + `
				UNION ALL
				SELECT b.t + 299999000, b.close, NULL, 1 FROM bars AS b
				WHERE b.instrument_id = s.value ->> 0 AND ` + loadedRate + `
					AND b.t BETWEEN (s.value ->> 1) - 299999000 AND (s.value ->> 2) - 299999000
			) AS o GROUP BY o.as_of / 300000000, o.as_of = ` + coinSlotOnSQLite + `
		) AS r`
	heldOnSQLite = `
		SELECT string_agg(concat(o.as_of / 1000, '    ', o.last, ' ', (o.current_until - o.as_of) / 1000, '   '), '')
		FROM observations AS o
		WHERE o.instrument_id = s.value ->> 0 AND o.as_of BETWEEN s.value ->> 1 AND s.value ->> 2 AND ` + held + ` AND ` + ofThePair

	ofThePair         = `(o.currency IS NULL OR o.instrument_id LIKE '%' || o.currency)`
	held              = `(o.current_until IS NOT NULL OR o.last IS NULL)` // the condition of the index observations_held
	loadedRate        = `b.resolution = '5m' AND NOT b.recorded AND b.close IS NOT NULL`
	currentOnPostgres = `round(extract(epoch FROM o.current_until - o.as_of) * 1000)::bigint::numeric`

	// The first slot of coins that begins at an observation or later: a 2h bar can be converted
	// by the newest of the observations with one slot.
	coinSlotOnPostgres = `to_timestamp(ceil((extract(epoch FROM o.as_of) - 3600) / 7200) * 7200 + 3600)`
	coinSlotOnSQLite   = `(o.as_of - 3600000000 + 7199999999) / 7200000000 * 7200000000 + 3600000000`
)

// pruneRates deletes those observations of pairs before since by which no bar can be converted
// any more. It keeps the newest before each slot of coins, and withdrawals and rates that state
// until when they are current, unless a newer one of that slot does so for longer.
func pruneRates(q *bun.DeleteQuery, postgres bool, since value.Instant) *bun.DeleteQuery {
	slot := coinSlotOnSQLite
	if postgres {
		slot = coinSlotOnPostgres
	}
	return q.Where("o.as_of >= ?", since.Add(-prunedAgain)).Where(`EXISTS (
		SELECT 1 FROM observations AS n WHERE n.instrument_id = o.instrument_id AND n.as_of > o.as_of AND n.as_of <= ` + slot + `
		AND (o.current_until IS NULL OR n.current_until >= o.current_until) AND (o.last IS NOT NULL OR n.last IS NULL))`)
}

// rateChanges returns the changes of an instrument's rate series, if it is a pair.
func (o *observed) rateChanges() (changes []*market.Bar) {
	for _, r := range o.changed {
		changes = append(changes, market.RateChanges(o.id, r.AsOf, r.Holds() || o.held[r.AsOf])...)
	}
	return changes
}

// loadedRates returns the changes of rate series by changed bars of pairs.
func loadedRates(changed []*market.Bar) (changes []*market.Bar) {
	for _, b := range changed {
		if at, ok := b.LoadedRate(); ok {
			changes = append(changes, market.RateChanges(b.InstrumentID, at, false)...)
		}
	}
	return changes
}

// coinSlotAfter returns the first slot of coins that begins at a moment or later.
func coinSlotAfter(at value.Instant) value.Instant {
	const slot, offset = 2 * time.Hour, time.Hour
	start := at.Time().Add(-offset).Truncate(slot).Add(offset)
	if start.Before(at.Time()) {
		start = start.Add(slot)
	}
	return at.Add(start.Sub(at.Time()))
}
