package db

import (
	"path/filepath"
	"syscall"
)

// fileSystemOf returns the magic number of the file system of a file, or 0. Tests that cannot
// mount one replace it.
var fileSystemOf = func(path string) uint32 {
	var system syscall.Statfs_t
	if syscall.Statfs(filepath.Dir(path), &system) != nil {
		return 0 // opening the database will give a better error
	}
	return uint32(system.Type)
}

// networkFileSystems are the magic numbers of file systems whose locks and shared
// memory do not reach other machines.
var networkFileSystems = map[uint32]string{
	0x6969: "NFS", 0x517b: "SMB", 0xff534d42: "SMB", 0xfe534d42: "SMB", 0x01021997: "9P",
}

// networkFileSystem returns the network file system that a file is on, or "".
func networkFileSystem(path string) string { return networkFileSystems[fileSystemOf(path)] }
