// Package load asks servers as fast as they answer, from one thread, so that the
// side that asks takes little of the machine.
package load

import (
	"fmt"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"
)

// poll waits for any of many connections.
type poll struct {
	epoll  int
	events []unix.EpollEvent
}

func newPoll() (*poll, error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	return &poll{fd, make([]unix.EpollEvent, 1024)}, err
}

// add connects to an address and watches the connection under a number.
func (p *poll) add(to netip.AddrPort, number int) (fd int, err error) {
	if !to.Addr().Is4() {
		return -1, fmt.Errorf("%s: only IPv4", to)
	}
	fd, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	if err = connect(fd, to); err == nil {
		err = unix.EpollCtl(p.epoll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(number)})
	}
	if err != nil {
		unix.Close(fd)
		return -1, fmt.Errorf("connecting to %s: %w", to, err)
	}
	return fd, nil
}

func connect(fd int, to netip.AddrPort) error {
	if err := unix.Connect(fd, &unix.SockaddrInet4{Port: int(to.Port()), Addr: to.Addr().As4()}); err != nil {
		return err
	}
	if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1); err != nil {
		return err
	}
	return unix.SetNonblock(fd, true)
}

// wait calls ready with the number of each connection that has something to
// read, or with none when the time is over.
func (p *poll) wait(limit time.Duration, ready func(number int) error) error {
	n, err := unix.EpollWait(p.epoll, p.events, int(limit.Milliseconds()))
	if err == unix.EINTR {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range p.events[:n] {
		if err := ready(int(e.Fd)); err != nil {
			return err
		}
	}
	return nil
}

func (p *poll) close() { unix.Close(p.epoll) }

// send writes all of it; what a server does not take at once it takes soon.
func send(fd int, data []byte) error {
	for len(data) > 0 {
		n, err := unix.Write(fd, data)
		if err == unix.EAGAIN {
			if _, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, 10_000); err != nil && err != unix.EINTR {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}
