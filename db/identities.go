package db

import (
	"context"
	"slices"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

type formerMeaningRow struct {
	bun.BaseModel `bun:"table:former_meanings"`
	market.FormerMeaning
	Seq int64
}

type renameRow struct {
	bun.BaseModel `bun:"table:renames"`
	market.Rename
	Seq int64
}

// Versions of the facts of identities are kept, as those of records are.
var (
	formerMeaningFacts = table[market.FormerMeaning, formerMeaningRow, market.ID]{
		feed:       FeedCatalog,
		columns:    []string{"instrument_id", "valid_from"},
		record:     func(r *formerMeaningRow) *market.FormerMeaning { return &r.FormerMeaning },
		remembered: true,
	}
	renameFacts = table[market.Rename, renameRow, market.ID]{
		feed:       FeedCatalog,
		columns:    []string{"instrument_id"},
		record:     func(r *renameRow) *market.Rename { return &r.Rename },
		remembered: true,
		described:  ifAsked,
	}
)

// leftRow is an id that has left the catalog: what its prices meant then, and of how many
// instruments it was before another came under it.
type leftRow struct {
	bun.BaseModel `bun:"table:left_catalog"`
	InstrumentID  market.ID
	Currency      string
	Unit          *string
	Ended         int
}

// FormerMeanings returns what prices of instruments meant before.
func (s *Store) FormerMeanings(ctx context.Context) (_ []*market.FormerMeaning, err error) {
	ctx, done := s.followingMuch(ctx)
	defer done(&err)
	return formerMeanings(ctx, s.follow)
}

func formerMeanings(ctx context.Context, tx bun.IDB) ([]*market.FormerMeaning, error) {
	var rows []*formerMeaningRow
	err := tx.NewSelect().Model(&rows).Order("instrument_id", "valid_from").Scan(ctx)
	return records(rows, formerMeaningFacts.record), err
}

// Renames returns the ids that instruments had before.
func (s *Store) Renames(ctx context.Context) (_ []*market.Rename, err error) {
	ctx, done := s.followingMuch(ctx)
	defer done(&err)
	return renames(ctx, s.follow)
}

func renames(ctx context.Context, tx bun.IDB) ([]*market.Rename, error) {
	var rows []*renameRow
	err := tx.NewSelect().Model(&rows).Order("instrument_id").Scan(ctx)
	return records(rows, renameFacts.record), err
}

// storeInstruments stores catalog records and what they say of identities: since when prices
// mean something else, which id an instrument had before, and that an id is of another
// instrument, because it comes again after it was withdrawn.
func storeInstruments(ctx context.Context, tx *numbered, w writing, entries []entry[market.Instrument]) error {
	i, err := loadIdentities(ctx, tx, entries)
	if err != nil {
		return err
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

// identities is what is known of the ids that lines name, as the lines so far leave it.
type identities struct {
	tx       *numbered
	stored   map[market.ID]*market.Instrument
	funds    map[market.ID]string   // the currencies of those that have a record of their own
	left     map[market.ID]*leftRow // whose prices mean nothing known, if it left before that was kept
	meanings map[market.ID][]*market.FormerMeaning
	renamed  map[market.ID]*market.Rename // by the id since
	leads    map[market.ID]*market.Rename // by former ids
	changed  map[market.ID]bool           // of which other facts are known than before
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
	all, err := renames(ctx, tx)
	for _, r := range all {
		i.note(r)
	}
	return i, err
}

func (i *identities) note(r *market.Rename) {
	i.renamed[r.InstrumentID], i.leads[r.Predecessor] = r, r
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

// leave notes that an id leaves the catalog.
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

func (i *identities) keepRename(ctx context.Context, r *market.Rename) error {
	if err := remember(renameFacts)(ctx, i.tx, r.InstrumentID, ""); err != nil {
		return err
	}
	return upsert(ctx, i.tx, []*renameRow{{Rename: *r, Seq: i.tx.number(FeedCatalog)}}, "instrument_id")
}

func (i *identities) keepMeaning(ctx context.Context, m *market.FormerMeaning) error {
	row := &formerMeaningRow{FormerMeaning: *m, Seq: i.tx.number(FeedCatalog)}
	return upsert(ctx, i.tx, []*formerMeaningRow{row}, formerMeaningFacts.columns...)
}

// put checks what a record says of its identity, and appends the record without it, unless it
// is refused.
func (i *identities) put(ctx context.Context, kept []entry[market.Instrument],
	e entry[market.Instrument]) ([]entry[market.Instrument], error) {
	record := *e.record
	record.ValidFrom, record.Predecessor, record.RenamedOn = value.Date{}, nil, value.Date{}
	id := record.InstrumentID
	for _, check := range []func(context.Context, *market.Instrument) (*Outcome, error){
		i.checkFormer, i.checkPredecessor, i.checkMeaning,
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
	if err := i.begin(ctx, e.record); err != nil {
		return kept, err
	}
	if err := i.change(ctx, e.record); err != nil {
		return kept, err
	}
	if before := i.predecessorOf(e.record); before != "" {
		leaves, err := i.rename(ctx, e.record)
		if err != nil {
			return kept, err
		}
		if leaves {
			kept = append(kept, entry[market.Instrument]{&market.Instrument{InstrumentID: before}, true, new(Outcome)})
		}
	}
	i.stored[id] = &record
	return append(kept, entry[market.Instrument]{&record, false, e.outcome}), nil
}

// predecessorOf returns the other id that the instrument had before, as its record states it, or
// nothing.
func (i *identities) predecessorOf(r *market.Instrument) market.ID {
	if r.Predecessor == nil || *r.Predecessor == r.InstrumentID {
		return ""
	}
	return *r.Predecessor
}

// comesBack reports whether a record brings back the instrument that was withdrawn.
func comesBack(r *market.Instrument) bool {
	return r.Predecessor != nil && *r.Predecessor == r.InstrumentID
}

// checkFormer refuses a record of an id that an instrument had before.
func (i *identities) checkFormer(_ context.Context, r *market.Instrument) (*Outcome, error) {
	id, lead := r.InstrumentID, i.leads[r.InstrumentID]
	if before := i.predecessorOf(r); before != "" {
		for at, n := before, 0; n <= len(i.renamed); n++ { // the ids before it
			of := i.renamed[at]
			if of == nil {
				break
			}
			if at = of.Predecessor; at == id {
				out := refused("predecessor", "would be a circle: %s was itself %s before", before, id)
				return &out, nil
			}
		}
	}
	if lead == nil || lead.FormerID == market.IDFree && !comesBack(r) {
		return nil, nil
	}
	out := refused("instrument_id", "%s was renamed %s on %s. If the id is of another instrument now, withdraw its record first", id,
		lead.InstrumentID, lead.RenamedOn)
	return &out, nil
}

// checkPredecessor refuses a rename that cannot be.
func (i *identities) checkPredecessor(ctx context.Context, r *market.Instrument) (*Outcome, error) {
	before := i.predecessorOf(r)
	if before == "" {
		return nil, nil
	}
	because := func(member, format string, args ...any) (*Outcome, error) {
		out := refused(member, format, args...)
		return &out, nil
	}
	id := r.InstrumentID
	if of := i.renamed[id]; of != nil && (i.stored[id] != nil || i.left[id] == nil) {
		if of.Predecessor.Stated() != before {
			return because("predecessor", "must be %s, which %s was until %s; got %s", of.Predecessor.Stated(), id, of.RenamedOn, before)
		}
		return nil, nil
	}
	switch lead := i.leads[before]; {
	case lead != nil && i.stored[before] == nil:
		return because("predecessor", "%s was renamed %s on %s already", before, lead.InstrumentID, lead.RenamedOn)
	case i.stored[before] == nil && i.left[before] == nil:
		return because("predecessor", "%s is not known: it must have been in the catalog", before)
	}
	last, err := lastPrice(ctx, i.tx, before)
	if err != nil {
		return nil, err
	}
	if !last.IsNull() && !last.Before(r.RenamedOn) {
		return because("renamed_on",
			"must be after %s, the day of the newest price of %s; got %s. Prices of later days are of %s: withdraw "+
				"them there, and state them here", last, before, r.RenamedOn, id)
	}
	var kinds []string
	err = i.tx.NewRaw("SELECT DISTINCT adjustment FROM adjustments WHERE instrument_id IN (?)",
		bun.List([]market.ID{id, before})).Scan(ctx, &kinds)
	if err == nil && len(kinds) > 1 {
		return because("predecessor", "the histories of %s and %s would become one, and only one of them is adjusted: withdraw the bars "+
			"of one, and state them as the others are", before, id)
	}
	return nil, err
}

// lastPrice returns the day of the newest price that is stored of an id, or null.
func lastPrice(ctx context.Context, tx *numbered, id market.ID) (last value.Date, err error) {
	var bar, quote value.Instant
	if err := tx.NewRaw("SELECT max(t) FROM bars WHERE instrument_id = ?", id).Scan(ctx, &bar); err != nil {
		return last, err
	}
	if err := tx.NewRaw("SELECT max(as_of) FROM quotes WHERE instrument_id = ? AND last IS NOT NULL", id).Scan(ctx, &quote); err != nil {
		return last, err
	}
	if bar.Before(quote) {
		bar = quote
	}
	if bar.IsNull() {
		return last, nil
	}
	return id.Market().DayAt(bar), nil
}

// before returns the record of what prices of an id meant until now, or nil where there is none, or
// they are of another instrument.
func (i *identities) before(r *market.Instrument) *market.Instrument {
	id := r.InstrumentID
	if was := i.stored[id]; was != nil {
		return was
	}
	if l := i.left[id]; l != nil && l.Currency != "" && comesBack(r) {
		return &market.Instrument{InstrumentID: id, Market: id.Market(), Currency: l.Currency, Unit: l.Unit}
	}
	if currency := i.funds[id]; currency != "" {
		return &market.Instrument{InstrumentID: id, Market: market.Fund, Currency: currency}
	}
	return nil
}

// checkMeaning refuses a change of currency or unit that does not say since when.
func (i *identities) checkMeaning(ctx context.Context, r *market.Instrument) (*Outcome, error) {
	was := i.before(r)
	if was == nil {
		return nil, nil
	}
	id, list := r.InstrumentID, i.meanings[r.InstrumentID]
	if r.ValidFrom.IsNull() {
		if was.MeansSame(r) {
			return nil, nil
		}
		last, err := lastPrice(ctx, i.tx, id)
		if err != nil || last.IsNull() {
			return nil, err
		}
		out := refused("valid_from",
			"is missing: prices of %s until now are in %s, and the record says %s. State the first day on which they "+
				"are so", id, priced(was), priced(r))
		return &out, nil
	}
	after := len(list) - 1 // the change before which this one cannot be
	if was.MeansSame(r) {
		after--
	}
	if after >= 0 && r.ValidFrom.Before(list[after].ValidFrom) ||
		after >= 0 && was.MeansSame(r) && r.ValidFrom == list[after].ValidFrom {
		out := refused("valid_from", "must be after %s, the day of the change before; got %s", list[after].ValidFrom, r.ValidFrom)
		return &out, nil
	}
	return nil, nil
}

// priced says what prices of a record are in.
func priced(in *market.Instrument) string {
	if in.Market == market.Cmdty && in.Unit != nil {
		return in.Currency + " for a " + *in.Unit
	}
	return in.Currency
}

// change keeps what prices meant before a change that a record states, or the day of the newest
// change, if the record corrects it.
func (i *identities) change(ctx context.Context, r *market.Instrument) error {
	was, id := i.before(r), r.InstrumentID
	if was == nil || r.ValidFrom.IsNull() {
		return nil
	}
	list := i.meanings[id]
	var newest *market.FormerMeaning
	if len(list) > 0 {
		newest = list[len(list)-1]
	}
	change := &market.FormerMeaning{InstrumentID: id, ValidFrom: r.ValidFrom, Currency: was.Currency, Unit: was.Unit}
	switch {
	case was.MeansSame(r) && (newest == nil || newest.ValidFrom == r.ValidFrom):
		return nil
	case newest != nil && (was.MeansSame(r) || newest.ValidFrom == r.ValidFrom): // the day, or the meaning since then, was stated wrong
		change.Currency, change.Unit = newest.Currency, newest.Unit
		if err := i.deleteMeaning(ctx, newest); err != nil {
			return err
		}
		list = list[:len(list)-1]
	}
	i.changed[id] = true
	then := &market.Instrument{Market: id.Market(), Currency: change.Currency, Unit: change.Unit}
	if i.meanings[id] = list; then.MeansSame(r) && r.MeansSame(then) {
		return nil // it is as it was before the change that is taken back
	}
	i.meanings[id] = append(list, change)
	return i.keepMeaning(ctx, change)
}

func (i *identities) deleteMeaning(ctx context.Context, m *market.FormerMeaning) error {
	var rows []*formerMeaningRow
	err := i.tx.NewSelect().Model(&rows).Where("instrument_id = ? AND valid_from = ?", m.InstrumentID, m.ValidFrom).Scan(ctx)
	if err != nil {
		return err
	}
	if err := formerMeaningFacts.supersede(ctx, i.tx, rows); err != nil {
		return err
	}
	return deleteRows[formerMeaningRow](ctx, i.tx, formerMeaningFacts.columns, []rowKey{{m.InstrumentID, m.ValidFrom}})
}

// begin keeps aside what is stored of the instrument that had an id, if the record is of another
// one.
func (i *identities) begin(ctx context.Context, r *market.Instrument) error {
	id := r.InstrumentID
	left := i.left[id]
	if i.stored[id] != nil || left == nil || comesBack(r) {
		return nil
	}
	if id.Market() == market.Fund { // it comes into the catalog by its own record, too
		stays, err := i.tx.NewSelect().Model((*fundRow)(nil)).Where("code = ?", id.Symbol()).Exists(ctx)
		if err != nil || stays {
			return err
		}
	}
	former := id.Former(left.Ended + 1)
	moved, err := moveRows(ctx, i.tx, id, former)
	if err != nil {
		return err
	}
	listed, err := i.leaveLists(ctx, id, former)
	if err != nil {
		return err
	}
	since, before := i.renamed[id], i.leads[id]
	if since == nil && before == nil && !moved && !listed {
		return nil
	}
	if since != nil {
		delete(i.renamed, id)
		since.InstrumentID = former
		i.note(since)
		if err := remember(renameFacts)(ctx, i.tx, id, former); err != nil {
			return err
		}
		if _, err := i.tx.NewRaw("UPDATE renames SET instrument_id = ?, seq = ? WHERE instrument_id = ?", former,
			i.tx.number(FeedCatalog), id).Exec(ctx); err != nil {
			return err
		}
	}
	if before != nil {
		delete(i.leads, id)
		before.Predecessor = former
		i.note(before)
		if err := i.keepRename(ctx, before); err != nil {
			return err
		}
	}
	delete(i.meanings, id)
	left.Ended++
	i.changed[id] = true
	return i.keepLeft(ctx, left)
}

// leaveLists gives the places of an instrument in sectors to the id that it has now, if any, and
// those in indices to another id. It reports whether there were any.
func (i *identities) leaveLists(ctx context.Context, from, to market.ID) (bool, error) {
	now := from
	for n := 0; i.leads[now] != nil && n <= len(i.leads); n++ {
		now = i.leads[now].InstrumentID
	}
	inSectors, err := relist(ctx, i.tx, sectors, func(s *market.Sector) bool {
		n := slices.Index(s.Members, from)
		if n < 0 {
			return false
		}
		s.Members = slices.Delete(slices.Clone(s.Members), n, n+1)
		if now != from && !now.IsFormer() && !slices.Contains(s.Members, now) {
			s.Members = slices.Insert(s.Members, n, now)
		}
		return true
	})
	if err != nil || from.Market() != market.BIST {
		return inSectors, err
	}
	inIndices, err := relist(ctx, i.tx, indices, func(x *market.BistIndex) bool {
		n := slices.IndexFunc(x.Members, func(m market.IndexMember) bool { return m.Symbol == from.Symbol() })
		if n >= 0 {
			x.Members = slices.Clone(x.Members)
			x.Members[n].Symbol = to.Symbol()
		}
		return n >= 0
	})
	return inSectors || inIndices, err
}

// relist stores the records of a table of the catalog that change changes, and reports whether
// there are any.
func relist[T, R any, K comparable](ctx context.Context, tx *numbered, t table[T, R, K], change func(*T) bool) (bool, error) {
	var rows, was, now []*R
	if err := tx.NewSelect().Model(&rows).Scan(ctx); err != nil {
		return false, err
	}
	for _, row := range rows {
		next := *t.record(row)
		if change(&next) {
			was, now = append(was, row), append(now, t.row(&next, tx.number(t.feed)))
		}
	}
	if len(now) == 0 {
		return false, nil
	}
	if err := t.supersede(ctx, tx, was); err != nil {
		return false, err
	}
	return true, upsert(ctx, tx, now, t.columns...)
}

// rename gives what is stored of the id before to the id since, or corrects the day. It reports
// whether the id before leaves the catalog.
func (i *identities) rename(ctx context.Context, r *market.Instrument) (leaves bool, err error) {
	id, before := r.InstrumentID, i.predecessorOf(r)
	of := i.renamed[id]
	switch {
	case of != nil && of.RenamedOn == r.RenamedOn:
		return false, nil
	case of != nil:
		of.RenamedOn = r.RenamedOn
		i.changed[id] = true
		return false, i.keepRename(ctx, of)
	}
	leaves = i.stored[before] != nil
	of = &market.Rename{InstrumentID: id, Predecessor: before, RenamedOn: r.RenamedOn, FormerID: market.IDGone}
	if !leaves {
		of.FormerID = market.IDFree
	}
	if err := i.leave(ctx, before); err != nil {
		return false, err
	}
	if _, err := moveRows(ctx, i.tx, before, id); err != nil {
		return false, err
	}
	i.meanings[id] = append(i.meanings[before], i.meanings[id]...)
	delete(i.meanings, before)
	if l := i.left[before]; l.Currency != "" {
		was := &market.FormerMeaning{InstrumentID: id, ValidFrom: r.RenamedOn, Currency: l.Currency, Unit: l.Unit}
		then := &market.Instrument{Market: id.Market(), Currency: l.Currency, Unit: l.Unit}
		known := slices.ContainsFunc(i.meanings[id], func(m *market.FormerMeaning) bool { return !m.ValidFrom.Before(r.RenamedOn) })
		if !then.MeansSame(r) && !known {
			i.meanings[id] = append(i.meanings[id], was)
			if err := i.keepMeaning(ctx, was); err != nil {
				return false, err
			}
		}
	}
	i.note(of)
	i.changed[id] = true
	return leaves, i.keepRename(ctx, of)
}

// follow gives entries of former ids to the ids that lead on from them, if they are of days before
// the rename, and refuses the others. It returns those that are not refused.
func follow[T any](ctx context.Context, tx *numbered, entries []entry[T]) ([]entry[T], error) {
	if len(entries) == 0 || subjectOf(entries[0].record) == nil {
		return entries, nil
	}
	leads, err := tx.leadsOn(ctx)
	if err != nil || len(leads) == 0 {
		return entries, err
	}
	kept := make([]entry[T], 0, len(entries))
	for _, e := range entries {
		record := *e.record
		of := subjectOf(&record)
		first := leads[of.id]
		if first == nil {
			kept = append(kept, e)
			continue
		}
		last := first
		for range leads { // which form no circle
			if next := leads[last.InstrumentID]; next != nil {
				last = next
			}
		}
		if of.day.IsNull() || !of.day.Before(first.RenamedOn) {
			*e.outcome = refused(of.member, "%s was renamed on %s: what is of that day or later is of %s", of.id, first.RenamedOn,
				last.InstrumentID)
			continue
		}
		of.set(last.InstrumentID)
		kept = append(kept, entry[T]{&record, e.withdrawn, e.outcome})
	}
	return kept, nil
}

// leadsOn returns the renames by former ids. Records of instruments are stored before it is asked.
func (n *numbered) leadsOn(ctx context.Context) (map[market.ID]*market.Rename, error) {
	if n.leads != nil {
		return n.leads, nil
	}
	all, err := renames(ctx, n)
	leads := map[market.ID]*market.Rename{}
	for _, r := range all {
		leads[r.Predecessor] = r
	}
	n.leads = leads
	return leads, err
}

// isPostgres reports on which store a transaction is.
func (n *numbered) isPostgres() bool { return n.Dialect().Name() == dialect.PG }
