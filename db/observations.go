package db

import (
	"context"

	"github.com/uptrace/bun"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

// observed holds the observations of one instrument in a batch, and the stored one.
type observed struct {
	id        market.ID
	recorder  market.Recorder
	latest    *market.Observation                   // the quote, as the batch changes it
	moved     bool                                  // whether the batch changed it
	recording *market.Recording                     // nil: nothing was recorded yet
	late      bool                                  // whether the batch has other observations than newer ones
	stored    []*market.Observation                 // of the days of late observations
	seen      map[value.Instant]*market.Observation // stored ones and the batch's
	changed   []*market.Observation                 // new or different, one for each moment
	at        map[value.Instant]int                 // index in changed
	held      map[value.Instant]bool                // moments whose changed observation was a held rate before
}

// storeObservations updates quotes and recordings: a newer observation replaces the quote, one
// of the same moment with other figures revises it, and an older one is stale and does not
// change it. Observations before the kept days change nothing.
func storeObservations(ctx context.Context, tx *numbered, w writing, entries []entry[market.Observation]) error {
	kept, err := keptSince(ctx, tx)
	if err != nil {
		return err
	}
	recorders, err := loadRecorders(ctx, tx, instrumentsOf(entries))
	if err != nil {
		return err
	}
	if entries, err = withdrawFuture(ctx, tx, w, entries); err != nil {
		return err
	}
	accepted := entries[:0:0]
	for _, e := range entries {
		id, recorder := e.record.InstrumentID, recorders[e.record.InstrumentID]
		since, recorded := kept[id.Market()]
		if should := recorder.Contradicts(e.record); should != "" {
			*e.outcome = refused("currency", "must be %s, the currency of %s; got %s", should, id, *e.record.Currency)
			continue
		}
		if recorded && recorder.DayStart(e.record.AsOf).Before(since) {
			*e.outcome = stale("as_of", "%s is of a day that is complete: observations are kept since %s, and an older one changes nothing",
				e.record.AsOf, since)
			continue
		}
		accepted = append(accepted, e)
	}
	all, err := loadObserved(ctx, tx, accepted, recorders)
	if err != nil {
		return err
	}
	byID := make(map[market.ID]*observed, len(all))
	for _, o := range all {
		byID[o.id] = o
	}
	for _, e := range accepted {
		*e.outcome = byID[e.record.InstrumentID].apply(e.record)
	}
	var quotes []*quoteRow
	var observations []*market.Observation
	for _, o := range all {
		if o.moved {
			quotes = append(quotes, &quoteRow{Observation: *o.latest, Seq: tx.number(FeedQuotes)})
		}
		if o.id.Market().Recorded() {
			observations = append(observations, o.changed...)
		}
	}
	if err := quoteTable.upsert(ctx, tx, w.postgres, quotes); err != nil {
		return err
	}
	if err := observationTable.upsert(ctx, tx, w.postgres, observations); err != nil {
		return err
	}
	return record(ctx, tx, w.postgres, all)
}

// instrumentsOf returns the instruments of entries, each once.
func instrumentsOf(entries []entry[market.Observation]) []market.ID {
	var ids []market.ID
	seen := map[market.ID]bool{}
	for _, e := range entries {
		if id := e.record.InstrumentID; !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids
}

// apply applies one observation and returns its outcome.
func (o *observed) apply(r *market.Observation) Outcome {
	if old := o.seen[r.AsOf]; old != nil && old.Same(r) {
		return Outcome{Result: Unchanged}
	}
	if old := o.seen[r.AsOf]; old != nil && old.Holds() {
		o.held[r.AsOf] = true
	}
	o.seen[r.AsOf] = r
	if i, ok := o.at[r.AsOf]; ok {
		o.changed[i] = r
	} else {
		o.at[r.AsOf] = len(o.changed)
		o.changed = append(o.changed, r)
	}
	if o.latest != nil && o.latest.AsOf.After(r.AsOf) {
		counts := ""
		if o.id.Market().Recorded() {
			counts = "; bars are made with it"
		}
		return stale("as_of", "%s is older than the quote of %s, which is of %s and stays%s", r.AsOf, o.id, o.latest.AsOf, counts)
	}
	o.latest, o.moved = r, true
	return Outcome{Result: Stored}
}

// loadObserved loads the stored state of the instruments in entries, in the order of their
// first entry.
func loadObserved(ctx context.Context, tx *numbered, entries []entry[market.Observation],
	recorders map[market.ID]market.Recorder) ([]*observed, error) {
	var all []*observed
	ids, byID := instrumentsOf(entries), map[market.ID]*observed{}
	for _, id := range ids {
		byID[id] = &observed{id: id, recorder: recorders[id], seen: map[value.Instant]*market.Observation{}, at: map[value.Instant]int{},
			held: map[value.Instant]bool{}}
		all = append(all, byID[id])
	}
	if len(ids) == 0 {
		return nil, nil
	}
	var quotes []*quoteRow
	if err := tx.NewSelect().Model(&quotes).Where("instrument_id IN (?)", bun.List(ids)).Scan(ctx); err != nil {
		return nil, err
	}
	for _, r := range quotes {
		o := byID[r.InstrumentID]
		o.latest = &r.Observation
		o.seen[r.AsOf] = o.latest
	}
	if err := loadRecordings(ctx, tx, ids, byID); err != nil {
		return nil, err
	}
	return all, loadLate(ctx, tx, entries, byID)
}

// stretch is a span of time whose stored observations a correction needs.
type stretch struct{ first, last value.Instant }

// loadLate finds the instruments whose bars cannot just be extended. It loads the days to
// record again, with one statement for all instruments that need the same days.
func loadLate(ctx context.Context, tx *numbered, entries []entry[market.Observation], byID map[market.ID]*observed) error {
	brought := map[market.ID][]*market.Observation{}
	for _, e := range entries {
		o := byID[e.record.InstrumentID]
		if !o.id.Market().Recorded() || o.latest == nil || o.latest.Same(e.record) {
			continue
		}
		brought[o.id] = append(brought[o.id], e.record)
		o.late = o.late || o.recording == nil || !e.record.AsOf.After(o.latest.AsOf)
	}
	needs := map[stretch][]market.ID{}
	for id, observations := range brought {
		if byID[id].late {
			first, last := byID[id].recorder.Span(observations)
			needs[stretch{first, last}] = append(needs[stretch{first, last}], id)
		}
	}
	for of, ids := range needs {
		var rows []*observationRow
		if err := tx.NewSelect().Model(&rows).Where("instrument_id IN (?) AND as_of >= ? AND as_of < ?",
			bun.List(ids), of.first, of.last).Scan(ctx); err != nil {
			return err
		}
		for _, r := range rows {
			o := byID[r.InstrumentID]
			o.stored = append(o.stored, &r.Observation)
			o.seen[r.AsOf] = &r.Observation
		}
	}
	return nil
}
