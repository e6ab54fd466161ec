package deliver_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"piyasa/db"
	"piyasa/serve/deliver"
)

var errAway = errors.New("it is away")

// follow delivers in a bubble of time until it has gone on for so long.
func follow(t *testing.T, l *memory, long time.Duration, plan deliver.Plan, do func(*deliver.Batch) error) {
	t.Helper()
	plan.Timeout = time.Minute
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	deliverer(l, named(scripted{do}, plan)).Run(ctx)
}

// A sink is asked again when the other side asks for it, and not before; without that, twice as late
// each time, unless it has taken something in between.
func TestRetries(t *testing.T) {
	for name, c := range map[string]struct {
		err         error
		least, most time.Duration // between the eighth attempt and the next
		long        time.Duration
	}{
		"as asked":   {deliver.Refused(errAway, 20*time.Minute, false), 20 * time.Minute, 25 * time.Minute, 6 * time.Hour},
		"ever later": {errAway, 256 * time.Second, 320 * time.Second, time.Hour},
		"progress":   {deliver.Refused(errAway, 0, true), 2 * time.Second, 3 * time.Second, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var at []time.Time
				follow(t, &memory{changes: disclosures(1)}, c.long, deliver.Plan{}, func(*deliver.Batch) error {
					at = append(at, time.Now())
					return c.err
				})
				if len(at) < 9 {
					t.Fatalf("%d attempts", len(at))
				}
				if pause := at[8].Sub(at[7]); pause < c.least || pause > c.most {
					t.Errorf("waits for %s", pause)
				}
			})
		})
	}
}

// A sink is disabled when nothing could be delivered for as long as its plan says, which begins
// again with each success.
func TestGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, since, last := &memory{changes: disclosures(1)}, time.Now(), time.Time{}
		follow(t, l, 10*24*time.Hour, deliver.Plan{GiveUp: 2 * 24 * time.Hour}, func(*deliver.Batch) error {
			if last = time.Now(); time.Since(since) > 24*time.Hour && time.Since(since) < 25*time.Hour {
				l.changes = append(l.changes, disclosures(l.changes[len(l.changes)-1].Number+1)...)
				return nil
			}
			return errAway
		})
		if tried := last.Sub(since); tried < 72*time.Hour || tried > 74*time.Hour {
			t.Errorf("gives up after %s", tried)
		}
		if s := l.known(t); s.Disabled == "" || s.Feeds[db.FeedDisclosures].Number == 0 {
			t.Errorf("state %+v", s)
		}
	})
}

// Time in which nobody tried does not count: some failures with days of maintenance between them,
// or with a clock that was wrong, disable nothing.
func TestMaintenanceIsNoReasonToGiveUp(t *testing.T) {
	for name, between := range map[string]time.Duration{"maintenance": 6 * 24 * time.Hour, "a clock that was ahead": -6 * 24 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, fails, off := &memory{changes: disclosures(1)}, 0, 12*24*time.Hour
				sink := named(scripted{func(*deliver.Batch) error {
					fails++
					return errAway
				}}, deliver.Plan{GiveUp: 2 * 24 * time.Hour, Timeout: time.Minute})
				for range 3 {
					ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
					d := deliverer(l, sink)
					d.Now = func() time.Time { return time.Now().Add(off) }
					d.Run(ctx)
					cancel()
					off += between
				}
				s := l.known(t)
				tried := s.FailedAt.Sub(s.FailingSince)
				if s.Disabled != "" || fails < 5 || s.Failures != fails || tried < 0 || tried > time.Minute {
					t.Errorf("%d failures, since %s, %+v", fails, tried, s)
				}
			})
		})
	}
}

// A sink that has refused everything since it is known is behind, and can be rewound.
func TestRefusesFromTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &memory{changes: disclosures(3)}
		follow(t, l, time.Minute, deliver.Plan{}, func(*deliver.Batch) error { return deliver.Refused(errAway, 0, false) })
		if p, follows := l.known(t).Feeds[db.FeedDisclosures]; !follows || p.Number != 0 {
			t.Errorf("%+v", l.known(t))
		}
	})
}

// A feed that has a pace is read at most every so often.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, calls := &memory{changes: disclosures(1)}, 0
		plan := deliver.Plan{Pace: map[string]time.Duration{db.FeedDisclosures: time.Minute}}
		follow(t, l, time.Hour+time.Second, plan, func(*deliver.Batch) error {
			calls++
			l.changes = append(l.changes, disclosures(l.changes[len(l.changes)-1].Number+1)...)
			return nil
		})
		if calls < 55 || calls > 61 {
			t.Errorf("%d calls in an hour", calls)
		}
	})
}

// A new sink that begins now gets what is stored from then on, also if it fails at first.
func TestBeginsNow(t *testing.T) {
	l, got := &memory{changes: disclosures(1, 2)}, []int64(nil)
	sink := named(scripted{func(b *deliver.Batch) error {
		for _, c := range b.Changes {
			if got = append(got, c.Number); len(got) == 1 {
				return errAway
			}
		}
		return nil
	}}, deliver.Plan{FromNow: true, Timeout: time.Minute})
	for _, more := range [][]int64{nil, {3}, {4}} {
		l.changes = append(l.changes, disclosures(more...)...)
		deliverer(l, sink).Once(t.Context())
	}
	if len(got) != 3 || got[0] != 3 || got[1] != 3 || got[2] != 4 {
		t.Errorf("delivered %v", got)
	}
}
