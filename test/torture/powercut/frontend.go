package powercut

import (
	"maps"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"
)

// frontend answers the kernel.
type frontend struct {
	fuse.RawFileSystem
	disk *Disk

	mu       sync.Mutex
	listings map[uint64][]string // of open folders
	opened   uint64
}

// cacheTime is how long the kernel may believe what it was told: for good, because
// only it makes changes.
const cacheTime = time.Hour

// in runs work on the inode of a number.
func (f *frontend) in(number uint64, work func(*inode) syscall.Errno) fuse.Status {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	n := f.disk.inodes[number]
	if n == nil {
		return fuse.Status(syscall.ESTALE)
	}
	return fuse.Status(work(n))
}

func (n *inode) attributes(out *fuse.Attr) {
	*out = fuse.Attr{
		Ino: n.number, Mode: n.mode, Nlink: uint32(n.links), Owner: fuse.Owner{Uid: n.user, Gid: n.group},
		Size: uint64(len(n.seen)), Blocks: uint64(len(n.seen)+sectorSize-1) / sectorSize, Blksize: pageSize,
	}
	modified := time.Unix(0, n.modified)
	out.SetTimes(&modified, &modified, &modified)
}

// entry answers with an inode, to which the kernel then holds a reference.
func (n *inode) entry(out *fuse.EntryOut) {
	n.lookups++
	out.NodeId = n.number
	n.attributes(&out.Attr)
	out.SetEntryTimeout(cacheTime)
	out.SetAttrTimeout(cacheTime)
}

func (f *frontend) Lookup(_ <-chan struct{}, header *fuse.InHeader, name string, out *fuse.EntryOut) fuse.Status {
	return f.in(header.NodeId, func(folder *inode) syscall.Errno {
		if f.disk.IsOff() {
			return syscall.EIO
		}
		n := folder.names[name]
		if n == nil {
			return syscall.ENOENT
		}
		n.entry(out)
		return 0
	})
}

func (f *frontend) Forget(number, references uint64) {
	f.in(number, func(n *inode) syscall.Errno {
		f.disk.forget(n, references)
		return 0
	})
}

func (f *frontend) GetAttr(_ <-chan struct{}, in *fuse.GetAttrIn, out *fuse.AttrOut) fuse.Status {
	return f.in(in.NodeId, func(n *inode) syscall.Errno {
		if f.disk.IsOff() {
			return syscall.EIO
		}
		n.attributes(&out.Attr)
		out.SetTimeout(cacheTime)
		return 0
	})
}

func (f *frontend) SetAttr(_ <-chan struct{}, in *fuse.SetAttrIn, out *fuse.AttrOut) fuse.Status {
	return f.in(in.NodeId, func(n *inode) syscall.Errno {
		if size, ok := in.GetSize(); ok {
			if errno := f.disk.truncate(n, int64(size)); errno != 0 {
				return errno
			}
		} else if errno := f.disk.change(); errno != 0 {
			return errno
		}
		if mode, ok := in.GetMode(); ok {
			n.mode = n.mode&syscall.S_IFMT | mode&^syscall.S_IFMT
		}
		if user, ok := in.GetUID(); ok {
			n.user = user
		}
		if group, ok := in.GetGID(); ok {
			n.group = group
		}
		if modified, ok := in.GetMTime(); ok {
			n.modified = modified.UnixNano()
		}
		n.attributes(&out.Attr)
		out.SetTimeout(cacheTime)
		return 0
	})
}

// make answers with a new inode.
func (f *frontend) make(header *fuse.InHeader, name string, mode uint32, out *fuse.EntryOut) fuse.Status {
	return f.in(header.NodeId, func(folder *inode) syscall.Errno {
		n, errno := f.disk.create(folder, name, mode, header.Uid, header.Gid)
		if errno == 0 {
			n.entry(out)
		}
		return errno
	})
}

func (f *frontend) Mkdir(_ <-chan struct{}, in *fuse.MkdirIn, name string, out *fuse.EntryOut) fuse.Status {
	return f.make(&in.InHeader, name, syscall.S_IFDIR|in.Mode, out)
}

func (f *frontend) Create(_ <-chan struct{}, in *fuse.CreateIn, name string, out *fuse.CreateOut) fuse.Status {
	out.OpenFlags = fuse.FOPEN_KEEP_CACHE
	return f.make(&in.InHeader, name, syscall.S_IFREG|in.Mode, &out.EntryOut)
}

func (f *frontend) Unlink(_ <-chan struct{}, header *fuse.InHeader, name string) fuse.Status {
	return f.in(header.NodeId, func(folder *inode) syscall.Errno { return f.disk.remove(folder, name, false) })
}

func (f *frontend) Rmdir(_ <-chan struct{}, header *fuse.InHeader, name string) fuse.Status {
	return f.in(header.NodeId, func(folder *inode) syscall.Errno { return f.disk.remove(folder, name, true) })
}

func (f *frontend) Rename(_ <-chan struct{}, in *fuse.RenameIn, old, name string) fuse.Status {
	return f.in(in.NodeId, func(from *inode) syscall.Errno {
		to := f.disk.inodes[in.Newdir]
		if to == nil {
			return syscall.ESTALE
		}
		if in.Flags != 0 { // to exchange, or not to replace
			return syscall.EINVAL
		}
		return f.disk.rename(from, old, to, name)
	})
}

func (f *frontend) Link(_ <-chan struct{}, in *fuse.LinkIn, name string, out *fuse.EntryOut) fuse.Status {
	return f.in(in.NodeId, func(folder *inode) syscall.Errno {
		n := f.disk.inodes[in.Oldnodeid]
		if n == nil {
			return syscall.ESTALE
		}
		errno := f.disk.link(n, folder, name)
		if errno == 0 {
			n.entry(out)
		}
		return errno
	})
}

func (f *frontend) Open(_ <-chan struct{}, in *fuse.OpenIn, out *fuse.OpenOut) fuse.Status {
	return f.in(in.NodeId, func(n *inode) syscall.Errno {
		switch {
		case f.disk.IsOff():
			return syscall.EIO
		case f.disk.readOnly && in.Flags&syscall.O_ACCMODE != syscall.O_RDONLY:
			return syscall.EROFS
		}
		out.OpenFlags = fuse.FOPEN_KEEP_CACHE
		if in.Flags&syscall.O_TRUNC != 0 {
			return f.disk.truncate(n, 0)
		}
		return 0
	})
}

func (f *frontend) Read(_ <-chan struct{}, in *fuse.ReadIn, buffer []byte) (fuse.ReadResult, fuse.Status) {
	read := 0
	status := f.in(in.NodeId, func(n *inode) syscall.Errno {
		if f.disk.IsOff() {
			return syscall.EIO
		}
		if in.Offset < uint64(len(n.seen)) {
			read = copy(buffer[:min(len(buffer), int(in.Size))], n.seen[in.Offset:])
		}
		return 0
	})
	return fuse.ReadResultData(buffer[:read]), status
}

func (f *frontend) Write(_ <-chan struct{}, in *fuse.WriteIn, data []byte) (uint32, fuse.Status) {
	status := f.in(in.NodeId, func(n *inode) syscall.Errno { return f.disk.write(n, int64(in.Offset), data) })
	return uint32(len(data)), status
}

func (f *frontend) Writev(cancel <-chan struct{}, in *fuse.WriteIn, data [][]byte) (uint32, fuse.Status) {
	return f.Write(cancel, in, slices.Concat(data...))
}

func (f *frontend) Flush(<-chan struct{}, *fuse.FlushIn) fuse.Status { return fuse.OK }

func (f *frontend) Fsync(_ <-chan struct{}, in *fuse.FsyncIn) fuse.Status {
	return f.in(in.NodeId, f.disk.sync)
}

func (f *frontend) FsyncDir(_ <-chan struct{}, in *fuse.FsyncIn) fuse.Status {
	return f.in(in.NodeId, f.disk.sync)
}

// OpenDir lists the folder, so that a reader that removes what it read misses nothing.
func (f *frontend) OpenDir(_ <-chan struct{}, in *fuse.OpenIn, out *fuse.OpenOut) fuse.Status {
	return f.in(in.NodeId, func(folder *inode) syscall.Errno {
		if f.disk.IsOff() {
			return syscall.EIO
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		f.opened++
		out.Fh = f.opened
		f.listings[out.Fh] = slices.Sorted(maps.Keys(folder.names))
		return 0
	})
}

func (f *frontend) ReadDir(_ <-chan struct{}, in *fuse.ReadIn, out *fuse.DirEntryList) fuse.Status {
	return f.in(in.NodeId, func(folder *inode) syscall.Errno {
		f.mu.Lock()
		names := f.listings[in.Fh]
		f.mu.Unlock()
		for i := in.Offset; i < uint64(len(names)); i++ {
			n := folder.names[names[i]]
			if n != nil && !out.AddDirEntry(fuse.DirEntry{Name: names[i], Mode: n.mode, Ino: n.number, Off: i + 1}) {
				break
			}
		}
		return 0
	})
}

func (f *frontend) ReleaseDir(in *fuse.ReleaseIn) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.listings, in.Fh)
}

func (f *frontend) StatFs(_ <-chan struct{}, _ *fuse.InHeader, out *fuse.StatfsOut) fuse.Status {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	const plenty = 1 << 40
	free := uint64(plenty)
	if f.disk.room >= 0 {
		free = uint64(max(f.disk.room-f.disk.used, 0))
	}
	*out = fuse.StatfsOut{Bsize: pageSize, Frsize: pageSize, Blocks: plenty / pageSize, Bfree: free / pageSize, Bavail: free / pageSize,
		NameLen: 255}
	return fuse.OK
}
