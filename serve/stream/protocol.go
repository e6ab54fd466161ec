package stream

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"piyasa/domain/kap"
	"piyasa/domain/market"
)

// The socket protocol, for disclosures and quotes: JSON text frames, of which the client's
// first is auth.

// GoingAway closes connections when the server shuts down.
var GoingAway = Closing{1001, "going_away"}

// TooManyOfAddress closes connections above the limit of one client address.
var TooManyOfAddress = Closing{1013, "too_many_connections_of_address"}

var (
	authTimeout    = Closing{4401, "auth_timeout"}
	authRequired   = Closing{4401, "auth_required"}
	invalidKey     = Closing{4401, "invalid_key"}
	missingScope   = Closing{4403, "missing_scope"}
	badMessages    = Closing{4400, "too_many_bad_messages"}
	slowConsumer   = Closing{4429, "slow_consumer"}
	unavailable    = Closing{1013, "stream_unavailable"}
	serverError    = Closing{1011, "server_error"}
	invalidUTF8    = Closing{1007, "invalid_utf8"}
	invalidDeflate = Closing{1007, "invalid_deflate"}
	tooMany        = Closing{1013, "too_many_connections"}
	quotaUsedUp    = Closing{1013, "quota_exceeded"}
	keysTooMany    = Closing{1013, "connection_limit"}
)

// message is a message of a client.
type message struct {
	action string
	apiKey string // or a stream token
	ids    []string
	after  *int64 // last_seen_index
	batch  *bool  // nil: as before
}

const actions = "auth, subscribe, unsubscribe, ping"

// parseMessage reads a frame; the error says what is wrong with it. It ignores members that
// the action does not have, such as batch in a channel without batches.
func parseMessage(frame []byte, batches bool) (m message, err error) {
	members := membersOf(frame)
	if members == nil {
		return m, errors.New("a message must be a JSON object")
	}
	one := func(name string, into any) bool { // stated once, and of the right type
		return len(members[name]) == 1 && json.Unmarshal(members[name][0], into) == nil
	}
	if !one("action", &m.action) {
		return m, fmt.Errorf("action must be one of %s", actions)
	}
	switch m.action {
	case "auth":
		// Any other type is no key.
		if !one("api_key", &m.apiKey) && members["api_key"] == nil {
			_ = one("token", &m.apiKey)
		}
		return m, nil
	case "ping":
		return m, nil
	case "subscribe", "unsubscribe":
	default:
		return m, fmt.Errorf("action must be one of %s", actions)
	}
	var ids []*string // a null would pass as an empty string
	if !one("ids", &ids) || len(ids) == 0 || len(ids) > maxTopicsPerMessage || slices.Contains(ids, nil) {
		return m, fmt.Errorf("ids must be a list of 1 to %d strings", maxTopicsPerMessage)
	}
	for _, id := range ids {
		m.ids = append(m.ids, *id)
	}
	if m.action == "subscribe" && members["last_seen_index"] != nil {
		// A pointer accepts a null, which means the same as a missing member.
		if !one("last_seen_index", &m.after) || m.after != nil && *m.after < 0 {
			return m, fmt.Errorf("last_seen_index must be a whole number from 0 to %d, or null", math.MaxInt64)
		}
	}
	if m.action == "subscribe" && batches && members["batch"] != nil && !one("batch", &m.batch) {
		return m, errors.New("batch must be true, false or null")
	}
	return m, nil
}

// membersOf returns the values of an object's members, in the order of the text; nil
// if the text is not one object.
func membersOf(text []byte) map[string][]json.RawMessage {
	if !jsontext.Value(text).IsValid(jsontext.AllowDuplicateNames(true)) || bytes.TrimLeft(text, " \t\r\n")[0] != '{' {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	_, _ = d.Token()
	members := map[string][]json.RawMessage{}
	for d.More() {
		name, _ := d.Token()
		var value json.RawMessage
		_ = d.Decode(&value)
		members[name.(string)] = append(members[name.(string)], value)
	}
	return members
}

// The server's frames, with their members in order.
type (
	authFrame struct {
		Type string `json:"type" const:"auth_ok"`
		Plan string `json:"plan" description:"The key's plan."`
	}
	subscribedFrame struct {
		Type    string   `json:"type" const:"subscribed"`
		IDs     []string `json:"ids" nullable:"false" description:"The ids of the message that are now followed, in canonical form, each once."`
		Invalid []string `json:"invalid" nullable:"false" description:"The ids that are not followed, as sent."`

		Successors []*Succession `json:"successors,omitempty" description:"Which ids instruments have now that some of these were renamed to; left out where none was."`
	}
	unsubscribedFrame struct {
		Type string   `json:"type" const:"unsubscribed"`
		IDs  []string `json:"ids" nullable:"false" description:"The ids that are no longer followed."`
	}
	pongFrame struct {
		Type string `json:"type" const:"pong"`
	}
	disclosureFrame struct {
		Type   string          `json:"type" const:"disclosure"`
		Replay bool            `json:"replay" description:"Whether it is part of a replay; data is the same byte for byte."`
		Data   *kap.Disclosure `json:"data" nullable:"false"`
	}
	quoteFrame struct {
		Type string        `json:"type" const:"quote"`
		Data *market.Quote `json:"data" nullable:"false"`
	}
	noQuoteFrame struct {
		Type string   `json:"type" const:"no_quote"`
		Data *NoQuote `json:"data" nullable:"false"`
	}
	quotesFrame struct {
		Type string         `json:"type" const:"quotes"`
		Data []batchedFrame `json:"data" nullable:"false" description:"The messages, in the order in which they would come alone."`
	}
	replayDoneFrame struct {
		Type      string `json:"type" const:"replay_done"`
		LastIndex int64  `json:"last_index" description:"Number of the last replayed disclosure; if there was none, the last_seen_index of the request."`
		Truncated bool   `json:"truncated" description:"Whether the replay is incomplete: too many disclosures matched, or it failed. Subscribe again with last_index."`
	}
	errorFrame struct {
		Type    string `json:"type" const:"error"`
		Code    string `json:"code" enum:"bad_message,subscription_limit,connection_limit,quota_exceeded,server_error"`
		Message string `json:"message" description:"Explanation for people."`
	}
	wentBackFrame struct {
		Type    string `json:"type" const:"error"`
		Code    string `json:"code" const:"store_went_back"`
		Message string `json:"message" description:"Explanation for people."`
		Lost    []int  `json:"lost" nullable:"false" description:"The disclosure_index of each disclosure that was sent and is not stored any more; the newest 1000."`
	}
)

// batchedFrame is a message in a batch.
type batchedFrame struct{ message any }

// MarshalJSON implements json.Marshaler.
func (b batchedFrame) MarshalJSON() ([]byte, error) { return json.Marshal(b.message) }

// JSONSchemaOneOf implements jsonschema.OneOfExposer.
func (batchedFrame) JSONSchemaOneOf() []any { return []any{quoteFrame{}, noQuoteFrame{}} }

// Errors with a fixed text.
var (
	limitError  = errorFrame{"error", "subscription_limit", "a connection may follow at most 200 topics; nothing was added"}
	replayError = errorFrame{"error", "server_error", "the replay failed; get the rest from the list of disclosures"}
)
