package kap

import "slices"

// merge returns the first q.Limit disclosures that q selects from lists, in its order. ok is
// false if disclosures older than the lists may be among them. The lists are those of the
// origins of q, or the one of its only group.
func merge(lists []*recentList, q Query) (found []*Stored, ok bool) {
	for _, l := range lists {
		if q.Ascending && !l.complete {
			return nil, false
		}
	}
	limit := q.Limit
	if q.Ascending {
		limit = recentRows * len(lists)
	}
	found = make([]*Stored, 0, min(limit, recentRows))
	next := make([]int, len(lists))
	for len(found) < limit {
		var d *Stored
		for i, l := range lists {
			if next[i] == len(l.rows) {
				if !l.complete && !q.endsBefore(l.rows[len(l.rows)-1]) {
					return nil, false
				}
				continue
			}
			if head := l.rows[next[i]]; d == nil || newestFirst(head, d) < 0 {
				d = head
			}
		}
		if d == nil {
			break
		}
		reached := q.Of == nil
		for i, l := range lists {
			if next[i] < len(l.rows) && l.rows[next[i]].DisclosureIndex == d.DisclosureIndex {
				next[i]++
				reached = reached || q.Of.Origins[i].has(d)
			}
		}
		if reached && q.selects(d) {
			found = append(found, d)
		}
	}
	if q.Ascending {
		slices.Reverse(found)
		found = found[:min(q.Limit, len(found))]
	}
	return found, true
}

// endsBefore reports whether q selects nothing older than d.
func (q Query) endsBefore(d *Stored) bool { return !q.From.IsNull() && d.EffectiveAt.Before(q.From) }

// has reports whether the origin selects a disclosure of its group.
func (o Origin) has(d *Stored) bool {
	return d.CompanyID == nil || !slices.Contains(o.Not, *d.CompanyID)
}

// selects reports whether q selects d, without regard to q.Of.
func (q Query) selects(d *Stored) bool {
	switch {
	case q.Type != nil && d.Type != *q.Type,
		q.Class != nil && d.Class != *q.Class,
		q.Reason != nil && (d.Reason == nil || *d.Reason != *q.Reason),
		q.CompanyID != nil && (d.CompanyID == nil || *d.CompanyID != *q.CompanyID),
		q.Dated() && d.PublishedAt.IsNull(),
		!q.From.IsNull() && d.EffectiveAt.Before(q.From),
		!q.To.IsNull() && d.EffectiveAt.After(q.To):
		return false
	case q.After == nil:
		return true
	}
	order := newestFirst(&Stored{EffectiveAt: q.After.EffectiveAt, Disclosure: Disclosure{DisclosureIndex: q.After.DisclosureIndex}}, d)
	return order != 0 && order < 0 != q.Ascending
}
