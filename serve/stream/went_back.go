package stream

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"piyasa/domain/kap"
	"piyasa/internal/epoch"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// feedName is the name of the feed of disclosures.
const feedName = "disclosures"

// published remembers the last published disclosures, so that they can be named if the store
// loses them.
type published struct {
	last []numbered // by seq
}

type numbered struct {
	seq   int64
	index int
}

// maxPublished is how many disclosures are remembered: more than a failover loses.
const maxPublished = 10_000

func (p *published) add(d *kap.Stored) {
	if len(p.last) == 2*maxPublished {
		p.last = slices.Clone(p.last[maxPublished:])
	}
	p.last = append(p.last, numbered{d.Seq, d.DisclosureIndex})
}

// above returns the numbers of the disclosures published above seq, each once.
func (p *published) above(seq int64) (indices []int) {
	for _, n := range p.last {
		if n.seq > seq {
			indices = append(indices, n.index)
		}
	}
	slices.Sort(indices)
	return slices.Compact(indices)
}

// drop forgets what was published above seq.
func (p *published) drop(seq int64) {
	p.last = slices.DeleteFunc(p.last, func(n numbered) bool { return n.seq > seq })
}

// maxNamed is the most lost disclosures that an event or a log message names.
const maxNamed = 1000

// enter begins a new epoch. It logs, counts and announces published disclosures that are not
// stored any more.
func (s *Disclosures) enter(ctx context.Context, rows Rows) error {
	id, at := rows.Epochs.Current(), s.hub.Position()
	if at.Seq <= rows.Shared {
		s.hub.Enter(epoch.Position{Epoch: id, Seq: at.Seq})
		return nil
	}
	candidates := s.published.above(rows.Shared)
	stored, err := s.store.KnownDisclosures(ctx, candidates)
	if err != nil {
		return err
	}
	lost := slices.DeleteFunc(append([]int{}, candidates...), func(index int) bool { return stored[index] })
	named := lost[max(0, len(lost)-maxNamed):]
	text, err := value.AppendJSON(nil, newWentBackFrame(named))
	if err != nil {
		return err
	}
	s.published.drop(rows.Shared)
	s.lost.Add(int64(len(lost)))
	slog.Error("the store went back: disclosures that were published are not stored any more",
		"epoch", id, "numbers_above", rows.Shared, "published_up_to", at.Seq, "lost", len(lost), "disclosures", named)
	back := &StoreWentBack{Lost: named, position: epoch.Position{Epoch: id, Seq: rows.Shared}}
	s.hub.Enter(back.position, &publication{wentBack: back, frame: newSharedFrame(text)})
	return nil
}

func newWentBackFrame(lost []int) wentBackFrame {
	return wentBackFrame{"error", "store_went_back",
		"the database lost disclosures that were sent; they come again if the source sends them again", lost}
}

// Lost returns how many disclosures were published and then lost by the store.
func (s *Disclosures) Lost() int64 { return s.lost.Load() }

// Timeouts of a resume from a position that this server does not know yet: another server
// may have been ahead.
const (
	aheadWait = 2 * time.Second
	aheadPoll = 50 * time.Millisecond
)

// resolve returns where, in the current epoch, a client with everything up to a position
// resumes. lost reports that rows up to the position were lost. Problems: position-ahead,
// position-gone.
func (s *Disclosures) resolve(ctx context.Context, p epoch.Position) (from epoch.Position, lost bool, err error) {
	var m epoch.Moment
	if epochs := s.epochs.Load(); epochs != nil {
		m = epoch.Moment{Epochs: *epochs, Heads: map[string]int64{feedName: s.hub.Position().Seq}}
	}
	for until := time.Now().Add(aheadWait); ; {
		seq, verdict := m.Resolve(feedName, p)
		from = epoch.Position{Epoch: m.Epochs.Current(), Seq: seq}
		if verdict == epoch.Known || verdict == epoch.Lost {
			return from, verdict == epoch.Lost, nil
		}
		if time.Now().After(until) {
			return from, false, refusePosition(p, verdict, from)
		}
		if m, err = s.store.Look(ctx); err != nil {
			return from, false, err
		}
		if _, verdict := m.Resolve(feedName, p); verdict == epoch.Known || verdict == epoch.Lost {
			continue
		}
		select {
		case <-ctx.Done():
			return from, false, context.Cause(ctx)
		case <-time.After(aheadPoll):
		}
	}
}

func refusePosition(p epoch.Position, v epoch.Verdict, from epoch.Position) error {
	kind, why := problem.PositionGone, "is of an epoch that this store does not know: it was restored from a copy, or replaced by another"
	if v == epoch.Ahead {
		kind, why = problem.PositionAhead, "is above the last number stored: the store went back, or the position is of another one"
	}
	e := problem.New(kind, "The position %s %s. Fetch what you need from the list, then resume from %s.", p, why, from)
	e.Members.ResumeFrom = from.String()
	return e
}
