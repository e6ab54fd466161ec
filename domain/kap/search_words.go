package kap

import (
	"strings"
	"unicode"

	"github.com/blevesearch/snowballstem"
	porter "github.com/blevesearch/snowballstem/english"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/text/unicode/norm"
)

// Bounds of what is searched.
const (
	maxWord  = 64      // letters; the rest of a longer word is ignored
	maxWords = 900_000 // bytes of the stems of a disclosure; Postgres indexes no more than 1 MiB
)

// Words returns the stems of the texts of a disclosure, in order, as stores search them: a
// space before and after each, and " | " between two texts, so that no phrase spans them. Both
// stores compare stems as bytes, so that they find the same.
func (r *Record) Words() string {
	w := &words{}
	w.addBoth(r.Subject)
	w.addBoth(r.Summary)
	if r.Body != nil && r.Type != FR { // clients cannot read bodies of FR
		w.addBody(r.Body)
	}
	return w.text.String()
}

// words collects the stems of texts.
type words struct{ text strings.Builder }

func (w *words) addBoth(of *Localized) {
	if of == nil {
		return
	}
	w.add(of.TR, turkishStem)
	w.add(of.EN, englishStem)
}

func (w *words) addBody(c *Content) {
	if c.SourceFormat == htmlDocument {
		if text, err := openHTML(c.Content); err == nil {
			w.addBoth(text)
		}
		return
	}
	fields, status, err := openFields(c)
	for _, f := range fields {
		w.addBoth(&f.Label)
		w.addBoth(&f.Value)
	}
	if err != nil || status == FieldsOK {
		return
	}
	if doc, err := c.document(); err == nil {
		if n, err := parse(doc); err == nil {
			w.addNode(n)
		}
	}
}

// addNode adds the texts of a document of unknown structure.
func (w *words) addNode(n *node) {
	if n.kind == '"' {
		w.add(&n.text, turkishStem)
	}
	for i := range n.values {
		if n.names != nil && n.names[i] == "en" && n.values[i].kind == '"' {
			w.add(&n.values[i].text, englishStem)
			continue
		}
		w.addNode(&n.values[i])
	}
}

// add adds the words of a text, which may be HTML, while there is room. English text with
// Turkish letters counts as Turkish.
func (w *words) add(text *string, stem func(string) string) {
	if text == nil {
		return
	}
	plain := withoutTags(*text)
	if strings.ContainsAny(plain, "ışğİŞĞ") {
		stem = turkishStem
	}
	begun := false
	eachWord(plain, func(word string) bool {
		next := stem(word)
		if w.text.Len()+len(next)+len(" | ") > maxWords {
			return false
		}
		if !begun {
			begun = true
			if w.text.Len() > 0 {
				w.text.WriteByte('|')
			}
			w.text.WriteByte(' ')
		}
		w.text.WriteString(next)
		w.text.WriteByte(' ')
		return true
	})
}

// inline are elements that may begin or end within a word.
var inline = map[atom.Atom]bool{
	atom.A: true, atom.B: true, atom.Em: true, atom.Font: true, atom.I: true, atom.Small: true, atom.Span: true, atom.Strong: true,
	atom.U: true,
}

// withoutTags returns the visible text of HTML. text may also be plain.
func withoutTags(text string) string {
	if !strings.ContainsAny(text, "<&") {
		return text
	}
	var seen strings.Builder
	hidden := false // inside a style or a script
	for z := html.NewTokenizer(strings.NewReader(text)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return seen.String()
		case html.TextToken:
			if !hidden {
				seen.WriteString(html.UnescapeString(string(z.Raw())))
			}
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			raw := string(z.Raw())
			t := z.Token()
			if t.DataAtom == 0 && !strings.Contains(t.Data, ":") { // a word of plain text: Pay <Alım> Satım
				seen.WriteString(raw)
				continue
			}
			if t.DataAtom == atom.Style || t.DataAtom == atom.Script {
				hidden = t.Type == html.StartTagToken
			}
			if !inline[t.DataAtom] {
				seen.WriteByte('\n')
			}
		}
	}
}

// eachWord calls use with each word of a text until it returns false. Words are runs of letters
// and digits, folded, without an ending after an apostrophe: Şirket'in, company's.
func eachWord(text string, use func(word string) bool) {
	var word strings.Builder
	letters, ending := 0, false
	end := func() bool {
		said := word.String()
		word.Reset()
		letters, ending = 0, false
		return said == "" || use(said)
	}
	for _, r := range norm.NFKD.String(text) {
		switch {
		case unicode.IsLetter(r) || unicode.IsNumber(r):
			if !ending && letters < maxWord {
				word.WriteRune(folded(r))
				letters++
			}
		case unicode.Is(unicode.Mn, r): // a combining mark that NFKD has separated from its letter
		case strings.ContainsRune("'’ʼ`´", r) && letters > 1 && !ending:
			ending = true
		default:
			if !end() {
				return
			}
		}
	}
	end()
}

// folded returns a letter without case and Turkish marks.
func folded(r rune) rune {
	if r == 'ı' {
		return 'i'
	}
	return unicode.ToLower(r)
}

// englishStem returns the stem of a folded English word.
func englishStem(word string) string {
	env := snowballstem.NewEnv(word)
	porter.Stem(env)
	return env.Current()
}

// suffix is an ending of Turkish words, folded, with the fewest letters that must remain
// without it.
type suffix struct {
	text   string
	least  int
	behind string // one of these letters must precede it; empty: any
}

const (
	vowels    = "aeiou"
	voiceless = "fstkchp"
)

// suffixes are the endings of nouns and participles, the longer ones first. If an ending may
// begin with a letter that can also end a root (firma-nın, plan-ın), no stem ends with that
// letter. Endings that make another word (-lı, -sız, -lık, -cı) are not cut.
var suffixes = []suffix{
	{"yacak", 3, ""}, {"yecek", 3, ""},
	{"acak", 3, ""}, {"ecek", 3, ""}, {"acag", 3, ""}, {"eceg", 3, ""},
	{"imiz", 3, ""}, {"umuz", 3, ""}, {"iniz", 3, ""}, {"unuz", 3, ""},
	{"lar", 3, ""}, {"ler", 3, ""}, {"nin", 3, vowels}, {"nun", 3, vowels}, {"sin", 3, vowels}, {"sun", 3, vowels},
	{"miz", 3, vowels}, {"muz", 3, vowels}, {"niz", 3, vowels}, {"nuz", 3, vowels},
	{"dir", 4, ""}, {"dur", 4, ""}, {"tir", 4, voiceless}, {"tur", 4, voiceless},
	{"mis", 4, ""}, {"mus", 4, ""}, {"mak", 4, ""}, {"mek", 4, ""},
	{"dig", 4, ""}, {"dik", 4, ""}, {"tig", 4, voiceless}, {"tik", 4, voiceless},
	{"yla", 3, vowels}, {"yle", 3, vowels},
	{"da", 3, ""}, {"de", 3, ""}, {"ta", 3, voiceless}, {"te", 3, voiceless},
	{"ya", 3, vowels}, {"ye", 3, vowels}, {"yi", 3, vowels}, {"yu", 3, vowels}, {"si", 3, vowels}, {"su", 3, vowels},
	{"in", 3, ""}, {"un", 3, ""}, {"im", 4, ""}, {"um", 4, ""}, {"il", 4, ""}, {"ul", 4, ""},
	{"ma", 4, ""}, {"me", 4, ""}, {"la", 4, ""}, {"le", 4, ""}, {"ki", 4, ""},
	{"a", 3, ""}, {"e", 3, ""}, {"i", 3, ""}, {"u", 3, ""},
	{"n", 3, vowels}, {"s", 3, vowels}, {"y", 3, vowels},
}

// endingIn maps the last letter to the suffixes with it.
var endingIn = func() (by ['z' + 1][]suffix) {
	for _, s := range suffixes {
		last := s.text[len(s.text)-1]
		by[last] = append(by[last], s)
	}
	return by
}()

// taking lists the beginnings of forms of almak (to take, to buy), whose root is too short to
// cut endings from. Those of five letters or fewer are whole words.
var taking = []string{"alma", "almak", "almasi", "almaya", "almada", "almis", "alinan", "alinma", "alinmis", "alinac", "alinir",
	"alindi"}

// turkishStem returns the stem of a folded Turkish word.
func turkishStem(word string) string {
	for _, form := range taking {
		if word == form || len(form) > 5 && strings.HasPrefix(word, form) {
			return "alim"
		}
	}
	if word == "satin" { // satın alma is buying, satış is selling
		return word
	}
	for shorter := true; shorter; {
		word, shorter = shortened(word)
	}
	last := len(word) - 1
	if i := strings.IndexByte("bdg", word[last]); i >= 0 && last > 1 {
		return word[:last] + "ptk"[i:i+1]
	}
	return word
}

// shortened returns a word without its longest ending.
func shortened(word string) (string, bool) {
	last := word[len(word)-1]
	if last > 'z' {
		return word, false
	}
	for _, s := range endingIn[last] {
		stem, has := strings.CutSuffix(word, s.text)
		if has && len(stem) >= s.least && strings.ContainsAny(stem, vowels) &&
			(s.behind == "" || strings.IndexByte(s.behind, stem[len(stem)-1]) >= 0) {
			return stem, true
		}
	}
	return word, false
}
