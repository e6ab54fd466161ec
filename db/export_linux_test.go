package db

import (
	"path/filepath"
	"sync"
	"testing"
)

var pretended sync.Map // kind of file system by folder

func init() {
	actual := fileSystemOf
	fileSystemOf = func(path string) uint32 {
		if kind, ok := pretended.Load(filepath.Dir(path)); ok {
			return kind.(uint32)
		}
		return actual(path)
	}
}

// PretendFileSystem makes the folder of a file one of a kind of file system, until the test
// ends.
func PretendFileSystem(t *testing.T, path string, kind uint32) {
	pretended.Store(filepath.Dir(path), kind)
	t.Cleanup(func() { pretended.Delete(filepath.Dir(path)) })
}
