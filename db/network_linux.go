package db

import (
	"path/filepath"
	"syscall"
)

// networkFileSystems are the magic numbers of file systems whose locks and shared
// memory do not reach other machines.
var networkFileSystems = map[uint32]string{
	0x6969: "NFS", 0x517b: "SMB", 0xff534d42: "SMB", 0xfe534d42: "SMB", 0x01021997: "9P",
}

// networkFileSystem returns the network file system that a file is on, or "".
func networkFileSystem(path string) string {
	var system syscall.Statfs_t
	if syscall.Statfs(filepath.Dir(path), &system) != nil {
		return "" // opening the database will say more
	}
	return networkFileSystems[uint32(system.Type)]
}
