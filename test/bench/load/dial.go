package load

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"

	"golang.org/x/sys/unix"
)

// Dial connects one client and greets.
func Dial(to netip.AddrPort, d Dialect) (fd int, rest []byte, err error) {
	fd, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, nil, err
	}
	defer func() {
		if err != nil {
			unix.Close(fd)
		}
	}()
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: int64(patience.Seconds())}); err != nil {
		return fd, nil, err
	}
	if err := unix.Connect(fd, &unix.SockaddrInet4{Port: int(to.Port()), Addr: to.Addr().As4()}); err != nil {
		return fd, nil, err
	}
	for _, step := range d.Greeting {
		if err := send(fd, step.Say); err != nil {
			return fd, nil, err
		}
		if rest, err = d.await(fd, rest, step.Until, func([]byte) {}); err != nil {
			return fd, nil, fmt.Errorf("greeting: %w", err)
		}
	}
	return fd, rest, nil
}

// await reads until a message has a text in it and returns what comes after; heard
// is called with each message up to there.
func (d Dialect) await(fd int, data []byte, until string, heard func(message []byte)) (rest []byte, err error) {
	buffer := make([]byte, 64<<10)
	for {
		if until == "\r\n\r\n" { // the answer to an upgrade
			if end := bytes.Index(data, []byte(until)); end >= 0 {
				if !bytes.HasPrefix(data, []byte("HTTP/1.1 101 ")) {
					return nil, fmt.Errorf("no upgrade: %.300q", data)
				}
				return data[end+len(until):], nil
			}
		} else {
			for {
				message, size, err := d.next(data)
				if err != nil {
					return nil, err
				}
				if size == 0 {
					break
				}
				data = data[size:]
				heard(message)
				if bytes.Contains(message, []byte(until)) {
					return data, nil
				}
			}
		}
		n, err := unix.Read(fd, buffer)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n == 0 {
			return nil, fmt.Errorf("waiting for %q: %w; so far %.300q", until, errors.Join(err, errClosed(n)), data)
		}
		data = append(data, buffer[:n]...)
	}
}

func errClosed(n int) error {
	if n == 0 {
		return errors.New("the server closed the connection")
	}
	return nil
}
