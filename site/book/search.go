package book

import (
	"cmp"
	"iter"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/agnivade/levenshtein"
	"golang.org/x/text/unicode/norm"
)

// Bounds of a search.
const (
	maxWords = 8  // of a query; more are ignored
	maxFound = 20 // sections
	maxWord  = 40 // bytes of a word
	excerpt  = 180
)

// Found is a section that a search found.
type Found struct {
	Page    *Page
	Heading Heading
	Address string
	Excerpt []Marked
}

// Marked is a piece of an excerpt; Hit marks the words that were searched for.
type Marked struct {
	Text string
	Hit  bool
}

// index maps each word to the sections that have it.
type index struct {
	sections []indexed
	words    []string // sorted
	places   map[string][]place
}

type indexed struct {
	page *Page
	section
}

// place is a section that has a word, with the weight of the word in it.
type place struct {
	section int
	weight  float64
}

// Weights of a word by where it is. Those of titles and headings are for one word; several share
// them.
const (
	inTitle, inHeading, inText = 12.0, 10.0, 1.0
	mostInText                 = 4.0 // however often it occurs
	inBlob                     = 0.3 // factor for examples, answers and lists of parameters
	inTypo                     = 0.5 // factor for a word that was misspelt
)

// generated begins the addresses of the pages of routes, which have examples and lists below their
// heads.
const generated = "/docs/rest/"

func newIndex(b *Book) *index {
	x := &index{places: map[string][]place{}}
	for _, p := range b.Pages {
		rendered := p.Rendered()
		for _, s := range rendered.sections {
			weights := map[string]float64{}
			for word := range words(s.text) {
				weights[word] = min(weights[word]+inText, mostInText)
			}
			if s.Level > 1 && strings.HasPrefix(p.Address(), generated) {
				for word := range weights {
					weights[word] *= inBlob
				}
			}
			weigh(weights, s.Text, inHeading)
			if s.Level == 1 {
				weigh(weights, p.Title, inTitle)
			}
			for word, weight := range weights {
				x.places[word] = append(x.places[word], place{len(x.sections), weight})
			}
			x.sections = append(x.sections, indexed{p, s})
		}
	}
	for word := range x.places {
		x.words = append(x.words, word)
	}
	slices.Sort(x.words)
	return x
}

// weigh adds the weight of a heading to its words; the more words it has, the less for each.
func weigh(weights map[string]float64, heading string, weight float64) {
	all := slices.Collect(words(heading))
	for _, word := range all {
		weights[word] += weight / math.Sqrt(float64(len(all)))
	}
}

// words yields the words of a text, folded.
func words(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, word := range strings.FieldsFunc(text, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.Is(unicode.M, r)
		}) {
			if word = folded(word); word != "" && len(word) <= maxWord && !yield(word) {
				return
			}
		}
	}
}

// folded returns a word without letter case and accents: İŞLEM is islem.
func folded(word string) string {
	var s strings.Builder
	for _, r := range norm.NFD.String(word) {
		switch {
		case unicode.Is(unicode.Mn, r):
		case r == 'ı', r == 'I':
			s.WriteByte('i')
		default:
			s.WriteRune(unicode.ToLower(r))
		}
	}
	return s.String()
}

// Search returns the sections that have every word of a query, or words that begin like it, the
// best first and at most maxFound. A word that no section has stands for words of similar spelling.
func (b *Book) Search(query string) []Found {
	x := b.index()
	var terms []string
	for word := range words(query) {
		if terms = append(terms, word); len(terms) == maxWords {
			break
		}
	}
	if terms == nil {
		return nil
	}
	var spelt []string
	score := func(term string) map[int]float64 {
		scores := map[int]float64{}
		alike := x.alike(term)
		for _, word := range alike {
			for section, score := range x.score(word) {
				if word != term {
					score *= inTypo
				}
				scores[section] = max(scores[section], score)
			}
		}
		spelt = append(spelt, alike...)
		return scores
	}
	scores := score(terms[0])
	for _, word := range terms[1:] {
		next := score(word)
		for section := range scores {
			if next[section] == 0 {
				delete(scores, section)
			} else {
				scores[section] += next[section]
			}
		}
	}
	best := make([]place, 0, len(scores))
	for section, score := range scores {
		best = append(best, place{section, score})
	}
	slices.SortFunc(best, func(a, b place) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.section, b.section))
	})
	found := make([]Found, 0, maxFound)
	for _, p := range best[:min(len(best), maxFound)] {
		s := x.sections[p.section]
		f := Found{Page: s.page, Heading: s.Heading, Address: s.page.Address(), Excerpt: excerptOf(s.text, spelt)}
		if s.Level > 1 {
			f.Address += "#" + s.Anchor
		}
		found = append(found, f)
	}
	return found
}

// alike returns word itself if indexed words begin with it, else those that differ by one letter
// or by two letters in each other's place, or by two letters if it is long.
func (x *index) alike(word string) (all []string) {
	from, _ := slices.BinarySearch(x.words, word)
	if from < len(x.words) && strings.HasPrefix(x.words[from], word) {
		return []string{word}
	}
	for most := 1; most <= min(2, len(word)/4) && all == nil; most++ {
		for _, w := range x.words {
			if levenshtein.ComputeDistance(word, w) <= most || swapped(word, w) {
				all = append(all, w)
			}
		}
	}
	return all
}

// swapped reports whether two words differ by two neighbors in each other's place.
func swapped(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	at := 0
	for at < len(a) && a[at] == b[at] {
		at++
	}
	return at+1 < len(a) && a[at] == b[at+1] && a[at+1] == b[at] && a[at+2:] == b[at+2:]
}

// score returns the weight, by section, of a word and of all words that begin with it.
func (x *index) score(word string) map[int]float64 {
	scores := map[int]float64{}
	from, _ := slices.BinarySearch(x.words, word)
	for _, w := range x.words[from:] {
		if !strings.HasPrefix(w, word) {
			break
		}
		rare := math.Log(1 + float64(len(x.sections))/float64(len(x.places[w])))
		if w != word {
			rare *= 0.5 * float64(len(word)) / float64(len(w))
		}
		for _, p := range x.places[w] {
			scores[p.section] = max(scores[p.section], p.weight*rare)
		}
	}
	return scores
}

// word matches a word of a text.
var word = regexp.MustCompile(`[\pL\pN\pM]+`)

// excerptOf returns the part of a text around the first word that was searched for.
func excerptOf(text string, words []string) []Marked {
	text = strings.Join(strings.Fields(text), " ")
	hit := func(at []int) bool {
		return at[1]-at[0] <= maxWord && slices.ContainsFunc(words, func(a string) bool {
			return strings.HasPrefix(folded(text[at[0]:at[1]]), a)
		})
	}
	all := word.FindAllStringIndex(text, -1)
	start, end := 0, wordBefore(text, excerpt)
	if first := slices.IndexFunc(all, hit); first >= 0 {
		start = wordBefore(text, all[first][0]-excerpt/3)
		end = max(all[first][1], wordBefore(text, start+excerpt))
	}
	var pieces []Marked
	add := func(to int, marked bool) {
		if to > start {
			pieces = append(pieces, Marked{text[start:to], marked})
			start = to
		}
	}
	for _, at := range all {
		if at[0] >= start && at[1] <= end && hit(at) {
			add(at[0], false)
			add(at[1], true)
		}
	}
	add(end, false)
	return pieces
}

// wordBefore returns where the word at a place begins, or 0.
func wordBefore(text string, at int) int {
	if at <= 0 {
		return 0
	}
	if at >= len(text) {
		return len(text)
	}
	return strings.LastIndexByte(text[:at], ' ') + 1
}
