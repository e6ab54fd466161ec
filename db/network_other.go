//go:build !linux

package db

// warnOfNetwork knows only the file systems of Linux.
func warnOfNetwork(string) {}
