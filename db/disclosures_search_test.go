package db_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/kap"
	"piyasa/internal/value"
)

// saying returns a disclosure with a subject, which may be empty, and a body of HTML, which may be.
func saying(index int, tr, en, body string) *kap.Record {
	r := disclosure(index, fmt.Sprintf("2026-03-%02dT08:00:00Z", index%28+1), "A1")
	if tr+en != "" {
		r.Subject = &kap.Localized{TR: &tr, EN: &en}
	}
	if body != "" {
		content, _ := json.Marshal(map[string]any{"tr": body, "en": nil})
		r.Body = &kap.Content{SourceFormat: "html", FileType: "ODA", Content: content}
	}
	return r
}

// searchAll follows the pages of a search, and calls each before every one; it may be nil.
func searchAll(t *testing.T, service *kap.Service, filter kap.Filter, order value.SortOrder, limit int,
	each func(page int)) (numbers []int) {
	t.Helper()
	var cursor *string
	for page := 0; page == 0 || cursor != nil; page++ {
		if each != nil {
			each(page)
		}
		p, err := service.Disclosures(asking(), filter, &order, cursor, &limit)
		if err != nil {
			t.Fatalf("%+v: %v", filter, err)
		}
		for _, d := range p.Items {
			numbers = append(numbers, d.DisclosureIndex)
		}
		cursor = p.NextCursor
	}
	return numbers
}

// found are searches among what searched stores, and the numbers that each finds.
var found = map[string][]int{
	"geri alım":                 {1, 2, 3, 4},
	"GERİ ALIM":                 {1, 2, 3, 4},
	"geri alim":                 {1, 2, 3, 4},
	`"geri alımı"`:              {1, 2, 3},
	`“geri alınan paylar”`:      {2},
	"pay geri alım programı":    {1, 2},
	"geri-alım":                 {1, 2, 3},
	"geri alım -temettü":        {1, 2, 4},
	`geri -"geri alım"`:         {4},
	"buyback":                   {1, 5},
	"buybacks":                  {1, 5},
	"buyback -program":          {5},
	"temettünün":                {3},
	"kâr dağıtımı":              {3},
	"ISTANBUL":                  {4},
	"ıstanbul'da":               {4},
	"1.250,00":                  {2},
	"p":                         {},
	"gizli":                     {},
	"nosuchword":                {},
	"geri nosuchword":           {},
	`"alım geri"`:               {},
	`"program buyback"`:         {}, // two texts
	`geri' OR '1'='1`:           {},
	"geri AND alım":             {},
	`NEAR(geri alım) * ^ : { }`: {},
	"geri & alım | !":           {1, 2, 3, 4},
}

func searched() []*kap.Record {
	return []*kap.Record{
		saying(1, "Pay Geri Alım Programı", "Share Buyback Program", ""),
		saying(2, "Özel Durum", "", "<style>p{gizli:1}</style>"+
			"<p>Program kapsamında <b>geri alı</b>nan payların bedeli 1.250,00&nbsp;TL</p>"),
		saying(3, "Kar payı (temettü) ve geri alımı", "", "<p>kârın dağıtılması</p>"),
		saying(4, "Alınmış olanların geri verilmesi", "", "<div>İSTANBUL’da</div>"),
		saying(5, "", "Buybacks are over", ""),
		saying(6, "", "", ""),
	}
}

func TestSearchesFindTheSameOnBothStores(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		putDisclosures(t, s, false, searched()...)
		service := disclosureService(s, 0)
		for round := range 2 {
			for q, want := range found {
				got := searchAll(t, service, kap.Filter{Q: &q}, value.Asc, 2, nil)
				down := searchAll(t, service, kap.Filter{Q: &q}, value.Desc, 1, nil)
				slices.Reverse(down)
				if !slices.Equal(got, want) || !slices.Equal(down, want) {
					t.Errorf("round %d, %s: %v and %v, want %v", round, q, got, down, want)
				}
			}
			if round == 0 { // then so many others that the index of words has to be asked
				var others []*kap.Record
				for i := range 4200 {
					r := disclosure(100+i, "2026-03-15T08:00:00Z")
					r.Subject = &kap.Localized{TR: new("Bildirim"), EN: new("A notice")}
					others = append(others, r)
				}
				putDisclosures(t, s, true, others...)
			}
		}
		q, other := "geri", "bildirim"
		if got := searchAll(t, service, kap.Filter{Q: &other}, value.Asc, 100, nil); len(got) != 4200 {
			t.Errorf("%d of 4200 are found", len(got))
		}
		from, to := must[kap.Bound](t)(kap.ParseBound("2026-03-03")), must[kap.Bound](t)(kap.ParseBound("2026-03-04"))
		for name, test := range map[string]struct {
			filter kap.Filter
			want   []int
		}{
			"of a company":  {kap.Filter{Q: &q, Symbol: new("A1")}, []int{1, 2, 3, 4}},
			"of a type":     {kap.Filter{Q: &q, Symbols: []string{"A1", "B1"}, Type: new(kap.FR)}, nil},
			"of a day":      {kap.Filter{Q: &q, From: &from, To: &to}, []int{2, 3}},
			"of others":     {kap.Filter{Q: &q, Symbol: new("B1")}, nil},
			"of no company": {kap.Filter{Q: &q, CompanyID: new("K1")}, nil},
		} {
			if got := searchAll(t, service, test.filter, value.Asc, 1, nil); !slices.Equal(got, test.want) {
				t.Errorf("%s: %v, want %v", name, got, test.want)
			}
		}
	})
}

// Whatever is stored while a client follows the pages, what a search found at its beginning comes once, in order.
func TestSearchesArePagedWhileOthersStore(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		var first []*kap.Record
		var want []int
		for i := range 2600 { // more than are looked at one by one
			r := saying(10*i+10, "geri alım", "", "")
			if i%7 == 0 {
				r.Subject = &kap.Localized{TR: new("pay geri alımı")}
			}
			r.PublishedAt = value.MustInstant("2026-03-01T00:00:00Z").Add(time.Duration(i) * time.Second)
			if i%7 == 0 {
				want = append(want, r.DisclosureIndex)
			}
			first = append(first, r)
		}
		putDisclosures(t, s, false, first...)
		service, q := disclosureService(s, 0), "paylar"
		for order, want := range map[value.SortOrder][]int{value.Asc: want, value.Desc: reversed(want)} {
			got := searchAll(t, service, kap.Filter{Q: &q}, order, 30, func(page int) {
				at := 10*((page*311)%2600) + 10 + 1 + page%8
				late := saying(at, "payların geri alımı", "", "")
				late.PublishedAt = value.MustInstant("2026-03-01T00:00:00Z").Add(time.Duration(at/10-1) * time.Second)
				putDisclosures(t, s, page%2 == 0, late)
			})
			got = slices.DeleteFunc(got, func(n int) bool { return n%10 != 0 })
			if !slices.Equal(got, want) {
				t.Errorf("%s: %d found, want %d", order, len(got), len(want))
			}
		}
	})
}

func reversed(of []int) []int {
	of = slices.Clone(of)
	slices.Reverse(of)
	return of
}

// A body that comes later is searched, and what a correction corrects stays as it was.
func TestSearchesFollowWhatIsStored(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		service := disclosureService(s, 0)
		finds := func(q string, want ...int) {
			t.Helper()
			if got := searchAll(t, service, kap.Filter{Q: &q}, value.Asc, 1, nil); !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", q, got, want)
			}
		}
		putDisclosures(t, s, false, saying(1, "Pay", "", ""))
		finds("temettü")
		putDisclosures(t, s, false, saying(1, "Pay", "", "<p>Temettü ödenmesi</p>"))
		finds("temettü", 1)
		finds("payı temettü", 1)
		correction := saying(2, "Düzeltme", "", "<p>temettünün</p>")
		correction.Reason, correction.RelatedIndex = new(kap.Corrects), new(1)
		putDisclosures(t, s, false, correction)
		finds("temettü", 1, 2)
		if outcomes := putDisclosures(t, s, false, saying(1, "Pay", "", "<p>başka</p>")); outcomes[0].Result != db.Refused {
			t.Errorf("%+v", outcomes)
		}
		finds("başka")
	})
}

// While words are missing, because an older version has stored disclosures, a search says so. A writer
// stores the words.
func TestWordsOfOlderVersionsAreStored(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		putDisclosures(t, s, false, searched()...)
		raw := dbtest.Raw(t, url)
		// as it stores them
		for _, statement := range []string{
			"DELETE FROM disclosure_words", "CREATE TABLE copy AS SELECT * FROM disclosures", "DELETE FROM disclosures",
			"INSERT INTO disclosures SELECT * FROM copy", "UPDATE disclosure_parts SET file_type = file_type", "DROP TABLE copy",
		} {
			if _, err := raw.Exec(statement); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}
		service, q := disclosureService(s, 0), "geri alım"
		_, err := service.Disclosures(asking(), kap.Filter{Q: &q}, nil, nil, nil)
		if problemOf(err) != "store-unavailable" || !strings.Contains(err.Error(), "The words of 6 disclosures are not indexed yet") {
			t.Errorf("%v", err)
		}
		if _, err := service.Disclosures(asking(), kap.Filter{}, nil, nil, nil); err != nil {
			t.Errorf("a list without q: %v", err)
		}
		if _, err := db.Migrate(t.Context(), url); err != nil {
			t.Fatal(err)
		}
		if got := searchAll(t, service, kap.Filter{Q: &q}, value.Asc, 1, nil); !slices.Equal(got, found[q]) {
			t.Errorf("%v, want %v", got, found[q])
		}
	})
}

// bothWays is a store that finds what a search asks for through the index of words, too.
type bothWays struct {
	*db.Store
	t testing.TB
}

// Disclosures implements kap.Store.
func (b bothWays) Disclosures(ctx context.Context, q kap.Query) ([]*kap.Stored, error) {
	found, err := b.Store.Disclosures(ctx, q)
	indexed, err2 := db.SearchIndexed(ctx, b.Store, q)
	if err != nil || err2 != nil || !slices.Equal(numbersOf(found), indexed) {
		b.t.Errorf("%+v: found %v, %v; by the index %v, %v", q.Search, numbersOf(found), err, indexed, err2)
	}
	return found, err
}

// No text of a search makes a statement that a store refuses, and the index finds what the words say.
func FuzzSearch(f *testing.F) {
	for q := range found {
		f.Add(q)
	}
	f.Add("\"\\'\x00\xff ᾳ̈ ـ ² Ⅷ ①")
	f.Add("ß ẞ ﬁ ŉ İİ̇ ʼn 'a a'b'c \"a-b\" -\"c d\" x")
	services := map[string]*kap.Service{}
	for _, url := range []string{"sqlite:" + f.TempDir() + "/search.db", dbtest.PostgresURL(f)} {
		s := open(f, url)
		putDisclosures(f, s, false, searched()...)
		services[url] = disclosureService(s, 0)
	}
	f.Fuzz(func(t *testing.T, q string) {
		answers := map[string]bool{}
		for _, service := range services {
			asked := *service
			asked.Store = bothWays{service.Store.(*db.Store), t}
			p, err := asked.Disclosures(asking(), kap.Filter{Q: &q}, nil, nil, nil)
			if err != nil && problemOf(err) != "invalid-parameter" {
				t.Fatalf("%q: %v", q, err)
			}
			answers[fmt.Sprint(err)+fmt.Sprint(p != nil && len(p.Items) > 0)] = true
		}
		if len(answers) > 1 {
			t.Errorf("%q: the stores differ: %v", q, answers)
		}
	})
}
