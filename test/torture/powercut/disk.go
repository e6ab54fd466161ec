package powercut

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"syscall"
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
	failing  func() // if it is set, the next sync of a file fails
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
		model: model, off: make(chan struct{}), random: rand.New(rand.NewPCG(model.Seed, 0)), inodes: inodes,
		room: -1, until: -1,
	}
	for _, n := range inodes {
		d.last = max(d.last, n.number)
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

// FailSync makes the next sync of a file fail. Before the process learns of it, failed
// is called.
func (d *Disk) FailSync(failed func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.failing = failed
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
