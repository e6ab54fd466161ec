//go:build unix

package db

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// numberOf returns an identity of a file that no other file on the machine has.
func numberOf(info fs.FileInfo) string {
	s := info.Sys().(*syscall.Stat_t)
	return fmt.Sprintf("%d.%d", s.Dev, s.Ino)
}

// sameOwner gives a file to the owner of another.
func sameOwner(path string, as fs.FileInfo) error {
	owner := as.Sys().(*syscall.Stat_t)
	return os.Chown(path, int(owner.Uid), int(owner.Gid))
}

// adopt gives files that root has made to the owner of the first existing file in beside, or
// else of the folder: the service that runs as that user must be able to open them.
func adopt(path string, beside ...string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	for _, of := range append(beside, filepath.Dir(path)) {
		if info, err := os.Stat(of); err == nil {
			return sameOwner(path, info)
		}
	}
	return nil
}

// foreign returns the files of an SQLite database that belong to another user than the file of
// does, who may therefore not be able to open them. of is the folder if a service owns it, else
// the database.
func foreign(path string) (names []string, of string) {
	owner := func(name string) (uint32, bool) {
		info, err := os.Stat(name)
		if err != nil {
			return 0, false
		}
		return info.Sys().(*syscall.Stat_t).Uid, true
	}
	of = filepath.Dir(path)
	expected, ok := owner(of)
	if !ok || expected == 0 {
		of = path
		expected, _ = owner(of)
	}
	for _, suffix := range []string{"", "-witness", "-wal", "-shm"} {
		if uid, there := owner(path + suffix); there && uid != expected {
			names = append(names, path+suffix)
		}
	}
	return names, of
}

// Disk returns the free space and the size, in bytes, of the file system of an SQLite database.
// ok is false if they are not known, as for Postgres.
func (s *Store) Disk() (free, size int64, ok bool) {
	if s.file == nil {
		return 0, 0, false
	}
	return roomAt(s.file.path)
}

// roomAt returns the free space and the size, in bytes, of the file system of a path.
func roomAt(path string) (free, size int64, ok bool) {
	var system syscall.Statfs_t
	if syscall.Statfs(filepath.Dir(path), &system) != nil {
		return 0, 0, false
	}
	block := int64(system.Bsize)
	return int64(system.Bavail) * block, int64(system.Blocks) * block, true
}

// writable returns why this user cannot write a file or folder, or nil if it can.
func writable(path string) error { return unix.Access(path, unix.W_OK) }
