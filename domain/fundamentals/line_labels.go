package fundamentals

import (
	"regexp"
	"strings"
	"unicode"

	"piyasa/domain/market"
)

// Consolidators number the lines of a statement and mark them with signs and
// footnotes: "XVI. ÖZKAYNAKLAR", "G-Azınlık Payları", "Azınlık Payları (-)",
// "NET DÖNEM KARI (XVII+XXII)".
var (
	labelReference = regexp.MustCompile(`\([ ivxlcdm0-9.,/*+±&-]*\)|\([a-z]\)`)
	labelNumber    = regexp.MustCompile(`^(?:(?:[ivxlcdm]+|[a-z]|[0-9]+(?:[.-][0-9]+)*) ?[.):/-]+|(?:[ivxlcdm]+|[0-9]+(?:[.-][0-9]+)*) ) *`)
)

const labelMarks = " *+-±:;.,/"

// plainLabel returns a label for comparison: without numbering, references,
// marks, blanks, letter case and Turkish letters.
func plainLabel(label string) string {
	plain := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.Is(unicode.Pd, r), r == '−':
			return '-'
		case unicode.In(r, unicode.Mn, unicode.Cf, unicode.No): // separate accents, invisible characters, raised footnotes
			return -1
		}
		return r
	}, market.Fold(label))
	plain = strings.Trim(labelReference.ReplaceAllString(plain, " "), labelMarks)
	for {
		rest := strings.TrimLeft(labelNumber.ReplaceAllString(plain, ""), labelMarks)
		if rest == plain {
			return strings.ReplaceAll(plain, " ", "")
		}
		plain = rest
	}
}
