package stream

// Said is what a client said.
type Said struct {
	Action, APIKey string
	IDs            []string
	After          *int64
	Batch          *bool
}

// ParseMessage reads a client's frame.
func ParseMessage(frame []byte) (Said, error) {
	m, err := parseMessage(frame, true)
	return Said{m.action, m.apiKey, m.ids, m.after, m.batch}, err
}
