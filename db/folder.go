package db

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// makeFolder makes a folder and its missing parents, and syncs the names of new ones: SQLite
// syncs only the folder of its file, so a power cut could remove that folder with everything in
// it.
func makeFolder(folder string) error {
	var parents []string // of missing folders
	for at := folder; ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		parents = append(parents, filepath.Dir(at))
	}
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return err
	}
	for _, parent := range parents {
		if err := syncFolder(parent); err != nil {
			return err
		}
	}
	return nil
}

// syncFolder makes the names in a folder durable.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" { // Windows makes them durable by itself
		return nil
	}
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Sync()
}
