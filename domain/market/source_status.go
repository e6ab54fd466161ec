package market

import "piyasa/value"

// SourceStatus says whether a source of data was up when it was last looked
// at.
type SourceStatus struct {
	Source string        `json:"source" record:"required"` // ipo, kap, fx, …
	Up     bool          `json:"up" record:"required"`     // false makes what it feeds stale
	AsOf   value.Instant `json:"as_of" record:"required" time:"past"`
}
