package powercut

import (
	"fmt"
	"os"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"
)

// Mounted is a disk that is mounted on a folder.
type Mounted struct {
	server *fuse.Server
	ended  chan struct{}
}

// Mount mounts a disk on a folder. No process that serves a mount may map its files
// into memory: it could wait for itself for ever.
func Mount(d *Disk, folder string) (*Mounted, error) {
	server, err := fuse.NewServer(&frontend{RawFileSystem: fuse.NewDefaultRawFileSystem(), disk: d, listings: map[uint64][]string{}},
		folder, &fuse.MountOptions{
			FsName: "powercut", Name: "powercut",
			DirectMount: true, AllowOther: os.Geteuid() == 0, Options: []string{"default_permissions"},
			DisableXAttrs: true, DisableReadDirPlus: true,
			ExplicitDataCacheControl: true, // only the kernel changes files, so what it caches stays true
		})
	if err != nil {
		return nil, err
	}
	m := &Mounted{server, make(chan struct{})}
	go func() {
		defer close(m.ended)
		server.Serve()
	}()
	return m, server.WaitMount()
}

// How long Unmount waits for processes that are still ending, and how often it looks.
const (
	unmountTime  = 20 * time.Second
	unmountRetry = 20 * time.Millisecond
)

// Unmount unmounts the disk, if it is still mounted.
func (m *Mounted) Unmount() error {
	select {
	case <-m.ended:
		return nil
	default:
	}
	late := time.After(unmountTime)
	for {
		err := m.server.Unmount()
		if err == nil {
			break
		}
		select {
		case <-m.ended: // it was unmounted otherwise
			return nil
		case <-late:
			return fmt.Errorf("unmount: %w", err)
		case <-time.After(unmountRetry):
		}
	}
	<-m.ended
	return nil
}
