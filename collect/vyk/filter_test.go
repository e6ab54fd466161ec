package vyk_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"piyasa/collect/standin"
)

// Of the disclosures of one type, the service looks for some at a time: an empty list is not the
// end.
func TestOneType(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin()
		from := standin.VYKNewest(time.Now()) - 300
		w := newWorld(t, fmt.Sprintf(`, "from": %d, "type": "FR"`, from))
		w.run(10 * time.Minute)
		time.Sleep(24 * time.Hour)
		w.run(10 * time.Minute)
		want := slices.DeleteFunc(listed(from), func(n int64) bool { return standin.VYKType(n) != "FR" })
		if got := w.numbers(); !slices.Equal(got, want) || len(want) < 40 {
			t.Errorf("%v; want %v", got, want)
		}
	})
}

// Of a company that files nothing, thousands of numbers are asked for in a few requests.
func TestSilentCompany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin()
		newest := standin.VYKNewest(time.Now())
		w := newWorld(t, fmt.Sprintf(`, "from": %d, "company": "778"`, newest-10_500))
		w.run(time.Minute)
		lists := 0
		for _, path := range w.asked {
			if strings.HasSuffix(path, "/disclosures") {
				lists++
			}
		}
		if len(w.numbers()) > 0 || lists < 11 || lists > 40 || !strings.Contains(w.store.All(), fmt.Sprintf(`"next":%d`, newest+1)) {
			t.Errorf("%d lists, %v", lists, w.numbers())
		}
	})
}
