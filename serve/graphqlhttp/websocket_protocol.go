package graphqlhttp

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"piyasa/account/access"
	"piyasa/serve/admission"
	"piyasa/serve/stream"
)

// subprotocol is the subprotocol of the GraphQL socket.
const subprotocol = "graphql-transport-ws"

// The close frames of a GraphQL socket, with the codes and reasons of its protocol.
var (
	closeUnauthorized  = stream.Closing{Code: 4401, Reason: "Unauthorized"}
	closeInitTimeout   = stream.Closing{Code: 4408, Reason: "Connection initialisation timeout"}
	closeTooManyInits  = stream.Closing{Code: 4429, Reason: "Too many initialisation requests"}
	closeNoSubprotocol = stream.Closing{Code: 4406, Reason: "Subprotocol not acceptable"}
	closeStalled       = stream.Closing{Code: 1013, Reason: "slow_consumer"}
	closeTooMany       = stream.Closing{Code: 1013, Reason: "connection_limit"}
	closeUnavailable   = stream.Closing{Code: 1013, Reason: "stream_unavailable"}
)

func closeInvalid(what string) stream.Closing {
	return stream.Closing{Code: 4400, Reason: "Invalid message: " + what}
}

func closeDuplicate(id string) stream.Closing {
	return stream.Closing{Code: 4409, Reason: "Subscriber for " + id + " already exists"}
}

// clientMessage is a message of a client.
type clientMessage struct {
	Type    string          `json:"type"`
	ID      string          `json:"id"`
	Payload json.RawMessage `json:"payload"`

	request request // of subscribe
}

// readClientMessage reads a message; wrong says why it is invalid.
func readClientMessage(frame []byte) (m clientMessage, wrong string) {
	if decodeStrict(frame, &m) != nil {
		return m, "must be a JSON object with type and id (strings)"
	}
	switch m.Type {
	case "connection_init", "ping", "pong":
		var payload map[string]any
		if m.Payload != nil && json.Unmarshal(m.Payload, &payload) != nil {
			return m, "payload must be an object"
		}
		return m, ""
	case "subscribe":
		if decodeStrict(m.Payload, &m.request) != nil || !m.request.isComplete() {
			return m, "payload must be a GraphQL request with query or documentId (strings)"
		}
	case "complete":
	default:
		return m, "type must be connection_init, ping, pong, subscribe or complete"
	}
	if m.ID == "" {
		return m, "id must be a string that is not empty"
	}
	return m, ""
}

// keyIn finds the key, or the stream token, in the payload of connection_init, or in the
// headers or the address of the request that became the socket.
func keyIn(tokens admission.StreamTokens, payload json.RawMessage, header http.Header, address string) (*access.Key, error) {
	var members map[string]any
	_ = json.Unmarshal(payload, &members) // anything but an object counts as no payload
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if name == "api_key" || name == "apiKey" || name == "token" || strings.EqualFold(name, "X-API-Key") {
			secret, _ := members[name].(string) // any other type is no key
			return tokens.Authenticate(secret)
		}
		if strings.EqualFold(name, "Authorization") {
			given, _ := members[name].(string)
			header = http.Header{"Authorization": {given}} // some clients send their headers in the payload
		}
	}
	secret, err := admission.Secret(header)
	if err != nil {
		return nil, err
	}
	if secret == "" {
		secret = address
	}
	return tokens.Authenticate(secret)
}

// The server's messages, in the order of their members.
type (
	plainMessage struct {
		Type    string          `json:"type"`
		Payload json.RawMessage `json:"payload,omitempty"`
	}
	nextMessage struct {
		ID      string `json:"id"`
		Type    string `json:"type"`
		Payload any    `json:"payload"`
	}
	errorMessage struct {
		ID      string        `json:"id"`
		Type    string        `json:"type"`
		Payload gqlerror.List `json:"payload"`
	}
	completeMessage struct {
		ID   string `json:"id"`
		Type string `json:"type"`
	}
)
