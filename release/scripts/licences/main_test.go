package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"piyasa/test/fixture/need"
)

func TestModulesOf(t *testing.T) {
	got := modulesOf("example.org/a v1.0.0\nexample.org/a/b v2.0.0\n\nexample.org/a v1.0.0\nexample.org/unknown v3.0.0\n",
		"example.org/a MIT\nexample.org/a/c BSD-3-Clause\nexample.org/a MIT\nexample.org/a/b/deep ISC\n")
	want := []component{{"example.org/a", "v1.0.0", []string{"BSD-3-Clause", "MIT"}}, {"example.org/a/b", "v2.0.0", []string{"ISC"}},
		{"example.org/unknown", "v3.0.0", nil}}
	if !slices.EqualFunc(got, want, func(a, b component) bool {
		return a.name == b.name && a.version == b.version && slices.Equal(a.licences, b.licences)
	}) {
		t.Errorf("%+v", got)
	}
}

func TestPackagesIn(t *testing.T) {
	got := packagesIn("# Licenses\n\n## react - 19.3.1 (MIT)\n\ntext\n\n## @a/b - 1.0.0-rc.1 (Apache-2.0)\n")
	if len(got) != 2 || got[0].name != "@a/b" || got[0].version != "1.0.0-rc.1" || got[0].licences[0] != "Apache-2.0" ||
		got[1].name != "react" {
		t.Errorf("%+v", got)
	}
}

func TestForbidden(t *testing.T) {
	for _, c := range []struct {
		licences []string
		says     string // empty: allowed
	}{
		{[]string{"MIT", "Apache-2.0"}, ""},
		{[]string{"MPL-2.0"}, ""},
		{[]string{"MIT", "AGPL-3.0"}, "AGPL-3.0 is not allowed"},
		{[]string{"GPL-3.0-only"}, "GPL-3.0-only is not allowed"},
		{[]string{"Unknown"}, "Unknown is not allowed"},
		{nil, "no licence was recognized"},
	} {
		err := forbidden([]component{{"fine", "v1", []string{"MIT"}}, {"it", "v2", c.licences}})
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), "it v2: ") || err != nil &&
			!strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: %v", c.licences, err)
		}
	}
}

// The list is that of the modules that are linked; a list that lacks one is found.
func TestListIsCurrent(t *testing.T) {
	t.Chdir("../../..")
	need.NoError(t, run(t.Context(), true))
	text, err := os.ReadFile(page)
	need.NoError(t, err)
	modules, err := linkedModules(t.Context())
	if err != nil || len(modules) < 20 {
		t.Fatal(len(modules), err)
	}
	lacks, err := between(string(text), modulesBegin, modulesEnd, table("module", modules[1:]))
	need.NoError(t, err)
	if said := difference(lacks, string(text)); !strings.Contains(said, "+ | "+modules[0].name+" | "+modules[0].version) {
		t.Errorf("said %q", said)
	}
}
