package deliver

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/minio/minio-go/v7"
)

// backupPlace is a place for backups. A file gets its name there once it has been read back.
type backupPlace interface {
	String() string                              // for messages
	room() string                                // a local folder for files that are being written
	prepare(context.Context) error               // makes room, and removes leftovers of killed processes
	size(context.Context, string) (int64, error) // size of a file; errNoFile
	drop(context.Context, string) error          // removes a file, which may be missing

	// take moves a local file there; read checks what has arrived, and may reject it.
	take(ctx context.Context, file, name string, read func(file string) error) error
	// try checks that files can be written, read and removed there.
	try(context.Context) error
}

// partialName begins the names of files that are being written and are not yet backups.
const partialName = ".partial"

// backupFolder is a local folder for backups.
type backupFolder string

func (f backupFolder) String() string        { return string(f) }
func (f backupFolder) room() string          { return filepath.Join(string(f), partialName) }
func (f backupFolder) at(name string) string { return filepath.Join(string(f), name) }
func (f backupFolder) try(ctx context.Context) error {
	return tried(ctx, f, string(f))
}

// prepare does not make the folder: the disk that should be mounted there may be missing.
func (f backupFolder) prepare(context.Context) error {
	if _, err := os.Stat(string(f)); err != nil {
		return err
	}
	return emptied(f.room())
}

// emptied makes an empty folder that only we can read.
func emptied(name string) error { return errors.Join(os.RemoveAll(name), os.MkdirAll(name, 0o700)) }

func (f backupFolder) size(_ context.Context, name string) (int64, error) {
	info, err := os.Stat(f.at(name))
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(string(f)); err != nil { // its disk may not be mounted
			return 0, err
		}
		return 0, errNoFile
	}
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (f backupFolder) drop(_ context.Context, name string) error { return removed(f.at(name)) }

func (f backupFolder) take(_ context.Context, file, name string, read func(string) error) error {
	if err := read(file); err != nil {
		return errors.Join(err, removed(file))
	}
	if err := os.Rename(file, f.at(name)); err != nil {
		return err
	}
	return syncFolder(string(f))
}

// tried makes a small file in the folder in, moves it to a place, and removes it there.
func tried(ctx context.Context, to backupPlace, in string) error {
	file, err := os.CreateTemp(in, "check-*")
	if err != nil {
		return err
	}
	_, err = file.WriteString("piyasa")
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	name := filepath.Base(file.Name())
	err = to.take(ctx, file.Name(), name, func(string) error { return nil })
	return errors.Join(err, to.drop(ctx, name))
}

// mostCopied is the largest object, in bytes, that S3 copies in one request.
const mostCopied = 5 << 30

// backupBucket is a bucket for backups.
type backupBucket struct{ *bucket }

func (b backupBucket) String() string {
	return fmt.Sprintf("s3://%s/%s at %s", b.name, b.prefix, b.client.EndpointURL().Host)
}

func (b backupBucket) room() string               { return b.folder }
func (b backupBucket) partial(name string) string { return b.prefix + partialName + "/" + name }

func (b backupBucket) try(ctx context.Context) error {
	in := filepath.Dir(b.folder)
	if err := os.MkdirAll(in, 0o700); err != nil {
		return err
	}
	return tried(ctx, b, in)
}

func (b backupBucket) prepare(ctx context.Context) error {
	if err := emptied(b.folder); err != nil {
		return err
	}
	for parts := range b.client.ListIncompleteUploads(ctx, b.name, b.partial(""), true) {
		if code := minio.ToErrorResponse(parts.Err).Code; code == minio.NoSuchUpload || code == minio.NotImplemented {
			break // there are no leftovers
		}
		if parts.Err != nil {
			return parts.Err
		}
		if err := b.client.RemoveIncompleteUpload(ctx, b.name, parts.Key); err != nil {
			return err
		}
	}
	return b.remove(ctx, partialName+"/")
}

func (b backupBucket) size(ctx context.Context, name string) (int64, error) {
	info, err := b.client.StatObject(ctx, b.name, b.prefix+name, minio.StatObjectOptions{})
	if minio.ToErrorResponse(err).Code == minio.NoSuchKey {
		err = errNoFile
	}
	return info.Size, err
}

func (b backupBucket) drop(ctx context.Context, name string) error {
	return b.client.RemoveObject(ctx, b.name, b.prefix+name, minio.RemoveObjectOptions{})
}

// take uploads the file under a temporary name, reads that back and lets the bucket copy it.
func (b backupBucket) take(ctx context.Context, file, name string, read func(string) error) (err error) {
	sum, bytes, err := digestOf(file)
	if err != nil {
		return err
	}
	partial := b.partial(name)
	if err := b.put(ctx, partialName+"/"+name, file); err != nil { // put removes the local file, since there may not be room for two
		return fmt.Errorf("upload: %w", err)
	}
	defer func() { // leftovers are removed before the next backup
		if err := b.client.RemoveObject(ctx, b.name, partial, minio.RemoveObjectOptions{}); err != nil {
			slog.Warn("what was uploaded for a backup could not be removed", "name", partial, "error", err)
		}
		_ = removed(file)
	}()
	if err := b.client.FGetObject(ctx, b.name, partial, file, minio.GetObjectOptions{}); err != nil {
		return fmt.Errorf("read back: %w", err)
	}
	if got, _, err := digestOf(file); err != nil || got != sum {
		return errors.Join(errors.New("what was read back is not what was uploaded"), err)
	}
	if err := read(file); err != nil {
		return err
	}
	to, from := minio.CopyDestOptions{Bucket: b.name, Object: b.prefix + name}, minio.CopySrcOptions{Bucket: b.name, Object: partial}
	if bytes <= mostCopied {
		_, err = b.client.CopyObject(ctx, to, from)
	} else {
		_, err = b.client.ComposeObject(ctx, to, from) // in parts
	}
	if err != nil {
		return fmt.Errorf("copy to its name: %w", err)
	}
	if size, err := b.size(ctx, name); err != nil || size != bytes {
		return errors.Join(fmt.Errorf("its copy has %d bytes instead of %d", size, bytes), err, b.drop(ctx, name))
	}
	return nil
}

// digestOf returns the SHA-256 and the size of a local file.
func digestOf(name string) (sum string, bytes int64, err error) {
	file, err := os.Open(name)
	if err != nil {
		return "", 0, err
	}
	defer file.Close()
	digest := sha256.New()
	bytes, err = io.Copy(digest, file)
	return hex.EncodeToString(digest.Sum(nil)), bytes, err
}
