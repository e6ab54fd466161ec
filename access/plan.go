package access

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Plan limits the keys that are on it.
type Plan struct {
	Bucket        int     `json:"bucket"`            // most requests at once
	RefillPerSec  float64 `json:"refill_per_second"` // requests that come back each second; 0.1: one in ten seconds
	UnitsPerMonth int64   `json:"units_per_month"`   // quota; 0: none
}

// Plans are the plans by name.
type Plans map[string]Plan

// ShippedPlans returns the plans that come with piyasa.
func ShippedPlans() Plans {
	return Plans{
		"test":       {Bucket: 30, RefillPerSec: 1, UnitsPerMonth: 1_000},
		"basic":      {Bucket: 60, RefillPerSec: 2, UnitsPerMonth: 100_000},
		"pro":        {Bucket: 240, RefillPerSec: 8, UnitsPerMonth: 1_000_000},
		"enterprise": {Bucket: 1200, RefillPerSec: 40},
	}
}

// With reads a JSON object of plans by name and returns p with them added or
// replaced.
func (p Plans) With(file []byte) (Plans, error) {
	var own Plans
	dec := json.NewDecoder(bytes.NewReader(file))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&own); err != nil {
		return nil, fmt.Errorf(`must be a JSON object such as {"basic": {"bucket": 60, "refill_per_second": 2, "units_per_month": 100000}}: %w`, err)
	}
	if _, err := dec.Token(); own == nil || err != io.EOF {
		return nil, errors.New("must be one JSON object and nothing after it")
	}
	var wrong []error
	for _, name := range slices.Sorted(maps.Keys(own)) {
		if plan := own[name]; plan.Bucket < 1 || plan.RefillPerSec < leastRefill || plan.UnitsPerMonth < 0 {
			wrong = append(wrong, fmt.Errorf("plan %s: bucket must be at least 1, refill_per_second at least %g, units_per_month at least 0", name, leastRefill))
		}
	}
	all := maps.Clone(p)
	maps.Copy(all, own)
	return all, errors.Join(wrong...)
}

// leastRefill is one request in about a day.
const leastRefill = 0.00001

// Names lists the plans in order, for messages.
func (p Plans) Names() string { return strings.Join(slices.Sorted(maps.Keys(p)), ", ") }
