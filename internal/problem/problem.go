// Package problem defines the errors of piyasa.
//
// A failure that is safe to show to clients is an *Error: a Kind, a sentence,
// and the members that state the fault and what is allowed. One table gives
// each Kind its HTTP status and title; the RFC 9457 document of REST and the
// extensions of GraphQL present the same Error.
package problem

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Kind identifies a type of failure. It is the last segment of the problem type
// and part of the API.
type Kind string

// The kinds of failure that clients can get.
const (
	Unauthenticated         Kind = "unauthenticated"
	MissingScope            Kind = "missing-scope"
	TestPlan                Kind = "test-plan"
	NotInPlan               Kind = "not-in-plan"
	OriginNotAllowed        Kind = "origin-not-allowed"
	NotFound                Kind = "not-found"
	MethodNotAllowed        Kind = "method-not-allowed"
	NotAcceptable           Kind = "not-acceptable"
	ConflictingParameters   Kind = "conflicting-parameters"
	UnknownParameter        Kind = "unknown-parameter"
	RepeatedParameter       Kind = "repeated-parameter"
	WindowTooLong           Kind = "window-too-long"
	InvertedWindow          Kind = "inverted-window"
	MalformedCode           Kind = "malformed-code"
	InvalidCursor           Kind = "invalid-cursor"
	AmbiguousTicker         Kind = "ambiguous-ticker"
	FormatNotAvailable      Kind = "format-not-available"
	BasisNotApplicable      Kind = "basis-not-applicable"
	PositionAhead           Kind = "position-ahead"
	PositionGone            Kind = "position-gone"
	MalformedRequest        Kind = "malformed-request"
	HeadersTooLarge         Kind = "headers-too-large"
	InvalidParameter        Kind = "invalid-parameter"
	UpgradeRequired         Kind = "upgrade-required"
	UnsupportedCurrency     Kind = "unsupported-currency"
	UnsupportedResolution   Kind = "unsupported-resolution"
	TooManyValues           Kind = "too-many-values"
	RateLimited             Kind = "rate-limited"
	QuotaExceeded           Kind = "quota-exceeded"
	Overloaded              Kind = "overloaded"
	TooManyConnections      Kind = "too-many-connections"
	Internal                Kind = "internal"
	BodyUnreadable          Kind = "body-unreadable"
	FXRateUnavailable       Kind = "fx-rate-unavailable"
	ContentStoreUnavailable Kind = "content-store-unavailable"
	SourceUnavailable       Kind = "source-unavailable"
	StoreUnavailable        Kind = "store-unavailable"
	ServerFull              Kind = "server-full"
)

// kinds gives every Kind its HTTP status and the title of its documents.
var kinds = map[Kind]struct {
	status int
	title  string
}{
	Unauthenticated:         {401, "Not authenticated"},
	MissingScope:            {403, "Missing scope"},
	TestPlan:                {403, "Outside the test plan"},
	NotInPlan:               {403, "Not in the plan"},
	OriginNotAllowed:        {403, "Origin not allowed"},
	NotFound:                {404, "Not found"},
	MethodNotAllowed:        {405, "Method not allowed"},
	NotAcceptable:           {406, "Not acceptable"},
	ConflictingParameters:   {400, "Conflicting parameters"},
	UnknownParameter:        {400, "Unknown parameter"},
	RepeatedParameter:       {400, "Repeated parameter"},
	WindowTooLong:           {400, "Window too long"},
	InvertedWindow:          {400, "Inverted window"},
	MalformedCode:           {400, "Malformed code"},
	InvalidCursor:           {400, "Invalid cursor"},
	AmbiguousTicker:         {400, "Ambiguous ticker"},
	FormatNotAvailable:      {400, "Format not available"},
	BasisNotApplicable:      {400, "Basis not applicable"},
	PositionAhead:           {409, "Position ahead of the store"},
	PositionGone:            {410, "Position gone"},
	MalformedRequest:        {400, "Malformed request"},
	HeadersTooLarge:         {431, "Headers too large"},
	InvalidParameter:        {422, "Invalid parameter"},
	UpgradeRequired:         {426, "Upgrade required"},
	UnsupportedCurrency:     {422, "Unsupported currency"},
	UnsupportedResolution:   {422, "Unsupported resolution"},
	TooManyValues:           {422, "Too many values"},
	RateLimited:             {429, "Rate limited"},
	QuotaExceeded:           {429, "Quota exceeded"},
	Overloaded:              {503, "Overloaded"},
	TooManyConnections:      {429, "Too many connections"},
	Internal:                {500, "Internal error"},
	BodyUnreadable:          {502, "Body unreadable"},
	FXRateUnavailable:       {503, "FX rate unavailable"},
	ContentStoreUnavailable: {503, "Content store unavailable"},
	SourceUnavailable:       {503, "Source unavailable"},
	StoreUnavailable:        {503, "Store unavailable"},
	ServerFull:              {503, "Server full"},
}

// Status returns the HTTP status of k.
func (k Kind) Status() int { return kinds[k].status }

// Title returns the short, constant summary of k.
func (k Kind) Title() string { return kinds[k].title }

// Code returns the extensions.code of GraphQL: FORBIDDEN if the key lacks a right, or else the kind
// in upper case with underscores.
func (k Kind) Code() string {
	if k == MissingScope || k == TestPlan || k == NotInPlan {
		return "FORBIDDEN"
	}
	return strings.ToUpper(strings.ReplaceAll(string(k), "-", "_"))
}

// Members are the extension members of a problem document. A member that does
// not apply is left out.
type Members struct {
	MissingScopes []string `json:"missing_scopes,omitempty"` // scopes the key lacks
	Candidates    []string `json:"candidates,omitempty"`     // ids an ambiguous ticker may mean
	Available     []string `json:"available,omitzero"`       // what is offered instead; empty: nothing
	Parameter     string   `json:"parameter,omitempty"`      // the offending parameter
	Value         *string  `json:"value,omitempty"`          // its value as sent
	Limit         *int     `json:"limit,omitempty"`          // the limit that was exceeded
	Successor     []string `json:"successor,omitempty"`      // what replaced the thing asked for
	ResumeFrom    string   `json:"resume_from,omitempty"`    // position from which a stream can resume
}

// Error is a failure that is safe to show to clients.
type Error struct {
	Kind       Kind
	Detail     string // what was wrong and what is allowed; no secrets
	Members    Members
	RetryAfter int   // seconds; 0: not stated
	cause      error // logged, never shown
}

// New returns an Error of kind with a formatted detail.
func New(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Detail: fmt.Sprintf(format, args...)}
}

// Wrap returns an Internal error that keeps the cause for the log and shows a
// general detail.
func Wrap(cause error) *Error {
	return New(Internal, "Something went wrong on our side. The request_id identifies this failure.").Because(cause)
}

// retryStore is after how many seconds to retry when the store has failed.
const retryStore = 5

// StoreFailed returns the problem of an answer that needs the store while the store fails or does
// not answer in time. The cause, which may be nil, is only logged.
func StoreFailed(cause error) *Error {
	e := New(StoreUnavailable, "The data is not available now; try again in %d s.", retryStore).Because(cause)
	e.RetryAfter = retryStore
	return e
}

// maxShown is how many bytes of a client's text an error repeats.
const maxShown = 80

// Clip shortens a client's text and removes invalid bytes, so that an error can
// repeat it.
func Clip(text string) string {
	if len(text) > maxShown {
		text = text[:maxShown] + "…"
	}
	return strings.ToValidUTF8(text, "")
}

// Shown returns Clip of text in quotes.
func Shown(text string) string { return strconv.Quote(Clip(text)) }

// Parameter returns an InvalidParameter error that names the parameter and the
// value as sent; must says what is allowed ("a whole number from 1 to 100").
func Parameter(name, value, must string) *Error {
	e := New(InvalidParameter, "%s must be %s; got %s.", name, must, Shown(value))
	return e.About(name, value)
}

// About adds the offending parameter and its value as sent.
func (e *Error) About(parameter, value string) *Error {
	value = Clip(value)
	e.Members.Parameter, e.Members.Value = parameter, &value
	return e
}

// Because adds the cause, which is logged and never shown.
func (e *Error) Because(cause error) *Error {
	e.cause = cause
	return e
}

// Error implements error. The text is for logs.
func (e *Error) Error() string {
	if e.cause != nil {
		return fmt.Sprintf("%s: %v", e.Kind, e.cause)
	}
	return fmt.Sprintf("%s: %s", e.Kind, e.Detail)
}

// Unwrap returns the hidden cause, if any.
func (e *Error) Unwrap() error { return e.cause }

// From returns the Error in err's chain, or an Internal one around err.
func From(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return Wrap(err)
}

// Kinds lists every Kind, in no particular order.
func Kinds() []Kind { return slices.Collect(maps.Keys(kinds)) }
