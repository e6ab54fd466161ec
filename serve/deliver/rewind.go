package deliver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"piyasa/db"
	"piyasa/internal/epoch"
	"piyasa/serve/bulk"
)

// Rewind moves the positions of a sink that no process delivers to "start", to "now", or to a
// position of one feed, and enables the sink. An empty feed stands for the only feed of the sink.
// Rewind waits up to patience for the claim of a killed process to end.
func Rewind(ctx context.Context, log Log, patience time.Duration, holder, sink, feed, to string) (*State, error) {
	m, err := log.Look(ctx)
	if err != nil {
		return nil, err
	}
	claim := claimOf(log, sink, holder)
	text, claimed, err := claim.Await(ctx, patience)
	switch {
	case err != nil:
		return nil, err
	case !claimed:
		return nil, errors.New("a process delivers the sink; stop it first")
	}
	defer func() { _ = claim.Release(context.WithoutCancel(ctx)) }()
	if text == nil {
		return nil, fmt.Errorf("nothing is known of a sink %q", sink)
	}
	s := new(State)
	if err := json.Unmarshal(text, s); err != nil {
		return nil, err
	}
	feeds := slices.Sorted(maps.Keys(s.Feeds))
	if feed != "" {
		if !slices.Contains(feeds, feed) {
			return nil, fmt.Errorf("the sink follows %s; got %q", strings.Join(feeds, ", "), feed)
		}
		feeds = []string{feed}
	}
	for _, feed := range feeds {
		if s.Feeds[feed], err = rewound(m, feed, to, len(feeds)); err != nil {
			return nil, err
		}
	}
	s.Rewound, s.Disabled, s.Failures, s.Error, s.FailingSince = true, "", 0, "", time.Time{}
	if text, err = json.Marshal(s); err != nil {
		return nil, err
	}
	return s, log.KeepSink(ctx, sink, holder, text)
}

// rewound returns the position of a feed to continue from.
func rewound(m epoch.Moment, feed, to string, feeds int) (Position, error) {
	head, p := m.Heads[feed], epoch.Position{}
	switch to {
	case "start":
	case "now":
		p.Seq = head
	default:
		if feeds != 1 {
			return Position{}, errors.New("a position is of one feed: state which with --feed")
		}
		var err error
		if p, err = epoch.ParsePosition(to); err != nil {
			return Position{}, fmt.Errorf("must be start, now or a position: %w; got %q", err, to)
		}
		if _, v := m.Resolve(feed, p); v != epoch.Known {
			return Position{}, fmt.Errorf("the store does not have everything up to %s; the newest position of %s is %s", p, feed,
				m.Epochs.Position(feed, head))
		}
	}
	return positionAt(m, feed, p.Seq), nil
}

// DryRun returns the configuration with sinks that print, as lines, what they would deliver from
// their positions. Nothing is delivered or acknowledged.
func (c *Config) DryRun(out io.Writer) *Config {
	dry := new(Config)
	for _, n := range c.Sinks {
		n.Sink = printer{out}
		dry.Sinks = append(dry.Sinks, n)
	}
	return dry
}

// printer is a sink that prints.
type printer struct{ out io.Writer }

func (p printer) Deliver(_ context.Context, b *Batch) error {
	for i := range b.Changes {
		line, err := bulk.AppendLine(nil, &b.Changes[i])
		if err == nil {
			_, err = p.out.Write(append(line, '\n'))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (printer) Commit(context.Context, *State, bool) error   { return nil }
func (printer) Resume(context.Context, *State) error         { return nil }
func (printer) WentBack(context.Context, Back, *State) error { return nil }
func (printer) Check(context.Context) error                  { return nil }
func (printer) Close() error                                 { return nil }

// Unkept is a log that claims no sinks and keeps no states, for dry runs.
type Unkept struct{ *db.Store }

// ClaimSink implements Log.
func (u Unkept) ClaimSink(ctx context.Context, sink, _ string, _ time.Duration) (json.RawMessage, bool, error) {
	states, err := u.Sinks(ctx)
	return states[sink], true, err
}

// ReleaseSink implements Log.
func (Unkept) ReleaseSink(context.Context, string, string) error { return nil }

// KeepSink implements Log.
func (Unkept) KeepSink(context.Context, string, string, json.RawMessage) error { return nil }
