package powercut

import (
	"slices"
	"syscall"
	"time"
)

// The operations of the file system. Their callers hold the lock of the disk.

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
		if failed := d.failing; failed != nil {
			d.failing = nil
			n.failSync(d.random)
			failed()
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
