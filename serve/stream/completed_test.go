package stream_test

import (
	"encoding/json"
	"strings"
	"testing"

	"piyasa/domain/kap"
	"piyasa/internal/attachment"
	"piyasa/test/fixture/need"
)

// completed returns a disclosure with what came later.
func completed(r *kap.Record, names ...string) *kap.Record {
	for _, name := range names {
		r.Attachments = append(r.Attachments, attachment.Document{Name: name, Location: "/" + name})
	}
	r.AttachmentCount = len(names)
	return r
}

// A disclosure whose data is completed comes again under its number, to who
// follows it live; from then on it is the same live, replayed and in the list.
// What is not in its data is not told, nor is what a back-fill adds.
func TestCompletedDisclosureComesAgain(t *testing.T) {
	s := newSocketFixture(t)
	c := s.join()
	c.say(`{"action":"subscribe","ids":["symbol:DMOST"]}`)
	c.hears("subscribed [symbol:DMOST] []")
	frame := func() (text string, data struct {
		Number int `json:"disclosure_index"`
		Count  int `json:"attachment_count"`
	}) {
		t.Helper()
		var f struct{ Data json.RawMessage }
		_, said, err := c.ReadMessage()
		if err == nil {
			if err = json.Unmarshal(said, &f); err == nil {
				err = json.Unmarshal(f.Data, &data)
			}
		}
		if err != nil {
			t.Fatalf("%s: %v", said, err)
		}
		return string(said), data
	}
	s.put(false, filing(5, kap.ODA, "DMOST"), filing(6, kap.ODA, "DMOST"), filing(7, kap.ODA, "DMOST"))
	c.hears("L5", "L6", "L7")

	s.put(false, completed(filing(5, kap.ODA, "DMOST"), "a.pdf", "b.pdf"))
	live, data := frame()
	if data.Number != 5 || data.Count != 2 {
		t.Errorf("completed: %s", live)
	}
	body := filing(6, kap.ODA, "DMOST")
	body.Body = &kap.Content{SourceFormat: "html", FileType: "x", Content: []byte(`"<p>"`)}
	s.put(false, body)
	s.put(true, completed(filing(7, kap.ODA, "DMOST"), "c.pdf"))
	s.put(false, completed(filing(5, kap.ODA, "DMOST"), "a.pdf", "b.pdf")) // nothing new
	both := completed(filing(8, kap.ODA, "DMOST"), "d.pdf")
	s.put(false, filing(8, kap.ODA, "DMOST"), both) // at once
	c.hears("L8")

	c.say(`{"action":"subscribe","ids":["symbol:DMOST"],"last_seen_index":4}`)
	c.hears("subscribed [symbol:DMOST] []")
	again, _ := frame()
	if again != strings.Replace(live, `"replay":false`, `"replay":true`, 1) {
		t.Errorf("replayed\n%s, live\n%s", again, live)
	}
	c.hears("R6", "R7", "R8", "replay_done 8 false")
	listed, err := s.store.Disclosures(t.Context(), kap.Query{Limit: 10, Ascending: true})
	need.NoError(t, err)
	row, err := json.Marshal(listed[0].Disclosure)
	need.NoError(t, err)
	var shown, told any
	_ = json.Unmarshal(row, &shown)
	_ = json.Unmarshal([]byte(strings.TrimSuffix(strings.TrimPrefix(live, `{"type":"disclosure","replay":false,"data":`), "}")), &told)
	if a, b := must(json.Marshal(shown)), must(json.Marshal(told)); string(a) != string(b) {
		t.Errorf("listed %s, told %s", a, b)
	}
}

func must(text []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return text
}

// What is completed while a replay runs is in it as it was or as it is, and
// follows it.
func TestCompletedDuringAReplay(t *testing.T) {
	s := newSocketFixture(t, filing(1, kap.ODA), filing(2, kap.ODA), filing(3, kap.ODA))
	held := make(chan struct{})
	s.replayed = func() { <-held }
	c, witness := s.join(), s.join()
	witness.say(`{"action":"subscribe","ids":["all"]}`)
	witness.hears("subscribed [all] []")
	c.say(`{"action":"subscribe","ids":["all"],"last_seen_index":0}`)
	c.hears("subscribed [all] []")
	s.put(false, completed(filing(2, kap.ODA), "a.pdf"))
	witness.hears("L2")
	close(held)
	c.hears("R1", "R2", "R3", "replay_done 3 false", "L2")
}
