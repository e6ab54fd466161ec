package access_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"piyasa/account/access"
)

// G-15: the form of a key, of its hash and of its id.
func TestNewSecret(t *testing.T) {
	forms := map[bool]*regexp.Regexp{
		false: regexp.MustCompile(`^piyasa_live_[0-9A-Za-z]{40}$`),
		true:  regexp.MustCompile(`^piyasa_test_[0-9A-Za-z]{40}$`),
	}
	hash, prefix := regexp.MustCompile(`^[0-9a-f]{64}$`), regexp.MustCompile(`^piyasa_(live|test)_[0-9A-Za-z]{4}$`)
	known := map[string]bool{}
	letters := map[rune]bool{}
	for i := range 400 {
		s := access.NewSecret(i%2 == 0)
		text := string(s)
		if !forms[i%2 == 0].MatchString(text) {
			t.Fatalf("test %v: %s", i%2 == 0, text)
		}
		if !hash.MatchString(s.Hash()) || s.Hash() != access.Secret(text).Hash() {
			t.Errorf("hash %s", s.Hash())
		}
		if !prefix.MatchString(s.Prefix()) || !strings.HasPrefix(text, s.Prefix()) {
			t.Errorf("prefix %s", s.Prefix())
		}
		if s.Prefix() == text || s.Hash() == text || strings.Contains(s.Hash(), text[12:]) {
			t.Error("the secret shows")
		}
		if known[text] || known[s.Hash()] {
			t.Error("twice the same")
		}
		known[text], known[s.Hash()] = true, true
		for _, r := range text[12:] {
			letters[r] = true
		}
	}
	if len(letters) != 62 {
		t.Errorf("secrets use %d letters of 62", len(letters))
	}
}

func TestHashIsSHA256(t *testing.T) {
	if got, want := access.Secret("abc").Hash(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"; got != want {
		t.Errorf("got %s", got)
	}
}

func TestPrefixOfShortText(t *testing.T) {
	for _, text := range []string{"", "a", "piyasa_live_"} {
		if got := access.Secret(text).Prefix(); !strings.HasPrefix(text, got) {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestNewKeyID(t *testing.T) {
	form := regexp.MustCompile(`^key_[0-9A-Za-z]{12}$`)
	if a, b := access.NewKeyID(), access.NewKeyID(); !form.MatchString(a) || !form.MatchString(b) || a == b {
		t.Errorf("%s and %s", a, b)
	}
}

// A key that is shown tells no hash (PB-05).
func TestKeyHidesItsHash(t *testing.T) {
	s := access.NewSecret(false)
	k := access.Key{ID: "key_a", Prefix: s.Prefix(), Hash: s.Hash(), Plan: "basic"}
	text, err := json.Marshal(k)
	if err != nil || strings.Contains(string(text), s.Hash()) || strings.Contains(string(text), string(s)) {
		t.Errorf("%s, %v", text, err)
	}
}
