package demo

import "piyasa/ingest"

// appendRecord appends a line of the ingest contract. record points to one of the types that
// ingest reads.
func appendRecord(lines []byte, kind string, record any) []byte {
	lines, err := ingest.AppendLine(lines, kind, record)
	if err != nil {
		panic(err) // the records are our own
	}
	return append(lines, '\n')
}
