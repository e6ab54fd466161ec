// Package vyk reads disclosures from the publication service of KAP, Turkey's public
// disclosure platform, for licensees of the service.
//
// It asks and dispatches. Of the packages below it, settings, login and request know how to ask;
// answer, listing, disclosure, report, filing, attachment and profile what the service writes;
// catalog which companies and funds there are; numbers, late and progress how far disclosures have
// been read.
package vyk

import (
	"encoding/json"
	"time"

	"piyasa/collect"
	"piyasa/collect/vyk/settings"
)

// source reads the disclosures, in the order of their numbers.
type source struct {
	settings.Values
}

const mostBytes = 64 << 20

// New returns the source of a configuration.
func New(text json.RawMessage) (collect.Source, error) {
	values, err := settings.Read(text)
	if err != nil {
		return nil, err
	}
	return &source{values}, nil
}

// Plan implements collect.Source. Each licensee is told a base of its own.
func (*source) Plan() collect.Plan {
	return collect.Plan{Schedule: collect.Schedule{Every: 10 * time.Second}, Pace: 100 * time.Millisecond, MaxBytes: mostBytes}
}
