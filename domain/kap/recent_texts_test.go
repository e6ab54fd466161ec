package kap

import (
	"reflect"
	"strconv"
	"strings"
	"testing"
)

func storedWith(title, subject string) *Stored {
	text := func(of string) *string { of = strings.Clone(of); return &of }
	return &Stored{Disclosure: Disclosure{Type: FR, Class: strings.Clone("FR"), FilerTitle: text(title), Year: text("2025"),
		Subject: &Localized{TR: text(subject), EN: text(subject + " (EN)")}}}
}

func TestTextsAreShared(t *testing.T) {
	var shared texts
	long := strings.Repeat("x", longText+1)
	rows := []*Stored{storedWith("A", "Genel Kurul"), storedWith("A", "Genel Kurul"), storedWith("B", "Genel Kurul"),
		storedWith(long, long), {}}
	shared.share(rows)
	for i, want := range []*Stored{storedWith("A", "Genel Kurul"), storedWith("A", "Genel Kurul"), storedWith("B", "Genel Kurul"),
		storedWith(long, long), {}} {
		if !reflect.DeepEqual(rows[i], want) {
			t.Errorf("%d is %+v, not %+v", i, rows[i], want)
		}
	}
	if a, b, c := rows[0], rows[1], rows[2]; a.FilerTitle != b.FilerTitle || a.FilerTitle == c.FilerTitle || a.Subject != b.Subject ||
		a.Subject != c.Subject || a.Year != c.Year {
		t.Error("equal texts are not the same, or others are")
	}
	for _, text := range shared.of {
		if len(*text) > longText {
			t.Error("a long text is kept")
		}
	}
	for n := range 3 * maxTexts {
		shared.share([]*Stored{storedWith(strconv.Itoa(n), strconv.Itoa(n))})
		if len(shared.of) > maxTexts+10 || len(shared.localized) > maxTexts+10 {
			t.Fatalf("%d and %d texts are kept", len(shared.of), len(shared.localized))
		}
	}
	if *rows[0].FilerTitle != "A" {
		t.Error("a text changed")
	}
}
