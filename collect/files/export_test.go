package files

import "testing"

// BoundColumns sets how large a column of Parquet may be, until the end of a test.
func BoundColumns(t *testing.T, bytes int64) {
	before := mostColumnBytes
	mostColumnBytes = bytes
	t.Cleanup(func() { mostColumnBytes = before })
}
