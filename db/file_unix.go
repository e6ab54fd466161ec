//go:build unix

package db

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
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
	var system syscall.Statfs_t
	if s.file == nil || syscall.Statfs(filepath.Dir(s.file.path), &system) != nil {
		return 0, 0, false
	}
	block := int64(system.Bsize)
	return int64(system.Bavail) * block, int64(system.Blocks) * block, true
}
