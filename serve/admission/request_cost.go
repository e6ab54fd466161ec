package admission

import (
	"context"
	"net/http"
	"time"

	"piyasa/account/access"
	"piyasa/account/usage"
	"piyasa/internal/problem"
)

// CostOnly reports whether a request asks only for its cost.
func CostOnly(r *http.Request) bool {
	values := r.Header["X-Price-Only"]
	return len(values) == 1 && values[0] == "true"
}

// Pay takes cost, in fields of an answer and less access.BaseCost, which Admit has taken, from
// the bucket of work of the call's key, and holds the units that the call will be charged.
// Problems: quota-exceeded, rate-limited.
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

// GiveBack gives back what the call of ctx paid for an answer that it does not get.
func (d Door) GiveBack(ctx context.Context) {
	call := access.CallOf(ctx)
	call.Cost.Left = d.Gate.Debit(call.Key, access.BaseCost-call.Cost.Granted, time.Now()).Left
	call.Cost.Granted = access.BaseCost
}

// Cost records what the call of ctx, which asks only for its cost, would cost.
func (d Door) Cost(ctx context.Context, cost int) access.Cost {
	call := access.CallOf(ctx)
	call.Cost = access.Cost{Asked: cost, Granted: access.BaseCost, Left: d.Gate.Spend(ctx, call.Key, 0, time.Now()).Left}
	return call.Cost
}

// PayAgain takes the cost of sending an answer that was made before. It never fails: the key's
// next request waits instead.
func (d Door) PayAgain(ctx context.Context, cost int) {
	call := access.CallOf(ctx)
	left := d.Gate.Debit(call.Key, cost, time.Now()).Left
	call.Cost = access.Cost{Asked: access.BaseCost + cost, Granted: access.BaseCost + cost, Left: left}
}

// tooCostly returns the problem of a request that costs more than its key's bucket holds.
func tooCostly(cost int, w access.Work) error {
	e := problem.New(problem.RateLimited,
		"This request costs %d, and of the work that this key may ask for at once %d is left; try again in %d s.", cost, w.Left,
		w.RetryAfter)
	e.RetryAfter = w.RetryAfter
	return e
}
