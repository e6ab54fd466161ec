package market

import (
	"cmp"
	"encoding/json"

	"piyasa/value"
)

// SourceStatus states whether a source of data was up when it was last checked.
type SourceStatus struct {
	Source string        `json:"source" record:"required"` // ipo, kap, fx, …
	Up     bool          `json:"up" record:"required"`     // false: what it feeds is stale
	AsOf   value.Instant `json:"as_of" record:"required" time:"past"`
}

// Validate returns the value.Invalid of the status, if any.
func (s *SourceStatus) Validate() error {
	return cmp.Or(value.CheckKey("source", s.Source), value.CheckMoment("as_of", s.AsOf))
}

// SourceState is how far a source has been collected, for whoever goes on.
type SourceState struct {
	Source string          `json:"source" record:"required"`
	State  json.RawMessage `json:"state" record:"required"` // of the collector: any JSON
	AsOf   value.Instant   `json:"as_of" record:"required" time:"past"`
}

// Validate returns the value.Invalid of the state, if any.
func (s *SourceState) Validate() error {
	return cmp.Or(value.CheckKey("source", s.Source), value.CheckMoment("as_of", s.AsOf))
}
