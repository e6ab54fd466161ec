package vyk_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"piyasa/collect"
	"piyasa/collect/collecttest"
)

// shelf is a service of five disclosures with an attachment each, of which some are odd.
func shelf(odd map[string]http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := strings.TrimPrefix(r.URL.Path, "/api/vyk/")
		service, last, _ := strings.Cut(path, "/")
		time.Sleep(2 * time.Millisecond) // raw answers are named by their times
		if one := odd[path]; one != nil {
			one(w, r)
			return
		}
		switch service {
		case "lastDisclosureIndex":
			fmt.Fprint(w, `{"lastDisclosureIndex": 105}`)
		case "blockedDisclosures":
			fmt.Fprint(w, `[]`)
		case "disclosures":
			fmt.Fprint(w, `[{"disclosureIndex": 101}, {"disclosureIndex": 102}, {"disclosureIndex": 103}, {"disclosureIndex": 104}, {"disclosureIndex": 105}]`)
		case "disclosureDetail":
			fmt.Fprintf(w, `{"disclosureIndex": %s, "disclosureType": "ODA", "disclosureClass": "ODA", "attachmentUrls": [{"url": "https://elsewhere.example/%s"}]}`, last, file(last))
		case "downloadAttachment":
			fmt.Fprint(w, "the file ", last)
		}
	})
}

// file is the id of the attachment of a disclosure.
func file(n string) string { return strings.Repeat("0", 32-len(n)) + n }

// collected collects from a shelf every three minutes for a while, and returns what is warned of.
func collected(t *testing.T, folder string, upstream http.Handler, long time.Duration) (store *collecttest.Store, warnings string) {
	w := newWorld(t, fmt.Sprintf(`, "user": {"env": "VYK_USER"}, "password": {"env": "VYK_PASSWORD"}, "from": 101, "attachments": {"folder": %q}`, folder))
	w.Transport = collecttest.NewNetwork(t, map[string]http.Handler{host: upstream})
	w.Config.Keep = collect.Keep{Folder: filepath.Join(folder, "raw"), Days: 1000}
	w.Config.Sources[0].Own.MaxBytes = 1000
	for end := time.Now().Add(long); time.Now().Before(end); time.Sleep(3 * time.Minute) {
		o := w.Once(t.Context())[0]
		if o.Err != nil {
			t.Fatalf("%+v", o)
		}
		if o.Warning != nil {
			warnings += o.Warning.Error() + "\n"
		}
	}
	if err := w.Config.Replay(w.Config.Keep.Folder, io.Discard); err != nil {
		t.Error(err)
	}
	return w.store, warnings
}

// files returns the disclosures whose attachments are in a folder.
func files(folder string) (all string) {
	for n := 101; n <= 105; n++ {
		if _, err := os.Stat(filepath.Join(folder, "vyk", file(fmt.Sprint(n)))); err == nil {
			all += fmt.Sprint(n, " ")
		}
	}
	return strings.TrimSpace(all)
}

func large(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(bytes.Repeat([]byte("x"), 2000)) }

// An attachment that is larger than answers may be is named once, and everything after it goes
// on; so does a disclosure.
func TestTooLarge(t *testing.T) {
	for name, c := range map[string]struct{ path, says, disclosures, files string }{
		"an attachment": {"downloadAttachment/" + file("103"), "attachment vyk/" + file("103") +
			" stays at the service: the answer is larger than 1000 bytes", "101 102 103 104 105", "101 102 104 105"},
		"a disclosure": {"disclosureDetail/103", "disclosure 103 stays at the service: the answer is larger than 1000 bytes",
			"101 102 104 105", "101 102 104 105"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin()
				folder := t.TempDir()
				store, warnings := collected(t, folder, shelf(map[string]http.HandlerFunc{c.path: large}), 10*time.Minute)
				var numbers []string
				for _, l := range store.Lines() {
					numbers = append(numbers, fmt.Sprint(l.Fields["disclosure_index"]))
				}
				if got := strings.Join(numbers, " "); got != c.disclosures || files(folder) != c.files {
					t.Errorf("disclosures %s, files of %s", got, files(folder))
				}
				if strings.Count(warnings, c.says) != 1 || strings.Count(warnings, "\n") != 1 ||
					!strings.Contains(store.All(), `"up":false`) || !strings.Contains(store.All(), "stays at the service") {
					t.Errorf("%q\n%s", warnings, store.All())
				}
			})
		})
	}
}

// An attachment that never comes, or something else in its place, holds nothing up, and is asked
// for again.
func TestAttachmentThatDoesNotCome(t *testing.T) {
	for what, answer := range map[string]http.HandlerFunc{
		"the upstream cannot be reached": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"it is a page instead of a file": func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, " <!DOCTYPE html><p>Request Rejected")
		},
		"the file is not as long as its frame says": func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, head+"\x00\x00\x00\x08the")
		},
		"the answer is empty": func(http.ResponseWriter, *http.Request) {},
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin()
				folder := t.TempDir()
				away := time.Now().Add(20 * time.Minute)
				upstream := shelf(map[string]http.HandlerFunc{"downloadAttachment/" +
					file("103"): func(w http.ResponseWriter, r *http.Request) {
					if time.Now().Before(away) {
						answer(w, r)
						return
					}
					fmt.Fprint(w, "the file")
				}})
				_, warnings := collected(t, folder, upstream, 10*time.Minute)
				if files(folder) != "101 102 104 105" || !strings.Contains(warnings, "attachment vyk/"+file("103")+
					" does not come, and is asked for again later: "+what) {
					t.Errorf("%s, %q", files(folder), warnings)
				}
				folder = t.TempDir()
				_, warnings = collected(t, folder, upstream, 40*time.Minute)
				if files(folder) != "101 102 103 104 105" {
					t.Errorf("%s, %q", files(folder), warnings)
				}
			})
		})
	}
}
