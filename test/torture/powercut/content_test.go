package powercut

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

func repeated(b byte, n int) []byte { return bytes.Repeat([]byte{b}, n) }

// cuts returns what content made by build can hold after a cut, by its text.
func cuts(build func(*content)) map[string]bool {
	random, found := rand.New(rand.NewPCG(1, 2)), map[string]bool{}
	for range 2000 {
		var c content
		build(&c)
		found[string(c.afterCut(random))] = true
	}
	return found
}

func TestSyncedContentSurvives(t *testing.T) {
	found := cuts(func(c *content) {
		c.write(0, repeated('a', 10_000))
		c.truncate(9000)
		c.write(8990, repeated('b', 500))
		c.sync()
	})
	want := strings.Repeat("a", 8990) + strings.Repeat("b", 500)
	if len(found) != 1 || !found[want] {
		t.Errorf("%d contents are possible", len(found))
	}
}

// Of two writes to different pages, each survives without the other; of two to the
// same page, the second never without the first.
func TestPagesDoNotWaitForOneAnother(t *testing.T) {
	found := cuts(func(c *content) {
		c.write(0, repeated('0', 2*pageSize))
		c.sync()
		c.write(0, repeated('1', 1))
		c.write(pageSize, repeated('2', 1))
		c.write(1, repeated('3', 1))
	})
	seen := map[string]bool{}
	for text := range found {
		seen[text[:2]+text[pageSize:pageSize+1]] = true
	}
	for _, want := range []string{"000", "002", "100", "102", "130", "132"} {
		if !seen[want] {
			t.Errorf("%s does not happen", want)
		}
		delete(seen, want)
	}
	if len(seen) > 0 {
		t.Errorf("these cannot be: %v", seen)
	}
}

// A page is torn between sectors, and a sector is whole.
func TestPagesAreTornBetweenSectors(t *testing.T) {
	torn := false
	for text := range cuts(func(c *content) {
		c.write(0, repeated('0', pageSize))
		c.sync()
		c.write(0, repeated('1', pageSize))
	}) {
		for at := 0; at < pageSize; at += sectorSize {
			sector := text[at : at+sectorSize]
			if sector != string(repeated(sector[0], sectorSize)) {
				t.Fatal("a sector is torn")
			}
			torn = torn || sector[0] != text[0]
		}
	}
	if !torn {
		t.Error("no page is torn")
	}
}

// The end of a file that grew is missing, or there and empty.
func TestSizesAreThoseOfSomeMoment(t *testing.T) {
	found := cuts(func(c *content) {
		c.write(0, repeated('1', pageSize))
		c.write(pageSize, repeated('2', pageSize))
	})
	empty := string(make([]byte, pageSize))
	for _, want := range []string{"", string(repeated('1', pageSize)), empty, empty + string(repeated('2', pageSize)),
		string(repeated('1', pageSize)) + empty} {
		if !found[want] {
			t.Errorf("a file of %d bytes does not happen", len(want))
		}
	}
	for text := range found {
		if len(text)%pageSize != 0 {
			t.Errorf("a size of %d was never", len(text))
		}
	}
}

// No write survives without the truncation before it, and what a truncation cut off
// does not come back.
func TestTruncationsComeInOrder(t *testing.T) {
	found := cuts(func(c *content) {
		c.write(0, repeated('0', 3*pageSize))
		c.sync()
		c.truncate(pageSize)
		c.write(pageSize, repeated('1', pageSize))
		c.truncate(2 * pageSize)
		c.truncate(3 * pageSize)
	})
	first, empty := string(repeated('0', pageSize)), string(make([]byte, pageSize))
	for text := range found {
		switch rest := text[pageSize:]; {
		case text[:pageSize] != first:
			t.Error("the synced page is damaged")
		case rest == first+first, rest == "", len(rest) == pageSize, len(rest) == 2*pageSize && rest[pageSize:] == empty:
		default:
			t.Errorf("after the first page there are %d bytes, the first %q, the last %q", len(rest), rest[0], rest[len(rest)-1])
		}
		if len(text) == 2*pageSize && text[pageSize:] == first {
			t.Error("what was cut off came back")
		}
	}
}

// After a failed sync processes see their writes, and no later sync brings those that
// were lost to the disk.
func TestFailedSyncsLoseWritesForGood(t *testing.T) {
	random, lost := rand.New(rand.NewPCG(3, 4)), 0
	for range 100 {
		var c content
		c.write(0, []byte("old"))
		c.sync()
		c.write(0, []byte("new"))
		c.failSync(random)
		c.sync()
		if string(c.seen) != "new" {
			t.Fatalf("processes see %q", c.seen)
		}
		if string(c.afterCut(random)) == "old" {
			lost++
		}
	}
	if lost == 0 || lost == 100 {
		t.Errorf("%d of 100 writes were lost", lost)
	}
}
