package files

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"

	"piyasa/collect"
)

// settings are the members of a configuration.
type settings struct {
	Folder     string   `json:"folder"`
	Pattern    string   `json:"pattern"`     // of names, without .gz; empty: all names with the format's suffix
	Format     string   `json:"format"`      // csv, tsv, ndjson or parquet
	Encoding   string   `json:"encoding"`    // empty: UTF-8
	Delimiter  string   `json:"delimiter"`   // of csv; empty: a comma
	Decimal    string   `json:"decimal"`     // "." or ","; empty: "."
	Thousands  string   `json:"thousands"`   // thousands separator; empty: none
	TimeZone   string   `json:"time_zone"`   // of times without a zone; empty: Europe/Istanbul
	TimeFormat string   `json:"time_format"` // empty: yyyy-MM-dd HH:mm:ss
	Floats     string   `json:"floats"`      // of Parquet: "shortest"; empty: floats are rejected
	Settle     string   `json:"settle"`      // how long a file must have been unchanged; empty: 2s
	Marker     string   `json:"marker"`      // suffix of a marker file that says that a file is complete; empty: by settle
	Empty      []string `json:"empty"`       // cells without a value, besides empty ones
	Records    []target `json:"records"`     // that each row makes; of ndjson: none if the lines themselves are records
	target              // if there is only one

	charset encoding.Encoding // nil: UTF-8
	zone    *time.Location
	layout  string
	settle  time.Duration
}

// target is a record to make from rows.
type target struct {
	Record  string            `json:"record"`
	Members map[string]member `json:"members"`
}

// formats are the file formats, by suffix.
var formats = []string{"csv", "ndjson", "parquet", "tsv"}

var markers = regexp.MustCompile(`^[._-][A-Za-z0-9._-]*$`)

// Bounds of settings.
const (
	mostSettle  = time.Hour
	mostMembers = 100 // of a record
	mostRecords = 10  // that a row makes
)

func readSettings(text json.RawMessage) (s settings, err error) {
	if s, err = collect.Settings[settings](text); err != nil {
		return s, err
	}
	var wrong []error
	mistake := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	if info, err := os.Stat(s.Folder); s.Folder == "" || err != nil || !info.IsDir() {
		mistake(`"folder" must be a folder that exists; got %q`, s.Folder)
	}
	if !slices.Contains(formats, s.Format) {
		mistake(`"format" must be one of %q; got %q`, formats, s.Format)
	}
	if s.Pattern == "" {
		s.Pattern = "*." + s.Format
	}
	if _, err := filepath.Match(s.Pattern, ""); err != nil {
		mistake(`"pattern" must be a pattern of names such as "prices-*.csv"; got %q`, s.Pattern)
	}
	if s.Encoding != "" {
		if s.charset, err = htmlindex.Get(s.Encoding); err != nil {
			mistake(`"encoding" must be a name such as "windows-1254"; got %q`, s.Encoding)
		}
		if s.charset == unicode.UTF8 { // its decoder replaces invalid UTF-8
			s.charset = nil
		}
	}
	if s.Delimiter == "" {
		s.Delimiter = ","
	}
	if utf8.RuneCountInString(s.Delimiter) != 1 || s.Delimiter == `"` || s.Delimiter == "\n" || s.Delimiter == "\r" {
		mistake(`"delimiter" must be one character such as ";"; got %q`, s.Delimiter)
	}
	if s.Decimal != "" && s.Decimal != "." && s.Decimal != "," {
		mistake(`"decimal" must be "." or ","; got %q`, s.Decimal)
	}
	if s.Thousands != "" && (utf8.RuneCountInString(s.Thousands) != 1 || s.Thousands == s.Decimal || s.Thousands == "." &&
		s.Decimal == "") {
		mistake(`"thousands" must be one character that is not the decimal one; got %q`, s.Thousands)
	}
	if s.zone = collect.Istanbul; s.TimeZone != "" {
		if s.zone, err = time.LoadLocation(s.TimeZone); err != nil || s.TimeZone == "Local" {
			mistake(`"time_zone" must be a zone such as "Europe/Istanbul"; got %q`, s.TimeZone)
		}
	}
	if s.TimeFormat == "" {
		s.TimeFormat = "yyyy-MM-dd HH:mm:ss"
	}
	if s.layout, err = layoutOf(s.TimeFormat); err != nil {
		mistake(`"time_format" %w`, err)
	}
	if s.Floats != "" && s.Floats != shortest {
		mistake(`"floats" must be %q, or left out; got %q`, shortest, s.Floats)
	}
	if s.settle = 2 * time.Second; s.Settle != "" {
		if s.settle, err = time.ParseDuration(s.Settle); err != nil || s.settle < 0 || s.settle > mostSettle {
			mistake(`"settle" must be a duration of at most %s such as "5s"; got %q`, mostSettle, s.Settle)
		}
	}
	if s.Marker != "" && !markers.MatchString(s.Marker) {
		mistake(`"marker" must be the end of a name such as ".done"; got %q`, s.Marker)
	}
	if len(s.Members) > 0 || s.Record != "" {
		if len(s.Records) > 0 {
			mistake(`"records" takes the place of "record" and "members"`)
		}
		s.Records = []target{s.target}
	}
	if len(s.Records) > mostRecords {
		mistake(`"records" must be at most %d`, mostRecords)
	}
	if len(s.Records) == 0 && s.Format != "ndjson" {
		mistake(`"record" and "members" must say what a row is, such as "bar" and {"close": "CLOSE"}`)
	}
	for _, t := range s.Records {
		switch {
		case t.Record == "":
			mistake(`"record" must name the kind of record, such as "bar"`)
		case len(t.Members) == 0 || len(t.Members) > mostMembers:
			mistake(`"members" must say where the members of the record are, at most %d, such as {"close": "CLOSE"}`, mostMembers)
		}
	}
	return s, errors.Join(wrong...)
}

// member is the origin of a record's member: a column, or a constant.
type member struct {
	Column  string          `json:"column"`
	Value   json.RawMessage `json:"value"`   // instead of a column
	Prefix  string          `json:"prefix"`  // before the cell
	Decimal bool            `json:"decimal"` // the cell is a decimal
	Integer bool            `json:"integer"` // the cell is a whole number
	Time    bool            `json:"time"`    // the cell is a moment
	Date    bool            `json:"date"`    // the cell is a day
}

// UnmarshalJSON reads a column's name, or an object.
func (m *member) UnmarshalJSON(text []byte) error {
	var column string
	if err := json.Unmarshal(text, &column); err == nil && column != "" {
		m.Column = column
		return nil
	}
	type plain member
	in, err := collect.Settings[plain](text)
	if err != nil {
		return fmt.Errorf(`must be a column such as "CLOSE", or an object such as {"column": "CLOSE", "decimal": true} or {"value": "1d"}: %w`, err)
	}
	*m = member(in)
	sorts := 0
	for _, is := range []bool{m.Decimal, m.Integer, m.Time, m.Date} {
		if is {
			sorts++
		}
	}
	if (m.Column == "") == (len(m.Value) == 0) || sorts > 1 || len(m.Value) > 0 && (sorts > 0 || m.Prefix != "") {
		return errors.New(`must have either "value", or "column" with at most one of "decimal", "integer", "time" and "date"`)
	}
	return nil
}

// columns returns the columns that members name, in order.
func (s settings) columns() []string {
	all := map[string]bool{}
	for _, t := range s.Records {
		for _, m := range t.Members {
			if m.Column != "" {
				all[m.Column] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}
