package market

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// typed is the meaning of the text of a ranked search. Ids in the forms of other platforms
// become ids of piyasa, and each word may be in English or Turkish.
type typed struct {
	market *Market
	key    string     // letters and digits of the whole text
	words  [][]string // an instrument must match one of each
	codes  []string   // of the currency, metal or fuel that the whole text names
}

var (
	marketPrefix = regexp.MustCompile(`^(?i)(bist|crypto|fx|index|cmdty|us|fund):\s*(.+)$`)
	otherForms   = regexp.MustCompile(`(?i)^([A-Z0-9]+)\.(IS|E)$`) // of Istanbul symbols on other platforms
	pair         = regexp.MustCompile(`(?i)^([A-Z]{3})\s*[/-]\s*([A-Z]{3})$`)
)

// inTurkish maps English words of names to the folded words in names of Istanbul companies.
var inTurkish = map[string][]string{
	"turkish": {"turk"}, "turkey": {"turkiye"}, "airlines": {"hava yollari"}, "airways": {"hava yollari"}, "bank": {"banka"},
	"banking": {"banka"}, "insurance": {"sigorta"}, "steel": {"celik"}, "iron": {"demir"}, "cement": {"cimento"},
	"energy": {"enerji"}, "electricity": {"elektrik"}, "petroleum": {"petrol"}, "oil": {"petrol"}, "gas": {"gaz"},
	"telecom": {"telekom"}, "food": {"gida"}, "glass": {"cam"}, "textile": {"tekstil"}, "automotive": {"otomotiv"},
	"technology": {"teknoloji"}, "construction": {"insaat"}, "tourism": {"turizm"}, "mining": {"maden"}, "gold": {"altin"},
	"silver": {"gumus"}, "sugar": {"seker"}, "paper": {"kagit"}, "fund": {"fon"}, "dollar": {"usd"}, "dolar": {"usd", "dollar"},
	"euro": {"eur"}, "avro": {"eur"}, "sterlin": {"gbp"}, "pound": {"gbp"}, "frank": {"chf", "franc"}, "lira": {"try"}, "tl": {"try"},
}

// codesOf maps folded names of currencies, metals and fuels, in both languages, to the codes
// under which they trade.
var codesOf = codesByName(
	"usd: dolar dollar", "eur: euro avro", "gbp: sterlin sterling pound", "jpy: yen", "chf: frank franc", "rub: ruble rouble",
	"try tl: lira", "cny: yuan", "sar: riyal", "xau gc gold: altin gold ons", "xag si silver: gumus silver",
	"xpt pl platinum: platin platinum", "xpd pa palladium: paladyum palladium", "hg copper: bakir copper",
	"brent bz wti cl oil: petrol oil brent crude", "ng natgas: dogalgaz gas",
)

func codesByName(rows ...string) map[string][]string {
	byName := map[string][]string{}
	for _, row := range rows {
		codes, names, _ := strings.Cut(row, ": ")
		for name := range strings.FieldsSeq(names) {
			byName[name] = strings.Fields(codes)
		}
	}
	return byName
}

// plain returns the letters and digits of folded text, and keeps the NULs between members.
func plain(folded string) string {
	return strings.Map(func(r rune) rune {
		if r == 0 || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r > 127 {
			return r
		}
		return -1
	}, folded)
}

// typedAs parses the text of a search.
func typedAs(text string) (m typed) {
	search := strings.Trim(text, " $#\"'")
	if found := marketPrefix.FindStringSubmatch(search); found != nil {
		of := Market(strings.ToLower(found[1]))
		m.market, search = &of, found[2]
	}
	if found := otherForms.FindStringSubmatch(search); found != nil {
		search = found[1]
	}
	if found := pair.FindStringSubmatch(search); found != nil {
		search = found[1] + found[2]
	}
	folded := Fold(search)
	m.key = plain(folded)
	m.codes = codesOf[m.key]
	for _, word := range strings.FieldsFunc(folded, func(r rune) bool { return r == ' ' || r == ',' }) {
		m.words = append(m.words, append([]string{word}, inTurkish[word]...))
	}
	return m
}

// rank returns how close an instrument is to the search, from 0 (closest) on; -1: it does not
// match.
func (m typed) rank(in listed) int {
	members := strings.Split(in.plain, "\x00") // symbol, name, slug, then ticker and ISIN
	symbol := members[0]
	for _, code := range m.codes {
		switch {
		case in.Market == Cmdty && symbol == code, in.Market == FX && symbol == code+"try":
			return 0
		case in.Market == FX && (strings.HasPrefix(symbol, code) || strings.HasSuffix(symbol, code)):
			return 1
		}
	}
	isPart := len(m.key) > 1 && strings.Contains(in.plain, m.key)
	for _, word := range m.words {
		if !isPart && !slices.ContainsFunc(word, func(w string) bool { return strings.Contains(in.text, w) }) {
			return -1
		}
	}
	begins := func(member string) bool { return strings.HasPrefix(member, m.key) }
	switch {
	case slices.Contains(members, m.key):
		return 0
	case begins(symbol) || slices.ContainsFunc(members[3:], begins):
		return 2
	case slices.ContainsFunc(members[1:3], begins), // people know a company by any word of its name
		slices.ContainsFunc(m.words, func(word []string) bool { return strings.Contains(" "+in.text, " "+word[0]) }):
		return 3
	}
	return 4
}

// marketsByInterest orders the markets by how often people mean their instruments.
var marketsByInterest = []Market{BIST, FX, Index, Cmdty, Crypto, US, Fund}

// ranked returns the matches of the filter's search, the closest first.
func (f InstrumentFilter) ranked(rows []listed, limit int) []*Instrument {
	if !utf8.ValidString(*f.Search) || strings.ContainsRune(*f.Search, 0) {
		return []*Instrument{}
	}
	m := typedAs(*f.Search)
	type hit struct {
		*Instrument
		rank int
	}
	var hits []hit
	for _, in := range rows {
		if m.market != nil && in.Market != *m.market || !f.passes(in.Instrument) {
			continue
		}
		if rank := m.rank(in); rank >= 0 {
			hits = append(hits, hit{in.Instrument, rank})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		return cmp.Or(a.rank-b.rank, slices.Index(marketsByInterest, a.Market)-slices.Index(marketsByInterest, b.Market))
	})
	found := make([]*Instrument, 0, min(len(hits), limit))
	for _, h := range hits[:cap(found)] {
		found = append(found, h.Instrument)
	}
	return found
}
