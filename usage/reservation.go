package usage

import (
	"context"
	"sync"

	"piyasa/access"
)

// Reservation is a unit that is held for one operation, until it is settled.
type Reservation struct {
	account *Account

	mu    sync.Mutex
	units int64
}

type reservationKey struct{}

// Reserve holds a unit and returns a context that carries the reservation. Problem:
// quota-exceeded.
func (a *Account) Reserve(ctx context.Context) (context.Context, *Reservation, error) {
	if err := a.Hold(access.Unit); err != nil {
		return ctx, nil, err
	}
	r := &Reservation{account: a, units: access.Unit}
	return context.WithValue(ctx, reservationKey{}, r), r, nil
}

// TakeOver returns the reservation that ctx carries, for something that outlives the
// request: settling the one of the request does nothing any more.
func TakeOver(ctx context.Context) *Reservation {
	r, _ := ctx.Value(reservationKey{}).(*Reservation)
	if r == nil {
		return &Reservation{}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	own := &Reservation{account: r.account, units: r.units}
	r.account, r.units = nil, 0
	return own
}

// Settle counts what was used instead. Only the first call counts. A nil reservation
// holds nothing.
func (r *Reservation) Settle(used ...access.Used) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.account.Pay(r.units, used...)
	r.account, r.units = nil, 0
}

// Account returns the account that pays; nil: none, or it is settled.
func (r *Reservation) Account() *Account {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.account
}
