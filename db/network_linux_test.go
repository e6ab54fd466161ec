package db_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piyasa/db"
	"piyasa/test/fixture/need"
)

// A file on a network file system is recognized; of a local one, and of one that is not
// known, nothing is said.
func TestNetworkFileSystems(t *testing.T) {
	t.Parallel()
	for kind, name := range map[uint32]string{0x6969: "NFS", 0x517b: "SMB", 0xff534d42: "SMB", 0xfe534d42: "SMB", 0x01021997: "9P",
		0xef53: "", 0: ""} {
		path := filepath.Join(t.TempDir(), "piyasa.db")
		need.NoError(t, os.WriteFile(path, nil, 0o600))
		db.PretendFileSystem(t, path, kind)
		seen, err := db.Examine(t.Context(), "sqlite:"+path)
		need.NoError(t, err)
		found := ""
		for _, trouble := range seen.Troubles {
			if strings.Contains(trouble.Seen, "network file system") {
				if found += trouble.Seen; !trouble.Severe || trouble.Check != "disk" || trouble.Means == "" || trouble.Mend == "" {
					t.Errorf("%+v", trouble)
				}
			}
		}
		if want := path + " is on " + name + ", a network file system"; name != "" && found != want || name == "" && found != "" {
			t.Errorf("on %#x: %q", kind, found)
		}
	}
}
