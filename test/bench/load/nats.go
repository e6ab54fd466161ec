package load

import (
	"net/netip"
	"strconv"

	"golang.org/x/sys/unix"
)

// Publisher publishes in the protocol of NATS.
type Publisher struct {
	fd     int
	buffer []byte
}

// OpenNATS connects to a server of NATS.
func OpenNATS(to netip.AddrPort) (*Publisher, error) {
	fd, _, err := Dial(to, NATS("nothing"))
	return &Publisher{fd: fd}, err
}

// Publish sends a message.
func (p *Publisher) Publish(subject string, message []byte) error {
	p.buffer = append(append(append(p.buffer[:0], "PUB "...), subject...), ' ')
	p.buffer = append(strconv.AppendInt(p.buffer, int64(len(message)), 10), "\r\n"...)
	p.buffer = append(append(p.buffer, message...), "\r\n"...)
	return send(p.fd, p.buffer)
}

// Close hangs up.
func (p *Publisher) Close() { unix.Close(p.fd) }
