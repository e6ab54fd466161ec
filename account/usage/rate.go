package usage

import (
	"strconv"

	"piyasa/account/access"
	"piyasa/internal/value"
)

// rateSeconds is how many whole past seconds a rate covers.
const rateSeconds = 60

// Rate is how many requests with keys this server received in the last 60 whole seconds.
type Rate struct {
	Requests    int           `json:"requests"`
	RateLimited int           `json:"rate_limited"` // those rejected because the bucket was empty
	PerSecond   value.Decimal `json:"per_second"`   // at most 2 decimals
}

// asked counts the requests of the last seconds.
type asked struct {
	second  int64 // of the last count, in Unix time
	seconds [rateSeconds + 1]struct{ requests, limited uint32 }
}

// add counts a request in a second, or, if the clock went back a little, in the newest one.
func (a *asked) add(second int64, allowed bool) {
	a.forward(second)
	s := &a.seconds[a.second%int64(len(a.seconds))]
	s.requests++
	if !allowed {
		s.limited++
	}
}

// forward drops seconds that are too old. If the clock goes back by more seconds than are
// kept, it starts over.
func (a *asked) forward(second int64) {
	size := int64(len(a.seconds))
	switch {
	case second >= a.second+size, second <= a.second-size:
		*a = asked{second: second}
	default:
		for ; a.second < second; a.second++ {
			a.seconds[(a.second+1)%size] = struct{ requests, limited uint32 }{}
		}
	}
}

// before returns the sums of the seconds before the given one.
func (a *asked) before(second int64) (requests, limited int) {
	a.forward(second)
	for i, s := range a.seconds {
		if int64(i) != a.second%int64(len(a.seconds)) {
			requests, limited = requests+int(s.requests), limited+int(s.limited)
		}
	}
	return requests, limited
}

// Asked counts a request of the key, which was allowed or rate-limited. A nil account counts
// nothing.
func (a *Account) Asked(allowed bool) {
	if a == nil {
		return
	}
	second := a.meter.now().Time().Unix()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked.add(second, allowed)
}

// rate returns the request rate of some keys together.
func (m *Meter) rate(of ...*Account) Rate {
	var r Rate
	second := m.now().Time().Unix()
	for _, a := range of {
		a.mu.Lock()
		requests, limited := a.asked.before(second)
		a.mu.Unlock()
		r.Requests, r.RateLimited = r.Requests+requests, r.RateLimited+limited
	}
	r.PerSecond = value.MustDecimal(strconv.Itoa(r.Requests)).Over(value.MustDecimal(strconv.Itoa(rateSeconds)), 2)
	return r
}

// rates returns the request rate of a key, and for an operator's key also that of all keys.
func (m *Meter) rates(key *access.Key) (own Rate, all *Rate) {
	own = m.rate(m.Of(key))
	if key.Has(access.Operate) {
		of := m.rate(m.all()...)
		all = &of
	}
	return own, all
}
