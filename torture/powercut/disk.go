package powercut

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"
)

// rootNumber is the number of the root folder, which FUSE fixes.
const rootNumber = 1

// Model says what a disk promises.
type Model struct {
	Seed   uint64
	Strict bool // of names, only what POSIX promises
}

// Disk is a file system in memory that can lose power. It is safe for concurrent
// use.
type Disk struct {
	model  Model
	off    chan struct{} // closed by the cut
	random *rand.Rand

	mu       sync.Mutex
	inodes   map[uint64]*inode // that processes can reach
	last     uint64            // number of an inode
	journal  journal
	used     int64 // bytes that processes see
	room     int64 // bytes; -1 is without limit
	until    int   // changes until the cut; -1 is never
	changes  int
	readOnly bool
	failing  int // syncs of files that fail
}

// NewDisk returns an empty disk, whose root belongs to this process's user.
func NewDisk(model Model) *Disk {
	root := &inode{
		number: rootNumber, mode: syscall.S_IFDIR | 0o755, user: uint32(os.Getuid()), group: uint32(os.Getgid()),
		names: map[string]*inode{}, recorded: map[string]*inode{}, links: 1,
	}
	return newDisk(model, map[uint64]*inode{rootNumber: root})
}

func newDisk(model Model, inodes map[uint64]*inode) *Disk {
	d := &Disk{
		model: model, off: make(chan struct{}), random: rand.New(rand.NewPCG(model.Seed, 0)), inodes: inodes, last: uint64(len(inodes)) + rootNumber,
		room: -1, until: -1,
	}
	for _, n := range inodes {
		d.used += int64(len(n.seen))
	}
	return d
}

// Cut cuts the power: every operation fails from now on.
func (d *Disk) Cut() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cut()
}

func (d *Disk) cut() {
	if !d.IsOff() {
		close(d.off)
	}
}

// CutAfter cuts the power when so many more changes have been made.
func (d *Disk) CutAfter(changes int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.until = d.changes + changes
}

// Off is closed when the power is cut.
func (d *Disk) Off() <-chan struct{} { return d.off }

// IsOff reports whether the power is cut.
func (d *Disk) IsOff() bool {
	select {
	case <-d.off:
		return true
	default:
		return false
	}
}

// Changes returns how many changes were made.
func (d *Disk) Changes() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.changes
}

// LimitRoom makes the disk full once it holds so many bytes more than now.
func (d *Disk) LimitRoom(bytes int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.room = d.used + bytes
}

// UnlimitRoom ends the limit.
func (d *Disk) UnlimitRoom() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.room = -1
}

// SetReadOnly makes the disk read-only, or writable again.
func (d *Disk) SetReadOnly(readOnly bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.readOnly = readOnly
}

// FailSyncs makes the next so many syncs of files fail.
func (d *Disk) FailSyncs(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.failing = n
}

// FailingSyncs returns how many syncs are still to fail.
func (d *Disk) FailingSyncs() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.failing
}

// PowerOn returns the disk as it comes back after a cut, with the seed that follows.
func (d *Disk) PowerOn() *Disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cut()
	d.journal.cut(d.model.Strict, d.random)
	copied := map[*inode]*inode{}
	d.inodes[rootNumber].survivor(d.random, copied)
	inodes := make(map[uint64]*inode, len(copied))
	for _, n := range copied {
		inodes[n.number] = n
	}
	return newDisk(Model{Seed: d.model.Seed + 1, Strict: d.model.Strict}, inodes)
}

// CopyTo writes everything that processes see on the disk into a folder.
func (d *Disk) CopyTo(folder string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.inodes[rootNumber].copyTo(folder)
}

func (n *inode) copyTo(path string) error {
	if !n.isFolder() {
		return os.WriteFile(path, n.seen, 0o600)
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	for name, below := range n.names {
		if err := below.copyTo(filepath.Join(path, name)); err != nil {
			return err
		}
	}
	return nil
}

// change says whether something may be changed now, and counts it.
func (d *Disk) change() syscall.Errno {
	switch {
	case d.IsOff():
		return syscall.EIO
	case d.readOnly:
		return syscall.EROFS
	}
	if d.changes++; d.until >= 0 && d.changes > d.until {
		d.cut()
		return syscall.EIO
	}
	return 0
}

// grow takes room for a file that grows to size.
func (d *Disk) grow(n *inode, size int64) syscall.Errno {
	more := size - int64(len(n.seen))
	if more > 0 && d.room >= 0 && d.used+more > d.room {
		return syscall.ENOSPC
	}
	d.used += max(more, 0)
	return 0
}

func (d *Disk) write(n *inode, at int64, data []byte) syscall.Errno {
	if errno := d.change(); errno != 0 || len(data) == 0 {
		return errno
	}
	if errno := d.grow(n, at+int64(len(data))); errno != 0 {
		return errno
	}
	n.write(at, data)
	n.modified = time.Now().UnixNano()
	return 0
}

func (d *Disk) truncate(n *inode, size int64) syscall.Errno {
	if errno := d.change(); errno != 0 || size == int64(len(n.seen)) {
		return errno
	}
	if errno := d.grow(n, size); errno != 0 {
		return errno
	}
	d.used -= max(int64(len(n.seen))-size, 0)
	n.truncate(size)
	n.modified = time.Now().UnixNano()
	return 0
}

func (d *Disk) sync(n *inode) syscall.Errno {
	if errno := d.change(); errno != 0 {
		return errno
	}
	if !n.isFolder() {
		if d.failing > 0 {
			d.failing--
			n.failSync(d.random)
			return syscall.EIO
		}
		n.content.sync()
	}
	switch {
	case !d.model.Strict:
		d.journal.sync()
	case n.isFolder():
		d.journal.syncFolder(n)
	}
	return 0
}

// apply makes edits that processes see at once.
func (d *Disk) apply(e ...edit) {
	for _, edit := range e {
		if old := edit.folder.names[edit.name]; old != nil {
			old.links--
			delete(edit.folder.names, edit.name)
			d.forget(old, 0)
		}
		if edit.to != nil {
			edit.to.links++
			edit.folder.names[edit.name] = edit.to
		}
		edit.folder.modified = time.Now().UnixNano()
	}
	d.journal = append(d.journal, slices.Clone(e))
}

// create makes a file or a folder.
func (d *Disk) create(folder *inode, name string, mode, user, group uint32) (*inode, syscall.Errno) {
	if errno := d.change(); errno != 0 {
		return nil, errno
	}
	switch {
	case folder.names[name] != nil:
		return nil, syscall.EEXIST
	case d.room >= 0 && d.used >= d.room:
		return nil, syscall.ENOSPC
	}
	d.last++
	n := &inode{number: d.last, mode: mode, user: user, group: group}
	if mode&syscall.S_IFMT == syscall.S_IFDIR {
		n.names, n.recorded = map[string]*inode{}, map[string]*inode{}
	}
	d.inodes[n.number] = n
	d.apply(edit{folder, name, n})
	n.modified = folder.modified
	return n, 0
}

func (d *Disk) remove(folder *inode, name string, isFolder bool) syscall.Errno {
	if errno := d.change(); errno != 0 {
		return errno
	}
	n := folder.names[name]
	switch {
	case n == nil:
		return syscall.ENOENT
	case n.isFolder() && !isFolder:
		return syscall.EISDIR
	case !n.isFolder() && isFolder:
		return syscall.ENOTDIR
	case len(n.names) > 0:
		return syscall.ENOTEMPTY
	}
	d.apply(edit{folder, name, nil})
	return 0
}

func (d *Disk) rename(from *inode, old string, to *inode, name string) syscall.Errno {
	if errno := d.change(); errno != 0 {
		return errno
	}
	n, replaced := from.names[old], to.names[name]
	switch {
	case n == nil:
		return syscall.ENOENT
	case n == replaced:
		return 0
	case replaced != nil && len(replaced.names) > 0:
		return syscall.ENOTEMPTY
	}
	n.links++ // it is never without a name
	d.apply(edit{from, old, nil}, edit{to, name, n})
	n.links--
	return 0
}

func (d *Disk) link(n, folder *inode, name string) syscall.Errno {
	if errno := d.change(); errno != 0 {
		return errno
	}
	if folder.names[name] != nil {
		return syscall.EEXIST
	}
	d.apply(edit{folder, name, n})
	return 0
}

// forget drops references of the kernel, and the inode that nothing refers to.
func (d *Disk) forget(n *inode, references uint64) {
	n.lookups -= min(references, n.lookups)
	if n.links == 0 && n.lookups == 0 {
		d.used -= int64(len(n.seen))
		delete(d.inodes, n.number)
	}
}
