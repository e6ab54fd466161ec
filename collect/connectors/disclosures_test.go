package connectors_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"piyasa/collect"
	"piyasa/collect/collecttest"
	"piyasa/collect/standin"
	"piyasa/test/fixture/need"
)

// disclosures are those of the publication service. What it has is what a collector reads of it
// that nothing happens to.
type disclosures struct {
	*testing.T
	folder string // of attachments
}

func newDisclosures(t *testing.T) subject {
	t.Setenv("VYK_KEY", standin.VYKKey)
	return &disclosures{t, t.TempDir()}
}

func (*disclosures) name() string { return "vyk" }

func (d *disclosures) settings(from time.Time) map[string]any {
	return map[string]any{
		"key": map[string]string{"env": "VYK_KEY"}, "from": standin.VYKNewest(from.AddDate(0, 0, 14)) - 40,
		"attachments": map[string]string{"folder": d.folder},
		"schedule":    map[string]string{"every": "30m"},
	}
}

func (*disclosures) wrong(l collecttest.Line) string {
	if l.Kind != "disclosure" && l.Kind != "filing" {
		return "another kind"
	}
	return ""
}

// key tells records apart.
func key(l collecttest.Line) string { return fmt.Sprint(l.Kind, " ", l.Fields["disclosure_index"]) }

// missing compares what is stored with what the service has, byte for byte.
func (d *disclosures) missing(s *collecttest.Store, from, _ time.Time) (all []string) {
	quiet := &disclosures{d.T, d.TempDir()}
	store := collecttest.NewStore()
	network := collecttest.NewNetwork(d.T, map[string]http.Handler{host: standin.VYK(time.Now)})
	c := &collect.Collector{Config: source(d.T, "vyk", quiet.settings(from)), Store: store, Emit: store.Emit, Holder: "quiet",
		Agent: "piyasa/test", Now: time.Now, Transport: network}
	for range 10 {
		if o := c.Once(d.Context())[0]; o.Err != nil {
			return []string{o.Err.Error()}
		}
		time.Sleep(30 * time.Minute)
	}
	stored := map[string][]collecttest.Line{}
	for _, l := range s.Lines() {
		stored[key(l)] = append(stored[key(l)], l)
	}
	want := map[string]string{}
	for _, l := range store.Lines() {
		want[key(l)] = l.Text
	}
	newest := standin.VYKNewest(s.Lines()[len(s.Lines())-1].At)
	for n := standin.VYKNewest(from.AddDate(0, 0, 14)) - 40; n <= newest; n++ {
		if standin.VYKTardy(n) && n > newest-10 || standin.VYKNever(n) || !standin.VYKExists(n) {
			continue
		}
		for _, kind := range []string{"disclosure ", "filing "} {
			of := kind + fmt.Sprint(n)
			if standin.VYKBlocked(n) { // it depends on when it was blocked
				want[of] = ""
			}
			if text, there := want[of]; there && len(stored[of]) == 0 && text != "" {
				all = append(all, of)
			}
			for _, l := range stored[of] {
				if want[of] != "" && l.Text != want[of] || want[of] == "" && !standin.VYKBlocked(n) {
					all = append(all, fmt.Sprintf("%s; it has %s", l.Text, want[of]))
				}
			}
		}
		if want["disclosure "+fmt.Sprint(n)] == "" && !standin.VYKBlocked(n) {
			all = append(all, fmt.Sprint("the quiet collector does not have ", n))
		}
	}
	return append(all, missingFiles(d.T, d.folder, quiet.folder)...)
}

// missingFiles compares the files of two folders, of which the second may have more that are newer.
func missingFiles(t *testing.T, got, want string) (all []string) {
	files, err := filepath.Glob(filepath.Join(got, "vyk", "*"))
	if err != nil || len(files) == 0 {
		return []string{fmt.Sprint("attachments: ", err)}
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		need.NoError(t, err)
		other, err := os.ReadFile(filepath.Join(want, "vyk", filepath.Base(name)))
		if err == nil && !slices.Equal(text, other) {
			all = append(all, name)
		}
	}
	return all
}
