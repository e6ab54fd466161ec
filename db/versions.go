package db

import (
	"cmp"

	"piyasa/internal/value"
)

// versions defines how versions of a record replace one another.
type versions[T any, K comparable] struct {
	key    func(*T) K
	same   func(a, b *T) bool
	asOf   func(*T) value.Instant // the order of versions; nil: the later line replaces
	asOfIs string                 // the member of asOf; empty: as_of

	horizon value.Instant // a later time is a mistake, and makes nothing stale; null: none
}

// at returns the time that orders r, or null.
func (v versions[T, K]) at(r *T) value.Instant {
	if v.asOf == nil {
		return value.Instant{}
	}
	return v.asOf(r)
}

// older reports whether a is known to be older than b.
func older(a, b value.Instant) bool { return !a.IsNull() && !b.IsNull() && a.Before(b) }

// outdates reports whether later, unless it is after the horizon, is known to be later than a.
func (v versions[T, K]) outdates(later, a value.Instant) bool {
	return older(a, later) && (v.horizon.IsNull() || !later.After(v.horizon))
}

// tooLate returns the outcome of a line that is not newer than the stored record.
func (v versions[T, K]) tooLate(asOf, later value.Instant, what string) Outcome {
	return stale(cmp.Or(v.asOfIs, "as_of"), "%s is not newer than what is %s, which is of %s and stays", asOf, what, later)
}

// withdrawal is a withdrawn record; everything up to asOf is withdrawn. A null asOf: no time is
// stated.
type withdrawal[T any] struct {
	record *T // has at least its key
	asOf   value.Instant
}

// changes compares entries, in order, with the stored and the withdrawn records. It sets the
// outcome of each, and returns the last version of every changed record, and the records that
// are withdrawn at the end.
func (v versions[T, K]) changes(entries []entry[T], stored map[K]*T, withdrawn map[K]value.Instant) (changed []*T, gone []withdrawal[T]) {
	type end struct {
		record    *T
		withdrawn bool
	}
	if withdrawn == nil {
		withdrawn = map[K]value.Instant{}
	}
	ends := map[K]*end{}
	var order []K
	change := func(k K, e end) {
		if ends[k] == nil {
			order = append(order, k)
		}
		ends[k] = &e
	}
	for _, e := range entries {
		k, old := v.key(e.record), stored[v.key(e.record)]
		if e.withdrawn {
			if *e.outcome = v.withdraw(e.record, old, k, withdrawn); e.outcome.Result == Stored {
				delete(stored, k)
				change(k, end{e.record, true})
			}
			continue
		}
		if *e.outcome = v.replace(e.record, old, k, withdrawn); e.outcome.Result == Stored {
			stored[k] = e.record
			delete(withdrawn, k)
			change(k, end{e.record, false})
		}
	}
	for _, k := range order {
		if e := ends[k]; e.withdrawn {
			gone = append(gone, withdrawal[T]{e.record, withdrawn[k]})
		} else {
			changed = append(changed, e.record)
		}
	}
	return changed, gone
}

// withdraw returns the outcome of a withdrawal. It records until when the record is withdrawn:
// the time in the line, or else that of the stored record.
func (v versions[T, K]) withdraw(r, old *T, k K, withdrawn map[K]value.Instant) Outcome {
	asOf := v.at(r)
	until, known := withdrawn[k]
	switch {
	case old == nil && (asOf.IsNull() || known && !older(until, asOf)):
		return Outcome{Result: Unchanged}
	case old != nil && v.outdates(v.at(old), asOf):
		return v.tooLate(asOf, v.at(old), "stored")
	case asOf.IsNull():
		asOf = v.at(old)
	}
	withdrawn[k] = asOf
	return Outcome{Result: Stored}
}

// replace returns the outcome of a record.
func (v versions[T, K]) replace(r, old *T, k K, withdrawn map[K]value.Instant) Outcome {
	if old == nil {
		if until := withdrawn[k]; until == v.at(r) && !until.IsNull() || v.outdates(until, v.at(r)) {
			return v.tooLate(v.at(r), until, "withdrawn")
		}
		return Outcome{Result: Stored}
	}
	switch {
	case v.same(old, r):
		return Outcome{Result: Unchanged}
	case v.outdates(v.at(old), v.at(r)):
		return v.tooLate(v.at(r), v.at(old), "stored")
	}
	return Outcome{Result: Stored}
}
