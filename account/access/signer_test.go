package access_test

import (
	"encoding/base64"
	"testing"

	"pgregory.net/rapid"

	"piyasa/account/access"
	"piyasa/test/fixture/calls"
)

var signer = access.Signer{Secret: []byte("a secret of this test")}

// A cursor returns its key for its own list and query under its own secret, and
// for no other.
func TestCursorIsBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key, list, query := rapid.StringN(1, 40, -1).Draw(t, "key"), rapid.String().Draw(t, "list"), rapid.String().Draw(t, "query")
		c := signer.Cursor(key, list, query)
		if got, err := signer.Key(c, list, query); err != nil || got != key {
			t.Fatalf("own: %q, %v", got, err)
		}
		otherList, otherQuery := rapid.String().Draw(t, "other list"), rapid.String().Draw(t, "other query")
		if _, err := signer.Key(c, otherList, query); list != otherList && calls.KindOf(err) != "invalid-cursor" {
			t.Errorf("another list: %v", err)
		}
		if _, err := signer.Key(c, list, otherQuery); query != otherQuery && calls.KindOf(err) != "invalid-cursor" {
			t.Errorf("another query: %v", err)
		}
		if _, err := (access.Signer{Secret: []byte("another")}).Key(c, list, query); calls.KindOf(err) != "invalid-cursor" {
			t.Errorf("another secret: %v", err)
		}
	})
}

// Any other text than the cursor itself is refused: a byte changed, added,
// left out, or another encoding of the same bits.
func TestDamagedCursor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := signer.Cursor(rapid.StringN(1, 20, -1).Draw(t, "key"), "list", "query")
		at := rapid.IntRange(0, len(c)-1).Draw(t, "at")
		letter := rapid.SampledFrom([]byte("ABYZabyz0189-_=+/ \n\r\x00")).Draw(t, "letter")
		for _, damaged := range []string{c[:at] + string(letter) + c[at+1:], c[:at] + string(letter) + c[at:], c + string(letter), c[:at] +
			c[at+1:], c[:at], c + c} {
			if damaged == c {
				continue
			}
			if key, err := signer.Key(damaged, "list", "query"); calls.KindOf(err) != "invalid-cursor" {
				t.Fatalf("%q for %q: %q, %v", damaged, c, key, err)
			}
		}
	})
}

// The parts of a signature do not run into each other.
func TestSignaturesOfOtherParts(t *testing.T) {
	seen := map[string]string{}
	for name, signature := range map[string][]byte{
		"a 1 11": signer.Sign("a", 1, 11), "a 11 1": signer.Sign("a", 11, 1), "a '1 11'": signer.Sign("a", "1 11"),
		"a 111": signer.Sign("a", 111),
		"a":     signer.Sign("a"), "a ''": signer.Sign("a", ""), "'a 1' 11": signer.Sign("a 1", 11),
		"'a\" \"1' 11": signer.Sign(`a" "1`, 11), "b 1 11": signer.Sign("b", 1, 11),
	} {
		text := base64.StdEncoding.EncodeToString(signature)
		if other, known := seen[text]; known {
			t.Errorf("%s and %s have one signature", name, other)
		}
		seen[text] = name
	}
}

// No text but one that was signed passes.
func FuzzCursor(f *testing.F) {
	f.Add(signer.Cursor("1773820800000 1501", "disclosures", "q"))
	f.Add("garbage")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		if key, err := signer.Key(text, "disclosures", "q"); err == nil && signer.Cursor(key, "disclosures", "q") != text {
			t.Errorf("%q passes as the cursor of %q", text, key)
		}
	})
}
