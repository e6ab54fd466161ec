package powercut

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// inode is a file or a folder.
type inode struct {
	number          uint64
	mode            uint32 // with its type
	user, group     uint32
	modified        int64             // nanoseconds since 1970
	content                           // of a file
	names, recorded map[string]*inode // of a folder: as processes see it, and on the disk
	links           int               // names that processes see
	lookups         uint64            // references that the kernel holds
}

func (n *inode) isFolder() bool { return n.names != nil }

// edit is a change of one name: it leads to an inode, or to nothing.
type edit struct {
	folder *inode
	name   string
	to     *inode
}

// edits happen together or not at all.
type edits []edit

func (e edits) touches(folders map[*inode]bool) bool {
	return slices.ContainsFunc(e, func(e edit) bool { return folders[e.folder] })
}

func (e edits) addTo(folders map[*inode]bool) {
	for _, edit := range e {
		folders[edit.folder] = true
	}
}

func (e edits) record() {
	for _, edit := range e {
		if edit.to == nil {
			delete(edit.folder.recorded, edit.name)
		} else {
			edit.folder.recorded[edit.name] = edit.to
		}
	}
}

// journal holds the edits that are not durable, in order.
type journal []edits

// sync makes all edits durable.
func (j *journal) sync() {
	for _, e := range *j {
		e.record()
	}
	*j = nil
}

// syncFolder makes the edits of a folder durable, and what cannot be without them:
// earlier edits of the folders that they touch too.
func (j *journal) syncFolder(folder *inode) {
	touched := map[*inode]bool{folder: true}
	var durable, others []edits
	for _, e := range slices.Backward(*j) {
		if e.touches(touched) {
			e.addTo(touched)
			durable = append(durable, e)
		} else {
			others = append(others, e)
		}
	}
	for _, e := range slices.Backward(durable) {
		e.record()
	}
	slices.Reverse(others)
	*j = others
}

// cut records the edits that survive a cut.
func (j *journal) cut(strict bool, random *rand.Rand) {
	if !strict {
		survivors := (*j)[:random.IntN(len(*j)+1)]
		survivors.sync()
		return
	}
	lost := map[*inode]bool{} // folders that have lost an edit
	const of = 4
	chance := random.IntN(of + 1) // of an edit to be lost: none is, or all are, as often as some
	for _, e := range *j {
		if e.touches(lost) || random.IntN(of) < chance {
			e.addTo(lost)
		} else {
			e.record()
		}
	}
}

// survivor returns a copy of n as it is on the disk, with everything below it;
// copied holds the copies made so far, by their originals.
func (n *inode) survivor(random *rand.Rand, copied map[*inode]*inode) *inode {
	if done := copied[n]; done != nil {
		done.links++
		return done
	}
	c := &inode{number: n.number, mode: n.mode, user: n.user, group: n.group, modified: n.modified, links: 1}
	copied[n] = c
	if !n.isFolder() {
		c.durable = n.afterCut(random)
		c.seen = slices.Clone(c.durable)
		return c
	}
	c.names, c.recorded = map[string]*inode{}, map[string]*inode{}
	for _, name := range slices.Sorted(maps.Keys(n.recorded)) {
		below := n.recorded[name].survivor(random, copied)
		c.names[name], c.recorded[name] = below, below
	}
	return c
}
