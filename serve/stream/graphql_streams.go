package stream

import (
	"context"
	"errors"
	"log/slog"
	"strconv"

	"piyasa/account/access"
	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/internal/epoch"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// The errors that end a stream.
var (
	errTooSlow = &StreamError{"SLOW_CONSUMER", "The client reads too slowly; subscribe again from the last event processed."}
	errRevoked = &StreamError{"UNAUTHENTICATED", "The key has been revoked."}
	errReplay  = &StreamError{"SERVER_ERROR", "The replay failed; subscribe again from the last event processed."}
)

// quotaExceeded ends a stream whose key has used up its quota.
func quotaExceeded(err error) *StreamError {
	e := problem.From(err)
	return &StreamError{e.Kind.Code(), e.Detail}
}

// Resume states where a stream resumes; at most one member may be set.
type Resume struct {
	LastSeenIndex *int
	AfterSeq      *int64
	After         *string // a position
}

// read returns the replay that r asks for, or nil. Problems: invalid-parameter,
// conflicting-parameters.
func (r Resume) read() (replay *kap.Replay, after epoch.Position, err error) {
	given := 0
	for _, is := range []bool{r.LastSeenIndex != nil, r.AfterSeq != nil, r.After != nil} {
		if is {
			given++
		}
	}
	switch {
	case given > 1:
		return nil, after, problem.New(problem.ConflictingParameters, "Give one of lastSeenIndex, afterSeq and after.")
	case given == 0:
		return nil, after, nil
	case r.After != nil:
		if after, err = epoch.ParsePosition(*r.After); err != nil {
			return nil, after, problem.Parameter("after", *r.After, "the position of an event")
		}
	case r.AfterSeq != nil && *r.AfterSeq < 0:
		return nil, after, problem.Parameter("afterSeq", strconv.FormatInt(*r.AfterSeq, 10), "a whole number of at least 0")
	case r.AfterSeq != nil:
		after.Seq = *r.AfterSeq
	case *r.LastSeenIndex < 0:
		return nil, after, problem.Parameter("lastSeenIndex", strconv.Itoa(*r.LastSeenIndex), "a whole number of at least 0")
	default:
		return &kap.Replay{After: int64(*r.LastSeenIndex)}, after, nil
	}
	return &kap.Replay{BySeq: true}, after, nil
}

// Stream follows topics for a GraphQL subscription. It sends Subscribed; if it resumes, the
// disclosures stored since and ReplayDone; then new disclosures. It sends StoreWentBack
// where rows were lost that the client may have. Needs kap. Problems:
// invalid-parameter, too-many-values, conflicting-parameters, position-ahead,
// position-gone.
func (s *Disclosures) Stream(ctx context.Context, alive func(*access.Key) bool, topics []string,
	resume Resume) (<-chan DisclosureStreamEvent, error) {
	if err := access.Enter(ctx, access.KAP); err != nil {
		return nil, err
	}
	if err := value.CheckCount("topics", "topics", topics, maxTopicsPerMessage); err != nil {
		return nil, err
	}
	if op := operationOf(ctx); op.After != nil {
		resume = Resume{After: new(op.After.String())}
	}
	replay, after, err := resume.read()
	if err != nil {
		return nil, err
	}
	var from epoch.Position
	var lost bool
	if replay != nil && replay.BySeq {
		if from, lost, err = s.resolve(ctx, after); err != nil {
			return nil, err
		}
		replay.After = from.Seq
	}
	valid, invalid := topicsOf(topics, func(text string) (string, bool) {
		topic, ok := kap.ParseTopic(text)
		return string(topic), ok
	})
	out := newEventSender[DisclosureStreamEvent](ctx, s.keys, alive)
	sub := s.hub.Join(nil)
	position, _ := sub.Follow(valid)
	// the store may have gone back since the query; existing subscribers have been notified
	if replay != nil && replay.BySeq && position.Epoch != from.Epoch {
		if from, lost, err = s.resolve(ctx, after); err != nil {
			sub.Leave()
			out.stop()
			return nil, err
		}
		replay.After = from.Seq
	}
	out.op.running.Go(func() {
		defer out.end()
		defer sub.Leave()
		subscribed := &Subscribed{IDs: valid, Invalid: invalid}
		if replay == nil { // a client that disconnects now resumes here
			subscribed.position = position
		}
		ok, complete := out.send(subscribed), true
		if ok && lost {
			ok = out.send(&StoreWentBack{position: epoch.Position{Epoch: position.Epoch, Seq: replay.After}})
		}
		if ok && replay != nil {
			replay.Of, replay.UpToSeq = kap.Select(valid), position.Seq
			complete, ok = s.streamReplay(ctx, *replay, position.Epoch, out)
		}
		if !ok {
			return
		}
		out.bookmarks = complete
		forward(out, sub, func(d *publication) DisclosureStreamEvent {
			switch {
			case d.wentBack != nil:
				return d.wentBack
			case d.epoch == from.Epoch && d.Seq <= from.Seq: // another server has published it
				return nil
			}
			e := &DisclosureEvent{Seq: d.Seq, Data: &d.Disclosure}
			if complete { // otherwise a client that is cut off would skip what the replay left out
				e.position = epoch.Position{Epoch: d.epoch, Seq: d.Seq}
			}
			return e
		}, errTooSlow)
	})
	return out.events, nil
}

// streamReplay sends stored disclosures and ReplayDone; complete reports that it sent all of
// them. If ok is false, the stream ends. id is the current epoch.
func (s *Disclosures) streamReplay(ctx context.Context, r kap.Replay, id string,
	out *eventSender[DisclosureStreamEvent]) (complete, ok bool) {
	begin, last := int(r.After), &kap.Stored{}
	done := &ReplayDone{LastSeq: r.UpToSeq}
	if r.BySeq {
		begin, done.LastSeq = 0, max(r.UpToSeq, r.After) // another server may have been ahead
	}
	done.LastIndex = begin
	var err error
	if !r.Of.Empty() {
		operationOf(ctx).Traffic.replay()
		done.Truncated, err = s.replay(ctx, r, func(page []*kap.Stored) error {
			for _, d := range page {
				e := &DisclosureEvent{Replay: true, Seq: d.Seq, Data: &d.Disclosure}
				if r.BySeq { // ordered by index, an earlier seq may still be missing
					e.position = epoch.Position{Epoch: id, Seq: d.Seq}
				}
				if !out.send(e) {
					return ErrClosing
				}
				last, done.LastIndex = d, d.DisclosureIndex
			}
			return nil
		})
	}
	switch {
	case errors.Is(err, ErrClosing) || ctx.Err() != nil:
		return false, false
	case err != nil:
		slog.ErrorContext(ctx, "a replay failed", "error", err)
		out.send(errReplay)
		return false, false
	case done.Truncated && r.BySeq:
		done.LastSeq = last.Seq
	case done.Truncated: // ordered by index: earlier seqs may still be missing
		done.LastSeq = 0
	}
	done.position = epoch.Position{Epoch: id, Seq: done.LastSeq}
	return !done.Truncated, out.send(done)
}

// Stream follows instruments for a GraphQL subscription. It sends Subscribed, the current
// quotes, then an event for each change of a quote, with NoQuote where there is none. A slow
// client receives only the newest quotes. Needs live, and the quotes scope of every id's
// market: ids without it are invalid. Problems: invalid-parameter, too-many-values.
func (s *Quotes) Stream(ctx context.Context, alive func(*access.Key) bool, ids []string) (<-chan QuoteStreamEvent, error) {
	if err := access.Enter(ctx, access.Live); err != nil {
		return nil, err
	}
	if err := value.CheckCount("ids", "instrument ids", ids, maxTopicsPerMessage); err != nil {
		return nil, err
	}
	key := access.CallOf(ctx).Key
	valid, invalid := topicsOf(ids, func(text string) (string, bool) { return s.topic(key, text) })
	out := newEventSender[QuoteStreamEvent](ctx, s.keys, alive)
	sub := s.hub.Join(nil)
	sub.Follow(valid)
	newer := s.newer()
	event := func(id market.ID) QuoteStreamEvent {
		switch p, ok := newer(id, false); {
		case !ok:
			return nil
		case p.quote == nil:
			return p.none
		default:
			return &QuoteEvent{p.quote}
		}
	}
	out.op.running.Go(func() {
		defer out.end()
		defer sub.Leave()
		ok := out.send(&Subscribed{IDs: valid, Invalid: invalid, Successors: s.successors(invalid)})
		for _, id := range valid {
			if e := event(market.ID(id)); ok && e != nil {
				ok = out.send(e)
			}
		}
		if ok {
			forward(out, sub, event, errTooSlow)
		}
	})
	return out.events, nil
}

// topicsOf returns the valid topics among texts, each once, and the invalid texts as written.
func topicsOf(texts []string, parse func(string) (string, bool)) (valid, invalid []string) {
	valid, invalid = []string{}, []string{}
	seen := map[string]bool{}
	for _, text := range texts {
		topic, ok := parse(text)
		switch {
		case !ok:
			invalid = append(invalid, text)
		case !seen[topic]:
			seen[topic] = true
			valid = append(valid, topic)
		}
	}
	return valid, invalid
}
