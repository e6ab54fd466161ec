package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Bounds of the free space on the disk of a database: shares of the disk below which there is
// little or no space, unless a large disk has the given number of bytes free.
const (
	littleRoom, enough = 0.1, 20 << 30
	noRoom, some       = 0.01, 2 << 30
)

// largeLog is the largest size of the write-ahead log of SQLite without a finding, unless the
// database is larger.
const largeLog = 1 << 30

func (e *examiner) sqlite(ctx context.Context, path string) error {
	e.About = "SQLite"
	if system := networkFileSystem(path); system != "" {
		e.trouble(true, "disk", fmt.Sprintf("%s is on %s, a network file system", path, system),
			"SQLite does not support it: processes on several machines damage the database",
			"move the file to a local disk, or use Postgres")
	}
	if free, size, ok := roomAt(path); ok && free < enough && float64(free) < littleRoom*float64(size) {
		e.trouble(free < some && float64(free) < noRoom*float64(size), "disk",
			fmt.Sprintf("%d MiB of %d MiB are free beside %s", free>>20, size>>20, path),
			"when the disk is full, nothing is stored any more", "df -h "+filepath.Dir(path))
	}
	for _, folder := range []string{filepath.Dir(path), path} {
		err := writable(folder)
		if errors.Is(err, syscall.EROFS) {
			e.trouble(true, "disk", "the file system of "+path+" is read-only", "nothing is stored; servers answer from what is there",
				"mount -o remount,rw "+filepath.Dir(path)+", after dmesg says what made it read-only")
			break
		}
		if err != nil {
			e.trouble(true, "database", fmt.Sprintf("this user cannot write %s: %v", folder, err),
				"servers do not start and nothing is stored", "chown the file and its folder to the user who runs piyasa")
			return nil
		}
	}
	names, of := foreign(path)
	for _, name := range names {
		e.trouble(true, "database", name+" belongs to another user than "+of, "a server that runs as the owner of "+of+
			" cannot open it, and does not start",
			"chown --reference="+of+" "+name)
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Size() == 0 {
		e.trouble(false, "database", path+" is empty", "nothing is stored here yet", "piyasa migrate")
		return nil
	}
	from := openToRead(path)
	defer from.Close()
	e.from = from
	var version, journal, checked string
	for pragma, into := range map[string]*string{"SELECT sqlite_version()": &version, "PRAGMA journal_mode": &journal,
		"PRAGMA quick_check(1)": &checked} {
		err := from.NewRaw(pragma).Scan(ctx, into)
		if damage := damageIn(err); damage != "" {
			e.damaged(path, damage)
			return nil
		}
		if err != nil {
			return err
		}
	}
	e.About += " " + version
	if checked != "ok" {
		e.damaged(path, checked)
		return nil
	}
	if journal != "wal" {
		e.trouble(false, "database", "the journal mode of "+path+" is "+journal,
			"readers and writers wait for each other; something else than piyasa has changed it", "start piyasa: it turns WAL on again")
	}
	if log, err := os.Stat(path + "-wal"); err == nil && log.Size() > largeLog && log.Size() > info.Size() {
		e.trouble(false, "database", fmt.Sprintf("the write-ahead log has %d MiB", log.Size()>>20),
			"a reader, such as piyasa verify or a copy, has kept it from being emptied for long; reads become slow", "lsof "+path)
	}
	current, err := e.schema(ctx)
	if err != nil || !current {
		return err
	}
	if err := e.parts(ctx, "", "sqlite3 "+path+" '%s'"); err != nil {
		return err
	}
	return e.future(ctx)
}

func (e *examiner) damaged(path, how string) {
	e.trouble(true, "database", path+" is damaged: "+how, "what is stored may be lost, and reads fail",
		"piyasa verify; then piyasa restore BACKUP")
}

// Readable reports whether users other than the owner of a file and its group can read it.
func Readable(path string) bool {
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&0o004 == 0 {
		return false
	}
	path, err = filepath.Abs(path)
	for err == nil {
		folder := filepath.Dir(path)
		if folder == path {
			return true
		}
		var info fs.FileInfo
		if info, err = os.Stat(folder); err == nil && info.Mode().Perm()&0o001 == 0 {
			return false
		}
		path = folder
	}
	return false
}
