package access

import (
	"math"
	"time"
)

// bucket holds the tokens of one key, for requests or for work. While servers share it, its
// level is that of the store, as far as this server knows, and only the tokens in hand may be
// taken here.
type bucket struct {
	name         Bucket
	size, perSec float64   // of the key's plan
	level        float64   // tokens at the time at
	at           time.Time // of level
	lease        *lease    // while it is shared; nil: all tokens are here
	taken        float64   // while it is not shared: tokens taken without the store's knowledge
}

// fill adds the tokens refilled up to now. A clock that goes back adds none.
func (b *bucket) fill(now time.Time) {
	if passed := now.Sub(b.at); passed > 0 {
		b.level = min(b.size, b.level+passed.Seconds()*b.perSec)
		b.at = now
	}
}

// resize gives the bucket the size of another plan.
func (b *bucket) resize(size, perSec float64, now time.Time) {
	if b.size == size && b.perSec == perSec {
		return
	}
	b.fill(now)
	b.size, b.perSec = size, perSec
	b.level = min(b.level, size)
}

// tokens returns how many tokens there are, here and on other servers; below 0: a debt. Call
// fill first.
func (b *bucket) tokens() float64 {
	if b.lease != nil {
		return b.level + b.lease.hand
	}
	return b.level
}

// has reports whether n tokens may be taken here.
func (b *bucket) has(n float64) bool {
	if b.lease != nil {
		return b.lease.hand+tokenNoise >= n
	}
	return b.level+tokenNoise >= n
}

// take takes n tokens, which may leave a debt; below 0: gives them back.
func (b *bucket) take(n float64, now time.Time) {
	if b.lease != nil {
		b.level -= b.lease.take(n, now)
		return
	}
	b.level = min(b.size, b.level-n)
	b.taken += n
}

// full reports whether the bucket is like a new one. Call fill first.
func (b *bucket) full() bool {
	l := b.lease
	return b.level >= b.size && (l == nil || l.hand == 0 && l.owed == 0 && l.asking == nil)
}

// wait returns in how many seconds there will be n tokens.
func (b *bucket) wait(n float64) int { return seconds((n - b.tokens()) / b.perSec) }

// tokenNoise absorbs the floating-point error in the count of tokens.
const tokenNoise = 1e-6

// seconds rounds up to whole seconds.
func seconds(s float64) int { return max(0, int(math.Ceil(s-tokenNoise))) }
