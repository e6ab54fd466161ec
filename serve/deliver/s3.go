package deliver

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"piyasa/collect"
)

// bucket is a bucket of a storage service that speaks S3.
type bucket struct {
	client *minio.Client
	name   string
	prefix string // prefix of names; empty, or ends in a slash
	folder string // local folder for files that are being written
}

// mostManifest is the most bytes of a manifest.
const mostManifest = 256 << 20

func (b *bucket) scratch() string { return b.folder }

func (b *bucket) clean() error {
	return errors.Join(os.RemoveAll(b.folder), os.MkdirAll(b.folder, 0o700))
}

func (b *bucket) put(ctx context.Context, name, file string) error {
	_, err := b.client.FPutObject(ctx, b.name, b.prefix+name, file, minio.PutObjectOptions{SendContentMd5: true})
	if err != nil {
		return err
	}
	return os.Remove(file)
}

func (b *bucket) replace(ctx context.Context, name string, text []byte) error {
	_, err := b.client.PutObject(ctx, b.name, b.prefix+name, bytes.NewReader(text), int64(len(text)),
		minio.PutObjectOptions{ContentType: "application/json", SendContentMd5: true})
	return err
}

func (b *bucket) get(ctx context.Context, name string) ([]byte, error) {
	object, err := b.client.GetObject(ctx, b.name, b.prefix+name, minio.GetObjectOptions{})
	if err != nil {
		return nil, err
	}
	defer object.Close()
	text, err := io.ReadAll(io.LimitReader(object, mostManifest))
	if minio.ToErrorResponse(err).Code == minio.NoSuchKey {
		return nil, errNoFile
	}
	return text, err
}

func (b *bucket) remove(ctx context.Context, prefix string) error {
	for object := range b.client.ListObjects(ctx, b.name, minio.ListObjectsOptions{Prefix: b.prefix + prefix, Recursive: true}) {
		if object.Err != nil {
			return object.Err
		}
		if err := b.client.RemoveObject(ctx, b.name, object.Key, minio.RemoveObjectOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// s3Place is a place in a bucket.
type s3Place struct {
	Endpoint  string         `json:"endpoint"` // https://s3.example.com
	Bucket    string         `json:"bucket"`
	Prefix    string         `json:"prefix"`
	Region    string         `json:"region"`
	AccessKey collect.Secret `json:"access_key"`
	SecretKey collect.Secret `json:"secret_key"`
	Scratch   string         `json:"scratch"` // a folder for files that are being written; default: the system's
}

// s3Settings are the settings of a sink of files in a bucket.
type s3Settings struct {
	s3Place
	filesSettings
}

// bucket connects to the place. Each use of a place has its own folder for files that are being
// written.
func (s *s3Place) bucket(use string) (*bucket, error) {
	u, err := url.Parse(s.Endpoint)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.Path != "" && u.Path != "/" || u.User != nil {
		return nil, fmt.Errorf(`"endpoint" must be an address such as https://s3.example.com; got %q`, s.Endpoint)
	}
	if s.Bucket == "" || s.AccessKey.Reveal() == "" || s.SecretKey.Reveal() == "" {
		return nil, errors.New(`"bucket", "access_key" and "secret_key" must be stated`)
	}
	client, err := minio.New(u.Host, &minio.Options{
		Creds:  credentials.NewStaticV4(s.AccessKey.Reveal(), s.SecretKey.Reveal(), ""),
		Secure: u.Scheme == "https", Region: s.Region, MaxRetries: 3,
	})
	if err != nil {
		return nil, fmt.Errorf(`"endpoint": %w`, err)
	}
	prefix := strings.Trim(s.Prefix, "/")
	if prefix != "" {
		prefix += "/"
	}
	own := sha256.Sum256([]byte(u.Host + "\n" + s.Bucket + "\n" + prefix + use))
	return &bucket{client, s.Bucket, prefix, filepath.Join(cmp.Or(s.Scratch, os.TempDir()), fmt.Sprintf("piyasa-%x", own[:8]))}, nil
}

func init() {
	makers["s3"] = func(_ string, text json.RawMessage) (Sink, Plan, error) {
		in, err := collect.Settings[s3Settings](text)
		if err == nil {
			err = in.complete()
		}
		if err != nil {
			return nil, Plan{}, err
		}
		to, err := in.bucket("")
		return &files{storage: to, filesSettings: in.filesSettings}, filesPlan, err
	}
}
