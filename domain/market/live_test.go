package market_test

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"piyasa/domain/market"
	"piyasa/value"
)

// Readers and writers of a Live at once: each reader sees one picture.
func TestLiveIsConcurrent(t *testing.T) {
	d := filled()
	usd := market.USD
	var wg sync.WaitGroup
	for w := range 2 {
		wg.Go(func() {
			for i := range 100 {
				price := fmt.Sprint(100 + i)
				d.Live.PutQuotes([]*market.Observation{seen("bist:DMOST", price, today), seen("bist:DMBNK", price, today)})
				d.Live.PutCatalog([]*market.Instrument{record(market.ID(fmt.Sprint("bist:NEW", w, i)))}, exceptions)
			}
		})
	}
	for range 2 {
		wg.Go(func() {
			for range 100 {
				b, err := d.Quotes(anyone(), []string{"bist:DMOST", "bist:DMBNK"}, &usd)
				if err != nil || b.Count == 2 && b.Quotes[0].Last != b.Quotes[1].Last && b.Quotes[0].Last.String() != "7.4" {
					t.Errorf("%v: %v", err, b)
					return
				}
				for _, ask := range []operation{moversOf(20, usd), listing(100), status, quoteOf("crypto:btc")} {
					if err := ask(anyone(), d); err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	wg.Wait()
	if got, want := d.Live.Snapshot().Catalog.Len(), catalog(fixture()...).Len()+200; got != want {
		t.Errorf("%d records, want %d", got, want)
	}
}

// A quote may come before its instrument and shows when that arrives.
func TestQuoteBeforeItsInstrument(t *testing.T) {
	d := newDesk()
	d.Live.PutQuotes([]*market.Observation{seen("bist:DMOST", "305.25", today), seen("fx:USDTRY", "41.25", "2026-03-18T11:44:30Z")})
	price := func(currency ...market.Currency) string {
		q, err := d.Quote(anyone(), "bist:DMOST", one(currency))
		if err != nil {
			return "none"
		}
		return q.Last.String()
	}
	if got := price(); got != "none" {
		t.Errorf("without a record: %s", got)
	}
	d.Live.PutCatalog([]*market.Instrument{record("bist:DMOST")}, nil)
	if lira, dollars := price(), price(market.USD); lira != "305.25" || dollars != "none" {
		t.Errorf("with the record: %s and %s", lira, dollars)
	}
	d.Live.PutCatalog([]*market.Instrument{record("fx:USDTRY")}, nil)
	if dollars := price(market.USD); dollars != "7.4" {
		t.Errorf("with the pair: %s", dollars)
	}
}

// A Snapshot that someone holds does not change.
func TestSnapshotStays(t *testing.T) {
	d := filled()
	before := d.Live.Snapshot()
	size := before.Catalog.Len()
	d.Live.PutCatalog([]*market.Instrument{record("bist:NEW"), record("bist:DMOST", named("Renamed"))}, nil)
	d.Live.PutQuotes(nil)
	if before.Catalog.Len() != size || d.Live.Snapshot().Catalog.Len() != size+1 {
		t.Errorf("%d and %d records", before.Catalog.Len(), d.Live.Snapshot().Catalog.Len())
	}
	old, _ := before.Catalog.Resolve("bist:DMOST", market.CanonicalForm)
	if in := d.ByID("bist:DMOST"); in.Name != "Renamed" || old.Name == in.Name {
		t.Errorf("the names are %s and %s", old.Name, in.Name)
	}
}

func TestClocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := value.MustInstant("2026-03-18T12:00:00.500Z")
		clock := value.ClockFrom(start)
		system := value.SystemClock()
		if got := clock(); got != start {
			t.Errorf("starts at %s", got)
		}
		<-time.After(90*time.Minute + 1500*time.Microsecond)
		if got := clock().String(); got != "2026-03-18T13:30:00.501Z" {
			t.Errorf("runs to %s", got)
		}
		if got := value.SystemClock().Sub(system); got != 90*time.Minute+time.Millisecond {
			t.Errorf("the system's clock ran %s", got)
		}
	})
}

// Where no observation is left, there is no quote, as if there had never been
// one.
func TestNoObservationIsLeft(t *testing.T) {
	d := filled()
	if changed := d.Live.PutQuotes([]*market.Observation{market.NeverObserved("bist:DMOST")}); len(changed) != 1 {
		t.Errorf("changed: %v", changed)
	}
	if q, reason, since := d.Latest("bist:DMOST"); q != nil || reason != market.NotPriced || !since.IsNull() {
		t.Errorf("%v, %s, %s", q, reason, since)
	}
}
