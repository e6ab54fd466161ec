package kap

import (
	"piyasa/internal/value"
)

// Reason says whether a disclosure is an original or changes an earlier one.
type Reason string

// The reasons.
const (
	New       Reason = "NEW"
	Update    Reason = "UPD"
	Corrects  Reason = "CORR"
	Cancelled Reason = "CANC"
)

var _ = value.Enum(New, Update, Corrects, Cancelled)

// Localized is text in Turkish and English; either may be null.
type Localized struct {
	TR *string `json:"tr" text:"any"`
	EN *string `json:"en" text:"any"`
}

// Disclosure is one disclosure as in lists and streams. A member that the platform did not
// state is null.
type Disclosure struct {
	DisclosureIndex int           `json:"disclosure_index" record:"required" range:"0 2147483647"`
	Type            Type          `json:"type" record:"required"`
	Class           string        `json:"class" record:"required"`                    // as published
	Symbols         []string      `json:"symbols" record:"required" most:"10000"`     // every related code; empty for market-wide notices
	FilerCodes      []string      `json:"filer_codes" record:"required" most:"10000"` // of the filer itself
	FilerTitle      *string       `json:"filer_title"`
	PublishedAt     value.Instant `json:"published_at" time:"past"`
	Reason          *Reason       `json:"reason"`
	RelatedIndex    *int          `json:"related_index" range:"0 2147483647"` // the earlier disclosure that it changes; null of an original
	Subject         *Localized    `json:"subject"`
	Summary         *Localized    `json:"summary"`
	Link            *string       `json:"link"`
	AttachmentCount int           `json:"attachment_count" range:"0 1000"`
	Year            *string       `json:"year"`                  // FR only: fiscal year
	Period          *string       `json:"period"`                // FR only: label as filed
	Consolidation   *string       `json:"consolidation"`         // FR only: CS or NC
	CompanyID       *string       `json:"-" record:"company_id"` // the platform's id of the filer; answers do not show it
	// how many of the last Symbols are the filer's codes that the platform did not list
	AddedSymbols int `json:"-" record:"-"`
}

// Stored is a disclosure with its position in the store.
type Stored struct {
	Disclosure
	Seq         int64         // its number; in lists that of its completion, if it has one
	Live        bool          // published to streams when it was stored; false for back-fills
	EffectiveAt value.Instant // publication, or of the nearest lower number that has one; orders the lists
}

// Fields is implemented by every type that has the members of a Disclosure.
type Fields interface {
	// IsDisclosureFields marks the members of the interface.
	IsDisclosureFields()
}

// IsDisclosureFields implements Fields.
func (*Disclosure) IsDisclosureFields() {}
