package admission

import (
	"context"
	"net/http"
	"time"

	"piyasa/account/access"
	"piyasa/account/usage"
	"piyasa/internal/problem"
)

// CostOnly reports whether a request asks only what it would cost.
func CostOnly(r *http.Request) bool {
	values := r.Header["X-Price-Only"]
	return len(values) == 1 && values[0] == "true"
}

// Pay takes what the call of ctx costs besides access.BaseCost, which Admit has taken, from
// its key's bucket of work, and holds the units that it will be charged. Problems:
// quota-exceeded, rate-limited.
func (d Door) Pay(ctx context.Context, cost int, units int64) error {
	if err := usage.Raise(ctx, units); err != nil {
		return err
	}
	call := access.CallOf(ctx)
	w := d.Gate.Spend(ctx, call.Key, cost-access.BaseCost, time.Now())
	if !w.Allowed {
		call.Cost = access.Cost{Asked: cost, Granted: access.BaseCost, Left: w.Left}
		return tooCostly(cost, w)
	}
	call.Cost = access.Cost{Asked: cost, Granted: cost, Left: w.Left}
	if d.Paid != nil {
		d.Paid(cost)
	}
	return nil
}

// GiveBack gives back what the call of ctx has paid, and has not got.
func (d Door) GiveBack(ctx context.Context) {
	call := access.CallOf(ctx)
	call.Cost.Left = d.Gate.Debit(call.Key, access.BaseCost-call.Cost.Granted, time.Now()).Left
	call.Cost.Granted = access.BaseCost
}

// Cost notes what the call of ctx would cost, which only asks for that.
func (d Door) Cost(ctx context.Context, cost int) access.Cost {
	call := access.CallOf(ctx)
	call.Cost = access.Cost{Asked: cost, Granted: access.BaseCost, Left: d.Gate.Spend(ctx, call.Key, 0, time.Now()).Left}
	return call.Cost
}

// PayAgain takes what it costs to send an answer that was made before. It is never refused:
// the key's next request waits instead.
func (d Door) PayAgain(ctx context.Context, cost int) {
	call := access.CallOf(ctx)
	left := d.Gate.Debit(call.Key, cost, time.Now()).Left
	call.Cost = access.Cost{Asked: access.BaseCost + cost, Granted: access.BaseCost + cost, Left: left}
}

// tooCostly returns the problem of a request whose cost its key's bucket does not hold.
func tooCostly(cost int, w access.Work) error {
	e := problem.New(problem.RateLimited,
		"This request costs %d, and of the work that this key may ask for at once %d is left; try again in %d s.", cost, w.Left,
		w.RetryAfter)
	e.RetryAfter = w.RetryAfter
	return e
}
