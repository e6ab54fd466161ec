package graphqlhttp

import (
	"bytes"
	"fmt"
	"mime"
	"net/http"
	"strings"

	"piyasa/internal/epoch"
)

// eventForm is the format of a stream's messages: server-sent events, or the parts of a
// multipart body.
type eventForm interface {
	media() string
	begin() []byte
	next(position epoch.Position, response any) []byte
	complete() []byte
	beat(position epoch.Position) []byte // a heartbeat, with a position that clients may keep
}

// formOf returns the form that a request asks for.
func formOf(r *http.Request) eventForm {
	if r.Header.Get("Accept") == mediaParts {
		return parts{}
	}
	return serverSent{}
}

const mediaEvents = "text/event-stream"

// serverSent are events of the graphql-sse protocol.
type serverSent struct{}

func (serverSent) media() string { return mediaEvents + "; charset=utf-8" }

func (serverSent) begin() []byte { return fmt.Appendf(nil, "retry: %d\n\n", retryAfter.Milliseconds()) }

func (serverSent) next(position epoch.Position, response any) []byte {
	return event("next", position, line(response))
}

func (serverSent) complete() []byte { return event("complete", epoch.Position{}, nil) }

// beat returns a heartbeat that applications do not see; a position becomes the last event id
// of an EventSource.
func (serverSent) beat(position epoch.Position) []byte {
	if position.Seq == 0 {
		return []byte(":\n\n")
	}
	return fmt.Appendf(nil, "id: %s\n\n", position)
}

// event encodes an event; data is one line, without which a browser would not pass the event to
// the page. The id is the position, if there is one.
func event(name string, id epoch.Position, data []byte) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "event: %s\n", name)
	if id.Seq > 0 {
		fmt.Fprintf(&out, "id: %s\n", id)
	}
	fmt.Fprintf(&out, "data: %s\n\n", data)
	return out.Bytes()
}

// mediaParts is the media type of subscriptions over HTTP in Apollo Client, which asks for JSON
// for everything else.
const mediaParts = `multipart/mixed; boundary="graphql"; subscriptionSpec=1.0`

// parts is the format of GraphQL subscriptions over multipart HTTP. The delimiter follows each
// part at once, since it tells clients that the part is complete.
type parts struct{}

func (parts) media() string { return mediaParts }

func (parts) begin() []byte { return []byte("\r\n--graphql") }

func (parts) next(_ epoch.Position, response any) []byte {
	return part(line(struct {
		Payload any `json:"payload"`
	}{response}))
}

func (parts) complete() []byte { return []byte("--\r\n") }

func (parts) beat(epoch.Position) []byte { return part([]byte("{}")) }

func part(body []byte) []byte {
	return fmt.Appendf(nil, "\r\nContent-Type: application/json\r\n\r\n%s\r\n--graphql", body)
}

// takesParts reports whether a client names parts of subscriptions among the types it accepts.
func takesParts(accept []string) bool {
	for offer := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		media, params, err := mime.ParseMediaType(offer)
		if err == nil && media == "multipart/mixed" && params["subscriptionspec"] == "1.0" && params["q"] != "0" {
			return true
		}
	}
	return false
}
