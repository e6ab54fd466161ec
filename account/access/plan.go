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

// Plan holds the limits of its keys.
type Plan struct {
	Bucket        int     // most requests at once
	RefillPerSec  float64 // requests refilled each second; 0.1: one in ten seconds
	UnitsPerMonth int64   // quota; 0: none

	Work            int     // most work at once, in fields of an answer; 0: no limit
	WorkPerSec      float64 // work refilled each second
	CostPerDocument int     // most work of one request; 0: no limit
	Depth           int     // deepest nesting of fields in a document; 0: the general limit

	Connections int // open streams of a key at once; 0: no limit
	Operations  int // GraphQL operations running on a connection at once; 0: no limit
	Streams     int // GraphQL subscriptions of a key running at once; 0: no limit
	Webhooks    int // that a key may register; 0: none

	NoIntrospection bool // documents may not ask for the schema
	NoBulk          bool // no files of all records (/v1/bulk)
}

// Plans holds plans by name.
type Plans map[string]Plan

// The defaults of a plan.
const (
	defaultWork       = 20_000 // for each request of the bucket, and of the refill
	defaultCost       = 250_000
	defaultOperations = 100
	defaultWebhooks   = 1
)

// ShippedPlans returns the plans that come with piyasa.
func ShippedPlans() Plans {
	plans := Plans{
		"test":       {Bucket: 30, RefillPerSec: 1, UnitsPerMonth: 1_000, Webhooks: 1},
		"basic":      {Bucket: 60, RefillPerSec: 2, UnitsPerMonth: 100_000, Webhooks: 2},
		"pro":        {Bucket: 240, RefillPerSec: 8, UnitsPerMonth: 1_000_000, Webhooks: 10},
		"enterprise": {Bucket: 1200, RefillPerSec: 40, Webhooks: 100},
	}
	for name, p := range plans {
		f := planFile{Bucket: p.Bucket, RefillPerSec: p.RefillPerSec, UnitsPerMonth: &p.UnitsPerMonth, Webhooks: &p.Webhooks}
		plans[name] = f.plan()
	}
	plans["internal"] = Plan{Bucket: most, RefillPerSec: most, Webhooks: mostWebhooks}
	return plans
}

// With reads a JSON object of plans by name and returns p with them added or
// replaced.
func (p Plans) With(file []byte) (Plans, error) {
	var own map[string]planFile
	dec := json.NewDecoder(bytes.NewReader(file))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&own); err != nil {
		return nil, fmt.Errorf(`must be a JSON object such as {"basic": {"bucket": 60, "refill_per_second": 2, "units_per_month": 100000}}: %w`, err)
	}
	if _, err := dec.Token(); own == nil || err != io.EOF {
		return nil, errors.New("must be one JSON object and nothing after it")
	}
	all := maps.Clone(p)
	var wrong []error
	for _, name := range slices.Sorted(maps.Keys(own)) {
		if err := own[name].check(); err != nil {
			wrong = append(wrong, fmt.Errorf("plan %s: %w", name, err))
		}
		all[name] = own[name].plan()
	}
	return all, errors.Join(wrong...)
}

// Names lists the plans in order, for messages.
func (p Plans) Names() string { return strings.Join(slices.Sorted(maps.Keys(p)), ", ") }
