package rest

import (
	"slices"

	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// The media types of answers.
const (
	JSON = "application/json"
	CSV  = "text/csv"
)

// tableMedia is the Content-Type of a table.
const tableMedia = CSV + "; charset=utf-8; header=present"

// format is the format of a table.
type format string

var _ = value.Enum[format]("json", "csv")

// tableParams are parameters of a route whose answer is a table.
type tableParams struct {
	Format  *format  `query:"format" description:"Answer format. Default: from the Accept header, or csv with a dialect."`
	Dialect *dialect `query:"dialect" description:"How CSV is written: as a Turkish Excel opens it, with semicolons and decimal commas. Default: with commas and decimal points."`
}

// formatted are parameters that choose between JSON and CSV.
type formatted interface {
	media(accepted string) string
	check() error
	dialect() *dialect // nil: none
}

// media returns the media type to answer in.
func (p tableParams) media(accepted string) string {
	switch {
	case p.Format == nil && p.Dialect == nil:
		return accepted
	case p.Format == nil || *p.Format == "csv":
		return CSV
	}
	return JSON
}

// notAcceptable returns the problem of a client that accepts only CSV from a route without a table.
func notAcceptable() *problem.Error {
	e := problem.New(problem.NotAcceptable, "This answer is no table: Accept must allow %s.", JSON)
	e.Members.Available = []string{JSON}
	return e
}

// otherFormat returns the problem of a format that a route with only one format lacks; nil if none
// or that one is asked for.
func otherFormat(formats []string, params []param, only string) error {
	i := slices.IndexFunc(params, func(p param) bool { return p.name == "format" })
	if i >= 0 || len(formats) == 0 || (len(formats) == 1 && formats[0] == only) {
		return nil
	}
	e := problem.New(problem.FormatNotAvailable, "This route answers as %s only; got the format %s.",
		only, problem.Shown(formats[0])).About("format", formats[0])
	e.Members.Available = []string{only}
	return e
}

// answerOf encodes a table in a media type.
func answerOf(t table, media string) *Answer {
	if media != CSV {
		return &Answer{Media: JSON, Body: append(t.json(), []byte{'\n'})}
	}
	return &Answer{Media: tableMedia, Body: [][]byte{t.csv()}, Missing: t.missing()}
}
