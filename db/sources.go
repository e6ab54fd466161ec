package db

import (
	"context"
	"encoding/json"
	"time"

	"github.com/uptrace/bun"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

type sourceRow struct {
	bun.BaseModel `bun:"table:source_status"`
	market.SourceStatus
	Seq int64
}

// ownClock is how much the clocks of collectors may differ. A later status comes from a clock
// that has since been corrected, and must not outlive newer ones.
const ownClock = 10 * time.Second

// mostClaim is longer than any claim of a source. A claim that lasts longer comes from a clock
// that was fast.
const mostClaim = time.Hour

var sources = table[market.SourceStatus, sourceRow, string]{
	feed:    FeedSources,
	columns: []string{"source"},
	key:     func(r *market.SourceStatus) string { return r.Source },
	lookUp:  func(source string) any { return source },
	row:     func(r *market.SourceStatus, seq int64) *sourceRow { return &sourceRow{SourceStatus: *r, Seq: seq} },
	record:  func(r *sourceRow) *market.SourceStatus { return &r.SourceStatus },
	asOf:    func(r *market.SourceStatus) value.Instant { return r.AsOf },
	ahead:   ownClock,
}

// Sources returns whether each source was up when it was last checked.
func (s *Store) Sources(ctx context.Context) ([]*market.SourceStatus, error) {
	return after(ctx, s, 0, sources.record)
}

type sourceStateRow struct {
	bun.BaseModel `bun:"table:source_states"`
	Source        string
	State         string
	AsOf          value.Instant
	Seq           int64
}

var sourceStates = table[market.SourceState, sourceStateRow, string]{
	feed:    FeedSources,
	columns: []string{"source"},
	key:     func(r *market.SourceState) string { return r.Source },
	lookUp:  func(source string) any { return source },
	row: func(r *market.SourceState, seq int64) *sourceStateRow {
		return &sourceStateRow{Source: r.Source, State: string(r.State), AsOf: r.AsOf, Seq: seq}
	},
	record: func(r *sourceStateRow) *market.SourceState {
		return &market.SourceState{Source: r.Source, State: json.RawMessage(r.State), AsOf: r.AsOf}
	},
	asOf:  func(r *market.SourceState) value.Instant { return r.AsOf },
	ahead: ownClock,
}

// ClaimSource gives a holder the claim to collect a source until the lease ends, unless another
// holder has it. It returns the state of the source (nil: none yet) and whether the holder has
// the claim.
func (s *Store) ClaimSource(ctx context.Context, source, holder string, lease time.Duration) (json.RawMessage, bool, error) {
	return s.claim(ctx, source, holder, lease, "SELECT state FROM source_states WHERE source = ?", source)
}

// ReleaseSource ends a holder's claim.
func (s *Store) ReleaseSource(ctx context.Context, source, holder string) error {
	return s.release(ctx, source, holder)
}
