package db

import (
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// numberOf returns the same for every file, since Windows does not let an open file be
// replaced.
func numberOf(fs.FileInfo) string { return "file" }

// sameOwner does nothing: a file has the permissions of its folder.
func sameOwner(string, fs.FileInfo) error { return nil }

// adopt does nothing: a file has the permissions of its folder.
func adopt(string, ...string) error { return nil }

// foreign returns nothing on Windows, where files have the permissions of their folder.
func foreign(string) (names []string, of string) { return nil, "" }

// Disk returns the free space and the size, in bytes, of the file system of an SQLite database.
// ok is false if they are not known, as for Postgres.
func (s *Store) Disk() (free, size int64, ok bool) {
	if s.file == nil {
		return 0, 0, false
	}
	return roomAt(s.file.path)
}

// writable returns nil on Windows, which keeps permissions in access control lists.
func writable(string) error { return nil }

// roomAt returns the free space and the size, in bytes, of the file system of a path.
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
