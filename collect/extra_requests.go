package collect

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"piyasa/internal/spans"
)

// Bounds of the extras.
const (
	extraShare   = 4                // the part of the time until the source is due that they may take,
	mostExtra    = time.Minute      // at most
	mostTogether = 32               // answers that are stored together
	mostSize     = 8 << 20          // bytes of them
	extraRest    = 10 * time.Minute // after something that the source cannot continue without
)

// extras makes a source's requests besides those that were due. It ends before the source is
// due again, and its errors are only warnings.
func (r *runner) extras(ctx context.Context, s *state, o *Outcome) error {
	source, ok := r.Source.(Extras)
	begin := time.Now()
	if !ok || begin.Before(r.rests) {
		return nil
	}
	left := r.Own.Schedule.Next(r.Now()).Sub(r.Now())
	until := begin.Add(min(mostExtra, left/extraShare))
	bounded, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	for more := true; more && time.Now().Before(until); {
		_, claimed, err := r.claim.Take(ctx)
		if err != nil {
			return err
		}
		if !claimed {
			return ErrTaken
		}
		if more, err = r.together(bounded, source, s, until, o); err != nil {
			return err
		}
	}
	return nil
}

// together asks for some of the extras and stores them with the state once, since a state may
// be large. It reports whether there are more.
func (r *runner) together(ctx context.Context, source Extras, s *state, until time.Time, o *Outcome) (more bool, err error) {
	ctx, span := spans.Root(ctx, r.Traces, "collect "+r.Name)
	defer func() { spans.End(span, err) }()
	next := *s
	var records []Record
	var paths []string // of the files of each record
	answers, size := 0, 0
	for more = true; answers < mostTogether && size < mostSize && (answers == 0 || time.Now().Before(until)); {
		request, answer, result := r.extra(ctx, source, next.Kept, answers == 0, o)
		if more = result != nil; !more {
			break
		}
		answers, size, next.Kept = answers+1, size+len(answer.Body), result.Keep
		records = append(records, result.Records...)
		for range result.Records {
			paths = append(paths, request.Path)
		}
	}
	if answers == 0 {
		return more, nil
	}
	if err := taken(ctx); err != nil {
		return false, err
	}
	refused, err := r.emit(ctx, append(records, next.recordOf(r.Name, r.Now())), nil)
	if err != nil {
		return false, err
	}
	for _, one := range refused {
		if one.Record < len(paths) {
			o.warn(fmt.Errorf("%s is refused: %s", paths[one.Record], strings.TrimSpace(one.Member+" "+one.Reason)))
		}
	}
	*s = next
	o.Answers += answers
	o.Records += len(records)
	return more, nil
}

// extra asks for one of the extras; first says whether it is the first. The result is nil if
// there is none for now.
func (r *runner) extra(ctx context.Context, source Extras, kept []byte, first bool, o *Outcome) (*Request, *Answer, *Result) {
	request, err := source.Extra(kept, r.Now())
	if err != nil || request == nil {
		r.rest(err, o)
		return nil, nil, nil
	}
	request.Spare = true
	answer, result, err := r.exchange(ctx, kept, request, nil, o)
	if err != nil && answer != nil { // the source cannot read it, and may continue without it
		odd := *answer
		odd.Trouble = &Trouble{What: r.fetcher.hidden.in(err.Error()), Final: true}
		if result, err = r.parse(kept, request, &odd); err == nil && result.Warning != "" {
			o.warn(errors.New(result.Warning))
		}
	}
	switch {
	case err == nil:
		return request, answer, result
	case errors.Is(err, context.DeadlineExceeded) && first:
		r.rest(fmt.Errorf("%s: no answer came before the source was due again", request.Path), o)
	case ctx.Err() == nil:
		r.rest(err, o)
	}
	return nil, nil, nil
}

// rest records the error as a warning, if there is one, and pauses the extras.
func (r *runner) rest(err error, o *Outcome) {
	if err != nil {
		o.warn(err)
		r.rests = time.Now().Add(extraRest)
	}
}

// checkExtra returns what is wrong with the first extra.
func (r *runner) checkExtra(ctx context.Context, kept []byte) error {
	source, ok := r.Source.(Extras)
	if !ok {
		return nil
	}
	request, err := source.Extra(kept, r.Now())
	if err != nil || request == nil {
		return err
	}
	request.Spare = true
	answer, err := r.fetcher.fetch(ctx, request, nil)
	if answer, err = r.fetcher.spared(request, answer, err); err != nil {
		return err
	}
	result, err := r.parse(kept, request, answer)
	if err == nil && result.Warning != "" {
		err = errors.New(result.Warning)
	}
	return err
}
