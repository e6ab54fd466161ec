package stream

import (
	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/internal/epoch"
	"piyasa/internal/value"
)

// DisclosureStreamEvent is an event of a GraphQL stream of disclosures:
// Subscribed, DisclosureEvent, ReplayDone, StoreWentBack or StreamError.
type DisclosureStreamEvent interface {
	// IsDisclosureStreamEvent marks the members of the union.
	IsDisclosureStreamEvent()
}

// QuoteStreamEvent is an event of a GraphQL stream of quotes: Subscribed,
// QuoteEvent, NoQuote or StreamError.
type QuoteStreamEvent interface {
	// IsQuoteStreamEvent marks the members of the union.
	IsQuoteStreamEvent()
}

// Subscribed is the first event of every stream.
type Subscribed struct {
	IDs     []string // that the stream follows, in canonical form, each once
	Invalid []string // the other ids, as sent

	Successors []*Succession // of invalid ids

	position epoch.Position // where a stream without a replay resumes; zero: it cannot
}

// Succession states the new id of an instrument.
type Succession struct {
	ID        string    `json:"id" description:"The id, as sent."`
	Successor market.ID `json:"successor" description:"The id since."`
}

// Position returns where a client resumes that is cut off here; nil: nowhere.
func (e *Subscribed) Position() *string { return textOf(e.position) }

// DisclosureEvent is one disclosure.
type DisclosureEvent struct {
	Replay bool
	Seq    int64
	Data   *kap.Disclosure

	position epoch.Position // where a stream that breaks here resumes; zero: it cannot
}

// Position returns where a client resumes that is cut off here; nil: nowhere.
func (e *DisclosureEvent) Position() *string { return textOf(e.position) }

// ReplayDone ends a replay.
type ReplayDone struct {
	LastIndex int   // the last disclosure sent, or where the replay began
	LastSeq   int64 // the client has everything up to here
	Truncated bool  // more disclosures matched than one replay sends

	position epoch.Position // of LastSeq
}

// Position returns where a client resumes that is cut off here; nil: nowhere.
func (e *ReplayDone) Position() *string { return textOf(e.position) }

// StoreWentBack reports that the store lost rows, such as when a standby takes over without
// the last commits. The stream goes on from its Position.
type StoreWentBack struct {
	Lost []int // disclosure indices that were published and then lost; nil: not known here

	position epoch.Position // of the last row that was not lost
}

// Position returns where the stream continues.
func (e *StoreWentBack) Position() string { return e.position.String() }

func textOf(p epoch.Position) *string {
	if p.Seq == 0 {
		return nil
	}
	return new(p.String())
}

// QuoteEvent is a new quote.
type QuoteEvent struct{ Data *market.Quote }

// NoQuote is sent in place of a quote that does not exist, or no longer exists.
type NoQuote struct {
	InstrumentID market.ID     `json:"instrument_id"`
	Last         *string       `json:"last" description:"Always null."`
	NullReason   string        `json:"null_reason" enum:"no_honest_value,not_priced,meaning_changed,unknown_id"`
	AsOf         value.Instant `json:"as_of"` // since when, by the upstream's clock; null if no price was ever observed
	Successor    *market.ID    `json:"successor,omitempty" description:"The id that the instrument has now, if it was renamed."`
}

// StreamError ends a stream.
type StreamError struct{ Code, Message string }

// IsDisclosureStreamEvent implements DisclosureStreamEvent.
func (*Subscribed) IsDisclosureStreamEvent() {}

// IsDisclosureStreamEvent implements DisclosureStreamEvent.
func (*DisclosureEvent) IsDisclosureStreamEvent() {}

// IsDisclosureStreamEvent implements DisclosureStreamEvent.
func (*ReplayDone) IsDisclosureStreamEvent() {}

// IsDisclosureStreamEvent implements DisclosureStreamEvent.
func (*StoreWentBack) IsDisclosureStreamEvent() {}

// IsDisclosureStreamEvent implements DisclosureStreamEvent.
func (*StreamError) IsDisclosureStreamEvent() {}

// IsQuoteStreamEvent implements QuoteStreamEvent.
func (*Subscribed) IsQuoteStreamEvent() {}

// IsQuoteStreamEvent implements QuoteStreamEvent.
func (*QuoteEvent) IsQuoteStreamEvent() {}

// IsQuoteStreamEvent implements QuoteStreamEvent.
func (*NoQuote) IsQuoteStreamEvent() {}

// IsQuoteStreamEvent implements QuoteStreamEvent.
func (*StreamError) IsQuoteStreamEvent() {}
