package value

// The bounds of what records state: every store can keep what is within them.

var firstDay, lastDay = MustDate("1800-01-01"), MustDate("2199-12-31")

// CheckMoment returns the Invalid of a moment out of bounds; null is within them.
func CheckMoment(member string, t Instant) error {
	if !t.IsNull() && (t.Before(FirstMoment) || t.After(LastMoment)) {
		return Invalidf(member, "must be from %s to %s; got %s", FirstMoment, LastMoment, t)
	}
	return nil
}

// CheckDay returns the Invalid of a day out of bounds; null is within them.
func CheckDay(member string, d Date) error {
	if !d.IsNull() && (d.Before(firstDay) || lastDay.Before(d)) {
		return Invalidf(member, "must be from %s to %s; got %s", firstDay, lastDay, d)
	}
	return nil
}

// maxKeyBytes bounds the text of a key: the index of a database has limits.
const maxKeyBytes = 100

// CheckKey returns the Invalid of a key that is too long for an index.
func CheckKey(member, key string) error {
	if len(key) > maxKeyBytes {
		return Invalidf(member, "must have at most %d bytes", maxKeyBytes)
	}
	return nil
}
