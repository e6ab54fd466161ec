package powercut_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"piyasa/test/fixture/need"
	"piyasa/test/torture/powercut"
)

// synced syncs a file or folder.
func synced(t *testing.T, path string) {
	t.Helper()
	f, err := os.Open(path)
	need.NoError(t, err)
	defer f.Close()
	need.NoError(t, f.Sync())
}

// tree returns the files of a folder with their contents.
func tree(t *testing.T, folder string) string {
	t.Helper()
	var files []string
	need.NoError(t, filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		files = append(files, strings.TrimPrefix(path, folder+"/")+"="+string(text))
		return err
	}))
	return strings.Join(files, " ")
}

// afterCuts returns what is on disks of a model after build and a cut.
func afterCuts(t *testing.T, strict bool, build func(t *testing.T, folder string)) []string {
	t.Helper()
	var found []string
	for seed := range uint64(40) {
		disk := newMount(t, powercut.Model{Seed: seed, Strict: strict})
		build(t, disk.folder)
		disk.powerOn(t)
		if is := tree(t, disk.folder); !slices.Contains(found, is) {
			found = append(found, is)
		}
		disk.unmount(t)
	}
	slices.Sort(found)
	return found
}

func TestNamesAfterACut(t *testing.T) {
	for _, test := range []struct {
		name            string
		build           func(t *testing.T, folder string)
		journal, strict []string // what can be
	}{{
		"a synced file in an unsynced folder",
		func(t *testing.T, folder string) {
			need.NoError(t, os.Mkdir(folder+"/new", 0o700))
			need.NoError(t, os.WriteFile(folder+"/new/a", []byte("1"), 0o600))
			synced(t, folder+"/new/a")
			synced(t, folder+"/new")
		},
		[]string{"new/a=1"},
		[]string{"", "new/a=1"},
	}, {
		"a rename over a synced file, of one that is not",
		func(t *testing.T, folder string) {
			need.NoError(t, os.WriteFile(folder+"/a", []byte("old"), 0o600))
			synced(t, folder+"/a")
			synced(t, folder)
			need.NoError(t, os.WriteFile(folder+"/b", []byte("new"), 0o600))
			need.NoError(t, os.Rename(folder+"/b", folder+"/a"))
			synced(t, folder)
		},
		[]string{"a=", "a=\x00\x00\x00", "a=new"},
		[]string{"a=", "a=\x00\x00\x00", "a=new"},
	}, {
		"a rename to another folder, which is synced",
		func(t *testing.T, folder string) {
			need.NoError(t, os.Mkdir(folder+"/to", 0o700))
			need.NoError(t, os.WriteFile(folder+"/a", []byte("1"), 0o600))
			synced(t, folder+"/a")
			synced(t, folder)
			need.NoError(t, os.Rename(folder+"/a", folder+"/to/a"))
			synced(t, folder+"/to")
		},
		[]string{"to/a=1"},
		[]string{"to/a=1"},
	}, {
		"removals that nothing syncs, and a file that replaces one",
		func(t *testing.T, folder string) {
			for _, name := range []string{"/a", "/b"} {
				need.NoError(t, os.WriteFile(folder+name, []byte("1"), 0o600))
				synced(t, folder+name)
			}
			synced(t, folder)
			need.NoError(t, os.Remove(folder+"/a"))
			need.NoError(t, os.Remove(folder+"/b"))
		},
		[]string{"", "a=1 b=1", "b=1"},
		[]string{"", "a=1 b=1", "b=1"},
	}} {
		t.Run(test.name, func(t *testing.T) {
			if got := afterCuts(t, false, test.build); !slices.Equal(got, test.journal) {
				t.Errorf("with a journal there can be %q, and not only %q", got, test.journal)
			}
			if got := afterCuts(t, true, test.build); !slices.Equal(got, test.strict) {
				t.Errorf("on a strict disk there can be %q, and not only %q", got, test.strict)
			}
		})
	}
}

func TestFaultsOfAMount(t *testing.T) {
	disk := newMount(t, powercut.Model{Seed: 1})
	path := filepath.Join(disk.folder, "a")
	write := func(text string) error { return os.WriteFile(path, []byte(text), 0o600) }
	wants := func(err error, want syscall.Errno) {
		t.Helper()
		if !errors.Is(err, want) {
			t.Errorf("the error is %v, and not %v", err, want)
		}
	}
	need.NoError(t, write("1234"))

	disk.LimitRoom(4)
	wants(write("123456789"), syscall.ENOSPC)
	need.NoError(t, write("12345678"))
	wants(os.WriteFile(path+"b", nil, 0o600), syscall.ENOSPC)
	need.NoError(t, os.Remove(path))
	disk.UnlimitRoom()
	need.NoError(t, write("1234"))

	disk.SetReadOnly(true)
	wants(write("1"), syscall.EROFS)
	wants(os.Remove(path), syscall.EROFS)
	if text, err := os.ReadFile(path); err != nil || string(text) != "1234" {
		t.Errorf("on a read-only disk the file holds %q, %v", text, err)
	}
	disk.SetReadOnly(false)

	disk.FailSync(func() {})
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	need.NoError(t, err)
	wants(f.Sync(), syscall.EIO)
	need.NoError(t, f.Sync())
	need.NoError(t, f.Close())

	disk.Cut()
	wants(write("1"), syscall.EIO)
}
