package world

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
)

// programs is where the programs of Postgres are, and the account that runs them.
type programs struct {
	folder  string
	account *syscall.Credential // nil: the current user; Postgres refuses root
}

var findPrograms = sync.OnceValues(func() (p programs, err error) {
	folders, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // the pattern is correct
	if path, err := exec.LookPath("pg_rewind"); err == nil {
		folders = append(folders, filepath.Dir(path))
	}
	newest := -1
	for _, folder := range folders {
		version, _ := strconv.Atoi(filepath.Base(filepath.Dir(folder))) // 0 outside Debian
		if _, err := exec.LookPath(filepath.Join(folder, "pg_rewind")); err == nil && version > newest {
			p.folder, newest = folder, version
		}
	}
	if p.folder == "" {
		return p, errors.New("no Postgres server in PATH or /usr/lib/postgresql; install it: apt-get install postgresql")
	}
	if os.Geteuid() != 0 {
		return p, nil
	}
	postgres, err := user.Lookup("postgres")
	if err != nil {
		return p, fmt.Errorf("root cannot run Postgres, and there is no user for it: %w", err)
	}
	uid, err := strconv.ParseUint(postgres.Uid, 10, 32)
	if err != nil {
		return p, err
	}
	gid, err := strconv.ParseUint(postgres.Gid, 10, 32)
	if err != nil {
		return p, err
	}
	p.account = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return p, nil
})

// command returns a program of Postgres as its user runs it.
func (p programs) command(folder, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(p.folder, name), args...)
	cmd.Dir = folder
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: p.account}
	return cmd
}

// newFolder makes a folder that belongs to the user of Postgres.
func (p programs) newFolder(path string) error {
	if err := os.Mkdir(path, 0o700); err != nil || p.account == nil {
		return err
	}
	return os.Chown(path, int(p.account.Uid), int(p.account.Gid))
}
