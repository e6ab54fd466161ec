package deliver

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"piyasa/collect"
	"piyasa/db"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/serve/bulk"
)

// Config is the content of a configuration file. ReadConfig reads it; a Deliverer runs it.
type Config struct {
	Sinks    []Named
	Webhooks *KeyPlan    // how to deliver webhooks of keys; nil: not at all
	Backup   *BackupPlan // how to make backups; nil: not at all
}

// KeyPlan states how to deliver webhooks of keys.
type KeyPlan struct {
	Timeout time.Duration // of one request
	GiveUp  time.Duration // time of trying without a success after which a webhook is disabled
}

// Named is a sink with its name and how to deliver it.
type Named struct {
	Name string
	Sink
	Plan
	Reach
	Feeds []string // feeds of its kinds
}

// Plan states how to deliver a sink.
type Plan struct {
	Every   time.Duration // how long to wait for more changes; 0: deliver at once
	Timeout time.Duration // of one call of the sink
	Most    int64         // most changes between commits
	GiveUp  time.Duration // time of trying without a success after which the sink is disabled; 0: never

	Page     int                      // changes in one read; 0: pageRows
	OneByOne bool                     // each call of the sink has one change
	Pace     map[string]time.Duration // least time between reads of a feed
	FromNow  bool                     // a new sink gets nothing of what is already stored
}

// makers make the sinks of a configuration, by the value of "to".
var makers = map[string]func(name string, settings json.RawMessage) (Sink, Plan, error){}

// sinkName matches the allowed names of sinks.
var sinkName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,49}$`)

const mostSinks = 100

// ReadConfig reads a configuration. The error names every mistake in it.
func ReadConfig(text []byte) (*Config, error) {
	in, err := collect.Settings[struct {
		Sinks    map[string]json.RawMessage `json:"sinks"`
		Webhooks *struct {
			Timeout string `json:"timeout"`
			GiveUp  string `json:"give_up"`
		} `json:"webhooks_of_keys"`
		Backup json.RawMessage `json:"backup"`
	}](text)
	if err != nil {
		return nil, fmt.Errorf(`must be a JSON object such as {"sinks": {"lake": {"to": "folder", "folder": "/data/lake"}}}: %w`, err)
	}
	if len(in.Sinks) == 0 && in.Webhooks == nil && in.Backup == nil || len(in.Sinks) > mostSinks {
		return nil, fmt.Errorf(`"sinks" must have from 1 to %d sinks, or none beside "webhooks_of_keys" or "backup"; it has %d`,
			mostSinks, len(in.Sinks))
	}
	c := new(Config)
	var wrong []error
	if in.Backup != nil {
		if c.Backup, err = readBackupPlan(in.Backup); err != nil {
			wrong = append(wrong, fmt.Errorf(`"backup": %w`, err))
		}
	}
	if own := in.Webhooks; own != nil {
		c.Webhooks = &KeyPlan{Timeout: 10 * time.Second, GiveUp: 5 * 24 * time.Hour}
		for _, err := range []error{
			duration("timeout", own.Timeout, time.Second, time.Minute, &c.Webhooks.Timeout),
			duration("give_up", own.GiveUp, time.Minute, 30*24*time.Hour, &c.Webhooks.GiveUp),
		} {
			if err != nil {
				wrong = append(wrong, fmt.Errorf(`"webhooks_of_keys": %w`, err))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(in.Sinks)) {
		sink, err := readSink(name, in.Sinks[name])
		if err != nil {
			wrong = append(wrong, fmt.Errorf("sink %q: %w", name, err))
			continue
		}
		c.Sinks = append(c.Sinks, sink)
	}
	return c, errors.Join(wrong...)
}

// Close closes the sinks.
func (c *Config) Close() {
	for _, sink := range c.Sinks {
		_ = sink.Close()
	}
}

func readSink(name string, text json.RawMessage) (n Named, err error) {
	if n.Name = name; !sinkName.MatchString(name) {
		return n, errors.New("a name is made of at most 50 small letters, digits, - and _, and begins with a letter")
	}
	settings := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &settings); err != nil {
		return n, errors.New(`must be an object such as {"to": "folder", "folder": "/data/lake"}`)
	}
	var to, every, timeout string
	for member, into := range map[string]any{"to": &to, "every": &every, "timeout": &timeout, "kinds": &n.Kinds, "markets": &n.Markets} {
		if own, ok := settings[member]; ok {
			if err := collect.Member(member, own, into); err != nil {
				return n, err
			}
			delete(settings, member)
		}
	}
	maker, ok := makers[to]
	if !ok {
		return n, fmt.Errorf(`"to" must be one of %s; got %q`, strings.Join(slices.Sorted(maps.Keys(makers)), ", "), to)
	}
	rest, err := json.Marshal(settings)
	if err != nil {
		return n, err
	}
	if n.Sink, n.Plan, err = maker(name, rest); err != nil {
		return n, err
	}
	if err := duration("every", every, 0, 24*time.Hour, &n.Every); err != nil {
		return n, err
	}
	if err := duration("timeout", timeout, time.Second, time.Hour, &n.Timeout); err != nil {
		return n, err
	}
	return n, n.complete()
}

// duration reads a duration, if one is stated.
func duration(member, text string, least, most time.Duration, into *time.Duration) error {
	if text == "" {
		return nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < least || d > most {
		return fmt.Errorf(`%q must be a duration from %s to %s such as "30s"; got %q`, member, least, most, text)
	}
	*into = d
	return nil
}

// complete checks kinds and markets, and finds the feeds.
func (n *Named) complete() error {
	all := db.FollowedKinds()
	if len(n.Kinds) == 0 {
		n.Kinds = all
	}
	for _, kind := range n.Kinds {
		if !slices.Contains(all, kind) {
			return fmt.Errorf(`"kinds" must be of %s; got %q`, strings.Join(all, ", "), kind)
		}
		if feed := db.FeedOf(kind); !slices.Contains(n.Feeds, feed) {
			n.Feeds = append(n.Feeds, feed)
		}
	}
	slices.Sort(n.Feeds)
	for _, m := range n.Markets {
		if err := value.OneOf(m, value.EnumOf(reflect.TypeFor[market.Market]())); err != nil {
			return fmt.Errorf(`"markets" %w; got %q`, err, m)
		}
	}
	return nil
}

// reaches reports whether a change reaches the sink. A record without a market reaches every
// sink.
func (n *Named) reaches(c *db.Change) bool {
	if !slices.Contains(n.Kinds, c.Kind) {
		return false
	}
	if len(n.Markets) == 0 {
		return true
	}
	m := bulk.MarketOf(c)
	return m == "" || slices.Contains(n.Markets, m)
}
