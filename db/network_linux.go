package db

import (
	"log/slog"
	"path/filepath"
	"syscall"
)

// networkFileSystems are the magic numbers of file systems whose locks and shared
// memory do not reach other machines.
var networkFileSystems = map[uint32]string{
	0x6969: "NFS", 0x517b: "SMB", 0xff534d42: "SMB", 0xfe534d42: "SMB", 0x01021997: "9P",
}

// warnOfNetwork warns if an SQLite database is on a network file system.
func warnOfNetwork(path string) {
	var system syscall.Statfs_t
	if syscall.Statfs(filepath.Dir(path), &system) != nil {
		return // opening the database will say more
	}
	if name := networkFileSystems[uint32(system.Type)]; name != "" {
		slog.Warn("the database is on a network file system, which SQLite does not support: processes on several machines damage it", "path", path, "file_system", name)
	}
}
