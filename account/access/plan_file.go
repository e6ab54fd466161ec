package access

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// planFile is a plan as a file states it. Missing members have the defaults; null is no limit.
type planFile struct {
	Bucket        int     `json:"bucket"`
	RefillPerSec  float64 `json:"refill_per_second"`
	UnitsPerMonth *int64  `json:"units_per_month"` // 0 is no limit, like null

	Work            limit[int]     `json:"work"`
	WorkPerSec      limit[float64] `json:"work_per_second"`
	CostPerDocument limit[int]     `json:"cost_per_document"`
	Depth           limit[int]     `json:"depth"`

	Connections   limit[int] `json:"connections"`
	Operations    limit[int] `json:"operations_per_connection"`
	Streams       limit[int] `json:"streams"`
	Webhooks      *int       `json:"webhooks"` // 0 is none
	Introspection *bool      `json:"introspection"`
	Bulk          *bool      `json:"bulk"`
}

// limit is a bound that a file may state.
type limit[N int | int64 | float64] struct {
	stated bool
	value  N // 0 if null was stated: no limit
}

// UnmarshalJSON implements json.Unmarshaler.
func (l *limit[N]) UnmarshalJSON(text []byte) error {
	l.stated = true
	if bytes.Equal(text, []byte("null")) {
		return nil
	}
	if err := json.Unmarshal(text, &l.value); err != nil {
		return err
	}
	if l.value == 0 {
		l.value = -1 // an invalid limit
	}
	return nil
}

// or returns the stated limit (0: none), or else otherwise.
func (l limit[N]) or(otherwise N) N {
	if l.stated {
		return l.value
	}
	return otherwise
}

// isOutside reports whether an invalid limit is stated.
func (l limit[N]) isOutside() bool {
	return l.value < 0 || l.value > 0 && l.value < 1 || l.value > most
}

// plan returns the plan with its defaults.
func (f planFile) plan() Plan {
	p := Plan{
		Bucket: f.Bucket, RefillPerSec: f.RefillPerSec,
		Work: f.Work.or(min(f.Bucket, most/defaultWork) * defaultWork), WorkPerSec: f.WorkPerSec.or(f.RefillPerSec * defaultWork),
		CostPerDocument: f.CostPerDocument.or(defaultCost), Depth: f.Depth.value,
		Connections: f.Connections.value, Operations: f.Operations.or(defaultOperations), Streams: f.Streams.value,
		NoIntrospection: f.Introspection != nil && !*f.Introspection,
		NoBulk:          f.Bulk != nil && !*f.Bulk,
	}
	if f.UnitsPerMonth != nil {
		p.UnitsPerMonth = *f.UnitsPerMonth
	}
	p.Webhooks = defaultWebhooks
	if f.Webhooks != nil {
		p.Webhooks = *f.Webhooks
	}
	if !f.Work.stated { // so that each request fits, even with a small bucket of requests
		p.Work = max(p.Work, p.CostPerDocument)
	}
	if p.WorkPerSec == 0 { // all work is refilled at once
		p.Work = 0
	}
	return p
}

// Bounds of the figures of a plan.
const (
	leastRefill = 0.00001 // one request in about a day
	most        = 1_000_000_000

	mostWebhooks = 1000
)

// check returns what is wrong with the figures of a plan.
func (f planFile) check() error {
	var wrong []error
	if f.Bucket < 1 || f.Bucket > most || f.RefillPerSec < leastRefill || f.RefillPerSec > most || f.plan().UnitsPerMonth < 0 {
		wrong = append(wrong, fmt.Errorf("bucket must be from 1 to %d, refill_per_second from %g to %[1]d, units_per_month at least 0",
			most, leastRefill))
	}
	for _, l := range []struct {
		name  string
		wrong bool
	}{
		{"work", f.Work.isOutside()},
		{"work_per_second", f.WorkPerSec.isOutside()},
		{"cost_per_document", f.CostPerDocument.isOutside()},
		{"depth", f.Depth.isOutside()},
		{"connections", f.Connections.isOutside()},
		{"operations_per_connection", f.Operations.isOutside()},
		{"streams", f.Streams.isOutside()},
	} {
		if l.wrong {
			wrong = append(wrong, fmt.Errorf("%s must be from 1 to %d, or null for no limit", l.name, most))
		}
	}
	if p := f.plan(); p.Webhooks < 0 || p.Webhooks > mostWebhooks {
		wrong = append(wrong, fmt.Errorf("webhooks must be from 0 to %d", mostWebhooks))
	}
	if p := f.plan(); len(wrong) == 0 && p.Work > 0 && (p.CostPerDocument == 0 || p.CostPerDocument > p.Work) {
		wrong = append(wrong, fmt.Errorf("work is %d and cost_per_document allows more: such a document could never run", p.Work))
	}
	return errors.Join(wrong...)
}
