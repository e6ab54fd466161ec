package collect

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// Rewinder is a Source that can go back to a place, such as a day, and not only to its beginning.
type Rewinder interface {
	Source
	// Rewind returns the state to keep, so that everything from a place on is asked for again.
	// It never skips anything unread: a place beyond the source's own is an error, which names
	// that place and the possible forms of places.
	Rewind(kept json.RawMessage, to string) (json.RawMessage, error)
}

// Rewind lets a source that no collector runs go back. From its next run on, it asks its
// upstream again for everything that it has read from a place on, such as a day, the place
// included; an empty place means the beginning according to its settings. Rewind itself sends
// no request and changes no stored record; it returns what the source asks for next. Records
// that come again unchanged change nothing; others are corrections.
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

// BackTo returns the kept state of a source that keeps the newest day that it has read, as if
// it had read only the days before day. day must not be before first.
func BackTo(kept json.RawMessage, day, first string) (json.RawMessage, error) {
	var has struct {
		Day string `json:"day"`
	}
	if len(kept) > 0 {
		if err := json.Unmarshal(kept, &has); err != nil {
			return nil, err
		}
	}
	if has.Day == "" {
		return nil, errNothingRead
	}
	to, err := time.Parse(time.DateOnly, day)
	if err != nil || day < first || day > has.Day {
		return nil, fmt.Errorf(`it has read everything up to %s, and goes back to a day from %s to that; got %q`, has.Day, first, day)
	}
	return json.Marshal(map[string]string{"day": to.AddDate(0, 0, -1).Format(time.DateOnly)})
}

var errNothingRead = errors.New("it has read nothing yet, so there is nothing to go back to")

// ReadKept reads the kept state of a source into k. It is empty before the first answer.
func ReadKept(text json.RawMessage, k any) error {
	if len(text) == 0 || string(text) == "null" {
		return nil
	}
	return json.Unmarshal(text, k)
}

// YearsKept reads the kept state of each year that a source has read.
func YearsKept[Y any](text json.RawMessage) (map[int]*Y, error) {
	k := map[int]*Y{}
	if err := ReadKept(text, &k); err != nil {
		return nil, err
	}
	maps.DeleteFunc(k, func(_ int, y *Y) bool { return y == nil })
	return k, nil
}

// FromYear reads the settings of a source that has only "from", the first year that it reads;
// 0: not stated.
func FromYear(settings json.RawMessage, first, example int) (int, error) {
	in, err := Settings[struct {
		From *int `json:"from"`
	}](settings)
	if err != nil || in.From == nil {
		return 0, err
	}
	if *in.From < first || *in.From > 9999 {
		return 0, fmt.Errorf(`"from" must be a year from %d on, such as %d; got %d`, first, example, *in.From)
	}
	return *in.From, nil
}

// BackToYear is BackTo for a source that keeps state by year.
func BackToYear(kept json.RawMessage, year string) (json.RawMessage, error) {
	years := map[int]json.RawMessage{}
	if len(kept) > 0 {
		if err := json.Unmarshal(kept, &years); err != nil {
			return nil, err
		}
	}
	if len(years) == 0 {
		return nil, errNothingRead
	}
	known := slices.Sorted(maps.Keys(years))
	first, err := strconv.Atoi(year)
	if oldest, newest := known[0], known[len(known)-1]; err != nil || first < oldest || first > newest {
		return nil, fmt.Errorf(`it has read the years from %d to %d, and goes back to one of them; got %q`, oldest, newest, year)
	}
	for y := range years {
		if y >= first {
			delete(years, y)
		}
	}
	return json.Marshal(years)
}

// Rewind implements Rewinder, to a day.
func (RateSettings) Rewind(kept json.RawMessage, to string) (json.RawMessage, error) {
	return BackTo(kept, to, firstRates)
}
