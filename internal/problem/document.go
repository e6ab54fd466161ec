package problem

import "regexp"

// MediaType is the content type of a problem document.
const MediaType = "application/problem+json"

// Document is an Error in the form of RFC 9457. The order of the members is part
// of the API.
type Document struct {
	Type      string `json:"type"` // {base_url}/problems/<kind>
	Title     string `json:"title"`
	Status    int    `json:"status"` // equals the HTTP status
	Detail    string `json:"detail"`
	Instance  string `json:"instance"`   // path of the request, without the query
	RequestID string `json:"request_id"` // equals the header X-Request-Id
	Members
}

// Document returns e as the document of a request. It masks API keys that the client wrote in the
// wrong place.
func (e *Error) Document(baseURL, instance, requestID string) Document {
	members := e.Members
	members.Parameter = Masked(members.Parameter)
	if members.Value != nil {
		members.Value = new(Masked(*members.Value))
	}
	return Document{
		Type:      baseURL + "/problems/" + string(e.Kind),
		Title:     e.Kind.Title(),
		Status:    e.Kind.Status(),
		Detail:    Masked(e.Detail),
		Instance:  Masked(instance),
		RequestID: requestID,
		Members:   members,
	}
}

// secret matches API keys, also truncated ones.
var secret = regexp.MustCompile(`piyasa_(live|test)_[0-9A-Za-z]+`)

// Masked returns text with every API key masked.
func Masked(text string) string { return secret.ReplaceAllLiteralString(text, "[key]") }
