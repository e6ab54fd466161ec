package db_test

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/kap"
	"piyasa/internal/attachment"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// What memory answers is what the store answers, whatever has been stored, completed and
// asked for before.
func TestRecentDisclosures(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, url string) {
		s, empty := open(t, url), emptying(t, url)
		fromMemory := 0
		rapid.Check(t, func(t *rapid.T) {
			empty(t)
			store := &countedDisclosures{Store: s}
			recent := kap.NewRecent(store, func() bool { return true })
			known := newFilings(t, s)
			for range rapid.IntRange(1, 6).Draw(t, "rounds") {
				backFill := rapid.Bool().Draw(t, "back-fill")
				var records []*kap.Record
				for _, n := range rapid.SliceOfN(rapid.IntRange(1, 150), 0, 60).Draw(t, "numbers") {
					r := randomDisclosure(t, n)
					if old := known.byIndex[n]; old != nil {
						r = completed(old.Record)
					}
					known.byIndex[n] = &filed{Record: r}
					records = append(records, r)
				}
				putDisclosures(t, s, backFill, records...)
				if err := recent.Apply(background, heads(t, s)[db.FeedDisclosures],
					rapid.IntRange(0, 9).Draw(t, "rebuild") == 0); err != nil {
					t.Fatal(err)
				}
				for range rapid.IntRange(1, 8).Draw(t, "questions") {
					q := randomQuery(t)
					want := must[[]*kap.Stored](t)(s.Disclosures(background, q))
					before := store.reads
					got := must[[]*kap.Stored](t)(recent.Disclosures(background, q))
					if store.reads == before {
						fromMemory++
					}
					if len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
						t.Fatalf("%+v: memory has %v, the store %v", q, numbersOf(got), numbersOf(want))
					}
					of := rapid.SliceOfN(rapid.SliceOfN(someOrigin, 0, 3), 0, 4).Draw(t, "origins of each")
					first := rapid.IntRange(1, 40).Draw(t, "first")
					newest, stored := must[[][]*kap.Stored](t)(recent.NewestDisclosures(background, of, first)),
						must[[][]*kap.Stored](t)(s.NewestDisclosures(background, of, first))
					for i := range of {
						if len(newest[i])+len(stored[i]) > 0 && !reflect.DeepEqual(newest[i], stored[i]) {
							t.Fatalf("newest %d of %v: memory has %v, the store %v",
								first, of[i], numbersOf(newest[i]), numbersOf(stored[i]))
						}
					}
				}
			}
		})
		if fromMemory == 0 {
			t.Error("nothing was answered from memory")
		}
	})
}

// countedDisclosures counts what is read of a store.
type countedDisclosures struct {
	*db.Store
	reads int
}

// Disclosures implements kap.Store.
func (c *countedDisclosures) Disclosures(ctx context.Context, q kap.Query) ([]*kap.Stored, error) {
	c.reads++
	return c.Store.Disclosures(ctx, q)
}

// RecentDisclosures implements kap.RecentStore.
func (c *countedDisclosures) RecentDisclosures(ctx context.Context, of []kap.Group, first int) ([][]*kap.Stored, int64, error) {
	c.reads++
	return c.Store.RecentDisclosures(ctx, of, first)
}

// Who asks after something was applied gets it, whatever is read, applied and forgotten
// meanwhile.
func TestRecentDisclosuresWhileTheyCome(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		recent := kap.NewRecent(s, func() bool { return true })
		var applied atomic.Int64
		var readers sync.WaitGroup
		over := make(chan struct{})
		first := value.MustInstant("2026-03-01T06:00:00Z")
		for range 3 {
			readers.Go(func() {
				for {
					select {
					case <-over:
						return
					default:
					}
					atLeast := int(applied.Load())
					newest, err := recent.NewestDisclosures(background, [][]kap.Origin{under("A1"), {{CompanyID: "K1"}}}, 3)
					list, err2 := recent.Disclosures(background, kap.Query{Limit: 3})
					if err != nil || err2 != nil {
						t.Error(err, err2)
						return
					}
					for _, got := range append(newest, list) {
						if numbers := numbersOf(got); atLeast > 0 &&
							(len(numbers) == 0 || numbers[0] < atLeast || len(numbers) > 1 && numbers[1] != numbers[0]-1) {
							t.Errorf("%d was applied; the newest are %v", atLeast, numbers)
							return
						}
					}
				}
			})
		}
		for n := 1; n <= 150; n++ {
			r := disclosure(n, first.Add(time.Duration(n)*time.Second).String(), "A1")
			r.CompanyID = new("K1")
			putDisclosures(t, s, false, r)
			need.NoError(t, recent.Apply(background, heads(t, s)[db.FeedDisclosures], n%10 == 0))
			applied.Store(int64(n))
		}
		close(over)
		readers.Wait()
	})
}

// A read of a host that is behind is not kept.
func TestRecentDisclosuresOfAHostBehind(t *testing.T) {
	s := open(t, "sqlite:"+filepath.Join(t.TempDir(), "piyasa.db"))
	behind := &behindDisclosures{RecentStore: s}
	recent := kap.NewRecent(behind, func() bool { return true })
	putDisclosures(t, s, false, disclosure(1, "", "A1"))
	need.NoError(t, recent.Apply(background, heads(t, s)[db.FeedDisclosures], false))
	newest := func(want ...int) {
		t.Helper()
		if got := numbersOf(must[[]*kap.Stored](t)(recent.Disclosures(background, kap.Query{Limit: 3}))); !slices.Equal(got, want) {
			t.Errorf("the newest are %v, want %v", got, want)
		}
	}
	behind.is = true
	newest()
	behind.is = false
	newest(1)
	behind.is = true
	newest(1) // from memory
}

// Who has been shown a disclosure by the store finds it in lists, though memory does not
// have it yet.
func TestRecentDisclosuresOfWhoSawMore(t *testing.T) {
	s := open(t, "sqlite:"+filepath.Join(t.TempDir(), "piyasa.db"))
	store := &countedDisclosures{Store: s}
	recent := kap.NewRecent(store, func() bool { return true })
	apply := func(head int64, rebuild bool) {
		t.Helper()
		need.NoError(t, recent.Apply(background, head, rebuild))
	}
	newest := func(want ...int) {
		t.Helper()
		list := must[[]*kap.Stored](t)(recent.Disclosures(background, kap.Query{Limit: 9}))
		of := must[[][]*kap.Stored](t)(recent.NewestDisclosures(background, [][]kap.Origin{under("A1")}, 9))
		if a, b := numbersOf(list), numbersOf(of[0]); !slices.Equal(a, want) || !slices.Equal(b, want) {
			t.Errorf("the newest are %v, and %v of the code; want %v", a, b, want)
		}
	}
	n := 1
	put := func() {
		putDisclosures(t, s, false, disclosure(n, fmt.Sprintf("2026-03-01T06:00:%02dZ", n), "A1"))
		n++
	}
	put()
	apply(heads(t, s)[db.FeedDisclosures], false)
	newest(1)
	for name, show := range map[string]func() error{
		"detail": func() error {
			_, err := recent.DisclosureRecords(background, []int{n - 1})
			return err
		},
		"related": func() error {
			_, err := recent.DisclosuresByNumber(background, []int{n - 1})
			return err
		},
		"list": func() error {
			_, err := recent.Disclosures(background, kap.Query{Limit: 9, Ascending: true, Type: new(kap.ODA)})
			return err
		},
		"long lists": func() error {
			_, err := recent.NewestDisclosures(background, [][]kap.Origin{under("A1")}, 40)
			return err
		},
		"list read now": func() error {
			_, err := recent.NewestDisclosures(background, [][]kap.Origin{under("A1", fmt.Sprint("B", n))}, 40)
			return err
		},
	} {
		before := make([]int, n-1)
		for i := range before {
			before[i] = n - 1 - i
		}
		newest(before...)
		put()
		newest(before...) // as of what is applied
		if recent.Behind() {
			t.Fatalf("%s: behind what was not shown", name)
		}
		need.NoError(t, show())
		if !recent.Behind() {
			t.Errorf("%s: not behind what was shown", name)
		}
		newest(append([]int{n - 1}, before...)...)
		apply(heads(t, s)[db.FeedDisclosures], false)
		reads := store.reads
		newest(append([]int{n - 1}, before...)...)
		if recent.Behind() || store.reads != reads {
			t.Errorf("%s: memory does not answer after it has been applied", name)
		}
	}
	// The store goes back to before what was shown.
	put()
	if _, err := recent.DisclosureRecords(background, []int{n - 1}); err != nil || !recent.Behind() {
		t.Fatal("not behind", err)
	}
	apply(heads(t, s)[db.FeedDisclosures]-1, true)
	if recent.Behind() {
		t.Error("behind what the store no longer has")
	}
}

// behindDisclosures is a store of which a read sometimes shows the state at the beginning.
type behindDisclosures struct {
	kap.RecentStore
	is bool
}

// RecentDisclosures implements kap.RecentStore.
func (b *behindDisclosures) RecentDisclosures(ctx context.Context, of []kap.Group, first int) ([][]*kap.Stored, int64, error) {
	if b.is {
		return make([][]*kap.Stored, len(of)), 0, nil
	}
	return b.RecentStore.RecentDisclosures(ctx, of, first)
}

// randomDisclosure draws a disclosure without parts.
func randomDisclosure(t *rapid.T, n int) *kap.Record {
	r := disclosure(n, rapid.SampledFrom(fewTimes).Draw(t, "time"),
		kap.Codes(rapid.SliceOfN(rapid.SampledFrom(fewCodes), 0, 3).Draw(t, "symbols"))...)
	r.Type, r.Class = rapid.SampledFrom(fewTypes).Draw(t, "type"), rapid.SampledFrom(fewClasses).Draw(t, "class")
	r.Reason, r.CompanyID = rapid.SampledFrom(fewReasons).Draw(t, "reason"),
		rapid.SampledFrom([]*string{nil, new("K1"), new("K2")}).Draw(t, "company")
	return r
}

// completed returns a record with an attachment that it may have lacked.
func completed(r *kap.Record) *kap.Record {
	next := *r
	next.Attachments, next.AttachmentCount = []attachment.Document{{Name: fmt.Sprint(r.DisclosureIndex), Location: "/x"}}, 1
	return &next
}

// randomQuery draws a page of a list.
func randomQuery(t *rapid.T) kap.Query {
	q := kap.Query{Limit: rapid.IntRange(1, 50).Draw(t, "limit"), Ascending: rapid.IntRange(0, 3).Draw(t, "order") == 0}
	sometimes := func(name string) bool { return rapid.IntRange(0, 3).Draw(t, name) == 0 }
	if rapid.Bool().Draw(t, "of origins") {
		q.Of = &kap.Reach{Origins: rapid.SliceOfN(someOrigin, 1, 3).Draw(t, "origins")}
	}
	if sometimes("of a type") {
		q.Type = new(rapid.SampledFrom(fewTypes).Draw(t, "type"))
	}
	if sometimes("of a class") {
		q.Class = new(rapid.SampledFrom(fewClasses).Draw(t, "class"))
	}
	if sometimes("for a reason") {
		q.Reason = rapid.SampledFrom(fewReasons).Draw(t, "reason")
	}
	if sometimes("of a company") {
		q.CompanyID = new("K1")
	}
	times := fewTimes[2:]
	if sometimes("from") {
		q.From = value.MustInstant(rapid.SampledFrom(times).Draw(t, "from"))
	}
	if sometimes("to") {
		q.To = value.MustInstant(rapid.SampledFrom(times).Draw(t, "to"))
	}
	if sometimes("a later page") {
		q.After = &kap.Place{EffectiveAt: value.MustInstant(rapid.SampledFrom(times).Draw(t, "after")),
			DisclosureIndex: rapid.IntRange(0, 150).Draw(t, "after number")}
	}
	return q
}
