package kap

import (
	"strings"
	"sync"
)

// texts keeps texts that many disclosures share, such as filers and subjects, once each. Lists
// then take less memory, and frequent texts stay in the processor's cache.
type texts struct {
	mu        sync.Mutex
	of        map[string]*string
	localized map[Localized]*Localized // by their texts
}

const (
	maxTexts = 1 << 14 // a full table is emptied; lists keep their texts
	longText = 256     // bytes; longer texts are rarely repeated
)

// share replaces the texts of disclosures by shared ones. Only the caller may have the
// disclosures yet.
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

// one returns the shared text equal to text, which may be text itself.
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
