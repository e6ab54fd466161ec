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

// Subscribed comes first.
type Subscribed struct {
	IDs     []string // followed, in canonical form, each once
	Invalid []string // the others, as written

	Successors []*Succession // of invalid ones

	position epoch.Position // where a stream without a replay resumes; zero: nowhere
}

// Succession says which id an instrument has now that had another before.
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

	position epoch.Position // where a stream that breaks here resumes; zero: nowhere
}

// Position returns where a client resumes that is cut off here; nil: nowhere.
func (e *DisclosureEvent) Position() *string { return textOf(e.position) }

// ReplayDone ends a replay.
type ReplayDone struct {
	LastIndex int   // the last disclosure sent, or where the replay began
	LastSeq   int64 // up to here the client has everything
	Truncated bool  // more matched than one replay sends

	position epoch.Position // of LastSeq
}

// Position returns where a client resumes that is cut off here; nil: nowhere.
func (e *ReplayDone) Position() *string { return textOf(e.position) }

// StoreWentBack tells that the store lost rows, as a standby does that takes over
// without the last commits. The stream goes on from its Position.
type StoreWentBack struct {
	Lost []int // numbers of disclosures that were published and are not stored any more; nil: not known here

	position epoch.Position // the last that was not lost
}

// Position returns where the stream goes on.
func (e *StoreWentBack) Position() string { return e.position.String() }

func textOf(p epoch.Position) *string {
	if p.Seq == 0 {
		return nil
	}
	return new(p.String())
}

// QuoteEvent is a new quote.
type QuoteEvent struct{ Data *market.Quote }

// NoQuote replaces a quote that does not exist, or no longer.
type NoQuote struct {
	InstrumentID market.ID     `json:"instrument_id"`
	Last         *string       `json:"last" description:"Always null."`
	NullReason   string        `json:"null_reason" enum:"no_honest_value,not_priced,meaning_changed,unknown_id"`
	AsOf         value.Instant `json:"as_of"` // since when by upstream's clock; null when no price has ever been observed
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
