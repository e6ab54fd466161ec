package collect

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Rewinder is a Source that can go back to a place, such as a day, and not only to its beginning.
type Rewinder interface {
	Source
	// Rewind returns what to keep, so that everything from a place on is asked for again. The error
	// says what places there are.
	Rewind(kept json.RawMessage, to string) (json.RawMessage, error)
}

// Rewind lets a source that no collector runs begin again: from a place, or from its beginning where that
// is empty. Rewind returns what the source asks for next. What comes again changes nothing that is stored.
func (c *Collector) Rewind(ctx context.Context, name, to string) (says string, err error) {
	var r *runner
	for _, source := range c.Config.Sources {
		if source.Name == name {
			r = c.newRunner(source)
		}
	}
	if r == nil {
		if why := c.Config.Off[name]; why != "" {
			return "", fmt.Errorf("the source %s is off: %s", name, why)
		}
		return "", fmt.Errorf("the file has no source %q", name)
	}
	text, claimed, err := r.claim.Await(ctx, c.Patience)
	switch {
	case err != nil:
		return "", err
	case !claimed:
		return "", fmt.Errorf("a collector runs the source %s; stop it first", name)
	}
	defer func() { err = errors.Join(err, r.claim.Release(context.WithoutCancel(ctx))) }()
	before, err := readState(text)
	if err != nil && to != "" {
		return "", err
	}
	next := state{Success: before.Success, Newest: before.Newest, Told: before.Told}
	if to != "" {
		rewinder, ok := r.Source.(Rewinder)
		if !ok {
			return "", fmt.Errorf("the source %s cannot go back to a place; `piyasa collect reset %s` lets it begin again", name, name)
		}
		if next.Kept, err = rewinder.Rewind(before.Kept, to); err != nil {
			return "", err
		}
	}
	request, err := r.Ask(next.Kept, r.Now())
	if err != nil {
		return "", fmt.Errorf("nothing is changed: %w", err)
	}
	if err := r.tell(ctx, next.recordOf(name, r.Now())); err != nil {
		return "", err
	}
	if request == nil {
		return "asks for nothing now", nil
	}
	says = cmp.Or(request.Method, http.MethodGet) + " " + cmp.Or(request.Path, "(the base)")
	if len(request.Query) > 0 {
		says += "?" + request.Query.Encode()
	}
	return "asks next: " + r.fetcher.hidden.in(says), nil
}

// BackTo returns what a source keeps that keeps the newest day that it has read, as if it had read those
// before a day only.
func BackTo(day string) (json.RawMessage, error) {
	first, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return nil, fmt.Errorf(`it goes back to a day such as "2026-03-02"; got %q`, day)
	}
	return json.Marshal(map[string]string{"day": first.AddDate(0, 0, -1).Format(time.DateOnly)})
}

// BackToYear is BackTo for a source that keeps years by their numbers.
func BackToYear(kept json.RawMessage, year string) (json.RawMessage, error) {
	first, err := strconv.Atoi(year)
	if err != nil || len(year) != 4 {
		return nil, fmt.Errorf(`it goes back to a year such as "2024"; got %q`, year)
	}
	years := map[int]json.RawMessage{}
	if len(kept) > 0 {
		if err := json.Unmarshal(kept, &years); err != nil {
			return nil, err
		}
	}
	for y := range years {
		if y >= first {
			delete(years, y)
		}
	}
	return json.Marshal(years)
}

// Rewind implements Rewinder, to a day.
func (RateSettings) Rewind(_ json.RawMessage, to string) (json.RawMessage, error) {
	return BackTo(to)
}
