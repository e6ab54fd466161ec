package db_test

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"

	"pgregory.net/rapid"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/market"
)

// logo is of an instrument, or of a founder when it has no colon.
func logo(owner string, png []byte) *market.LogoRecord {
	if id, err := market.ParseID(owner); err == nil {
		return &market.LogoRecord{LogoOwner: market.LogoOwner{InstrumentID: id}, PNG: png}
	}
	return &market.LogoRecord{LogoOwner: market.LogoOwner{Founder: owner}, PNG: png}
}

func tag(r *market.LogoRecord) *market.LogoTag {
	return &market.LogoTag{LogoOwner: r.LogoOwner, ETag: r.PNG.ETag()}
}

func image(t rapid.TB, s *db.Store, owner market.LogoOwner) *market.LogoImage {
	t.Helper()
	return must[*market.LogoImage](t)(s.Logo(background, owner))
}

func logosAfter(t rapid.TB, s *db.Store, seq int64) []*market.LogoTag {
	t.Helper()
	return must[[]*market.LogoTag](t)(s.LogosAfter(background, seq))
}

// Any bytes come back, and are known again.
func TestLogosComeBackExactly(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s, round := open(t, url), 0
		rapid.Check(t, func(t *rapid.T) {
			round++
			owner := rapid.SampledFrom([]string{"bist:S%d", "Kurucu %d Portföy'ü \\x"}).Draw(t, "owner")
			r := logo(fmt.Sprintf(owner, round), rapid.SliceOfN(rapid.Byte(), 1, 3000).Draw(t, "bytes"))
			before := heads(t, s)[db.FeedLogos]
			want(t, put(t, s, r), db.Stored)
			same(t, "image", image(t, s, r.LogoOwner), &market.LogoImage{ETag: r.PNG.ETag(), PNG: r.PNG})
			same(t, "tags", logosAfter(t, s, before), []*market.LogoTag{tag(r)})
			want(t, put(t, s, r), db.Unchanged)
			same(t, "head", heads(t, s)[db.FeedLogos], before+1)
		})
	})
}

func TestLogosReplace(t *testing.T) {
	a, b, c := []byte("a"), []byte("b"), []byte("\x00\xff'\"?")
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		want(t, put(t, s, logo("bist:A", a), logo("X", a), logo("bist:A", a), logo("bist:A", b)), db.Stored, db.Stored,
			db.Unchanged, db.Stored)
		same(t, "tags", logosAfter(t, s, 0), []*market.LogoTag{tag(logo("bist:A", b)), tag(logo("X", a))})
		want(t, put(t, s, logo("X", c), logo("Y", a), logo("bist:A", b), logo("bist:B", a)), db.Stored, db.Stored, db.Unchanged, db.Stored)
		same(t, "tags", logosAfter(t, s, 2), []*market.LogoTag{tag(logo("X", c)), tag(logo("Y", a)), tag(logo("bist:B", a))})
		same(t, "X", image(t, s, logo("X", nil).LogoOwner), &market.LogoImage{ETag: market.PNG(c).ETag(), PNG: c})
		for _, owner := range []market.LogoOwner{{}, {InstrumentID: "X"}, {Founder: "bist:A"}, {InstrumentID: "bist:A", Founder: "X"},
			{InstrumentID: "bist:a"}} {
			if got := image(t, s, owner); got != nil {
				t.Errorf("%+v has %v", owner, got)
			}
		}
	})
}

// The bytes that one read hands over stay what they are while others read.
func TestLogosAreTheirReaders(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		fill := func(i int) []byte { return bytes.Repeat([]byte{byte(i)}, 50_000+i) }
		for i := range 8 {
			put(t, s, logo(fmt.Sprint("bist:L", i), fill(i)))
		}
		var held []*market.LogoImage
		for i := range 64 {
			held = append(held, image(t, s, logo(fmt.Sprint("bist:L", i%8), nil).LogoOwner))
			runtime.GC()
		}
		for i, image := range held {
			if !bytes.Equal(image.PNG, fill(i%8)) {
				t.Fatalf("read %d was changed", i)
			}
		}
	})
}

// A megabyte is in memory once: the tags are read without it, and it is read
// without a copy.
func TestLogosAreReadOnce(t *testing.T) {
	const size = market.MaxLogoBytes
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		r := logo("bist:BIG", bytes.Repeat([]byte("piyasa--"), size/8))
		put(t, s, r)
		measure := func(read func()) (perRead uint64) {
			const reads = 20
			var before, after runtime.MemStats
			read() // whatever is made once
			runtime.ReadMemStats(&before)
			for range reads {
				read()
			}
			runtime.ReadMemStats(&after)
			return (after.TotalAlloc - before.TotalAlloc) / reads
		}
		if got := measure(func() { logosAfter(t, s, 0) }); got > size/4 {
			t.Errorf("tags take %d bytes", got)
		}
		if got := measure(func() { put(t, s, r) }); got > size/4 {
			t.Errorf("knowing it again takes %d bytes", got)
		}
		if dbtest.IsPostgres(url) { // where it also comes through buffers of a pool, whose making is chance
			return
		}
		if got := measure(func() { image(t, s, r.LogoOwner) }); got > size+size/2 {
			t.Errorf("a read takes %d bytes for %d", got, size)
		}
	})
}
