package deliver

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"piyasa/collect"
)

// folder is a local folder for delivered files.
type folder string

const scratchName = ".scratch"

func (f folder) scratch() string { return filepath.Join(string(f), scratchName) }

// ready makes the folders of a file name and of files that are being written.
func (f folder) ready(name string) (string, error) {
	place := filepath.Join(string(f), filepath.FromSlash(name))
	return place, errors.Join(os.MkdirAll(filepath.Dir(place), 0o755), os.MkdirAll(f.scratch(), 0o755))
}

func (f folder) put(_ context.Context, name, file string) error {
	place, err := f.ready(name)
	if err != nil {
		return err
	}
	if err := errors.Join(os.Chmod(file, 0o644), os.Rename(file, place)); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(place))
}

func (f folder) replace(ctx context.Context, name string, text []byte) error {
	if _, err := f.ready(name); err != nil {
		return err
	}
	file, err := os.CreateTemp(f.scratch(), "file-*")
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return f.put(ctx, name, file.Name())
}

// syncFolder makes the names in a folder durable.
func syncFolder(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func (f folder) get(_ context.Context, name string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(string(f), filepath.FromSlash(name)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNoFile
	}
	return text, err
}

func (f folder) clean() error {
	return errors.Join(os.RemoveAll(f.scratch()), os.MkdirAll(f.scratch(), 0o755))
}

func (f folder) remove(_ context.Context, prefix string) error {
	return os.RemoveAll(filepath.Join(string(f), filepath.FromSlash(prefix)))
}

func init() {
	makers["folder"] = func(_ string, text json.RawMessage) (Sink, Plan, error) {
		in, err := collect.Settings[struct {
			Folder string `json:"folder"`
			filesSettings
		}](text)
		if err == nil {
			err = in.complete()
		}
		if err == nil && in.Folder == "" {
			err = errors.New(`"folder" must name a folder`)
		}
		return &files{storage: folder(in.Folder), filesSettings: in.filesSettings}, filesPlan, err
	}
}
