// Package content reads the bytes of attachments from the operator's document store: a folder, or a
// remote location.
package content

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"
	"syscall"
	"time"

	"piyasa/internal/problem"
)

// Store opens documents by their location.
type Store struct {
	folder *os.Root // nil: none
	remote *url.URL // nil: none; ends in a slash
}

// Open returns the store at place: a folder, an address that begins with http:// or https://, or
// "" for a store without documents.
func Open(place string) (*Store, error) {
	switch {
	case place == "":
		return &Store{}, nil
	case strings.HasPrefix(place, "http://"), strings.HasPrefix(place, "https://"):
		u, err := url.Parse(strings.TrimRight(place, "/") + "/")
		if err != nil || u.Host == "" || u.RawQuery != "" {
			return nil, fmt.Errorf("must be a folder or an address such as https://files.example.com/kap; got %q", place)
		}
		return &Store{remote: u}, nil
	}
	root, err := os.OpenRoot(place)
	if err != nil {
		return nil, fmt.Errorf("must be a folder or an address such as https://files.example.com/kap: %w", err)
	}
	return &Store{folder: root}, nil
}

// Open returns the bytes at a location, a path within the store or an address below the store's
// own; size is -1 if unknown. Problems: not-found, content-store-unavailable.
func (s *Store) Open(ctx context.Context, location string) (bytes io.ReadCloser, size int64, err error) {
	switch {
	case s.folder != nil:
		return s.openFile(location)
	case s.remote != nil:
		return s.fetch(ctx, location)
	}
	return nil, 0, problem.New(problem.NotFound, "This server stores no documents.")
}

// notFound returns the problem of a document that is not in the store.
func notFound() error {
	return problem.New(problem.NotFound, "The document is not stored.")
}

// unavailable returns the problem of a store that cannot be reached.
func unavailable(cause error) error {
	return problem.New(problem.ContentStoreUnavailable, "The document store is not available now; try again later.").Because(cause)
}

// openFile opens a file of the folder. It opens without blocking, since a pipe without a writer
// would block.
func (s *Store) openFile(location string) (io.ReadCloser, int64, error) {
	file, err := s.folder.OpenFile(location, os.O_RDONLY|syscall.O_NONBLOCK, 0) // an os.Root opens nothing outside the folder
	if err != nil {
		if pathErr := new(fs.PathError); errors.As(err, &pathErr) && !errors.Is(err, fs.ErrPermission) {
			return nil, 0, notFound()
		}
		return nil, 0, unavailable(err)
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		_ = file.Close()
		return nil, 0, notFound()
	}
	return file, info.Size(), nil
}

// holds reports whether an address is below the store's own in every way of decoding it: servers
// differ in what they decode before they walk a path.
func (s *Store) holds(at *url.URL) bool {
	user := at.User == nil || s.remote.User != nil && at.User.String() == s.remote.User.String()
	plain := path.Clean(at.Path) == strings.TrimSuffix(at.Path, "/") && !strings.ContainsAny(at.Path, "\\%")
	return user && plain && at.Scheme == s.remote.Scheme && at.Host == s.remote.Host && strings.HasPrefix(at.Path, s.remote.Path)
}

// client does not follow redirects: they could lead out of the store.
var client = &http.Client{
	Timeout:       time.Minute,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// fetch requests a document from the remote store.
func (s *Store) fetch(ctx context.Context, location string) (io.ReadCloser, int64, error) {
	at, err := s.remote.Parse(location)
	if err != nil || !s.holds(at) {
		return nil, 0, notFound()
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, 0, notFound()
	}
	answer, err := client.Do(request)
	if err != nil {
		return nil, 0, unavailable(err)
	}
	if answer.StatusCode == http.StatusOK {
		return answer.Body, answer.ContentLength, nil
	}
	_ = answer.Body.Close()
	if answer.StatusCode == http.StatusNotFound || answer.StatusCode == http.StatusGone {
		return nil, 0, notFound()
	}
	return nil, 0, unavailable(fmt.Errorf("the store answered %s", answer.Status))
}
