package usage

import (
	"context"
	"time"

	"piyasa/account/access"
	"piyasa/internal/value"
)

// Report is what one key has used in one month (UTC).
type Report struct {
	Plan          string           `json:"plan"`
	Month         value.Month      `json:"month"`
	Units         int64            `json:"units"`
	UnitsPerMonth *int64           `json:"units_per_month"` // nil: no quota
	EndsAt        value.Instant    `json:"ends_at"`         // first moment of the next month, when the quota is full again
	Operations    []OperationUsage `json:"operations"`

	RequestRate      Rate  `json:"request_rate"`
	RequestRateOfAll *Rate `json:"request_rate_of_all"` // of all keys; nil: the key lacks the scope operate
}

// OperationUsage is what one operation has cost on one day (UTC).
type OperationUsage struct {
	Day       value.Date `json:"day"`
	Operation string     `json:"operation"`
	Units     int64      `json:"units"`
}

// Report returns what the key of the call has used in a month; nil: the current one. Any key
// may call it, at no cost. Problem: store-unavailable.
func (m *Meter) Report(ctx context.Context, month *value.Month) (*Report, error) {
	if err := access.Enter(ctx); err != nil {
		return nil, err
	}
	key := access.CallOf(ctx).Key
	of := value.DayIn(m.now(), time.UTC).Month()
	if month != nil {
		of = *month
	}
	rows, err := m.of(ctx, key, of)
	if err != nil {
		return nil, err
	}
	r := &Report{Plan: key.Plan, Month: of, EndsAt: of.Next().First().Start(time.UTC), Operations: make([]OperationUsage, len(rows))}
	r.RequestRate, r.RequestRateOfAll = m.rates(key)
	if limit := m.plan(key).UnitsPerMonth; limit > 0 {
		r.UnitsPerMonth = &limit
	}
	for i, row := range rows {
		r.Operations[i] = OperationUsage{row.Day, row.Operation, row.Units}
		r.Units += row.Units
	}
	return r, nil
}
