package db

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

type actionRow struct {
	bun.BaseModel `bun:"table:corporate_actions"`
	market.CorporateAction
	Occasion string
	Seq      int64
}

// actionKey is the key of a corporate action.
type actionKey struct {
	subject  market.ID
	occasion string
}

var corporateActions = table[market.CorporateAction, actionRow, actionKey]{
	feed:    FeedCatalog,
	columns: []string{"instrument_id", "occasion"}, // looked up by subject: few actions share one
	key:     func(a *market.CorporateAction) actionKey { return actionKey{a.Subject(), a.Occasion()} },
	lookUp:  func(k actionKey) any { return k.subject },
	row: func(a *market.CorporateAction, seq int64) *actionRow {
		return &actionRow{CorporateAction: *a, Occasion: a.Occasion(), Seq: seq}
	},
	record:     func(r *actionRow) *market.CorporateAction { return &r.CorporateAction },
	remembered: true,
}

// storeActions stores corporate actions. It rejects an action that shares its day with another
// if their order matters and they do not state it.
func storeActions(ctx context.Context, tx *numbered, w writing, entries []entry[market.CorporateAction]) error {
	stored, err := corporateActions.stored(ctx, tx, entries)
	if err != nil {
		return err
	}
	of := map[market.ID]map[string]*market.CorporateAction{}
	put := func(a *market.CorporateAction) {
		if of[a.Subject()] == nil {
			of[a.Subject()] = map[string]*market.CorporateAction{}
		}
		of[a.Subject()][a.Occasion()] = a
	}
	for _, a := range stored {
		if a != nil {
			put(corporateActions.record(a))
		}
	}
	var kept []entry[market.CorporateAction]
	for _, e := range entries {
		if e.withdrawn {
			delete(of[e.record.Subject()], e.record.Occasion())
			kept = append(kept, e)
			continue
		}
		var others []*market.CorporateAction
		for occasion, a := range of[e.record.Subject()] {
			if occasion != e.record.Occasion() {
				others = append(others, a)
			}
		}
		slices.SortFunc(others, func(a, b *market.CorporateAction) int { return strings.Compare(a.Occasion(), b.Occasion()) })
		if wrong, is := errors.AsType[*value.Invalid](e.record.InTurn(others)); is {
			*e.outcome = Outcome{Result: Refused, Why: wrong}
			continue
		}
		put(e.record)
		kept = append(kept, e)
	}
	return corporateActions.store(ctx, tx, w, kept)
}

// ActionsAfter returns the corporate actions whose number in the catalog is above seq.
func (s *Store) ActionsAfter(ctx context.Context, seq int64) ([]*market.StoredAction, error) {
	return after(ctx, s, seq, (*actionRow).stored)
}

func (r *actionRow) stored() *market.StoredAction {
	return &market.StoredAction{CorporateAction: r.CorporateAction, Seq: r.Seq}
}
