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

// numberOf returns what tells a file from every other one on the machine.
func numberOf(info fs.FileInfo) string {
	s := info.Sys().(*syscall.Stat_t)
	return fmt.Sprintf("%d.%d", s.Dev, s.Ino)
}

// sameOwner gives a file to the owner of another.
func sameOwner(path string, as fs.FileInfo) error {
	owner := as.Sys().(*syscall.Stat_t)
	return os.Chown(path, int(owner.Uid), int(owner.Gid))
}

// Disk returns how much room is left for an SQLite database on its file system, and how
// large that is; not ok: it is not known, as for Postgres.
func (s *Store) Disk() (free, size int64, ok bool) {
	if s.file == nil {
		return 0, 0, false
	}
	return roomAt(s.file.path)
}

// roomAt returns the room beside a file.
func roomAt(path string) (free, size int64, ok bool) {
	var system syscall.Statfs_t
	if syscall.Statfs(filepath.Dir(path), &system) != nil {
		return 0, 0, false
	}
	block := int64(system.Bsize)
	return int64(system.Bavail) * block, int64(system.Blocks) * block, true
}

// writable returns why this user cannot write a file or folder, or nil.
func writable(path string) error { return unix.Access(path, unix.W_OK) }
