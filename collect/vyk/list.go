package vyk

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"piyasa/collect"
)

// last reads the newest number, which ends a run unless it is new. Only a list proves that a
// number is there.
func (s *source) last(k *kept, r *collect.Result, got *collect.Answer, missing bool) error {
	var in struct {
		Last scalar `json:"lastDisclosureIndex"`
	}
	if missing {
		return errors.New("there is no last number")
	}
	if err := json.Unmarshal(got.Body, &in); err != nil {
		return err
	}
	n, err := in.Last.number()
	if err != nil {
		return fmt.Errorf("lastDisclosureIndex %w", err)
	}
	switch {
	case k.Next == 0 && s.from > 0:
		k.Next = s.from
	case k.Next == 0, k.Sure == 0 && s.from == 0 && n < k.Next: // the first one was wrong
		k.Next = n
	}
	k.Last, k.Polled, k.False, k.Doubt = n, true, false, n > max(k.Sure, k.Next)+nearEnough
	if n >= k.Sure {
		k.Low, k.LowAt = 0, time.Time{}
	} else {
		if k.LowAt.IsZero() {
			k.Low, k.LowAt = n, got.At
		}
		k.Low = min(k.Low, n)
		r.Warning = fmt.Sprintf("the newest number is %d, although %d has been listed", n, k.Sure)
		if got.At.Sub(k.LowAt) >= backHold {
			r.Warning += fmt.Sprintf(": what comes after %d is read again", k.Low)
			k.goBack(k.Low)
		}
	}
	if r.More = k.Next <= n; !r.More {
		k.Since, k.Doubt = time.Time{}, false
	}
	return nil
}

// readList reads a list: from the next number on, from a gap on, or one that tells whether the
// last number is true.
func (s *source) readList(k *kept, r *collect.Result, asked *collect.Request, got *collect.Answer, missing bool) error {
	from, err := strconv.ParseInt(asked.Query.Get("disclosureIndex"), 10, 64)
	inGap := slices.ContainsFunc(k.Gaps, func(g gap) bool { return g.From == from })
	if doubts := k.Doubt && from == k.Last; err != nil || !doubts && from != k.Next && !inGap {
		return errors.New("it is no list that was asked for")
	}
	rows, err := readRows(got.Body, from, k.Last, missing)
	if err != nil {
		return err
	}
	switch {
	case k.Doubt && from == k.Last:
		s.proven(k, r, rows)
	case from != k.Next:
		to := from + s.stride() - 1
		if len(rows) > 0 {
			to = rows[len(rows)-1].N
		}
		k.Queue = append(k.Queue, k.found(rows, from, to, got.At)...)
	case len(rows) == 0:
		r.More = !s.unlisted(k, r, got.At)
	default:
		for _, row := range rows {
			if k.near(row.N) {
				k.skip(k.Next, row.N-1, got.At)
			}
			k.Queue, k.Next, k.Sure = append(k.Queue, row), row.N+1, max(k.Sure, row.N)
		}
		k.Since = time.Time{}
	}
	return nil
}

// readRows reads the rows of a list from a number on. One that is there twice counts once.
func readRows(body []byte, from, last int64, missing bool) (all []entry, err error) {
	var rows *[]struct {
		Number scalar       `json:"disclosureIndex"`
		Types  many[scalar] `json:"acceptedDataFileTypes"`
	}
	if missing {
		return nil, nil
	}
	if err := json.Unmarshal(body, &rows); err != nil {
		return nil, err
	}
	if rows == nil || len(*rows) > mostListed {
		return nil, fmt.Errorf("a list must have at most %d rows", mostListed)
	}
	next := from
	for i, row := range *rows {
		n, err := row.Number.number()
		switch {
		case err != nil:
			return nil, fmt.Errorf("row %d: disclosureIndex %w", i+1, err)
		case i > 0 && n == next-1:
			continue
		case n < next:
			return nil, fmt.Errorf("row %d: %d is not after those before, and not from %d on", i+1, n, from)
		case n > last+mostAhead:
			return nil, fmt.Errorf("row %d: %d is far beyond the newest number, %d", i+1, n, last)
		}
		html := len(row.Types) > 0 && !slices.ContainsFunc(row.Types, func(t scalar) bool { return t != "html" })
		all, next = append(all, entry{N: n, HTML: html}), n+1
	}
	return all, nil
}

// proven reads whether a list has the last number.
func (s *source) proven(k *kept, r *collect.Result, rows []entry) {
	k.Doubt, k.False = false, len(rows) == 0
	if len(rows) > 0 {
		k.Sure = max(k.Sure, rows[len(rows)-1].N)
	} else if k.Last > max(k.Sure, k.Next)+nearEnough {
		r.Warning = fmt.Sprintf("the newest number is said to be %d, and no list has it", k.Last)
	}
}

// unlisted notes that the list from Next on is empty.
func (s *source) unlisted(k *kept, r *collect.Result, at time.Time) (waits bool) {
	if k.Next > k.Sure && !k.False && (s.filtered() || k.Last > k.Next) {
		k.Doubt = true
		return false
	}
	if k.Next <= k.Sure && s.filtered() {
		s.step(k, at)
		return false
	}
	if k.Since.IsZero() {
		k.Since = at
	}
	if at.Sub(k.Since) < s.hold {
		k.Polled = false
		return true
	}
	if k.Next <= k.Sure {
		s.step(k, at)
		return false
	}
	r.Warning = fmt.Sprintf("the newest number is said to be %d, and the list from %d on is empty", k.Last, k.Next)
	k.Polled = false
	return true
}

// step goes on over numbers of which the list has none.
func (s *source) step(k *kept, at time.Time) {
	to := min(k.Next+s.stride()-1, k.Sure)
	k.skip(k.Next, to, at)
	k.Next, k.Since = to+1, time.Time{}
}

// read reads a disclosure: the first of the queue, or a late one.
func (s *source) read(k *kept, r *collect.Result, asked *collect.Request, got *collect.Answer, missing bool) error {
	n, err := strconv.ParseInt(asked.Path[strings.LastIndex(asked.Path, "/")+1:], 10, 64)
	if err != nil {
		return err
	}
	queued := len(k.Queue) > 0 && k.Queue[0].N == n
	is := func(e entry) bool { return e.N == n }
	late := slices.IndexFunc(k.Late, is)
	if !queued && late < 0 {
		return errors.New("nothing waits for it")
	}
	switch {
	case missing && late >= 0:
		if k.again(late, got.At) {
			r.Warning = fmt.Sprintf("the service has listed disclosure %d for 30 days without its details: it is given up", n)
		}
		if queued {
			k.Queue, k.Since = k.Queue[1:], time.Time{}
		}
		return nil
	case missing:
		r.Warning = k.full()
		r.More = !s.missing(k, got.At)
		return nil
	}
	records, files, err := disclosure(got.Body, n, asked.Query.Get("fileType"), k.Blocked)
	if odd, ok := errors.AsType[*oddReport](err); ok {
		r.Warning = odd.Error()
	} else if err != nil {
		return err
	}
	r.Records = records
	if s.folder != "" {
		k.Files = append(k.Files, files...)
	}
	if queued {
		k.Queue, k.Since = k.Queue[1:], time.Time{}
	}
	k.Late = slices.DeleteFunc(k.Late, is)
	return nil
}

// missing notes that the first of the queue is not there, and reports whether to wait for it.
// After a while the others go on without it.
func (s *source) missing(k *kept, at time.Time) (waits bool) {
	if k.Since.IsZero() {
		k.Since = at
	}
	if at.Sub(k.Since) < s.hold || k.full() != "" {
		return true
	}
	first := k.Queue[0]
	first.Since = k.Since
	k.Queue, k.Since = k.Queue[1:], time.Time{}
	k.leave(first, at)
	return false
}
