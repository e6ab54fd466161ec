package deliver

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"piyasa/collect"
	"piyasa/db"
	"piyasa/internal/epoch"
)

// Timeouts and bounds of a deliverer.
const (
	storeTime    = 30 * time.Second // for the store, to claim a sink or keep a position
	lookInterval = 15 * time.Second // between attempts to claim a sink that another process delivers
	firstRetry   = 2 * time.Second
	pageRows     = 10_000        // changes in one read
	untried      = 3 * time.Hour // so long after a failure, the next one begins a new series: pauses and attempts are shorter
	checkTime    = time.Minute   // for a small file in a place of backups
)

// Log is the log that a Deliverer follows, and the store of positions: a *db.Store.
type Log interface {
	// Look returns the last number of every feed, and the epochs.
	Look(context.Context) (epoch.Moment, error)
	// Changes returns changes of a feed after a cursor, and the cursor after them.
	Changes(ctx context.Context, feed string, from db.Cursor, head int64, limit int) ([]db.Change, db.Cursor, error)
	// PollInterval returns how often to look for changes.
	PollInterval() time.Duration
	// ClaimSink lets a holder deliver a sink for the time of a lease, unless another one does, and
	// returns its state.
	ClaimSink(ctx context.Context, sink, holder string, lease time.Duration) (json.RawMessage, bool, error)
	// ReleaseSink ends the claim of a holder.
	ReleaseSink(ctx context.Context, sink, holder string) error
	// KeepSink stores the state of a sink; db.ErrNotHeld: the holder has lost the sink.
	KeepSink(ctx context.Context, sink, holder string, state json.RawMessage) error
}

// Deliverer delivers the sinks of a configuration independently, so that one that hangs delays no
// other. Several processes may have the same sinks; one at a time delivers each. Use Run to
// deliver continuously, Once to deliver what there is, and Check to try the sinks.
type Deliverer struct {
	Config   *Config
	Log      Log
	Holder   string // a name that is unique among processes
	Now      func() time.Time
	Webhooks *Webhooks // webhooks of keys, which Run also delivers; nil: none
	Backups  *Backups  // backups, which Run also makes; nil: none

	Patience time.Duration // how long Once waits for sinks claimed by another process; 0: not at all
}

// Outcome is the result of one run of a sink.
type Outcome struct {
	Sink      string
	Delivered int64 // changes
	Held      bool  // another process delivers it
	Err       error
	Backup    *Backup // the backup made, if any
}

// Run delivers until ctx ends.
func (d *Deliverer) Run(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	if d.Webhooks != nil {
		running.Go(func() { d.Webhooks.run(ctx, d) })
	}
	if d.Backups != nil {
		running.Go(func() { d.Backups.run(ctx, d) })
	}
	d.each(func(r *runner, _ int) { r.follow(ctx) })
}

// patience returns how long to wait for a claim.
func (d *Deliverer) patience(once bool) time.Duration {
	if once {
		return d.Patience
	}
	return 0
}

// Once delivers what the log has now, and returns the outcome of each sink.
func (d *Deliverer) Once(ctx context.Context) []Outcome {
	all := make([]Outcome, len(d.Config.Sinks))
	d.each(func(r *runner, i int) { all[i] = r.run(ctx, true) })
	if d.Backups != nil {
		_, made := d.Backups.turn(ctx, d, true)
		all = append(all, made)
	}
	return all
}

// Check tries each sink without delivering anything, and returns the outcomes.
func (d *Deliverer) Check(ctx context.Context) []Outcome {
	all := make([]Outcome, len(d.Config.Sinks))
	d.each(func(r *runner, i int) {
		bounded, cancel := context.WithTimeout(ctx, r.Timeout)
		defer cancel()
		all[i] = Outcome{Sink: r.Name, Err: r.Sink.Check(bounded)}
	})
	if plan := d.Config.Backup; plan != nil && plan.to != nil {
		bounded, cancel := context.WithTimeout(ctx, checkTime)
		defer cancel()
		all = append(all, Outcome{Sink: db.Backups, Err: plan.to.try(bounded)})
	}
	return all
}

func (d *Deliverer) each(do func(r *runner, i int)) {
	var running sync.WaitGroup
	for i, sink := range d.Config.Sinks {
		running.Go(func() { do(&runner{Deliverer: d, Named: sink, due: map[string]time.Time{}}, i) })
	}
	running.Wait()
}

// runner delivers one sink.
type runner struct {
	*Deliverer
	Named
	state State
	kept  State                // as of the last commit: later changes may come again
	taken int64                // changes taken since the last commit
	since time.Time            // time of the last commit
	told  bool                 // whether the sink has been notified that it is up to date
	due   map[string]time.Time // when feeds with a pace may be read again
}

// follow delivers until ctx ends, and pauses after errors.
func (r *runner) follow(ctx context.Context) {
	for ctx.Err() == nil {
		o := r.run(ctx, false)
		pause := r.Every
		switch {
		case ctx.Err() != nil:
			return
		case o.Held:
			pause = lookInterval
		case o.Err != nil:
			pause = r.pause(o.Err)
			slog.Error("a sink could not be delivered", "sink", r.Name, "error", o.Err, "again_in", pause.Round(time.Second))
		}
		_ = collect.Wait(ctx, pause)
	}
}

// pause returns how long to wait after an error.
func (r *runner) pause(err error) time.Duration {
	var asked time.Duration
	if refused := new(refusal); errors.As(err, &refused) {
		asked = refused.after
	}
	return collect.Backoff(r.state.Failures, firstRetry, asked)
}

// run delivers while it holds the sink, until it fails; if once is set, only up to the current end
// of the log.
func (r *runner) run(ctx context.Context, once bool) (o Outcome) {
	o.Sink = r.Name
	claim := claimOf(r.Log, r.Name, r.Holder)
	text, claimed, err := claim.Await(ctx, r.patience(once))
	if err != nil || !claimed {
		o.Err, o.Held = err, err == nil
		return o
	}
	held, release := claim.Hold(ctx)
	defer func() { o.Err = errors.Join(o.Err, release()) }()
	r.state = State{}
	if text != nil {
		if err := json.Unmarshal(text, &r.state); err != nil {
			o.Err = fmt.Errorf("the state of the sink: %w", err)
			return o
		}
	}
	if r.state.Disabled != "" {
		o.Err = fmt.Errorf("the sink is disabled: %s; `piyasa deliver rewind` enables it", r.state.Disabled)
		return o
	}
	before := r.state.Delivered
	r.note()
	if o.Err = r.begin(held); o.Err == nil {
		o.Err = r.deliver(held, once)
	}
	o.Delivered = r.kept.Delivered - before
	switch lost := context.Cause(held); {
	case o.Err == nil:
	case errors.Is(lost, collect.ErrTaken):
		o.Err = lost
	case ctx.Err() == nil:
		o.Err = errors.Join(o.Err, r.fail(ctx, o.Err))
	case r.OneByOne && r.taken > 0: // the next process repeats nothing that was acknowledged
		o.Err = errors.Join(o.Err, r.keep(ctx))
	}
	return o
}

// note records what has been acknowledged.
func (r *runner) note() {
	r.kept = r.state
	r.kept.Feeds = maps.Clone(r.state.Feeds)
}

// fail records a failure. Changes taken since the last commit do not count as delivered.
func (r *runner) fail(ctx context.Context, why error) error {
	r.state = r.kept
	refused := new(refusal)
	if errors.As(why, &refused) && refused.progressed {
		r.state.Failures = 0
	}
	if refused.waits {
		r.state.Waiting = why.Error()
		return r.keep(ctx)
	}
	now := r.Now().UTC()
	if r.state.Failures++; r.state.Failures == 1 || now.Sub(r.state.FailedAt).Abs() > untried {
		r.state.FailingSince = now
	}
	r.state.Failed++
	r.state.Error, r.state.FailedAt, r.state.Waiting = why.Error(), now, ""
	switch {
	case refused.gone:
		r.state.Disabled = why.Error()
	case r.GiveUp > 0 && now.Sub(r.state.FailingSince) > r.GiveUp:
		r.state.Disabled = fmt.Sprintf("nothing could be delivered since %s: %v", r.state.FailingSince.Format(time.RFC3339), why)
	}
	err := r.keep(ctx)
	if err != nil {
		r.state.Disabled = "" // it ends when the store says so, and the owner can see it
	}
	return err
}

// complete adds the feeds of which nothing has been delivered, so that the sink is behind them and
// can be rewound.
func (r *runner) complete(feeds map[string]Position) {
	for _, feed := range r.Feeds {
		if _, ok := feeds[feed]; !ok {
			feeds[feed] = Position{}
		}
	}
}

// begin sets where a new sink begins.
func (r *runner) begin(ctx context.Context) error {
	fresh := r.state.Feeds == nil
	if fresh {
		r.state.Feeds = map[string]Position{}
	}
	if fresh && r.FromNow {
		m, err := r.Log.Look(ctx)
		if err != nil {
			return err
		}
		for _, feed := range r.Feeds {
			r.state.Feeds[feed] = positionAt(m, feed, m.Heads[feed])
		}
	}
	r.complete(r.state.Feeds)
	r.note()
	return nil
}

// positionAt returns the position after everything up to a number.
func positionAt(m epoch.Moment, feed string, number int64) Position {
	return Position{m.Epochs.Position(feed, number).Epoch, db.Cursor{Number: number}}
}

func (r *runner) deliver(ctx context.Context, once bool) error {
	if err := r.limited(ctx, func(ctx context.Context) error { return r.Resume(ctx, &r.state) }); err != nil {
		return err
	}
	r.taken, r.since, r.told = 0, r.Now(), false
	for {
		moment, err := r.Log.Look(ctx)
		if err != nil {
			return err
		}
		more := false
		for _, feed := range r.Feeds {
			if r.Now().Before(r.due[feed]) {
				continue
			}
			next, err := r.feed(ctx, feed, moment)
			if err != nil {
				return fmt.Errorf("%s: %w", feed, err)
			}
			if pace := r.Pace[feed]; pace > 0 && !next {
				r.due[feed] = r.Now().Add(pace)
			}
			more = more || next
		}
		if !more || r.taken >= r.Most || r.Now().Sub(r.since) > collect.RenewEvery && r.Every == 0 {
			if err := r.commit(ctx, !more); err != nil {
				return err
			}
		}
		if more {
			continue
		}
		if once {
			return nil
		}
		if err := collect.Wait(ctx, max(r.Every, r.Log.PollInterval())); err != nil {
			return err
		}
	}
}

// feed delivers a page of a feed; more reports whether there is another.
func (r *runner) feed(ctx context.Context, feed string, m epoch.Moment) (more bool, err error) {
	from := r.state.Feeds[feed]
	kept, verdict := m.Resolve(feed, epoch.Position{Epoch: from.Epoch, Seq: from.Number})
	if reading := from.To; verdict == epoch.Known && reading > 0 { // rows that are being read must still exist
		_, verdict = m.Resolve(feed, epoch.Position{Epoch: from.Epoch, Seq: reading})
	}
	switch verdict {
	case epoch.Ahead:
		return false, fmt.Errorf("the database that is read is behind the position %s: a standby that lags", from)
	case epoch.Lost, epoch.Unknown:
		back := Back{Feed: feed, Was: from, Kept: kept}
		slog.Warn("the store has gone back; a sink starts where it still agrees", "sink", r.Name, "feed", feed, "was", from, "from", kept)
		from = positionAt(m, feed, kept)
		r.state.Feeds[feed] = from
		if err := r.limited(ctx, func(ctx context.Context) error { return r.WentBack(ctx, back, &r.state) }); err != nil {
			return false, err
		}
		from = r.state.Feeds[feed]
	}
	head := m.Heads[feed]
	if from.Cursor == (db.Cursor{Number: head}) {
		return false, nil
	}
	changes, next, err := r.Log.Changes(ctx, feed, from.Cursor, head, cmp.Or(r.Page, pageRows))
	if err != nil {
		return false, err
	}
	to := Position{m.Epochs.Position(feed, max(next.Number, next.To)).Epoch, next}
	b := &Batch{Feed: feed, Epochs: m.Epochs, From: from, After: to}
	b.Changes = slices.DeleteFunc(changes, func(c db.Change) bool { return !r.reaches(&c) })
	size := max(len(b.Changes), 1)
	if r.OneByOne {
		size = 1
	}
	for part := range slices.Chunk(b.Changes, size) {
		call := *b
		call.Changes = part
		if err := r.limited(ctx, func(ctx context.Context) error { return r.Deliver(ctx, &call) }); err != nil {
			return false, err
		}
		r.taken += int64(len(part))
		r.state.Delivered += int64(len(part))
		if r.OneByOne {
			r.state.Feeds[feed] = b.Through(&part[0])
		}
	}
	r.state.Feeds[feed] = to
	return next != db.Cursor{Number: head}, nil
}

// commit lets the sink acknowledge, and moves the positions in the store. If nothing has moved,
// it records from time to time that the sink is up to date.
func (r *runner) commit(ctx context.Context, caughtUp bool) error {
	if r.taken > 0 || caughtUp && !r.told {
		if err := r.limited(ctx, func(ctx context.Context) error { return r.Commit(ctx, &r.state, caughtUp) }); err != nil {
			return err
		}
	}
	if r.told && r.taken == 0 && r.state.Failures == 0 && r.state.Waiting == "" && r.Now().Sub(r.state.CaughtUp) < collect.RenewEvery {
		return nil
	}
	r.taken, r.since, r.told = 0, r.Now(), caughtUp
	r.state.Failures, r.state.FailingSince, r.state.Error, r.state.Waiting, r.state.Rewound = 0, time.Time{}, "", "", false
	if caughtUp {
		r.state.CaughtUp = r.Now().UTC()
	}
	err := r.keep(ctx)
	if err == nil {
		r.note()
	}
	return err
}

// limited runs a call of the sink with its timeout.
func (r *runner) limited(ctx context.Context, call func(context.Context) error) error {
	bounded, cancel := context.WithTimeoutCause(ctx, r.Timeout, fmt.Errorf("the other side did not answer within %s", r.Timeout))
	defer cancel()
	err := call(bounded)
	if err != nil && bounded.Err() != nil && ctx.Err() == nil {
		return errors.Join(context.Cause(bounded), err)
	}
	return err
}

// claimOf returns the claim of a sink.
func claimOf(log Log, sink, holder string) collect.Claim {
	return collect.Claim{
		What: "sink " + sink,
		Ask: func(ctx context.Context, lease time.Duration) (json.RawMessage, bool, error) {
			return log.ClaimSink(ctx, sink, holder, lease)
		},
		Release: func(ctx context.Context) error { return log.ReleaseSink(ctx, sink, holder) },
	}
}

func (r *runner) keep(ctx context.Context) error {
	state := r.state
	state.Feeds = maps.Clone(state.Feeds)
	if state.Feeds != nil {
		r.complete(state.Feeds)
	}
	text, err := json.Marshal(&state)
	if err != nil {
		return err
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTime) // what was acknowledged must be stored
	defer cancel()
	return r.Log.KeepSink(bounded, r.Name, r.Holder, text)
}
