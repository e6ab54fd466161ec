package db

import (
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// numberOf returns the same for every file: Windows lets no file be replaced that is open.
func numberOf(fs.FileInfo) string { return "file" }

// sameOwner does nothing: a file has the permissions of its folder.
func sameOwner(string, fs.FileInfo) error { return nil }

// adopt does nothing: a file has the permissions of its folder.
func adopt(string, ...string) error { return nil }

// foreign knows nothing of Windows, where files have the permissions of their folder.
func foreign(string) (names []string, of string) { return nil, "" }

// Disk returns how much room is left for an SQLite database on its file system, and how
// large that is; not ok: it is not known, as for Postgres.
func (s *Store) Disk() (free, size int64, ok bool) {
	if s.file == nil {
		return 0, 0, false
	}
	return roomAt(s.file.path)
}

// writable knows nothing of Windows, which keeps permissions in lists.
func writable(string) error { return nil }

// roomAt returns the room beside a file.
func roomAt(path string) (free, size int64, ok bool) {
	folder, err := windows.UTF16PtrFromString(filepath.Dir(path))
	if err != nil {
		return 0, 0, false
	}
	var left, all uint64
	if windows.GetDiskFreeSpaceEx(folder, &left, &all, nil) != nil {
		return 0, 0, false
	}
	return int64(left), int64(all), true
}
