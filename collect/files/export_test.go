package files

import (
	"os"
	"testing"
)

// BoundColumns sets how large a column of Parquet may be, until the end of a test.
func BoundColumns(t *testing.T, bytes int64) {
	before := mostColumnBytes
	mostColumnBytes = bytes
	t.Cleanup(func() { mostColumnBytes = before })
}

// Opened is what is read of a file.
type Opened = opened

// OpenWith lets a test stand between the files and their readers, until its end.
func OpenWith(t *testing.T, disk func(*os.File) Opened) {
	before := open
	open = func(name string) (opened, error) {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		return disk(f), nil
	}
	t.Cleanup(func() { open = before })
}
