package deliver

import "piyasa/db"

// ID returns the id of a change, by which a receiver knows what it has had: its kind and its position,
// and of a bar, which shares its number with those that were written with it, also its key.
func (b *Batch) ID(c *db.Change) string {
	id := c.Kind + ":" + b.Epochs.Position(b.Feed, c.Number).String()
	if b.Feed == db.FeedBars {
		for _, m := range c.Key {
			id += ":" + m.Value
		}
	}
	return id
}
