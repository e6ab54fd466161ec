package market

import (
	"cmp"
	"encoding/json"

	"piyasa/internal/value"
)

// SourceStatus states whether a source was up when it was last checked.
type SourceStatus struct {
	Source string        `json:"source" record:"required"` // ipo, kap, fx, …
	Up     bool          `json:"up" record:"required"`     // false: its data is stale
	AsOf   value.Instant `json:"as_of" record:"required" time:"past"`

	LastSuccess  value.Instant `json:"last_success" time:"past"`  // when everything due was collected; zero: unknown
	NewestRecord value.Instant `json:"newest_record" time:"past"` // when its newest record was observed or published; zero: unknown
	NextDue      value.Instant `json:"next_due" time:"any"`       // when the next success is due; zero: unknown
	Error        *string       `json:"error" text:"any"`          // why it is not up
}

// mostError is the longest error of a source, in bytes.
const mostError = 2000

// Validate returns the value.Invalid of the status, if any.
func (s *SourceStatus) Validate() error {
	if s.Error != nil && len(*s.Error) > mostError {
		return value.Invalidf("error", "must be at most %d bytes; has %d", mostError, len(*s.Error))
	}
	return cmp.Or(value.CheckKey("source", s.Source), value.CheckMoment("as_of", s.AsOf))
}

// SourceState is how far a source has been collected, from which the next process continues.
type SourceState struct {
	Source string          `json:"source" record:"required"`
	State  json.RawMessage `json:"state" record:"required"` // of the collector: any JSON
	AsOf   value.Instant   `json:"as_of" record:"required" time:"past"`
}

// Validate returns the value.Invalid of the state, if any.
func (s *SourceState) Validate() error {
	return cmp.Or(value.CheckKey("source", s.Source), value.CheckMoment("as_of", s.AsOf))
}
