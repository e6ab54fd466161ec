package kap

import (
	"strings"
	"sync"
)

// texts are what many disclosures say alike, such as who filed them and their subjects, each kept
// once: lists take less memory, and an answer finds in the processor's cache what it writes often.
type texts struct {
	mu        sync.Mutex
	of        map[string]*string
	localized map[Localized]*Localized // by texts of this
}

const (
	maxTexts = 1 << 14 // then it begins again, and lists keep what they have
	longText = 256     // bytes; longer ones are hardly said twice
)

// share lets disclosures, which only the caller has yet, say what others say with the same texts.
func (t *texts) share(rows []*Stored) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, d := range rows {
		if t.of == nil || len(t.of) > maxTexts || len(t.localized) > maxTexts {
			t.of, t.localized = map[string]*string{}, map[Localized]*Localized{}
		}
		d.Type, d.Class = Type(*t.one((*string)(&d.Type))), *t.one(&d.Class)
		for _, text := range []**string{&d.FilerTitle, &d.Year, &d.Period, &d.Consolidation, &d.CompanyID} {
			*text = t.one(*text)
		}
		if d.Subject != nil && !isLong(d.Subject.TR) && !isLong(d.Subject.EN) {
			subject := Localized{t.one(d.Subject.TR), t.one(d.Subject.EN)}
			if t.localized[subject] == nil {
				t.localized[subject] = &subject
			}
			d.Subject = t.localized[subject]
		}
	}
}

// one returns the text that says the same, which may be this one.
func (t *texts) one(text *string) *string {
	if text == nil || isLong(text) {
		return text
	}
	known := t.of[*text]
	if known == nil {
		own := strings.Clone(*text)
		known = &own
		t.of[own] = known
	}
	return known
}

func isLong(text *string) bool { return text != nil && len(*text) > longText }
