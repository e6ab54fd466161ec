package market

import "piyasa/internal/value"

// BulkFormat is the format of a file of records.
type BulkFormat string

// The formats of files.
const (
	Parquet BulkFormat = "parquet"
	CSV     BulkFormat = "csv"
	NDJSON  BulkFormat = "ndjson" // the lines that ingest reads
)

var _ = value.Enum(Parquet, CSV, NDJSON)

// Type returns the media type of a format.
func (f BulkFormat) Type() string {
	switch f {
	case CSV:
		return "text/csv; charset=utf-8"
	case NDJSON:
		return "application/x-ndjson"
	}
	return "application/vnd.apache.parquet"
}

// BulkFile is a file of records that clients can download.
type BulkFile struct {
	Kind        string
	Market      *Market
	Resolution  *Resolution
	From, To    *value.Date // nil: no bound
	Format      BulkFormat
	ContentType string
	Name        string // under which it is saved
	URL         string // absolute; needs a key
	Records     int    // about how many records are read for it
	Cost        int    // in fields of an answer; an upper bound
}
