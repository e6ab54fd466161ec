package ingest

import (
	"piyasa/internal/value"
)

// What the fuzzer and the benchmark of the decoder reach without a store.

// Decoder reads lines into records.
type Decoder = decoder

// NewDecoder returns a decoder at the end of 2026.
func NewDecoder() *Decoder { return newDecoder(LateClock) }

// LateClock is later than whatever tests state as observed.
func LateClock() value.Instant { return value.MustInstant("2026-12-31T12:00:00Z") }

// Decode reads one line.
func (d *decoder) Decode(line []byte) (kind string, record any, fault *value.Invalid) {
	k, record, _, fault := d.decode(line)
	if k != nil {
		kind = k.name
	}
	return kind, record, fault
}
