package collect

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// rawHead is the first line of a kept answer; the body follows.
type rawHead struct {
	Asked  *Request `json:"asked"`
	Answer *Answer  `json:"answer"`
}

// rawTime begins the file names of kept answers, so that they sort by time.
const rawTime = "20060102T150405.000Z"

// keepRaw writes an answer to the folder of a source, compressed and named by its time and
// content. A crash leaves no partial file under such a name.
func keepRaw(folder string, request *Request, a *Answer) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	head, err := json.Marshal(rawHead{request, a})
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, _ = zip.Write(append(head, '\n')) // a buffer accepts everything
	_, _ = zip.Write(a.Body)
	_ = zip.Close()
	return writeFile(filepath.Join(folder, a.At.UTC().Format(rawTime)+"-"+sum(a.Body)[:16]+".gz"), packed.Bytes())
}

// keep keeps an answer if the operator wants that, as far as its source allows.
func (r *runner) keep(request *Request, a *Answer) error {
	if !r.keeps() {
		return nil
	}
	if source, ok := r.Source.(Discreet); ok {
		body := source.Redact(request, a)
		if body == nil {
			return nil
		}
		a = &Answer{Status: a.Status, At: a.At, Body: body, Header: a.Header, Trouble: a.Trouble}
	}
	return keepRaw(r.folder(), request, a)
}

// writeFiles writes the files of an answer.
func writeFiles(files []File) error {
	for _, f := range files {
		if err := os.MkdirAll(filepath.Dir(f.Path), 0o700); err != nil {
			return err
		}
		if err := writeFile(f.Path, f.Body); err != nil {
			return err
		}
	}
	return nil
}

// writeFile writes a file completely or not at all.
func writeFile(name string, content []byte) error {
	part, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.part")
	if err != nil {
		return err
	}
	_, err = part.Write(content)
	err = errors.Join(err, part.Sync(), part.Close())
	if err == nil {
		err = os.Rename(part.Name(), name)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(part.Name()))
	}
	return err
}

// rawFiles returns the kept answers of a source, the oldest first.
func rawFiles(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var files []string
	for _, e := range entries {
		if !e.IsDir() && strings.HasSuffix(e.Name(), ".gz") {
			files = append(files, filepath.Join(folder, e.Name()))
		}
	}
	slices.Sort(files)
	return files, err
}

// readRaw returns a kept answer and its request.
func readRaw(file string) (*Request, *Answer, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	unzip, err := gzip.NewReader(f)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	in := bufio.NewReader(unzip)
	line, err := in.ReadBytes('\n')
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	var head rawHead
	if strictly(line, &head) != nil || head.Asked == nil || head.Answer == nil {
		return nil, nil, fmt.Errorf("%s: the first line is not that of a kept answer", file)
	}
	if head.Answer.Body, err = io.ReadAll(in); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	return head.Asked, head.Answer, nil
}

// pruneRaw removes answers that were kept before a moment.
func pruneRaw(folder string, before time.Time) error {
	files, err := rawFiles(folder)
	for _, file := range files {
		stamp, _, _ := strings.Cut(filepath.Base(file), "-")
		if at, wrong := time.Parse(rawTime, stamp); wrong == nil && at.Before(before) {
			err = errors.Join(err, os.Remove(file))
		}
	}
	return err
}
