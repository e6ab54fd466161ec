package market

import "piyasa/value"

// SourceStatus states whether a source of data was up when it was last checked.
type SourceStatus struct {
	Source string        `json:"source" record:"required"` // ipo, kap, fx, …
	Up     bool          `json:"up" record:"required"`     // false: what it feeds is stale
	AsOf   value.Instant `json:"as_of" record:"required" time:"past"`
}
