package vyk

import (
	"encoding/json"
	"time"

	"piyasa/collect"
	"piyasa/collect/vyk/catalog"
	"piyasa/collect/vyk/progress"
)

// kept is how far the source has come.
type kept struct {
	progress.State

	Catalog catalog.State `json:"catalog,omitzero"`
}

func readKept(text json.RawMessage) (k kept, err error) {
	if len(text) == 0 || string(text) == "null" {
		return k, nil
	}
	err = json.Unmarshal(text, &k)
	return k, err
}

// Ask implements collect.Source. A run ends when the service has no newer number.
func (s *source) Ask(text json.RawMessage, now time.Time) (*collect.Request, error) {
	k, err := readKept(text)
	if err != nil {
		return nil, err
	}
	return s.Task(k.Due(now)), nil
}

// Extra implements collect.Extras: companies and funds, once a day.
func (s *source) Extra(text json.RawMessage, now time.Time) (*collect.Request, error) {
	k, err := readKept(text)
	if err != nil {
		return nil, err
	}
	path := k.Catalog.Next(s.Companies, s.Funds, now)
	if path == "" {
		return nil, nil
	}
	r := s.Path(path)
	r.Spare = true
	return r, nil
}
