package bulk

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"piyasa/internal/problem"
)

// Bounds of the cache and of builds.
const (
	keptBytes   = 1 << 30          // of all files; the newest is kept even above it
	keptUnused  = 10 * time.Minute // after which a file is removed
	buildTime   = 5 * time.Minute  // timeout of a build
	buildsAt    = 2                // once
	waiting     = 32               // builds that run or wait
	retryBuilds = 10               // seconds
	retryRoom   = 60
)

// Files makes and caches the files of readings in the system's folder for temporary files. Requests
// at the same time share one build. Open files have no name in the folder, so that a server that is
// killed leaves none behind.
type Files struct {
	mu     sync.Mutex
	files  map[string]*File
	used   []*File // the longest unused first
	bytes  int64
	made   int
	builds map[string]*build
	places chan struct{}

	life context.Context
	end  context.CancelFunc
	done sync.WaitGroup
}

// File is a file in the cache.
type File struct {
	ETag string // strong: of its bytes
	Size int64
	Made time.Time

	of, key  string // the name of its reading, and that name with the state
	position string // it surely has every change up to here
	content  *content
	timer    *time.Timer
}

// content is the content of a file. It is closed once the file is removed and the last reader has
// finished.
type content struct {
	file *os.File
	name string // if the system cannot remove an open file
	held atomic.Int32
}

func (c *content) release() {
	if c.held.Add(-1) > 0 {
		return
	}
	_ = c.file.Close()
	if c.name != "" {
		_ = os.Remove(c.name)
	}
}

// Position returns the position from which to follow what changes.
func (f *File) Position() string { return f.position }

// build is a file that is being made.
type build struct {
	done  chan struct{}
	begun bool // whether anything has been read or written for it
	file  *File
	err   error
}

// NewFiles returns files. Close ends them.
func NewFiles() *Files {
	f := &Files{files: map[string]*File{}, builds: map[string]*build{}, places: make(chan struct{}, buildsAt)}
	f.life, f.end = context.WithCancel(context.Background())
	return f
}

// Close cancels the builds and removes all files.
func (f *Files) Close() error {
	f.end()
	f.done.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.used) > 0 {
		f.remove(f.used[0])
	}
	return nil
}

// Made returns how many files were made.
func (f *Files) Made() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.made
}

// Kept returns the kept file of a reading at a state, with everything up to a position, or an older
// file whose ETag is tags. If it returns nil, the caller must Make the file.
func (f *Files) Kept(r *Reading, state, position, tags string) *File {
	f.mu.Lock()
	defer f.mu.Unlock()
	of := r.Name()
	if tags != "" {
		for _, file := range f.used {
			if file.of == of && file.ETag == tags && file.key != of+" "+state {
				f.use(file)
				return file
			}
		}
	}
	return f.present(of+" "+state, position)
}

// present returns the file of a key, whose records have not changed up to a position; nil: it is
// not kept. f.mu must be locked.
func (f *Files) present(key, position string) *File {
	file := f.files[key]
	if file == nil {
		return nil
	}
	f.use(file)
	now := *file
	now.position = position
	return &now
}

// Make returns the file of a reading at a state and a position, as Present returns them, and builds
// it if it is not kept; ours reports whether that is the work of this call, even if it fails. The
// build continues if ctx ends, so that a second request finds the file. Problem: overloaded.
func (f *Files) Make(ctx context.Context, r *Reading, state, position string) (file *File, ours bool, err error) {
	key := r.Name() + " " + state
	f.mu.Lock()
	if file := f.present(key, position); file != nil {
		f.mu.Unlock()
		return file, false, nil
	}
	b := f.builds[key]
	first := b == nil
	if first {
		if len(f.builds) == waiting || f.life.Err() != nil {
			f.mu.Unlock()
			return nil, false, tooMany("The server makes as many files as it can; try again in %d s.")
		}
		b = &build{done: make(chan struct{})}
		f.builds[key] = b
		f.done.Go(func() { f.build(b, r, key, position) })
	}
	f.mu.Unlock()
	select {
	case <-b.done:
		return b.file, first && b.begun, b.err
	case <-ctx.Done():
		return nil, first, ctx.Err()
	}
}

// tooMany returns the problem overloaded.
func tooMany(format string) error {
	e := problem.New(problem.Overloaded, format, retryBuilds)
	e.RetryAfter = retryBuilds
	return e
}

func (f *Files) build(b *build, r *Reading, key, position string) {
	ctx, cancel := context.WithTimeout(f.life, buildTime)
	defer cancel()
	defer close(b.done)
	select {
	case f.places <- struct{}{}:
		b.file, b.err = f.write(ctx, b, r)
		<-f.places
	case <-ctx.Done():
		b.err = ctx.Err()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.builds, key)
	if errors.Is(b.err, context.DeadlineExceeded) || errors.Is(b.err, context.Canceled) {
		b.err = tooMany("The file takes too long now; ask for a shorter range, or try again in %d s.")
	}
	if b.err != nil {
		return
	}
	b.file.of, b.file.key, b.file.position = r.Name(), key, position
	f.keep(b.file)
}

// write makes a file, and tries again if records changed meanwhile.
func (f *Files) write(ctx context.Context, b *build, r *Reading) (file *File, err error) {
	for range readTries {
		if file, err = f.writeOnce(ctx, b, r); !errors.Is(err, errMoved) {
			return file, err
		}
	}
	return nil, tooMany("The records are being written; try again in %d s.")
}

func (f *Files) writeOnce(ctx context.Context, b *build, r *Reading) (_ *File, err error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	out, err := os.CreateTemp("", "piyasa-bulk-")
	if err != nil {
		return nil, noRoom(err)
	}
	made := &content{file: out}
	if made.held.Store(1); os.Remove(out.Name()) != nil {
		made.name = out.Name()
	}
	f.mu.Lock()
	f.made++
	f.mu.Unlock()
	b.begun = true
	counted := &countedFile{File: out, sum: sha256.New()}
	buffered := bufio.NewWriterSize(counted, 1<<16)
	if err = r.write(ctx, buffered); err == nil {
		err = buffered.Flush()
	}
	if err != nil {
		made.release()
		return nil, err
	}
	return &File{ETag: fmt.Sprintf(`"%x"`, counted.sum.Sum(nil)[:16]), Size: counted.size, Made: time.Now(), content: made}, nil
}

// noRoom returns the problem overloaded for a disk that is full or a folder that is missing.
func noRoom(err error) error {
	e := problem.New(problem.Overloaded, "The server has no room for the file now; try again in %d s.", retryRoom)
	e.RetryAfter = retryRoom
	slog.Error("a file of records cannot be written", "error", err)
	return e.Because(err)
}

// countedFile is a file that counts and hashes what is written. It may not become larger than
// keptBytes.
type countedFile struct {
	*os.File
	sum  hash.Hash
	size int64
}

func (c *countedFile) Write(b []byte) (int, error) {
	if c.size += int64(len(b)); c.size > keptBytes {
		return 0, problem.New(problem.WindowTooLong, "The file would be larger than %d bytes; ask for a shorter range.", keptBytes)
	}
	_, _ = c.sum.Write(b)
	n, err := c.File.Write(b)
	if err != nil {
		err = noRoom(err)
	}
	return n, err
}

// keep adds a file, and removes the least recently used ones above keptBytes. f.mu must be locked.
func (f *Files) keep(file *File) {
	f.files[file.key] = file
	f.used, f.bytes = append(f.used, file), f.bytes+file.Size
	file.timer = time.AfterFunc(keptUnused, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.remove(file)
	})
	for f.bytes > keptBytes && f.used[0] != file {
		f.remove(f.used[0])
	}
}

// use notes that a file is used. f.mu must be locked.
func (f *Files) use(file *File) {
	file.timer.Reset(keptUnused)
	for i, other := range f.used {
		if other == file {
			f.used = append(append(f.used[:i], f.used[i+1:]...), file)
			return
		}
	}
}

// remove removes a file; requests that read it can finish. f.mu must be locked.
func (f *Files) remove(file *File) {
	if f.files[file.key] != file {
		return
	}
	file.timer.Stop()
	delete(f.files, file.key)
	for i, other := range f.used {
		if other == file {
			f.used = append(f.used[:i], f.used[i+1:]...)
			break
		}
	}
	f.bytes -= file.Size
	file.content.release()
}

// Reader reads a file, and keeps its content open until Close.
type Reader struct {
	*io.SectionReader
	content *content
}

// Close implements io.Closer.
func (r Reader) Close() error {
	r.content.release()
	return nil
}

// Open opens a kept file for reading. Problem: overloaded, if it has just been removed.
func (f *Files) Open(file *File) (Reader, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.files[file.key] == nil || f.files[file.key].content != file.content {
		return Reader{}, tooMany("The file is no longer kept; try again in %d s.")
	}
	file.content.held.Add(1)
	return Reader{io.NewSectionReader(file.content.file, 0, file.Size), file.content}, nil
}
