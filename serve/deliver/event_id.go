package deliver

import "piyasa/db"

// ID returns the id of a change, by which a receiver recognizes duplicates: its kind and its
// position, and for a bar, which shares its number with the bars written with it, also its key.
func (b *Batch) ID(c *db.Change) string {
	id := c.Kind + ":" + b.Epochs.Position(b.Feed, c.Number).String()
	if b.Feed == db.FeedBars {
		for _, m := range c.Key {
			id += ":" + m.Value
		}
	}
	return id
}
