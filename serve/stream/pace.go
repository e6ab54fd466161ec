package stream

import "time"

// How fast the bytes of a client are read.
const (
	readBurst = 1 << 20   // bytes at once
	readRate  = 256 << 10 // bytes a second after the burst
)

// pace is a token bucket for the bytes read from one client. Its zero value is full.
type pace struct {
	taken float64 // bytes that the bucket lacks at the time at
	at    int64   // by clock
}

// take takes n bytes and returns how long to wait until the bucket covers them.
func (p *pace) take(n int) time.Duration {
	now := clock()
	elapsed := time.Duration(max(0, now-p.at)) // in the first call since the process began; not below 0
	p.taken = max(0, p.taken-elapsed.Seconds()*readRate) + float64(n)
	p.at = now
	return time.Duration(max(0, p.taken-readBurst) / readRate * float64(time.Second))
}
