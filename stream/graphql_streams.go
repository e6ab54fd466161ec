package stream

import (
	"context"
	"errors"
	"log/slog"
	"strconv"

	"piyasa/access"
	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/problem"
	"piyasa/value"
)

// The ends of a stream.
var (
	errTooSlow = &StreamError{"SLOW_CONSUMER", "The client reads too slowly; subscribe again from the last event processed."}
	errRevoked = &StreamError{"UNAUTHENTICATED", "The key has been revoked."}
	errReplay  = &StreamError{"SERVER_ERROR", "The replay failed; subscribe again from the last event processed."}
)

// Stream follows topics for a GraphQL subscription: Subscribed; with lastSeenIndex
// or afterSeq what was stored after it, and ReplayDone; then new disclosures. Needs
// kap. Problems: invalid-parameter, too-many-values,
// conflicting-parameters.
func (s *Disclosures) Stream(ctx context.Context, alive func(*access.Key) bool, topics []string, lastSeenIndex *int, afterSeq *int64) (<-chan DisclosureStreamEvent, error) {
	if err := access.Enter(ctx, access.KAP); err != nil {
		return nil, err
	}
	if err := value.CheckCount("topics", "topics", topics, maxTopicsPerMessage); err != nil {
		return nil, err
	}
	if op := operationOf(ctx); op.After != nil {
		lastSeenIndex, afterSeq = nil, op.After
	}
	var replay *kap.Replay
	switch {
	case lastSeenIndex != nil && afterSeq != nil:
		return nil, problem.New(problem.ConflictingParameters, "Give lastSeenIndex or afterSeq, not both.")
	case lastSeenIndex != nil && *lastSeenIndex < 0:
		return nil, problem.Parameter("lastSeenIndex", strconv.Itoa(*lastSeenIndex), "a whole number of at least 0")
	case afterSeq != nil && *afterSeq < 0:
		return nil, problem.Parameter("afterSeq", strconv.FormatInt(*afterSeq, 10), "a whole number of at least 0")
	case lastSeenIndex != nil:
		replay = &kap.Replay{After: int64(*lastSeenIndex)}
	case afterSeq != nil:
		replay = &kap.Replay{After: *afterSeq, BySeq: true}
	}
	valid, invalid := topicsOf(topics, func(text string) (string, bool) {
		topic, ok := kap.ParseTopic(text)
		return string(topic), ok
	})
	out := newEventSender[DisclosureStreamEvent](ctx, alive)
	sub := s.hub.Join(nil)
	position, _ := sub.Follow(valid)
	out.op.running.Go(func() {
		defer out.end()
		defer sub.Leave()
		subscribed := &Subscribed{IDs: valid, Invalid: invalid}
		if replay == nil { // a client that disconnects now resumes here
			subscribed.position = position
		}
		ok := out.send(subscribed)
		if ok && replay != nil {
			replay.Of, replay.UpTo = kap.Select(valid), position
			ok = s.streamReplay(ctx, *replay, out)
		}
		if ok {
			forward(out, sub, func(d *publication) DisclosureStreamEvent {
				return &DisclosureEvent{Seq: d.Seq, Data: &d.Disclosure, position: d.Seq}
			}, errTooSlow)
		}
	})
	return out.events, nil
}

// streamReplay sends stored disclosures and ReplayDone; false ends the stream.
func (s *Disclosures) streamReplay(ctx context.Context, r kap.Replay, out *eventSender[DisclosureStreamEvent]) bool {
	done := &ReplayDone{LastSeq: r.UpTo}
	if !r.BySeq {
		done.LastIndex = int(r.After)
	}
	if r.Of.Empty() {
		return out.send(done)
	}
	last := &kap.Stored{}
	var err error
	done.Truncated, err = s.replay(ctx, r, func(d *kap.Stored) error {
		e := &DisclosureEvent{Replay: true, Seq: d.Seq, Data: &d.Disclosure}
		if r.BySeq { // ordered by index, an earlier seq may still be missing
			e.position = d.Seq
		}
		if !out.send(e) {
			return ErrClosing
		}
		last, done.LastIndex = d, d.DisclosureIndex
		return nil
	})
	switch {
	case errors.Is(err, ErrClosing) || ctx.Err() != nil:
		return false
	case err != nil:
		slog.Error("a replay failed", "error", err)
		out.send(errReplay)
		return false
	case done.Truncated && r.BySeq:
		done.LastSeq = last.Seq
	case done.Truncated: // ordered by index: earlier seqs may still be missing
		done.LastSeq = 0
	}
	return out.send(done)
}

// Stream follows instruments for a GraphQL subscription: Subscribed, the current
// quotes, then an event whenever a quote changes, NoQuote where there is none; a
// slow client gets only the newest. Needs live, and the quotes scope of every id's
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
	out := newEventSender[QuoteStreamEvent](ctx, alive)
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
		ok := out.send(&Subscribed{IDs: valid, Invalid: invalid})
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

// topicsOf returns the valid topics among texts, each once, and the others as
// written.
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
