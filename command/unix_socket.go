package command

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"sync"
	"time"

	"piyasa/internal/filelock"
)

const (
	// maxSocketPath is the longest path of a socket, in bytes, that works on every system.
	maxSocketPath = 103
	// occupiedWait is the timeout for checking whether a server answers at a socket.
	occupiedWait = 2 * time.Second
)

// listenUnix listens on a Unix socket. It replaces a socket left by a dead server, but not one
// at which a server answers. If two servers start at once, the lock beside the socket lets one
// go first; the lock is never removed, so that all lock the same file.
func listenUnix(path string, mode fs.FileMode) (_ net.Listener, err error) {
	lock, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = lock.Close()
		}
	}()
	if err := filelock.Try(lock, filelock.Exclusive); errors.Is(err, filelock.ErrHeld) {
		return nil, fmt.Errorf("%s: another piyasa listens on this socket", path)
	} else if err != nil {
		return nil, fmt.Errorf("lock %s: %w", lock.Name(), err)
	}
	switch info, err := os.Lstat(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case info.Mode().Type() != fs.ModeSocket:
		return nil, fmt.Errorf("%s exists and is no socket; it stays as it is", path)
	default:
		if conn, err := net.DialTimeout("unix", path, occupiedWait); err == nil {
			_ = conn.Close()
			return nil, fmt.Errorf("%s: another program listens on this socket", path)
		} else if !nobodyListens(err) {
			return nil, fmt.Errorf("%s: whether another program listens on this socket is not known: %w", path, err)
		}
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	// Until it has its permissions, the socket has a name that no client knows.
	private := path + ".new"
	_ = os.Remove(private)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: private, Net: "unix"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false)
	if err := errors.Join(os.Chmod(private, mode), os.Rename(private, path)); err != nil {
		return nil, errors.Join(err, l.Close(), os.Remove(private))
	}
	return &unixListener{Listener: l, lock: lock, path: path}, nil
}

// unixListener is a Unix socket that no other piyasa replaces while it is open.
type unixListener struct {
	net.Listener
	path string
	lock *os.File
	once sync.Once
}

// Addr implements net.Listener.
func (l *unixListener) Addr() net.Addr { return &net.UnixAddr{Name: l.path, Net: "unix"} }

// Close removes the socket and then releases its path.
func (l *unixListener) Close() error {
	var err error
	l.once.Do(func() { err = errors.Join(l.Listener.Close(), os.Remove(l.path), l.lock.Close()) })
	return err
}
