package usage

import (
	"context"
	"sync"

	"piyasa/account/access"
)

// Reservation holds units for one operation until Settle. It travels in a context: Reserve
// makes it, Raise adds units, and TakeOver moves it to work that outlives the request.
type Reservation struct {
	account *Account

	mu     sync.Mutex
	units  int64
	raised int64 // units added by Raise
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

// Raise makes the reservation of ctx, if there is one, hold more units. Problem:
// quota-exceeded.
func Raise(ctx context.Context, units int64) error {
	r, _ := ctx.Value(reservationKey{}).(*Reservation)
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	raised := r.raised + units
	if raised > r.units {
		if err := r.account.hold(r.units, raised); err != nil {
			return err
		}
		r.units = raised
	}
	r.raised = raised
	return nil
}

// TakeOver moves the reservation that ctx carries to a new one, for work that outlives the
// request, and returns it with a context that carries it. Settling the request's reservation
// then does nothing.
func TakeOver(ctx context.Context) (context.Context, *Reservation) {
	own := &Reservation{}
	if r, _ := ctx.Value(reservationKey{}).(*Reservation); r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		own.account, own.units, own.raised = r.account, r.units, r.raised
		r.account, r.units = nil, 0
	}
	return context.WithValue(ctx, reservationKey{}, own), own
}

// Settle counts what was used in place of the held units. Only the first call counts. A nil
// reservation holds nothing.
func (r *Reservation) Settle(used ...access.Used) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.account.Pay(r.units, used...)
	r.account, r.units = nil, 0
}

// Account returns the account that pays; nil: there is none, or the reservation is settled.
func (r *Reservation) Account() *Account {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.account
}
