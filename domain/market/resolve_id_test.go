package market_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"piyasa/domain/market"
	"piyasa/internal/problem"
	"piyasa/test/fixture/calls"
)

func TestResolve(t *testing.T) {
	c := catalog(append(smallCatalog(),
		record("bist:DMX"), record("bist:GLDTRF", etf("GLD")), record("bist:GLDTR"), // ID-25: a stock with the code of an alias
		record("bist:KISA.EF", etf("KIS")), record("bist:ODD.FF", etf("ODD")), record("bist:TWOF", etf("TWO")),
		record("bist:TWO.FF", etf("TWT")), record("bist:IS"), record("us:BRK.B"), record("index:^GSPC"),
		record("crypto:5", coin("42", "forty-two")), record("crypto:3", coin("1INCH", "1inch")),
		record("crypto:77"), record("crypto:9000", coin("One", "third")), record("crypto:6", coin("ALONE", "alone")),
	)...)
	const both, anySpelling = "both", "any spelling"
	for _, r := range []struct {
		text, want string
		spelling   string
	}{
		{"bist:DMOST", "bist:DMOST", both},
		{"bist:dmost", "bist:DMOST", both},
		{"bist:DmOsT", "bist:DMOST", both},
		{"fx:usdtry", "fx:USDTRY", both},
		{"index:^gspc", "index:^GSPC", both},
		{"cmdty:xau", "cmdty:XAU", both},
		{"us:brk.b", "us:BRK.B", both},
		{"fund:dmf", "fund:DMF", both},
		{"us:DMX", "us:DMX", both}, // ID-24: three records of one symbol
		{"fund:DMX", "fund:DMX", both},
		{"bist:DMX", "bist:DMX", both},
		{"bist:is", "bist:IS", both},

		{"bist:DMALTF", "bist:DMALTF", both}, // V-125
		{"bist:dmaltf", "bist:DMALTF", both},
		{"bist:DMALT", "bist:DMALTF", anySpelling},
		{"bist:DMALT.F", "bist:DMALTF", anySpelling},
		{"bist:dmalt.f", "bist:DMALTF", anySpelling},
		{"bist:GLDTR", "bist:GLDTR", both}, // the exact code wins
		{"bist:GLDTR.F", "bist:GLDTRF", anySpelling},
		{"bist:GLDTRF", "bist:GLDTRF", both},
		{"bist:KISA.E", "bist:KISA.EF", anySpelling},
		{"bist:ODD.F", "bist:ODD.FF", anySpelling},
		{"bist:TWO.F", "bist:TWOF", anySpelling}, // without .F comes before with F
		{"bist:TWO", "bist:TWOF", anySpelling},

		{"crypto:1", "crypto:1", both}, // V-126
		{"crypto:BTC", "crypto:1", both},
		{"crypto:btc", "crypto:1", both},
		{"crypto:bTc", "crypto:1", both},
		{"crypto:2", "crypto:2", both}, // ID-18: without a ticker
		{"crypto:77", "crypto:77", both},
		{"crypto:90001", "crypto:90001", both}, // a shared ticker leaves the number
		{"crypto:1inch", "crypto:3", both},     // not all digits
		{"crypto:5", "crypto:5", both},
	} {
		for _, s := range []market.Form{market.AnyForm, market.CanonicalForm} {
			in, err := c.Resolve(r.text, s)
			if s == market.CanonicalForm && r.spelling == anySpelling {
				calls.WantProblem(t, err, problem.NotFound) // ID-10
				continue
			}
			if err != nil || string(in.InstrumentID) != r.want {
				t.Errorf("%s: %v, %v, want %s", r.text, in, err, r.want)
			}
		}
	}
}

func TestMarketWithoutAColon(t *testing.T) { // ID-05: a missing prefix is 404 with any key
	for _, id := range []string{"bist", "fund"} {
		ctx := calls.Caller()
		calls.WantProblem(t, quoteOf(id)(ctx, filled()), problem.NotFound)
	}
}

func TestResolveNotFound(t *testing.T) {
	c := catalog(append(smallCatalog(), record("crypto:5", coin("42", "forty-two")), record("bist:IS"), record("bist:BIMAS"),
		record("bist:STOCKF"))...)
	for _, text := range []string{
		"", ":", "::", "bist", "bist:", ":DMOST", "DMOST", "dmost", "crypto:", "fx:", "index:", "cmdty:", "us:", "fund:",
		"foo:BAR", "BIST:DMOST", "Bist:DMOST", " bist:DMOST", "bist:DMOST ", "bist: DMOST", "bist:DMOST\n", "bist::DMOST", "bist:DMOST:",
		"bist:bist:DMOST", "bist%3ADMOST",
		// ID-26
		"bist:NOPE", "bist:STOCK", "bist:STOCK.F", "bist:DMOST.F", "bist:DMOSTF", "bist:DMALTF.F", "bist:DMALTFF", "bist:DMALT.F.F",
		"bist:DMALT.FF", "bist:DMAL", "bist:.F", "bist:F", "bist:DMA",
		"us:DMALT", "fund:DMALT", "us:DMOST", "fx:DMOST", "fund:DMAP",
		"fx:USD", "fx:ABCDEF", "fx:TRYUSD", "fx:USDTRYX", // ID-20
		"index:XU100",                    // ID-21
		"crypto:999999", "crypto:NOSUCH", // ID-16
		// ID-27
		"crypto:42", "crypto:01", "crypto:001", "crypto:0", "crypto:1.0", "crypto:+1", "crypto:-1", "crypto:1e0", "crypto: 1", "crypto:1 ",
		"crypto:０１", "crypto:١", "crypto:bitcoin",
		"crypto:99999999999999999999999999", "crypto:BTC.F",
		// G-06: no Turkish and no Unicode folding
		"bist:ıs", "bist:İS", "bist:is\u0307", "bist:bımas", "bist:BİMAS", "bist:ſ", "bist:DMO\u017fT", "crypto:B\u212a",
		"bist:DMOST\x00", "bist:\xff\xfe", "bist:';DROP TABLE", "bist:../../etc/passwd", "bist:%s%d%n", strings.Repeat("bist:", 1000),
		"bist:" + strings.Repeat("ş", 100_000),
	} {
		for _, s := range []market.Form{market.AnyForm, market.CanonicalForm} {
			in, err := c.Resolve(text, s)
			if in != nil {
				t.Fatalf("%.40q is %s", text, in.InstrumentID)
			}
			checkDetail(t, calls.WantProblem(t, err, problem.NotFound))
		}
	}
}

// checkDetail demands that a problem says something short and printable.
func checkDetail(t testing.TB, e *problem.Error) {
	t.Helper()
	if e.Detail == "" || len(e.Detail) > 600 || !utf8.ValidString(e.Detail) || strings.ContainsAny(e.Detail, "\x00\n\r\x1b") {
		t.Errorf("the detail of %d bytes reads %.300q", len(e.Detail), e.Detail)
	}
}

// ID-15: the candidates come in the order of their numbers, 9000 before 90001.
func TestSharedTicker(t *testing.T) {
	c := catalog(append(smallCatalog(), record("crypto:9000", coin("One", "third")), record("crypto:200000", coin("oNE", "fourth")))...)
	want := []string{"crypto:9000", "crypto:90001", "crypto:90002", "crypto:200000"}
	for _, text := range []string{"crypto:ONE", "crypto:one", "crypto:One"} {
		in, err := c.Resolve(text, market.AnyForm)
		e := calls.WantProblem(t, err, problem.AmbiguousTicker)
		if in != nil || !slices.Equal(e.Members.Candidates, want) {
			t.Errorf("%s: %v", text, e.Members.Candidates)
		}
		for _, id := range want {
			if !strings.Contains(e.Detail, id) {
				t.Errorf("%s: the detail reads %q", text, e.Detail)
			}
		}
		checkDetail(t, e)
	}
}

// ID-30: a fund that an ETF replaced has left the fund market.
func TestReplacedFund(t *testing.T) {
	c := catalog(smallCatalog()...)
	for _, text := range []string{"fund:DMA", "fund:dma"} {
		for _, s := range []market.Form{market.AnyForm, market.CanonicalForm} {
			_, err := c.Resolve(text, s)
			e := calls.WantProblem(t, err, problem.NotFound)
			if !slices.Equal(e.Members.Successor, []string{"bist:DMALTF"}) || !strings.Contains(e.Detail, "bist:DMALTF") {
				t.Errorf("%s: successor %v, %q", text, e.Members.Successor, e.Detail)
			}
		}
	}
	if etf, replaced := c.Successor("DMA"); !replaced || etf != "bist:DMALTF" {
		t.Errorf("the successor of DMA is %q, %v", etf, replaced)
	}
	if etf, replaced := c.Successor("DMF"); replaced {
		t.Errorf("the successor of DMF is %q", etf)
	}
	_, err := c.Resolve("fund:NOPE", market.AnyForm)
	if e := calls.WantProblem(t, err, problem.NotFound); e.Members.Successor != nil {
		t.Errorf("fund:NOPE has the successor %v", e.Members.Successor)
	}
	// A stock with a fund code takes nothing out, nor does an ETF without one.
	c = catalog(record("fund:DMA"), record("bist:DMALTF", func(in *market.Instrument) { in.AssetType = market.ETF }),
		record("bist:DMOST", func(in *market.Instrument) { code := "DMA"; in.FundCode = &code }))
	if _, err := c.Resolve("fund:DMA", market.CanonicalForm); err != nil || c.Len() != 3 {
		t.Errorf("fund:DMA is gone without an ETF: %v", err)
	}
}

// What the input allows denotes one record, however the catalog came about.
func TestEveryRecordIsReachedByItsID(t *testing.T) {
	records := smallCatalog()
	c := catalog(records...)
	if want := len(records) - 1; c.Len() != want { // without the replaced fund
		t.Errorf("%d records, want %d", c.Len(), want)
	}
	for _, in := range records {
		if in.InstrumentID == "fund:DMA" {
			continue
		}
		if got, err := c.Resolve(string(in.InstrumentID), market.CanonicalForm); got != in {
			t.Errorf("%s resolves to %v, %v", in.InstrumentID, got, err)
		}
	}
}

func FuzzResolve(f *testing.F) {
	for _, seed := range []string{
		"bist:DMOST", "bist:dmalt.f", "bist:DMALT", "crypto:btc", "crypto:ONE", "crypto:01", "fund:DMA", "fx:usdtry", "foo:bar", "bist:",
		"", ":", "bist:\xff", "crypto:\x00", "index:ı",
		"bist:" + strings.Repeat("é", 60), strings.Repeat("\x7f", 200),
	} {
		f.Add(seed)
	}
	c := catalog(smallCatalog()...)
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range []market.Form{market.AnyForm, market.CanonicalForm} {
			in, err := c.Resolve(text, s)
			if err == nil {
				if again, err := c.Resolve(string(in.InstrumentID), market.CanonicalForm); again != in {
					t.Fatalf("%q is %s, which is %v (%v)", text, in.InstrumentID, again, err)
				}
				if prefix, _, _ := strings.Cut(text, ":"); prefix != string(in.Market) {
					t.Fatalf("%q is %s", text, in.InstrumentID)
				}
				continue
			}
			e := problem.From(err)
			if in != nil || e.Kind != problem.NotFound && e.Kind != problem.AmbiguousTicker {
				t.Fatalf("%q: %v, %v", text, in, err)
			}
			checkDetail(t, e)
		}
	})
}
