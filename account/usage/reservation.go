package usage

import (
	"context"
	"sync"

	"piyasa/account/access"
)

// Reservation holds units for one operation, until it is settled.
type Reservation struct {
	account *Account

	mu    sync.Mutex
	units int64
	price int64 // of what was raised
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

// Raise has the reservation of ctx, if there is one, hold what something more will be
// charged. Problem: quota-exceeded.
func Raise(ctx context.Context, units int64) error {
	r, _ := ctx.Value(reservationKey{}).(*Reservation)
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	price := r.price + units
	if price > r.units {
		if err := r.account.hold(r.units, price); err != nil {
			return err
		}
		r.units = price
	}
	r.price = price
	return nil
}

// TakeOver returns the reservation that ctx carries, for something that outlives the
// request, and a context that carries it: settling the one of the request does nothing any
// more.
func TakeOver(ctx context.Context) (context.Context, *Reservation) {
	own := &Reservation{}
	if r, _ := ctx.Value(reservationKey{}).(*Reservation); r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		own.account, own.units, own.price = r.account, r.units, r.price
		r.account, r.units = nil, 0
	}
	return context.WithValue(ctx, reservationKey{}, own), own
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
