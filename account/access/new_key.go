package access

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"piyasa/internal/value"
)

// maxName is the most characters of a key's name.
const maxName = 200

// Draft is what an operator states about a new key.
type Draft struct {
	Name   string  // a label
	Plan   string  // one of the existing plans
	Scopes []Scope // at least one that grants something
	Test   bool    // whether it is a test key
}

// Mistake is a wrong member of a draft, and what is allowed.
type Mistake struct{ Member, Allowed string }

// Error implements error.
func (m *Mistake) Error() string { return m.Member + " " + m.Allowed }

// Key makes the key and its secret, which is shown once. The error is a *Mistake if a member is
// wrong.
func (d Draft) Key(plans Plans, now time.Time) (*Key, Secret, error) {
	if _, ok := plans[d.Plan]; !ok {
		return nil, "", &Mistake{"plan", fmt.Sprintf("must be one of %s; got %q", plans.Names(), d.Plan)}
	}
	if strings.TrimSpace(d.Name) == "" || !utf8.ValidString(d.Name) || strings.ContainsFunc(d.Name, unicode.IsControl) {
		return nil, "", &Mistake{"name", fmt.Sprintf("must be a label of printable characters; got %q", d.Name)}
	}
	if n := utf8.RuneCountInString(d.Name); n > maxName {
		return nil, "", &Mistake{"name", fmt.Sprintf("must have at most %d characters; got %d", maxName, n)}
	}
	if !slices.ContainsFunc(d.Scopes, Scope.Known) && !slices.Equal(d.Scopes, []Scope{Nothing}) {
		allowed := fmt.Sprintf("must name at least one of %s, or all, or else say nothing; got %q",
			value.ListOf(Grantable), value.ListOf(d.Scopes))
		return nil, "", &Mistake{"scopes", allowed}
	}
	secret := NewSecret(d.Test)
	return &Key{
		ID: NewKeyID(), Name: d.Name, Prefix: secret.Prefix(), Hash: secret.Hash(), Plan: d.Plan, Scopes: d.Scopes, Test: d.Test,
		CreatedAt: now.Unix(),
	}, secret, nil
}
