package market_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/test/fixture/calls"
	"piyasa/test/fixture/need"
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
				b, err := d.Quotes(calls.Anyone(), []string{"bist:DMOST", "bist:DMBNK"}, &usd)
				if err != nil || b.Count == 2 && b.Quotes[0].Last != b.Quotes[1].Last && b.Quotes[0].Last.String() != "7.4" {
					t.Errorf("%v: %v", err, b)
					return
				}
				for _, ask := range []operation{moversOf(20, usd), listing(100), status, quoteOf("crypto:btc")} {
					if err := ask(calls.Anyone(), d); err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	wg.Wait()
	if got, want := d.Live.Snapshot().Catalog.Len(), catalog(smallCatalog()...).Len()+200; got != want {
		t.Errorf("%d records, want %d", got, want)
	}
}

// A quote may come before its instrument and shows when that arrives.
func TestQuoteBeforeItsInstrument(t *testing.T) {
	d := newFixture()
	d.Live.PutQuotes([]*market.Observation{seen("bist:DMOST", "305.25", today), seen("fx:USDTRY", "41.25", "2026-03-18T11:44:30Z")})
	price := func(currency ...market.Currency) string {
		q, err := d.Quote(calls.Anyone(), "bist:DMOST", one(currency))
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

// fundsOf are funds with their founders.
func fundsOf(by map[market.ID]string) []*market.Instrument {
	var funds []*market.Instrument
	for id, founder := range by {
		in := record(id)
		if founder != "" {
			in.Founder = &founder
		}
		funds = append(funds, in)
	}
	return funds
}

// A fund is in the catalog by its own record, until the catalog has one, which
// it completes; a fund that became an ETF is not.
func TestFundsAreInTheCatalog(t *testing.T) {
	d := newFixture()
	etf := record("bist:DMALTF")
	etf.AssetType, etf.FundCode = market.ETF, new("DMA")
	stated := record("fund:F")
	stated.Name, stated.Category = "Catalog's name", new("Catalog's")
	d.Live.PutCatalog([]*market.Instrument{etf}, nil)
	d.Live.PutLogos([]*market.LogoTag{{LogoOwner: ofFounder("X"), ETag: "e"}})
	own := fundsOf(map[market.ID]string{"fund:F": "X", "fund:G": "", "fund:DMA": "X"})
	for _, in := range own {
		in.Category, in.IsParticipation = new("Own"), new(true)
	}
	d.Live.PutFunds(own)
	if f := d.ByID("fund:F"); f == nil || f.Name != record("fund:F").Name || *f.Founder != "X" || f.LogoURL == nil || *f.Category != "Own" {
		t.Errorf("by its own record: %+v", f)
	}
	if g := d.ByID("fund:G"); g == nil || g.Founder != nil || g.LogoURL != nil {
		t.Errorf("without a founder: %+v", g)
	}
	if _, err := d.Instrument(calls.Anyone(), "fund:dma"); !slices.Equal(calls.WantProblem(t, err, problem.NotFound).Members.Successor,
		[]string{"bist:DMALTF"}) {
		t.Errorf("a fund that became an ETF: %v", err)
	}
	d.Live.PutCatalog([]*market.Instrument{stated}, nil)
	if f := d.ByID("fund:F"); f.Name != "Catalog's name" || *f.Category != "Catalog's" || *f.Founder != "X" || !*f.IsParticipation ||
		f.LogoURL == nil {
		t.Errorf("with a record: %+v", f)
	}
	d.Live.PutFunds(nil) // gone, but for what the catalog says
	if f := d.ByID("fund:F"); f == nil || f.Founder != nil || d.ByID("fund:G") != nil {
		t.Errorf("without their own records: %+v, %+v", f, d.ByID("fund:G"))
	}
	if stated.Founder != nil {
		t.Error("the record was changed")
	}
}

// An instrument says whether its history is adjusted once that is known, and a rebuild
// forgets what is no longer stored.
func TestAdjustments(t *testing.T) {
	d := newFixture()
	d.Live.PutCatalog([]*market.Instrument{record("bist:DMOST")}, nil)
	told := func() string {
		in, err := d.Instrument(calls.Anyone(), "bist:DMOST")
		need.NoError(t, err)
		if in.Adjustment == nil {
			return ""
		}
		return *in.Adjustment
	}
	before := told()
	d.Live.PutAdjustments([]*market.HistoryAdjustment{{InstrumentID: "bist:DMOST", Adjustment: market.Unadjusted}})
	known := told()
	d.Live.PutCatalog([]*market.Instrument{record("bist:DMBNK")}, nil)
	kept := told()
	d.Live.SetAdjustments(nil)
	if after := told(); before != "" || known != market.Unadjusted || kept != known || after != "" {
		t.Errorf("%q, %q, %q, %q", before, known, kept, after)
	}
}
