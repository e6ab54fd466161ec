package stream

import "time"

// How much of what a client sends is read.
const (
	readBurst = 1 << 20   // bytes at once
	readRate  = 256 << 10 // bytes a second from then on
)

// pace is a bucket of bytes that are read of one client. Its zero value is full.
type pace struct {
	taken float64 // bytes that the bucket lacks at the time at
	at    int64   // by clock
}

// take takes n bytes and returns how long to wait until the bucket has had them.
func (p *pace) take(n int) time.Duration {
	now := clock()
	elapsed := time.Duration(max(0, now-p.at)) // the first time, since the process began, or nothing
	p.taken = max(0, p.taken-elapsed.Seconds()*readRate) + float64(n)
	p.at = now
	return time.Duration(max(0, p.taken-readBurst) / readRate * float64(time.Second))
}
