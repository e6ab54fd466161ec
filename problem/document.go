package problem

// MediaType is the content type of a problem document.
const MediaType = "application/problem+json"

// Document is an Error as RFC 9457 spells it. The order of the members is part
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

// Document spells e for the request that met it.
func (e *Error) Document(baseURL, instance, requestID string) Document {
	return Document{
		Type:      baseURL + "/problems/" + string(e.Kind),
		Title:     e.Kind.Title(),
		Status:    e.Kind.Status(),
		Detail:    e.Detail,
		Instance:  instance,
		RequestID: requestID,
		Members:   e.Members,
	}
}
