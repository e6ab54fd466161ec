package value

import (
	"net/url"

	"piyasa/internal/problem"
)

// The bounds of values in records: every store can keep values within them.

var firstDay, lastDay = MustDate("1800-01-01"), MustDate("2199-12-31")

// CheckMoment returns the Invalid of a moment out of bounds; null is allowed.
func CheckMoment(member string, t Instant) error {
	if !t.IsNull() && (t.Before(FirstMoment) || t.After(LastMoment)) {
		return Invalidf(member, "must be from %s to %s; got %s", FirstMoment, LastMoment, t)
	}
	return nil
}

// CheckDay returns the Invalid of a day out of bounds; null is allowed.
func CheckDay(member string, d Date) error {
	if !d.IsNull() && (d.Before(firstDay) || lastDay.Before(d)) {
		return Invalidf(member, "must be from %s to %s; got %s", firstDay, lastDay, d)
	}
	return nil
}

// maxKeyBytes is the most bytes of a key's text, for the limits of database indexes.
const maxKeyBytes = 100

// CheckKey returns the Invalid of a key that is too long for an index.
func CheckKey(member, key string) error {
	if len(key) > maxKeyBytes {
		return Invalidf(member, "must have at most %d bytes", maxKeyBytes)
	}
	return nil
}

// CheckLink returns the Invalid of a link that is not a web address, since people follow it. A nil
// link is allowed.
func CheckLink(member string, link *string) error {
	if link == nil {
		return nil
	}
	if u, err := url.Parse(*link); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return Invalidf(member, "must be an address such as https://example.com/1, with http or https; got %s", problem.Shown(*link))
	}
	return nil
}
