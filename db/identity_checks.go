package db

import (
	"context"
	"reflect"

	"github.com/uptrace/bun"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

// checkDays rejects a change in the future: until its day the instrument does not change.
func (i *identities) checkDays(_ context.Context, r *market.Instrument) (*Outcome, error) {
	for member, day := range map[string]value.Date{"valid_from": r.ValidFrom, "renamed_on": r.RenamedOn} {
		if !i.today.IsNull() && i.today.Before(day) {
			out := refused(member, "must not be after %s, today in Turkey; got %s: state the change on its day", i.today, day)
			return &out, nil
		}
	}
	return nil, nil
}

// checkFormer rejects a record of an instrument's former id.
func (i *identities) checkFormer(_ context.Context, r *market.Instrument) (*Outcome, error) {
	id, lead := r.InstrumentID, i.leads[r.InstrumentID]
	if before := i.predecessorOf(r); before != "" {
		for at, n := before, 0; n <= len(i.renamed); n++ { // the earlier ids
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
	left, stored := i.left[id], i.stored[id]
	if comesBack(r) && stored != nil && left != nil && left.Ended > 0 && !reflect.DeepEqual(stored, plain(r)) {
		out := refused("predecessor", "%s is of another instrument since it came again after its withdrawal: what the former one "+
			"had stays apart", id)
		return &out, nil
	}
	if lead == nil || lead.FormerID == market.IDFree && !comesBack(r) || i.isLink(r) || i.isUndone(r) {
		return nil, nil
	}
	out := refused("instrument_id", "%[1]s was renamed %[2]s on %[3]s. If that was a mistake, withdraw %[2]s, and state %[1]s with "+
		"the predecessor %[1]s. If %[1]s is of another instrument now, withdraw its record first", id, lead.InstrumentID, lead.RenamedOn)
	return &out, nil
}

// checkPredecessor rejects an impossible rename.
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
	if of := i.renamed[id]; of != nil && (i.stored[id] != nil || i.left[id] == nil || i.isLink(r)) {
		if was := of.Predecessor.Stated(); was != before {
			return because("predecessor", "must be %[1]s, which %[2]s was until %[3]s; got %[4]s. If that was a mistake, withdraw "+
				"%[2]s, and state %[1]s with the predecessor %[1]s first", was, id, of.RenamedOn, before)
		}
		return nil, nil
	}
	if i.isLink(r) && !r.RenamedOn.Before(i.leads[id].RenamedOn) {
		return because("renamed_on", "must be before %s, when %s was renamed %s; got %s", i.leads[id].RenamedOn, id,
			i.leads[id].InstrumentID, r.RenamedOn)
	}
	switch lead := i.leads[before]; {
	case lead != nil && i.stored[before] == nil:
		return because("predecessor", "%s was renamed %s on %s already", before, lead.InstrumentID, lead.RenamedOn)
	case i.stored[before] == nil && i.left[before] == nil:
		return because("predecessor", "%s is not known: it must have been in the catalog", before)
	}
	if of := i.renamed[before]; of != nil && !of.RenamedOn.Before(r.RenamedOn) {
		return because("renamed_on", "must be after %s, since when %s has this id; got %s", of.RenamedOn, before, r.RenamedOn)
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

// lastPrice returns the day of the newest stored price of an id, or null.
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

// before returns a record of what prices of an id have meant until now, or nil if there are
// none or they belong to another instrument.
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

// checkMeaning rejects a change of currency or unit without the day since when.
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
	after := len(list) - 1 // the change that this one cannot precede
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

// priced names the currency and unit of a record's prices.
func priced(in *market.Instrument) string {
	if in.Market == market.Cmdty && in.Unit != nil {
		return in.Currency + " for a " + *in.Unit
	}
	return in.Currency
}
