package deliver

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
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

// storage is where files are delivered: a folder, or a bucket.
type storage interface {
	put(ctx context.Context, name, file string) error            // moves a local file there, whole or not at all
	replace(ctx context.Context, name string, text []byte) error // likewise
	get(ctx context.Context, name string) ([]byte, error)        // errNoFile
	remove(ctx context.Context, prefix string) error             // everything below it
	scratch() string                                             // a folder for files that are being written
}

var errNoFile = errors.New("there is no such file")

// At most so many rows are of a commit, of which so many are in memory.
const (
	mostCommitRows   = 5_000_000
	mostBufferedRows = 200_000
)

// filesSettings are the settings of every sink of files.
type filesSettings struct {
	Format    bulk.Format `json:"format"`     // parquet
	Partition string      `json:"partition"`  // by year, month or day
	MostFiles int         `json:"most_files"` // of a generation, above which the next is written
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

// files delivers changes as files that are never changed, below folders that name their kind, market
// and time. The manifest lists the files that count and says how far they go; it is written last, so
// it is what has been delivered. A new generation of files is written beside the
// old one when there are too many, or when the store goes back, and takes its place once it is
// complete. That one stays until the next, for those who read it.
type files struct {
	storage
	filesSettings
	manifest *Manifest               // of the generation that is written; nil: not read yet
	current  int                     // the generation that readers are shown; 0: none
	open     map[partition]*openFile // since the last commit
	buffered int                     // rows of open files that are in memory
}

// Manifest says what is delivered.
type Manifest struct {
	Version    int                 `json:"version"` // of the layout of this file and of the columns: 1
	Generation int                 `json:"generation"`
	Commit     string              `json:"commit"`   // tells this manifest from every other
	Complete   bool                `json:"complete"` // whether the generation has had everything once
	WrittenAt  time.Time           `json:"written_at"`
	Format     bulk.Format         `json:"format"`
	Feeds      map[string]Position `json:"feeds"` // how far the files go
	Files      []File              `json:"files"`
}

// File is a file of changes of one kind.
type File struct {
	Path      string `json:"path"` // below the manifest
	Kind      string `json:"kind"`
	Market    string `json:"market,omitempty"`
	Period    string `json:"period,omitempty"` // 2026, 2026-03 or 2026-03-18, in UTC
	Rows      int64  `json:"rows"`
	Withdrawn int64  `json:"withdrawn"` // of the rows
	First     int64  `json:"first"`     // the least and the greatest number
	Last      int64  `json:"last"`
	Bytes     int64  `json:"bytes"`
	SHA256    string `json:"sha256"`
}

const manifestName = "manifest.json"

// folderOf is where a generation is.
func folderOf(generation int) string { return fmt.Sprintf("generation=%06d/", generation) }

// partition is what the rows of a file have in common.
type partition struct{ kind, market, period string }

// path returns the folder of a partition, in the way of Hive.
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

// openFile is a file that is being written.
type openFile struct {
	File
	file   *os.File
	digest hash.Hash
	out    bulk.Writer
	held   int // rows in memory
}

// Resume implements Sink. What the manifest says is delivered is, whatever the store keeps: it was
// written before, or the store has gone back, which its positions tell.
func (f *files) Resume(ctx context.Context, s *State) error {
	f.discard()
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
		f.begin(s)
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

// begin begins another generation, of everything.
func (f *files) begin(s *State) {
	f.discard()
	last := f.current
	if f.manifest != nil {
		last = max(last, f.manifest.Generation)
	}
	f.manifest = &Manifest{Version: 1, Generation: last + 1, Format: f.Format, Feeds: map[string]Position{}, Files: []File{}}
	s.Feeds = map[string]Position{}
}

// WentBack implements Sink.
func (f *files) WentBack(_ context.Context, _ Back, s *State) error {
	f.begin(s)
	return nil
}

// Deliver implements Sink.
func (f *files) Deliver(_ context.Context, b *Batch) error {
	for i := range b.Changes {
		c := &b.Changes[i]
		p := partition{c.Kind, bulk.MarketOf(c), bulk.DayOf(c)}
		p.period = p.period[:min(len(p.period), map[string]int{"year": 4, "month": 7, "day": 10}[f.Partition])]
		s, err := f.fileOf(p)
		if err == nil {
			err = s.out.Write(c)
		}
		if err != nil {
			return fmt.Errorf("write %s %d: %w", c.Kind, c.Number, err)
		}
		s.note(c)
		if f.buffered++; f.buffered >= mostBufferedRows {
			if err := f.flush(); err != nil {
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
	s.held++
	if c.Record == nil {
		s.Withdrawn++
	}
}

// flush writes the rows of the files that have most in memory, half of all.
func (f *files) flush() error {
	for _, s := range slices.SortedFunc(maps.Values(f.open), func(a, b *openFile) int { return cmp.Compare(b.held, a.held) }) {
		if f.buffered <= mostBufferedRows/2 {
			break
		}
		if err := s.out.Flush(); err != nil {
			return err
		}
		f.buffered -= s.held
		s.held = 0
	}
	return nil
}

// fileOf returns the file of a partition that is being written.
func (f *files) fileOf(p partition) (*openFile, error) {
	if s := f.open[p]; s != nil {
		return s, nil
	}
	file, err := os.CreateTemp(f.scratch(), "file-*")
	if err != nil {
		return nil, err
	}
	s := &openFile{file: file, digest: sha256.New()}
	s.Kind, s.Market, s.Period = p.kind, p.market, p.period
	s.Path = folderOf(f.manifest.Generation) + path.Join(p.path(f.Partition), strings.ToLower(rand.Text())+"."+string(f.Format))
	if f.open == nil {
		f.open = map[partition]*openFile{}
	}
	f.open[p] = s
	s.out, err = bulk.NewWriter(io.MultiWriter(file, s.digest), p.kind, f.Format)
	return s, err
}

// Commit implements Sink.
func (f *files) Commit(ctx context.Context, s *State, caughtUp bool) error {
	next := *f.manifest
	next.Files, next.Feeds = slices.Clone(next.Files), maps.Clone(s.Feeds)
	for _, written := range slices.SortedFunc(maps.Values(f.open), func(a, b *openFile) int { return cmp.Compare(a.Path, b.Path) }) {
		if err := written.close(); err != nil {
			return err
		}
		if err := f.put(ctx, written.Path, written.file.Name()); err != nil {
			return fmt.Errorf("put %s: %w", written.Path, err)
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
		f.begin(s)
		if err := f.write(ctx, f.manifest); err != nil {
			return err
		}
	}
	var err error
	s.Kept, err = json.Marshal(map[string]int{"generation": f.manifest.Generation})
	return err
}

// close ends a file.
func (s *openFile) close() error {
	if err := s.out.Close(); err != nil {
		return err
	}
	info, err := s.file.Stat()
	if err != nil {
		return err
	}
	s.Bytes, s.SHA256 = info.Size(), hex.EncodeToString(s.digest.Sum(nil))
	return errors.Join(s.file.Sync(), s.file.Close())
}

// write writes a manifest where its generation is, and where readers look, unless another
// generation is complete and this one is not. Nobody else may have written it since.
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
		for old := range last { // readers have the last
			if err := f.remove(ctx, folderOf(old)); err != nil {
				return err
			}
		}
	}
	return nil
}

// discard throws away what was taken and not committed.
func (f *files) discard() {
	for _, s := range f.open {
		_ = s.file.Close()
		_ = os.Remove(s.file.Name())
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

// filesPlan is how files are delivered, unless the configuration says otherwise.
var filesPlan = Plan{Every: time.Minute, Timeout: 10 * time.Minute, Most: mostCommitRows}
