package powercut

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// What gets to the disk as a whole: a sector always, a page unless it is torn.
const (
	sectorSize = 512
	pageSize   = 4096
)

// content is what a file holds.
type content struct {
	seen     []byte   // by processes
	durable  []byte   // on the disk at the last sync
	unsynced []change // since then
}

// change is a write of data at a place, or a truncation to a size.
type change struct {
	at       int64
	data     []byte
	truncate bool
}

func (c change) end() int64 { return c.at + int64(len(c.data)) }

// resized returns b with a length of size; what it adds are zeros.
func resized(b []byte, size int64) []byte {
	old := int64(len(b))
	if size <= old {
		clear(b[size:]) // so that growing again finds zeros
		return b[:size]
	}
	b = slices.Grow(b, int(size-old))[:size]
	clear(b[old:])
	return b
}

// put writes data into b, which grows if it must.
func put(b []byte, at int64, data []byte) []byte {
	b = resized(b, max(int64(len(b)), at+int64(len(data))))
	copy(b[at:], data)
	return b
}

func (c *content) write(at int64, data []byte) {
	c.seen = put(c.seen, at, data)
	c.unsynced = append(c.unsynced, change{at: at, data: slices.Clone(data)})
}

func (c *content) truncate(size int64) {
	c.seen = resized(c.seen, size)
	c.unsynced = append(c.unsynced, change{at: size, truncate: true})
}

// sync makes everything durable that was changed.
func (c *content) sync() {
	for _, change := range c.unsynced {
		if change.truncate {
			c.durable = resized(c.durable, change.at)
		} else {
			c.durable = put(c.durable, change.at, change.data)
		}
	}
	c.unsynced = nil
}

// failSync does what a failed sync does: some changes get to the disk, and no
// later sync repeats the others.
func (c *content) failSync(random *rand.Rand) {
	c.durable = c.afterCut(random)
	c.unsynced = nil
}

// How often a cut spares a file or costs it everything, and tears a page: once in
// so many times.
const (
	oneInAll  = 8
	oneInTorn = 4
)

// afterCut returns what the disk holds when the power is cut now.
func (c *content) afterCut(random *rand.Rand) []byte {
	kept := c.unsynced
	switch random.IntN(oneInAll) {
	case 0:
		return slices.Clone(c.durable)
	case 1:
		after := content{durable: slices.Clone(c.durable), unsynced: kept}
		after.sync()
		return after.durable
	}
	truncated := -1 // the last truncation that survives
	for i, change := range kept {
		if !change.truncate {
			continue
		}
		if random.IntN(2) == 0 {
			kept = kept[:i]
			break
		}
		truncated = i
	}
	sized := truncated + 1 + random.IntN(len(kept)-truncated) // the changes before it have moved the size
	fates := fatesOf(kept, random)
	image, size := slices.Clone(c.durable), int64(len(c.durable))
	for i, change := range kept {
		if change.truncate {
			image, size = resized(image, change.at), change.at
			continue
		}
		if i < sized {
			size = max(size, change.end())
		}
		for at := change.at; at < change.end(); {
			page := at / pageSize
			until := min(change.end(), (page+1)*pageSize)
			part := change.data[at-change.at : until-change.at]
			switch fate := fates[page]; {
			case i < fate.until:
				image = put(image, at, part)
			case i == fate.torn:
				image = putSectors(image, at, part, fate.sectors)
			}
			at = until
		}
	}
	return resized(image, size)
}

// fate is what becomes of the writes of a page.
type fate struct {
	until   int   // the changes before it are on the disk
	torn    int   // the change of which some sectors are, or -1
	sectors uint8 // which ones
}

// fatesOf chooses what becomes of every page that changes write.
func fatesOf(changes []change, random *rand.Rand) map[int64]fate {
	writes := map[int64][]int{} // of each page, in order
	for i, change := range changes {
		for page := change.at / pageSize; !change.truncate && page*pageSize < change.end(); page++ {
			writes[page] = append(writes[page], i)
		}
	}
	fates := make(map[int64]fate, len(writes))
	for _, page := range slices.Sorted(maps.Keys(writes)) { // in order, so that a seed repeats itself
		of, f := writes[page], fate{until: len(changes), torn: -1}
		if next := random.IntN(len(of) + 1); next < len(of) {
			f.until = of[next]
			if random.IntN(oneInTorn) == 0 {
				f.torn, f.sectors = of[next], uint8(random.Uint32())
			}
		}
		fates[page] = f
	}
	return fates
}

// putSectors writes those sectors of data, which lies in one page, that are chosen.
func putSectors(b []byte, at int64, data []byte, chosen uint8) []byte {
	for end := at + int64(len(data)); at < end; {
		sector := at / sectorSize
		until := min(end, (sector+1)*sectorSize)
		if chosen>>(sector%(pageSize/sectorSize))&1 == 1 {
			b = put(b, at, data[:until-at])
		}
		data, at = data[until-at:], until
	}
	return b
}
