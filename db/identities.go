package db

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

// leftRow is an id that has left the catalog: the meaning of its prices then, and how many
// instruments had the id before.
type leftRow struct {
	bun.BaseModel `bun:"table:left_catalog"`
	InstrumentID  market.ID
	Currency      string
	Unit          *string
	Ended         int
}

// storeInstruments stores catalog records and the facts of identity that they state: since when
// prices mean something else, which id an instrument had before, and that an id now belongs to
// another instrument because it returns after a withdrawal.
func storeInstruments(ctx context.Context, tx *numbered, w writing, entries []entry[market.Instrument]) error {
	i, err := loadIdentities(ctx, tx, entries)
	if err != nil {
		return err
	}
	if !w.horizon.IsNull() {
		i.today = value.TurkeyDay(w.horizon.Add(-value.Horizon))
	}
	var kept []entry[market.Instrument]
	for _, e := range entries {
		if e.withdrawn {
			kept, err = i.withdraw(ctx, kept, e)
		} else {
			kept, err = i.put(ctx, kept, e)
		}
		if err != nil {
			return err
		}
	}
	if err := instruments.store(ctx, tx, w, kept); err != nil {
		return err
	}
	for _, e := range kept {
		id := e.record.InstrumentID
		if !i.changed[id] || e.outcome.Result != Unchanged {
			continue
		}
		*e.outcome = Outcome{Result: Stored}
		if err := remember(instruments)(ctx, tx, id, ""); err != nil {
			return err
		}
		if _, err := tx.NewUpdate().Model((*instrumentRow)(nil)).Set("seq = ?", tx.number(FeedCatalog)).Where("instrument_id = ?",
			id).Exec(ctx); err != nil {
			return err
		}
	}
	return recordAgain(ctx, tx, distinctIDs(i.changed))
}

func distinctIDs(of map[market.ID]bool) []market.ID {
	var ids []market.ID
	for id := range of {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// identities is the state of the ids that lines name, after the lines so far.
type identities struct {
	tx       *numbered
	today    value.Date // null: not known
	stored   map[market.ID]*market.Instrument
	funds    map[market.ID]string   // the currencies of funds with a record of their own
	left     map[market.ID]*leftRow // a row without a meaning left before meanings were kept
	meanings map[market.ID][]*market.FormerMeaning
	renamed  map[market.ID]*market.Rename // by the later id
	leads    map[market.ID]*market.Rename // by the former id
	changed  map[market.ID]bool           // ids with changed facts
}

func loadIdentities(ctx context.Context, tx *numbered, entries []entry[market.Instrument]) (*identities, error) {
	i := &identities{
		tx: tx, stored: map[market.ID]*market.Instrument{}, funds: map[market.ID]string{}, left: map[market.ID]*leftRow{},
		meanings: map[market.ID][]*market.FormerMeaning{}, renamed: map[market.ID]*market.Rename{},
		leads: map[market.ID]*market.Rename{}, changed: map[market.ID]bool{},
	}
	ids := distinct(entries, func(r *market.Instrument) market.ID { return r.InstrumentID })
	for _, e := range entries {
		if e.record.Predecessor != nil {
			ids = append(ids, *e.record.Predecessor)
		}
	}
	all, err := renames(ctx, tx)
	if err != nil {
		return nil, err
	}
	for _, r := range all {
		i.note(r)
	}
	for _, id := range ids {
		for n := 0; i.leads[id] != nil && n < len(all); n++ {
			id = i.leads[id].InstrumentID
			ids = append(ids, id)
		}
	}
	for chunk := range slices.Chunk(ids, upsertChunk) {
		var rows []*instrumentRow
		if err := tx.NewSelect().Model(&rows).Where("instrument_id IN (?)", bun.List(chunk)).Scan(ctx); err != nil {
			return nil, err
		}
		for _, r := range rows {
			i.stored[r.InstrumentID] = &r.Instrument
		}
		var own []*fundRow
		if err := tx.NewSelect().Model(&own).Column("instrument_id", "currency").Where("instrument_id IN (?)", bun.List(chunk)).
			Scan(ctx); err != nil {
			return nil, err
		}
		for _, f := range own {
			i.funds[f.InstrumentID] = f.Currency
		}
		keys := make([]rowKey, len(chunk))
		for n, id := range chunk {
			keys[n] = rowKey{id}
		}
		noted, err := withdrawnUntil[instrumentRow](ctx, tx, keys)
		if err != nil {
			return nil, err
		}
		for n, id := range chunk {
			if _, ok := noted[keys[n].String()]; ok {
				i.left[id] = &leftRow{InstrumentID: id}
			}
		}
		var left []*leftRow
		if err := tx.NewSelect().Model(&left).Where("instrument_id IN (?)", bun.List(chunk)).Scan(ctx); err != nil {
			return nil, err
		}
		for _, l := range left {
			i.left[l.InstrumentID] = l
		}
	}
	meanings, err := formerMeanings(ctx, tx)
	if err != nil {
		return nil, err
	}
	for _, m := range meanings {
		i.meanings[m.InstrumentID] = append(i.meanings[m.InstrumentID], m)
	}
	return i, nil
}

// withdraw withdraws a record. A former id may then be given to another instrument.
func (i *identities) withdraw(ctx context.Context, kept []entry[market.Instrument],
	e entry[market.Instrument]) ([]entry[market.Instrument], error) {
	id := e.record.InstrumentID
	if r := i.leads[id]; r != nil && i.stored[id] == nil {
		if r.FormerID == market.IDFree {
			*e.outcome = Outcome{Result: Unchanged}
			return kept, nil
		}
		r.FormerID, *e.outcome = market.IDFree, Outcome{Result: Stored}
		return kept, i.keepRename(ctx, r)
	}
	return append(kept, e), i.leave(ctx, id)
}

// leave records that an id leaves the catalog.
func (i *identities) leave(ctx context.Context, id market.ID) error {
	was := i.stored[id]
	if was == nil {
		return nil
	}
	l := i.left[id]
	if l == nil {
		l = &leftRow{InstrumentID: id}
	}
	l.Currency, l.Unit = was.Currency, was.Unit
	i.left[id], i.stored[id] = l, nil
	return i.keepLeft(ctx, l)
}

func (i *identities) keepLeft(ctx context.Context, l *leftRow) error {
	return upsert(ctx, i.tx, []*leftRow{l}, "instrument_id")
}

// put checks the facts of identity in a record and appends the record without them, unless it
// is rejected.
func (i *identities) put(ctx context.Context, kept []entry[market.Instrument],
	e entry[market.Instrument]) ([]entry[market.Instrument], error) {
	record, id := plain(e.record), e.record.InstrumentID
	for _, check := range []func(context.Context, *market.Instrument) (*Outcome, error){
		i.checkDays, i.checkFormer, i.checkPredecessor, i.checkMeaning,
	} {
		why, err := check(ctx, e.record)
		if err != nil {
			return kept, err
		}
		if why != nil {
			*e.outcome = *why
			return kept, nil
		}
	}
	link := i.isLink(e.record)
	switch {
	case i.isUndone(e.record):
		if err := i.undoRename(ctx, i.leads[id]); err != nil {
			return kept, err
		}
	case !link:
		if err := i.begin(ctx, e.record); err != nil {
			return kept, err
		}
	}
	if err := i.change(ctx, e.record); err != nil {
		return kept, err
	}
	if before := i.predecessorOf(e.record); before != "" {
		known := i.renamed[id]
		leaves, err := i.rename(ctx, e.record)
		if err != nil {
			return kept, err
		}
		if link && (known == nil || known.RenamedOn != e.record.RenamedOn) {
			*e.outcome = Outcome{Result: Stored}
		} else if link {
			*e.outcome = Outcome{Result: Unchanged}
		}
		if leaves {
			kept = append(kept, entry[market.Instrument]{&market.Instrument{InstrumentID: before}, true, new(Outcome)})
		}
	}
	if link {
		return kept, nil
	}
	i.stored[id] = record
	return append(kept, entry[market.Instrument]{record, false, e.outcome}), nil
}

// plain returns a record without its facts of identity.
func plain(r *market.Instrument) *market.Instrument {
	record := *r
	record.ValidFrom, record.Predecessor, record.RenamedOn = value.Date{}, nil, value.Date{}
	return &record
}
