package rest

import (
	"errors"
)

// The media types of answers.
const (
	JSON = "application/json"
	CSV  = "text/csv"
)

// format is the format of a table.
type format string

// UnmarshalText implements encoding.TextUnmarshaler; only the exact names pass.
func (f *format) UnmarshalText(text []byte) error {
	switch *f = format(text); *f {
	case "json", "csv":
		return nil
	}
	return errors.New("must be one of json, csv")
}

// tableParams are parameters of a route whose answer is a table.
type tableParams struct {
	Format *format `query:"format" enum:"json,csv" description:"Answer format. Default: from the Accept header."`
}

// media returns the media type to answer in.
func (p tableParams) media(accepted string) string {
	switch {
	case p.Format == nil:
		return accepted
	case *p.Format == "csv":
		return CSV
	}
	return JSON
}

// answerOf encodes a table in a media type.
func answerOf(t table, media string) *Answer {
	if media != CSV {
		return &Answer{Media: JSON, Body: append(t.json(), []byte{'\n'})}
	}
	return &Answer{Media: CSV + "; charset=utf-8; header=present", Body: [][]byte{t.csv()}, Missing: t.missing()}
}
