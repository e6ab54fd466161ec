package collect

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Makers make sources from their settings, by the name of their connector.
type Makers map[string]func(settings json.RawMessage) (Source, error)

// Config is a configuration file as read.
type Config struct {
	Contact string // in the User-Agent header after the product: an e-mail address or a page
	Keep    Keep
	Sources []Named
	Off     map[string]string // why sources are not collected, by name
}

// Keep says where raw answers are kept, and for how long.
type Keep struct {
	Folder string `json:"folder"`
	Days   int    `json:"days"`
}

// Named is a source, its name, and its plan as configured.
type Named struct {
	Name string
	Source
	Own Plan

	secrets  []string // credentials of its settings
	settings string   // as text
	unkept   bool     // its raw answers are not kept
	off      string   // why it is not collected
}

// sourceName is the form of names of sources.
var sourceName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,49}$`)

// Bounds of a configuration.
const (
	mostSources  = 100
	leastPace    = 0
	mostPace     = 10 * time.Minute
	mostKeptDays = 3650
	keptDays     = 30
)

// Read reads a configuration. The error names every fault in it.
func Read(text []byte, makers Makers) (*Config, error) {
	var in struct {
		About   string                     `json:"about"` // for people
		Contact string                     `json:"contact"`
		Keep    *Keep                      `json:"keep"`
		Sources map[string]json.RawMessage `json:"sources"`
	}
	if err := strictly(text, &in); err != nil {
		return nil, fmt.Errorf(`must be a JSON object such as {"sources": {"fx": {"connector": "tcmb"}}}: %w`, err)
	}
	c := &Config{Contact: in.Contact, Off: map[string]string{}}
	var wrong []error
	if strings.ContainsFunc(in.Contact, func(r rune) bool { return r < ' ' || r > '~' }) || len(in.Contact) > 200 {
		wrong = append(wrong, errors.New(`"contact" must be at most 200 characters of ASCII, such as "data@example.com"`))
	}
	if in.Keep != nil {
		c.Keep = *in.Keep
		c.Keep.Days = cmp.Or(c.Keep.Days, keptDays)
		if c.Keep.Folder == "" || c.Keep.Days < 1 || c.Keep.Days > mostKeptDays {
			wrong = append(wrong, fmt.Errorf(`"keep" must have a "folder", and "days" from 1 to %d`, mostKeptDays))
		}
	}
	if len(in.Sources) == 0 || len(in.Sources) > mostSources {
		wrong = append(wrong, fmt.Errorf(`"sources" must have from 1 to %d sources; it has %d`, mostSources, len(in.Sources)))
	}
	for _, name := range slices.Sorted(maps.Keys(in.Sources)) {
		source, err := readSource(name, in.Sources[name], makers)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("source %q: %w", name, err))
			continue
		}
		if source.off != "" {
			c.Off[name] = source.off
			continue
		}
		c.Sources = append(c.Sources, source)
	}
	return c, errors.Join(wrong...)
}

// readSource reads the members that all sources have, and leaves the others to the source's
// connector.
func readSource(name string, text json.RawMessage, makers Makers) (Named, error) {
	if !sourceName.MatchString(name) {
		return Named{}, errors.New("a name is made of at most 50 small letters, digits, - and _, and begins with a letter")
	}
	settings := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &settings); err != nil || settings == nil {
		return Named{}, errors.New(`must be an object such as {"connector": "tcmb"}`)
	}
	var connector, base, second, pace, off string
	var schedule *Schedule
	var retry map[string]string
	keep := true
	for member, into := range map[string]any{"connector": &connector, "base": &base, "second_base": &second, "pace": &pace, "off": &off,
		"schedule": &schedule, "keep_raw": &keep, "retry": &retry} {
		if own, ok := settings[member]; ok {
			if err := Member(member, own, into); err != nil {
				return Named{}, err
			}
			delete(settings, member)
		}
	}
	maker, ok := makers[connector]
	if !ok {
		return Named{}, fmt.Errorf(`"connector" must be one of %s; got %q`, strings.Join(slices.Sorted(maps.Keys(makers)), ", "), connector)
	}
	rest, err := json.Marshal(settings)
	if err != nil {
		return Named{}, err
	}
	source, err := maker(rest)
	if err != nil {
		return Named{}, err
	}
	plan := source.Plan()
	if schedule != nil {
		plan.Schedule = *schedule
	}
	if plan.Second != "" {
		plan.Second = cmp.Or(second, base, plan.Second) // if the base is changed, nothing goes elsewhere by default
	} else if second != "" {
		return Named{}, errors.New(`"second_base" has no meaning for this connector`)
	}
	plan.Base = cmp.Or(base, plan.Base)
	if _, ok := source.(Fetcher); !ok {
		err = checkBase("base", plan.Base)
	} else if base != "" {
		err = errors.New(`"base" has no meaning for this connector`)
	}
	if err == nil && plan.Second != "" {
		err = checkBase("second_base", plan.Second)
	}
	if err != nil {
		return Named{}, err
	}
	if one, ok := source.(Based); ok {
		one.At(plan.Base)
	}
	if plan.Retry, err = readRetry(retry); err != nil {
		return Named{}, err
	}
	if pace != "" {
		if plan.Pace, err = time.ParseDuration(pace); err != nil || plan.Pace < leastPace || plan.Pace > mostPace {
			return Named{}, fmt.Errorf(`"pace" must be a duration of at most %s such as "1s"; got %q`, mostPace, pace)
		}
	}
	return Named{name, source, plan, secretsOf(rest), connector + " " + plan.Base + " " + string(rest), !keep, off}, nil
}

// anyTrouble is the key for the pause after any other trouble with an upstream.
const anyTrouble = 0

// readRetry reads the pauses by status.
func readRetry(text map[string]string) (map[int]time.Duration, error) {
	all := make(map[int]time.Duration, len(text))
	for status, after := range text {
		n, err := strconv.Atoi(status)
		known := err == nil && n >= 400 && n <= 599
		if status == "other" {
			n, known = anyTrouble, true
		}
		wait, err := time.ParseDuration(after)
		if !known || err != nil || wait < leastRetry || wait > mostWait {
			return nil, fmt.Errorf(`"retry" must have a wait from %s to %s for statuses from 400 to 599, and for "other" faults, such as `+
				`{"403": "10m", "other": "5s"}; got %q: %q`, leastRetry, mostWait, status, after)
		}
		all[n] = wait
	}
	return all, nil
}

// checkBase returns the fault of an address in a member.
func checkBase(member, base string) error {
	if strings.Contains(base, "@") {
		return fmt.Errorf("%q must have no credential in it", member)
	}
	if u, err := url.Parse(base); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" ||
		u.Fragment != "" {
		return fmt.Errorf("%q must be an address such as https://upstream.example/path/; got %q", member, base)
	}
	return nil
}
