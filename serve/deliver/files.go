package deliver

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"piyasa/db"
	"piyasa/internal/value"
	"piyasa/serve/bulk"
)

// storage stores the delivered files: a folder, or a bucket.
type storage interface {
	put(ctx context.Context, name, file string) error            // moves a local file there, atomically
	replace(ctx context.Context, name string, text []byte) error // writes a file, atomically
	get(ctx context.Context, name string) ([]byte, error)        // errNoFile
	remove(ctx context.Context, prefix string) error             // removes everything below a prefix
	scratch() string                                             // a local folder for files that are being written, for this sink only
	clean() error                                                // makes the scratch folder, and removes leftovers of killed processes
}

var errNoFile = errors.New("there is no such file")

// Bounds of all files that are being written, together.
const mostCommitRows = 5_000_000

// mostBuffered is the most bytes of them in memory.
var mostBuffered = 32 << 20

// filesSettings are the settings of every sink of files.
type filesSettings struct {
	Format    bulk.Format `json:"format"`     // parquet
	Partition string      `json:"partition"`  // by year, month or day
	MostFiles int         `json:"most_files"` // most files of a generation before the next one begins
}

func (s *filesSettings) complete() error {
	s.Format, s.Partition, s.MostFiles = cmp.Or(s.Format, bulk.Parquet), cmp.Or(s.Partition, "year"), cmp.Or(s.MostFiles, 5000)
	if _, err := value.Word[bulk.Format](string(s.Format)); err != nil {
		return fmt.Errorf(`"format" %w; got %q`, err, s.Format)
	}
	if err := value.OneOf(s.Partition, []string{"year", "month", "day"}); err != nil {
		return fmt.Errorf(`"partition" %w; got %q`, err, s.Partition)
	}
	if s.MostFiles < 100 || s.MostFiles > 1_000_000 {
		return fmt.Errorf(`"most_files" must be from 100 to 1000000; got %d`, s.MostFiles)
	}
	return nil
}

// files delivers changes as immutable files, in folders by kind, market and time. The manifest
// lists the files that count and their positions; it is written last, so it states what has been
// delivered. When there are too many files, or the store goes back, a new generation of files is
// written beside the old one, and replaces it once it is complete. The old one stays until the
// next, for clients that still read it.
type files struct {
	storage
	filesSettings
	manifest *Manifest               // of the generation being written; nil: not read yet
	current  int                     // the generation that readers see; 0: none
	open     map[partition]*openFile // files written since the last commit
	buffered int                     // bytes of open files in memory
}

// Manifest states what is delivered: the files of a generation that count, and their positions.
type Manifest struct {
	Version    int                 `json:"version"` // of the layout of this file and of the columns: 1
	Generation int                 `json:"generation"`
	Commit     string              `json:"commit"`   // unique for each manifest
	Complete   bool                `json:"complete"` // whether the generation has ever been up to date
	WrittenAt  time.Time           `json:"written_at"`
	Format     bulk.Format         `json:"format"`
	Feeds      map[string]Position `json:"feeds"` // the position of the files in each feed
	Files      []File              `json:"files"`
}

// File is a file of changes of one kind.
type File struct {
	Path      string `json:"path"` // relative to the manifest
	Kind      string `json:"kind"`
	Market    string `json:"market,omitempty"`
	Period    string `json:"period,omitempty"` // 2026, 2026-03 or 2026-03-18, in UTC
	Rows      int64  `json:"rows"`
	Withdrawn int64  `json:"withdrawn"` // how many rows are withdrawals
	First     int64  `json:"first"`     // the lowest and the highest number
	Last      int64  `json:"last"`
	Bytes     int64  `json:"bytes"`
	SHA256    string `json:"sha256"`
}

const manifestName = "manifest.json"

// folderOf returns the folder of a generation.
func folderOf(generation int) string { return fmt.Sprintf("generation=%06d/", generation) }

// partition is what the rows of a file share.
type partition struct{ kind, market, period string }

// path returns the folder of a partition, in Hive style (kind=…/market=…).
func (p partition) path(by string) string {
	words := []string{"kind=" + p.kind}
	if p.market != "" {
		words = append(words, "market="+p.market)
	}
	if bulk.Dated(p.kind) {
		words = append(words, by+"="+cmp.Or(p.period, "__HIVE_DEFAULT_PARTITION__"))
	}
	return strings.Join(words, "/")
}

// openFile is a file that is being written, partly on the disk and partly in memory.
type openFile struct {
	File
	out  bulk.Writer
	rest bytes.Buffer
	part string // the name of a local file; empty: there is none
}

// Resume implements Sink. The manifest decides what is delivered, not the kept state: it was
// written earlier, or the store has gone back, which its positions show.
func (f *files) Resume(ctx context.Context, s *State) error {
	f.discard()
	if err := f.clean(); err != nil {
		return err
	}
	current, err := f.read(ctx, manifestName)
	if err != nil {
		return err
	}
	var kept struct{ Generation int }
	if s.Kept != nil {
		if err := json.Unmarshal(s.Kept, &kept); err != nil {
			return err
		}
	}
	f.manifest = nil
	if kept.Generation > 0 {
		if f.manifest, err = f.read(ctx, folderOf(kept.Generation)+manifestName); err != nil {
			return err
		}
	}
	if current != nil {
		f.current = current.Generation
		if f.manifest == nil || f.manifest.Generation < current.Generation {
			f.manifest = current
		}
	}
	switch {
	case f.manifest == nil || f.manifest.Format != f.Format:
		return f.begin(ctx, s)
	case s.Rewound:
		f.manifest.Feeds = maps.Clone(s.Feeds)
	default:
		s.Feeds = maps.Clone(f.manifest.Feeds)
	}
	return nil
}

func (f *files) read(ctx context.Context, name string) (*Manifest, error) {
	text, err := f.get(ctx, name)
	if errors.Is(err, errNoFile) {
		return nil, nil
	}
	m := new(Manifest)
	if err == nil {
		err = json.Unmarshal(text, m)
	}
	if err == nil && m.Version != 1 {
		err = fmt.Errorf("it is of version %d, which another version of piyasa writes", m.Version)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// begin begins another generation, which starts with everything, or again one that was begun and not
// finished: the holder of the claim takes over its manifest.
func (f *files) begin(ctx context.Context, s *State) error {
	f.discard()
	last := f.current
	if f.manifest != nil {
		last = max(last, f.manifest.Generation)
	}
	f.manifest = &Manifest{Version: 1, Generation: last + 1, Format: f.Format, Feeds: map[string]Position{}, Files: []File{}}
	s.Feeds = map[string]Position{}
	was, err := f.read(ctx, folderOf(last+1)+manifestName)
	if was != nil {
		f.manifest.Commit = was.Commit
	}
	return err
}

// WentBack implements Sink.
func (f *files) WentBack(ctx context.Context, _ Back, s *State) error { return f.begin(ctx, s) }

// Deliver implements Sink.
func (f *files) Deliver(_ context.Context, b *Batch) error {
	for i := range b.Changes {
		c := &b.Changes[i]
		p := partition{c.Kind, bulk.MarketOf(c), bulk.DayOf(c)}
		p.period = p.period[:min(len(p.period), map[string]int{"year": 4, "month": 7, "day": 10}[f.Partition])]
		s, err := f.fileOf(p)
		if err == nil {
			f.buffered -= s.rest.Len()
			err = s.out.Write(c)
			f.buffered += s.rest.Len()
		}
		if err != nil {
			return fmt.Errorf("write %s %d: %w", c.Kind, c.Number, err)
		}
		s.note(c)
		if f.buffered >= mostBuffered {
			if err := f.spill(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *openFile) note(c *db.Change) {
	if s.Rows == 0 || c.Number < s.First {
		s.First = c.Number
	}
	s.Last = max(s.Last, c.Number)
	s.Rows++
	if c.Record == nil {
		s.Withdrawn++
	}
}

// spill writes the files with the most bytes in memory to the disk, until half of all is written.
func (f *files) spill() error {
	for _, s := range slices.SortedFunc(maps.Values(f.open), func(a, b *openFile) int { return cmp.Compare(b.rest.Len(), a.rest.Len()) }) {
		if f.buffered <= mostBuffered/2 {
			break
		}
		f.buffered -= s.rest.Len()
		if err := s.spill(f.scratch()); err != nil {
			return err
		}
	}
	return nil
}

func (s *openFile) spill(scratch string) (err error) {
	var file *os.File
	if s.part == "" {
		file, err = os.CreateTemp(scratch, "part-*")
	} else {
		file, err = os.OpenFile(s.part, os.O_WRONLY|os.O_APPEND, 0)
	}
	if err != nil {
		return err
	}
	s.part = file.Name()
	_, err = file.Write(s.rest.Bytes())
	s.rest = bytes.Buffer{}
	return errors.Join(err, file.Close())
}

// fileOf returns the open file of a partition, or opens one.
func (f *files) fileOf(p partition) (s *openFile, err error) {
	if s := f.open[p]; s != nil {
		return s, nil
	}
	s = new(openFile)
	s.Kind, s.Market, s.Period = p.kind, p.market, p.period
	s.Path = folderOf(f.manifest.Generation) + path.Join(p.path(f.Partition), strings.ToLower(rand.Text())+"."+string(f.Format))
	if s.out, err = bulk.NewPart(&s.rest, p.kind, f.Format); err != nil {
		return nil, err
	}
	if f.open == nil {
		f.open = map[partition]*openFile{}
	}
	f.open[p] = s
	return s, nil
}

// Commit implements Sink.
func (f *files) Commit(ctx context.Context, s *State, caughtUp bool) error {
	next := *f.manifest
	next.Files, next.Feeds = slices.Clone(next.Files), maps.Clone(s.Feeds)
	for _, written := range slices.SortedFunc(maps.Values(f.open), func(a, b *openFile) int { return cmp.Compare(a.Path, b.Path) }) {
		name, err := written.finish(f.scratch(), f.Format)
		if err != nil {
			return err
		}
		if err := f.put(ctx, written.Path, name); err != nil {
			return errors.Join(fmt.Errorf("put %s: %w", written.Path, err), removed(name))
		}
		next.Files = append(next.Files, written.File)
	}
	next.Commit, next.Complete, next.WrittenAt = strings.ToLower(rand.Text()), next.Complete || caughtUp, time.Now().UTC()
	if err := f.write(ctx, &next); err != nil {
		return err
	}
	f.manifest, f.open, f.buffered = &next, nil, 0
	if caughtUp && len(next.Files) > f.MostFiles {
		slog.Info("a sink of files has many files, and begins another generation", "files", len(next.Files))
		if err := f.begin(ctx, s); err != nil {
			return err
		}
		if err := f.write(ctx, f.manifest); err != nil {
			return err
		}
	}
	var err error
	s.Kept, err = json.Marshal(map[string]int{"generation": f.manifest.Generation})
	return err
}

// finish joins the parts of the file, and returns its local name.
func (s *openFile) finish(scratch string, format bulk.Format) (name string, err error) {
	if err := s.out.Close(); err != nil {
		return "", err
	}
	part := io.Reader(&s.rest)
	if s.part != "" {
		spilt, err := os.Open(s.part)
		if err != nil {
			return "", err
		}
		defer spilt.Close()
		part = io.MultiReader(spilt, part)
	}
	file, err := os.CreateTemp(scratch, "file-*")
	if err != nil {
		return "", err
	}
	digest := sha256.New()
	err = bulk.FinishPart(io.MultiWriter(file, digest), part, s.Kind, format)
	if err == nil {
		err = file.Sync()
	}
	info, wrong := file.Stat()
	if err = errors.Join(err, wrong, file.Close()); err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	s.Bytes, s.SHA256 = info.Size(), hex.EncodeToString(digest.Sum(nil))
	s.discard()
	return file.Name(), nil
}

// removed removes a local file, which may already have been moved to its place.
func removed(name string) error {
	if err := os.Remove(name); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// discard removes the part on the disk.
func (s *openFile) discard() {
	if s.part != "" {
		_ = os.Remove(s.part)
	}
	s.part, s.rest = "", bytes.Buffer{}
}

// write writes a manifest into its generation, and also where readers look, unless another
// generation is complete and this one is not. It fails if another process has written the
// manifest since.
func (f *files) write(ctx context.Context, m *Manifest) error {
	own := folderOf(m.Generation) + manifestName
	was, err := f.read(ctx, own)
	if err != nil {
		return err
	}
	if was != nil && was.Commit != f.manifest.Commit {
		return fmt.Errorf("another process has written %s", own)
	}
	text, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return err
	}
	if err := f.replace(ctx, own, text); err != nil {
		return err
	}
	if f.current != 0 && f.current != m.Generation && !m.Complete {
		return nil
	}
	if err := f.replace(ctx, manifestName, text); err != nil {
		return err
	}
	if last := f.current; last != m.Generation {
		f.current = m.Generation
		for old := range last { // readers may still use the last one
			if err := f.remove(ctx, folderOf(old)); err != nil {
				return err
			}
		}
	}
	return nil
}

// discard drops the changes that were taken and not committed.
func (f *files) discard() {
	for _, s := range f.open {
		s.discard()
	}
	f.open, f.buffered = nil, 0
}

// Check implements Sink.
func (f *files) Check(ctx context.Context) error {
	if _, err := f.read(ctx, manifestName); err != nil {
		return err
	}
	const name = "check"
	if err := f.replace(ctx, name, []byte("piyasa")); err != nil {
		return err
	}
	return f.remove(ctx, name)
}

// Close implements Sink.
func (f *files) Close() error {
	f.discard()
	return nil
}

// filesPlan is the default plan of a sink of files.
var filesPlan = Plan{Every: time.Minute, Timeout: 10 * time.Minute, Most: mostCommitRows}
