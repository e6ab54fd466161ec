package kap_test

import (
	"slices"
	"strings"
	"testing"

	"piyasa/domain/kap"
)

// Worked vector V-116, and every other form: what a topic is called in answers,
// or - for what is none.
func TestParseTopic(t *testing.T) {
	for text, want := range map[string]string{
		"all": "all", "type:FR": "type:FR", "type:ÖDA": "type:ODA", "type:XX": "-", "symbol:bist:DMOST": "-",
		"symbol:DMOST": "symbol:DMOST", "foo": "-",
		"type:fr": "type:FR", "type:oda": "type:ODA", "type:öda": "type:ODA", "type:öDa": "type:ODA", "type:dkb": "type:DUY",
		"type:DKB": "type:DUY",
		"type:DG":  "type:DG", "type:CA": "type:CA", "type:FON": "type:FON", "type:DUY": "type:DUY",
		"symbol:dmost": "symbol:DMOST", "symbol:ZZZZZ": "symbol:ZZZZZ", "symbol:DMALT": "symbol:DMALT", "symbol:12": "symbol:12",
		"symbol:ABCDEFGHIJ": "symbol:ABCDEFGHIJ",
		"symbol:A":          "-", "symbol:ABCDEFGHIJK": "-", "symbol:DMALT.F": "-", "symbol:dmöst": "-", "symbol:": "-", "symbol": "-",
		"symbol: DMOST": "-", "symbol:DMOST ": "-",
		"fund:DMA": "-", "symbol:fund:DMA": "-",
		"": "-", "ALL": "-", "All": "-", "all:": "-", "all:FR": "-", " all": "-", "type": "-", "type:": "-", "type:NEW": "-",
		"type:FR ": "-", "type:FR:": "-",
		"TYPE:FR": "-", "Symbol:DMOST": "-", "type:all": "-", "type:ÖDA\u0308": "-", "type:ODa\xff": "-",
	} {
		topic, ok := kap.ParseTopic(text)
		if got := string(topic); ok != (want != "-") || ok && got != want {
			t.Errorf("%q: %q %v, want %s", text, got, ok, want)
		}
	}
}

// A disclosure has each of its topics, and a market-wide notice none of a code.
func TestTopicsOfADisclosure(t *testing.T) {
	d := &kap.Disclosure{Type: kap.DUY, Symbols: []string{}}
	if got := d.Topics(); !slices.Equal(got, []kap.Topic{"all", "type:DUY"}) {
		t.Errorf("market-wide: %v", got)
	}
	d = &kap.Disclosure{Type: kap.FON, Symbols: []string{"DMA", "DMB"}, FilerCodes: []string{"DMPYS"}}
	if got := d.Topics(); !slices.Equal(got, []kap.Topic{"all", "type:FON", "symbol:DMA", "symbol:DMB"}) {
		t.Errorf("of two funds: %v", got)
	}
}

// A topic's spelling is a topic, itself; and a selection holds what it says.
func FuzzTopic(f *testing.F) {
	for _, seed := range []string{"all", "type:öda", "symbol:dm1", "symbol:bist:DMOST", "type:", "\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		topic, ok := kap.ParseTopic(text)
		selected := kap.Select([]kap.Topic{topic})
		if !ok {
			return
		}
		if again, ok := kap.ParseTopic(string(topic)); !ok || again != topic {
			t.Errorf("%q is %q, which is %q %v", text, topic, again, ok)
		}
		keyword, rest, _ := strings.Cut(string(topic), ":")
		want := kap.Selection{All: keyword == "all"}
		if keyword == "type" {
			want.Types = []kap.Type{kap.Type(rest)}
		}
		if keyword == "symbol" {
			want.Codes = []string{rest}
		}
		if selected.Empty() || selected.All != want.All || !slices.Equal(selected.Types, want.Types) ||
			!slices.Equal(selected.Codes, want.Codes) {
			t.Errorf("%q selects %+v", text, selected)
		}
	})
}

// Topics go by the symbols that a frame shows, codes of the filer included.
func TestTopicsOfACompletedDisclosure(t *testing.T) {
	r := &kap.Record{Disclosure: kap.Disclosure{Type: kap.ODA, Symbols: []string{"a1", "A1"}, FilerCodes: []string{"A1", "b1"}}}
	r.Normalize()
	if !slices.Equal(r.Symbols, []string{"A1", "B1"}) ||
		!slices.Equal(r.Topics(), []kap.Topic{kap.All, "type:ODA", "symbol:A1", "symbol:B1"}) {
		t.Errorf("%v has the topics %v", r.Symbols, r.Topics())
	}
}
