package db

import (
	"cmp"
	"context"
	"slices"

	"piyasa/domain/fundamentals"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// Dividends implements fundamentals.DividendStore.
func (p *Past) Dividends(ctx context.Context, ids []market.ID, first int) (map[market.ID][]*fundamentals.DividendRecord, error) {
	lists, _, err := p.AllDividends(ctx, ids)
	found := make(map[market.ID][]*fundamentals.DividendRecord, len(ids))
	for i, list := range lists {
		if len(list) > 0 {
			found[ids[i]] = list[:min(first, len(list))]
		}
	}
	return found, err
}

// AllDividends implements fundamentals.DividendSource.
func (p *Past) AllDividends(ctx context.Context, ids []market.ID) ([][]*fundamentals.DividendRecord, int64, error) {
	known, err := rowsAt(ctx, p, dividends, value.Texts(ids), nil)
	slices.SortFunc(known, func(a, b *dividendRow) int { return -compareDividends(a, b) })
	lists := make([][]*fundamentals.DividendRecord, len(ids))
	for i, id := range ids {
		for _, r := range known {
			if r.InstrumentID == id {
				lists[i] = append(lists[i], dividends.record(r))
			}
		}
	}
	return lists, p.heads[FeedDividends], err
}

// compareDividends orders dividends of one instrument as in its list.
func compareDividends(a, b *dividendRow) int {
	return cmp.Or(a.ExDate.Compare(b.ExDate), cmp.Compare(a.Installment, b.Installment), cmp.Compare(a.Occasion, b.Occasion))
}

// DividendPage implements fundamentals.DividendStore.
func (p *Past) DividendPage(ctx context.Context, q fundamentals.DividendQuery) ([]*fundamentals.StoredDividend, error) {
	listed := map[market.ID]bool{}
	for _, in := range p.catalog {
		listed[in.InstrumentID] = in.Market == q.Market && (q.AssetType == nil || in.AssetType == *q.AssetType) &&
			(q.Instruments == nil || slices.Contains(q.Instruments, in.InstrumentID))
	}
	known, err := rowsAt(ctx, p, dividends, nil, nil)
	if err != nil {
		return nil, err
	}
	known = slices.DeleteFunc(known, func(r *dividendRow) bool { return !listed[r.InstrumentID] || !inPage(q, r) })
	slices.SortFunc(known, func(a, b *dividendRow) int {
		if q.Backward {
			a, b = b, a
		}
		return comparePlaces(q.DateField, a, b)
	})
	page := make([]*fundamentals.StoredDividend, 0, min(q.Limit, len(known)))
	for _, r := range known[:min(q.Limit, len(known))] {
		page = append(page, &fundamentals.StoredDividend{DividendRecord: *dividends.record(r), Seq: r.Seq})
	}
	return page, nil
}

// dateOf returns the date that orders a list.
func (r *dividendRow) dateOf(field fundamentals.DividendDateField) value.Date {
	if field == fundamentals.ByPaymentDate {
		return r.PaymentDate
	}
	return r.ExDate
}

// comparePlaces orders dividends as in a list, by dividendOrders.
func comparePlaces(field fundamentals.DividendDateField, a, b *dividendRow) int {
	return cmp.Or(a.dateOf(field).Compare(b.dateOf(field)), cmp.Compare(a.InstrumentID, b.InstrumentID),
		cmp.Compare(a.Installment, b.Installment), a.ExDate.Compare(b.ExDate), cmp.Compare(a.Occasion, b.Occasion))
}

// inPage reports whether q selects a dividend, by the rules of the Store's DividendPage.
func inPage(q fundamentals.DividendQuery, r *dividendRow) bool {
	date := r.dateOf(q.DateField)
	if date.IsNull() || date.Before(q.From) || q.To.Before(date) {
		return false
	}
	if q.Status != nil {
		settled := r.PaymentDate
		if settled.IsNull() {
			settled = r.ExDate
		}
		if upcoming := q.Today.Before(settled); upcoming != (*q.Status == fundamentals.Upcoming) {
			return false
		}
	}
	if q.After == nil {
		return true
	}
	after := &dividendRow{InstrumentID: q.After.InstrumentID, Installment: q.After.Installment, ExDate: q.After.ExDate,
		PaymentDate: q.After.Date, Occasion: q.After.Occasion}
	beyond := comparePlaces(q.DateField, r, after)
	if q.Backward {
		return beyond < 0
	}
	return beyond > 0
}
