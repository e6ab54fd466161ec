package kap

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"piyasa/internal/problem"
)

// Bounds of a search.
const (
	maxSearch      = 200 // letters of its text
	maxSearchWords = 16
)

// Search is the sayings that texts must have, and those that they must not have.
type Search struct{ Says, SaysNot []Saying }

// Saying is a word or a phrase: its stems in Turkish and, if they differ, in English. A text
// matches if it has all stems of one language in sequence.
type Saying [][]string

// searchForm describes a valid search in problems.
const searchForm = `words that must all be there, such as geri alım, "a phrase", and -word for what must not be there: at least one ` +
	`word that must be there, at most 16 words in 200 letters`

// parseSearch reads the text of a search. Problem: invalid-parameter.
func parseSearch(text string) (*Search, error) {
	refuse := func(why string) error {
		e := problem.New(problem.InvalidParameter, "q %s; it takes %s.", why, searchForm)
		return e.About("q", text)
	}
	if utf8.RuneCountInString(text) > maxSearch {
		return nil, refuse("is longer than 200 letters")
	}
	s, count := &Search{}, 0
	for rest := strings.TrimSpace(text); rest != ""; rest = strings.TrimSpace(rest) {
		term, not := strings.CutPrefix(rest, "-")
		quoted, isPhrase := strings.CutPrefix(quotes.Replace(term), `"`)
		if isPhrase {
			var closed bool
			if term, rest, closed = strings.Cut(quoted, `"`); !closed {
				return nil, refuse("has a quotation mark without its other one")
			}
		} else {
			end := strings.IndexFunc(term, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`"“”„«»`, r) })
			if end < 0 {
				end = len(term)
			}
			term, rest = term[:end], term[end:]
		}
		var turkish, english []string
		eachWord(term, func(word string) bool {
			turkish, english = append(turkish, turkishStem(word)), append(english, englishStem(word))
			return true
		})
		if len(turkish) == 0 { // only signs
			continue
		}
		if count += len(turkish); count > maxSearchWords {
			return nil, refuse("has more than 16 words")
		}
		saying := Saying{turkish}
		if strings.Join(english, " ") != strings.Join(turkish, " ") {
			saying = append(saying, english)
		}
		if not {
			s.SaysNot = append(s.SaysNot, saying)
		} else {
			s.Says = append(s.Says, saying)
		}
	}
	switch {
	case len(s.Says) > 0:
		return s, nil
	case len(s.SaysNot) > 0:
		return nil, refuse("says only what must not be there")
	}
	return nil, refuse("has no word")
}

// quotes makes all quotation marks the same.
var quotes = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`)
