package services_test

import (
	"strings"
	"testing"

	"piyasa/db"
	"piyasa/db/dbtest"
)

const (
	usdOunce = `,"currency":"USD","unit":"troy ounce"`
	tryGram  = `,"currency":"TRY","unit":"gram"`
	usdGram  = `,"currency":"USD","unit":"gram"`
	lira     = `,"currency":"TRY"`
)

// rates are those of dollars on the days of the tests.
var rates = strings.Join([]string{
	`{"record":"instrument","instrument_id":"fx:USDTRY","symbol":"USDTRY","name":"USD/TRY","market":"fx","asset_type":"FX","currency":"TRY"}`,
	`{"record":"bar","instrument_id":"fx:USDTRY","resolution":"1d","t":"2026-03-09T21:00:00Z","close":"40"}`,
	`{"record":"bar","instrument_id":"fx:USDTRY","resolution":"1d","t":"2026-03-10T21:00:00Z","close":"41"}`,
	`{"record":"bar","instrument_id":"fx:USDTRY","resolution":"1d","t":"2026-03-16T21:00:00Z","close":"50"}`,
}, "\n")

// A change of currency and unit says since when, and what was stored before stays what it was.
func TestCurrencyAndUnitChange(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		const id = "cmdty:CHGC"
		w := newWorld(t, url)
		w.said(w.send(rates, instrument(id, usdOunce), bar(id, "2026-03-10", "5000.00"), bar(id, "2026-03-11", "5010.00"),
			quote(id, "2026-03-16T11:00:00Z", "5020.00", "")))
		w.shows("/v1/candles/"+id, `"5000.00"`, `"currency":"USD"`, "!meaning_changed", `!"unit"`)
		// In the same run, right behind a price.
		w.said(w.send(quote(id, "2026-03-16T11:30:00Z", "5021.00", ""), instrument(id, tryGram)), "valid_from: is missing",
			"USD for a troy ounce", "TRY for a gram")
		w.shows("/v1/quotes/"+id, `"last":"5021.00"`, `"currency":"USD"`)

		changed := instrument(id, tryGram+`,"valid_from":"2026-03-17"`)
		w.said(w.send(changed))
		w.shows("/v1/quotes/"+id, "from before its currency or unit changed", "!5021")
		w.shows("/v1/quotes?ids="+id, `"meaning_changed"`)
		w.answers(`{ instrument(id: "`+id+`") { quote { last } validFrom unit currency } }`, `"quote":null`, `"validFrom":"2026-03-17"`,
			`"currency":"TRY"`)
		w.said(w.send(quote(id, "2026-03-16T12:00:00Z", "5022.00", `,"currency":"USD"`)))
		w.shows("/v1/quotes?ids="+id, `"meaning_changed"`)
		w.said(w.send(quote(id, "2026-03-17T11:00:00Z", "6650.00", ""), quote(id, "2026-03-17T11:01:00Z", "5025.00", `,"currency":"USD"`)),
			"currency: must be TRY")
		w.shows("/v1/quotes/"+id, `"last":"6650.00"`, `"currency":"TRY"`)
		w.said(w.send(bar(id, "2026-03-17", "6651.00")))

		w.shows("/v1/candles/"+id, `"currency":"TRY"`, `"unit":"gram"`, "6651.00", "!5010",
			`"meaning_changed":{"what":"currency","from":"USD","to":"TRY","on":"2026-03-17"}`)
		w.shows("/v1/eod/"+id, `"currency":"TRY"`, `"unit":"gram"`, "6651.00", "!5010", `"meaning_changed"`)
		w.shows("/v1/candles/"+id+"?to=2026-03-16", `"currency":"USD"`, `"unit":"troy ounce"`, "5010.00", "!6651", "!meaning_changed")
		w.shows("/v1/candles/"+id+"?from=2026-03-17", "6651.00", "!meaning_changed")
		w.shows("/v1/candles/"+id+"?format=csv", "6651.00", ",TRY,gram,currency,USD,TRY,2026-03-17", "!5010", "!,USD\n")
		w.shows("/v1/candles/"+id+"?to=2026-03-16&format=csv", "5010.00", ",USD", "!TRY")
		w.shows("/v1/candles?ids="+id, "6651.00", "!5010", `"meaning_changed"`)
		w.shows("/v1/candles/"+id+"?resolution=5m", "6650.00", "!5021")
		// The unit has changed, too: no rate leads to grams.
		w.shows("/v1/candles/"+id+"?currency=USD", `"133.02"`, "!5010", `"what":"unit"`, `"unit":"gram"`)
		w.answers(`{ candles(id: "`+id+`") { currency unit columns { close } meaningChanged { what from to on } } eod(id: "`+id+`") {
			meaningChanged { what } records { close } } }`, `"what":"CURRENCY"`, "6651.00", "!5010", `"on":"2026-03-17"`)

		w.said(w.send(changed, instrument(id, tryGram)))
		w.shows("/v1/instruments/"+id, `"valid_from":"2026-03-17"`)
		// A correction of the day, which a later line without it keeps.
		w.said(w.send(instrument(id, tryGram+`,"valid_from":"2026-03-11"`), instrument(id, tryGram)))
		w.shows("/v1/candles/"+id, "5010.00", "6651.00", "!5000.00", `"on":"2026-03-11"`)
		w.said(w.send(changed))
		w.shows("/v1/candles/"+id, "!5010.00", "6651.00", `"on":"2026-03-17"`)
		// Back again is another change.
		w.said(w.send(instrument(id, usdOunce)), "valid_from: is missing")
		w.said(w.send(instrument(id, usdOunce+`,"valid_from":"2026-03-16"`)), "valid_from: must be after 2026-03-17")
		w.said(w.send(instrument(id, usdOunce+`,"valid_from":"2026-03-18"`), bar(id, "2026-03-18", "5100.00")))
		w.shows("/v1/candles/"+id, "5100.00", "!6651", "!5010", `"currency":"USD"`)
		w.answers(`{ instrument(id: "`+id+`") { meaningChanges { what from to on } } }`, `"meaningChanges":[`+
			`{"what":"UNIT","from":"troy ounce","to":"gram","on":"2026-03-17"},{"what":"CURRENCY","from":"USD","to":"TRY","on":"2026-03-17"},`+
			`{"what":"UNIT","from":"gram","to":"troy ounce","on":"2026-03-18"},{"what":"CURRENCY","from":"TRY","to":"USD","on":"2026-03-18"}]`)
		w.shows("/v1/candles/"+id+"?to=2026-03-17", "6651.00", `"currency":"TRY"`, "!5010")
	})
}

// Where only the currency has changed, bars of all days are converted, each from its own.
func TestBarsOfTwoCurrencies(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		const id = "cmdty:CURR"
		w := newWorld(t, url)
		w.said(w.send(rates, instrument(id, `,"currency":"USD","unit":"gram"`), bar(id, "2026-03-10", "100"), bar(id, "2026-03-11", "100"),
			instrument(id, tryGram+`,"valid_from":"2026-03-17"`), bar(id, "2026-03-17", "5000")))
		w.shows("/v1/candles/"+id, "5000", `!"100"`, `"what":"currency"`)
		w.shows("/v1/candles/"+id+"?currency=TRY", `"close":"4000"`, `"close":"4100"`, `"close":"5000"`, `"fx_rate":"1"`, `"fx_rate":"41"`,
			"!meaning_changed")
		w.shows("/v1/candles/"+id+"?currency=USD", `"close":"100"`, `"fx_rate":"0.02"`, "!meaning_changed")
		w.shows("/v1/eod/"+id+"?currency=TRY&format=csv", "2026-03-11,,,,4100,,,,TRY,41", "2026-03-17,,,,5000,,,,TRY,1")
	})
}

// Without prices, records change freely; a day that is stated counts for prices that come later.
func TestChangeWithoutPrices(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		const id = "cmdty:FREE"
		w := newWorld(t, url)
		w.said(w.send(instrument(id, usdOunce), instrument(id, tryGram), bar(id, "2026-03-10", "7")))
		w.shows("/v1/candles/"+id, `"currency":"TRY"`, "!meaning_changed")
		const other = "cmdty:LATE"
		w.said(w.send(instrument(other, usdOunce), instrument(other, tryGram+`,"valid_from":"2026-03-12"`), bar(other, "2026-03-10", "5000"),
			bar(other, "2026-03-12", "6000")))
		w.shows("/v1/candles/"+other, "6000", "!5000", `"meaning_changed"`)
		// A unit that was not stated may be.
		w.said(w.send(instrument("cmdty:UNIT", `,"currency":"USD"`), bar("cmdty:UNIT", "2026-03-10", "5000"),
			instrument("cmdty:UNIT", usdOunce)))
		w.said(w.send(instrument("cmdty:UNIT", `,"currency":"USD"`)), "valid_from: is missing")
	})
}

// A fund that has only a record of its own changes its currency as others do.
func TestFundOfAnotherCurrency(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		const id = "fund:DLR"
		fund := func(currency string) string {
			return `{"record":"fund","code":"DLR","name":"Fon","currency":"` + currency + `"}`
		}
		w := newWorld(t, url)
		w.said(w.send(fund("TRY"), fund("USD"), fund("TRY"), bar(id, "2026-03-10", "10"))) // no price yet
		w.said(w.send(fund("USD")), "currency: prices of fund:DLR until now are in TRY, and the record says USD", "valid_from")
		w.shows("/v1/candles/"+id, `"currency":"TRY"`, `"10"`, "!meaning_changed")
		w.said(w.send(instrument(id, `,"currency":"USD"`)), "valid_from: is missing")
		w.said(w.send(bar(id, "2026-03-03", "9"), bar(id, "2026-03-02", "8")))
		w.shows("/v1/periodic/"+id, `"start_price":"9","end_price":"10"`, "!meaning_changed")
		w.said(w.send(instrument(id, `,"currency":"USD","valid_from":"2026-03-11"`), fund("USD")))
		// The newest price is still one in lira: it is none in dollars, whatever they convert to.
		for _, path := range []string{"/" + id, "?ids=" + id, "/" + id + "?adjust=none", "/" + id + "?currency=USD"} {
			w.shows("/v1/periodic"+path, `"null_reason":"meaning_changed"`, `"to":"USD","on":"2026-03-11"`, `"null_reason":"insufficient_history"`, `!"10"`, `!"9"`)
		}
		w.said(w.send(bar(id, "2026-03-11", "0.25")))
		w.shows("/v1/periodic/"+id, `"null_reason":"meaning_changed"`, `!"10"`)
		w.shows("/v1/candles/"+id, `"currency":"USD"`, `"0.25"`, `!"10"`, `"what":"currency","from":"TRY","to":"USD","on":"2026-03-11"`)
		w.verified()
	})
}

const aStatement = `{"record":"statement","instrument_id":"@","fiscal_year":2024,"fiscal_month":12,"currency":"TRY","end_date":"2024-12-31","basis":"nominal","template":"industrial","filed_at":"2025-03-01T15:00:00Z","items":[{"code":"np","label_tr":"Ana","group":"income_statement","kind":"flow","value":"424242","role":"net_profit_parent"}]}`

// everything returns a record of each kind of an instrument.
func everything(id string) []string {
	return []string{
		bar(id, "2026-03-12", "10.00"), bar(id, "2026-03-13", "10.10"), quote(id, "2026-03-13T14:45:00Z", "10.10", ""),
		strings.ReplaceAll(`{"record":"dividend","instrument_id":"@","ex_date":"2026-03-12","gross_per_share":"1.0817","currency":"TRY"}`, "@", id),
		strings.ReplaceAll(`{"record":"market_metrics","instrument_id":"@","date":"2026-03-13","market_cap":"777777","pe_ratio":"7","as_of":"2026-03-13T15:00:00Z"}`, "@", id),
		strings.ReplaceAll(`{"record":"price_limits","instrument_id":"@","date":"2026-03-13","limit_up":"11.11","limit_down":"9.09"}`, "@", id),
		strings.ReplaceAll(aStatement, "@", id),
		`{"record":"fund","code":"DMH","instrument_id":"fund:DMH","name":"Fon","currency":"TRY"}`,
		strings.ReplaceAll(`{"record":"fund_holding","fund_code":"DMH","report_month":"2026-02","instrument_id":"@","weight_pct":"4.5"}`, "@", id),
	}
}

// asksOf are questions whose answers have something of each record of everything.
func asksOf(id string) map[string]string {
	return map[string]string{
		"/v1/candles/" + id: "10.10", "/v1/eod/" + id: "10.00", "/v1/quotes/" + id: "10.10", "/v1/stocks/" + id + "/dividends": "1.0817",
		"/v1/stocks/" + id + "/financials": "424242", "/v1/stocks/" + id + "/valuation": "777777",
		"/v1/stocks/" + id + "/valuation/history?from=2026-03-01": "777777",
		"/v1/candles/" + id + "?resolution=5m":                    "10.10",
	}
}

// What is stored of an instrument follows it to another id.
func TestRename(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		const old, now = "bist:OLDNM", "bist:NEWNM"
		w := newWorld(t, url)
		w.said(w.send(append([]string{instrument(old, lira)}, everything(old)...)...))
		w.said(w.send(`{"record":"sector","code":"yeni","name":"Yeni","members":["bist:OLDNM"]}`))
		for path, text := range asksOf(old) {
			w.shows(path, text)
		}
		renamed := instrument(now, lira+`,"predecessor":"bist:OLDNM","renamed_on":"2026-03-16"`)
		w.said(w.send(renamed, quote(now, "2026-03-16T08:00:00Z", "10.30", "")))
		w.said(w.send(renamed, instrument(now, lira)))
		for path, text := range asksOf(now) {
			if path != "/v1/quotes/"+now {
				w.shows(path, text)
			}
		}
		w.shows("/v1/quotes/"+now, "10.30")
		w.shows("/v1/instruments/"+now, `"predecessor":"bist:OLDNM"`, `"renamed_on":"2026-03-16"`, `"sector":"Yeni"`)
		w.answers(`{ instrument(id: "`+now+`") { meaningChanges { what from to on } } }`,
			`"meaningChanges":[{"what":"IDENTITY","from":"bist:OLDNM","to":"bist:NEWNM","on":"2026-03-16"}]`)
		w.shows("/v1/sectors/yeni/constituents", now)
		for path := range asksOf(old) {
			res := w.Get(path, "piyasa_live_all")
			res.WantProblem(t, 404, "not-found")
			if !strings.Contains(res.Text, `"successor":["bist:NEWNM"]`) {
				t.Errorf("%s: %s", path, res.Text)
			}
		}
		w.answers(`{ quote(id: "bist:OLDNM") { last } }`, `"successor":["bist:NEWNM"]`, "NOT_FOUND")
		w.answers(`{ instrument(id: "bist:NEWNM") { predecessor renamedOn holders { weightPct } dividends { grossPerShare } } }`,
			`"predecessor":"bist:OLDNM"`, "1.0817", "4.5")
		w.shows("/v1/instruments?search=oldnm", `"count":1`, `"instrument_id":"bist:NEWNM"`)
		boundaries := w.Services.Market.Live.Snapshot().Boundaries(now)
		if len(boundaries) != 1 || boundaries.Unbridged() != nil || *boundaries.Bridges()[0].Source != old {
			t.Errorf("%+v", boundaries)
		}

		// Later lines of the old id.
		w.said(w.send(bar(old, "2026-03-11", "9.90")))
		w.shows("/v1/candles/"+now, "9.90", "10.10")
		w.said(w.send(bar(old, "2026-03-17", "9.80"), instrument(old, lira), quote(old, "2026-03-17T08:00:00Z", "9", "")),
			"bist:OLDNM was renamed bist:NEWNM on 2026-03-16", "what is of that day or later is of bist:NEWNM")
		w.shows("/v1/candles/"+now, "!9.80")

		w.shows("/v1/dividends?symbols=OLDNM", `"not_found":["OLDNM"]`)

		// A chain, and a circle.
		w.said(w.send(instrument("bist:THIRD", lira+`,"predecessor":"bist:NEWNM","renamed_on":"2026-03-18"`)))
		w.shows("/v1/candles/bist:THIRD", "9.90", "10.10")
		w.shows("/v1/candles/bist:OLDNM", `"successor":["bist:THIRD"]`)
		w.shows("/v1/candles/bist:NEWNM", `"successor":["bist:THIRD"]`)
		w.said(w.send(bar(old, "2026-03-10", "9.70"), offering("by-code", "OLDNM", "2024-01-10")))
		w.shows("/v1/ipo/by-code", `"instrument_id":"bist:THIRD"`)
		w.shows("/v1/candles/bist:THIRD", "9.70")
		w.said(w.send(instrument(old, lira+`,"predecessor":"bist:THIRD","renamed_on":"2026-03-18"`)), "circle")

		// The old id comes to another instrument.
		w.said(w.send(withdrawn(old), instrument(old, lira), bar(old, "2026-03-18", "77")))
		w.shows("/v1/candles/bist:OLDNM", "77", "!10.10")
		w.shows("/v1/candles/bist:THIRD", "!77", "10.10")
		w.shows("/v1/stocks/bist:OLDNM/dividends", "!1.0817")
		w.shows("/v1/ipo/by-code", `"instrument_id":"bist:THIRD"`)
		w.said(w.send(instrument("bist:THIRD", lira+`,"predecessor":"bist:NEWNM","renamed_on":"2026-03-18"`)))
		w.shows("/v1/candles/bist:OLDNM", "77")
		w.verified()
	})
}

// Feeds are applied one after the other: an id that is of another instrument shows nothing of the former one meanwhile.
func TestIDOfAnotherInstrumentWhileFeedsAreApplied(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		const id = "bist:TWO"
		w := newWorld(t, url)
		w.said(w.send(append([]string{instrument(id, lira)}, everything(id)...)...))
		for path, text := range asksOf(id) {
			w.shows(path, text)
		}
		w.said(w.ingest(withdrawn(id), instrument(id, lira)))
		w.follow(db.FeedCatalog)
		for path, text := range asksOf(id) {
			w.shows(path, "!"+text)
		}
	})
}

// Renames that cannot be are refused with what is wrong.
func TestRenamesThatCannotBe(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		w.said(w.send(instrument("bist:AAA", lira), bar("bist:AAA", "2026-03-16", "1")))
		to := func(id, before, day string) string {
			return instrument(id, lira+`,"predecessor":"`+before+`","renamed_on":"`+day+`"`)
		}
		w.said(w.send(to("bist:BBB", "bist:AAA", "2026-03-19")), "renamed_on: must not be after 2026-03-18, today in Turkey")
		w.said(w.send(instrument("bist:AAA", `,"currency":"USD","valid_from":"2026-03-19"`)), "valid_from: must not be after 2026-03-18")
		w.said(w.send(to("bist:BBB", "bist:NONE", "2026-03-17")), "predecessor: bist:NONE is not known")
		w.said(w.send(to("bist:BBB", "us:AAA", "2026-03-17")), "predecessor: must be an id of the market bist")
		w.said(w.send(to("bist:BBB", "bist:AAA", "2026-03-16")), "renamed_on: must be after 2026-03-16, the day of the newest price")
		w.said(w.send(instrument("bist:BBB", lira+`,"predecessor":"bist:AAA"`)), "renamed_on: is missing")
		w.said(w.send(instrument("bist:BBB", lira+`,"renamed_on":"2026-03-17"`)), "predecessor: is missing")
		w.said(w.send(to("bist:BBB", "bist:AAA", "2026-03-17")))
		w.said(w.send(to("bist:CCC", "bist:AAA", "2026-03-17")), "bist:AAA was renamed bist:BBB on 2026-03-17 already")
		w.said(w.send(to("bist:AAA", "bist:BBB", "2026-03-18")), "circle")
		w.said(w.send(instrument("bist:DDD", lira), to("bist:BBB", "bist:DDD", "2026-03-17")), "predecessor: must be bist:AAA")
		w.said(w.send(to("bist:EEE", "bist:BBB", "2026-03-16")), "renamed_on: must be after 2026-03-17, since when bist:BBB has this id")
		w.said(w.send(to("bist:BBB", "bist:AAA", "2026-03-18"))) // a correction
		w.shows("/v1/instruments/bist:BBB", `"renamed_on":"2026-03-18"`)
	})
}

// A rename that was a mistake is taken back: the id since is withdrawn, and the id before is stated as its own predecessor.
func TestRenamesAreTakenBack(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		to := func(id, before string) string {
			return instrument(id, lira+`,"predecessor":"`+before+`","renamed_on":"2026-03-16"`)
		}
		w.said(w.send(append([]string{instrument("bist:AAA", lira), instrument("bist:BBB", lira), bar("bist:BBB", "2026-03-12", "5")},
			everything("bist:AAA")...)...))
		w.said(w.send(to("bist:CCC", "bist:AAA")))
		w.said(w.send(to("bist:CCC", "bist:BBB")), "must be bist:AAA", "withdraw bist:CCC, and state bist:AAA with the "+
			"predecessor bist:AAA")
		w.said(w.send(instrument("bist:AAA", lira)), "withdraw bist:CCC, and state bist:AAA with the predecessor bist:AAA")
		w.said(w.send(to("bist:AAA", "bist:AAA")), "withdraw bist:CCC")
		w.said(w.send(withdrawn("bist:CCC"), instrument("bist:AAA", lira+`,"predecessor":"bist:AAA"`)))
		for path, text := range asksOf("bist:AAA") {
			w.shows(path, text)
		}
		w.shows("/v1/instruments/bist:AAA", "!predecessor")
		w.shows("/v1/instruments/bist:CCC", "/not-found", "!successor")
		w.said(w.send(to("bist:CCC", "bist:BBB")))
		w.shows("/v1/candles/bist:CCC", `"close":"5"`, "!10.10")
		w.shows("/v1/candles/bist:AAA", "10.10")
		w.verified()
	})
}

// Renames of a chain may be stated in any order.
func TestChainsOfRenamesInAnyOrder(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		first := instrument("bist:BBB", lira+`,"predecessor":"bist:AAA","renamed_on":"2026-03-12"`)
		second := instrument("bist:CCC", lira+`,"predecessor":"bist:BBB","renamed_on":"2026-03-16"`)
		w.said(w.send(instrument("bist:AAA", `,"currency":"USD"`), bar("bist:AAA", "2026-03-10", "1"), instrument("bist:BBB", lira),
			bar("bist:BBB", "2026-03-13", "2"), bar("bist:CCC", "2026-03-16", "3")))
		w.said(w.send(second))
		w.said(w.send(instrument("bist:BBB", lira+`,"predecessor":"bist:AAA","renamed_on":"2026-03-16"`)),
			"renamed_on: must be before 2026-03-16")
		w.said(w.send(first))
		for range 2 {
			w.shows("/v1/candles/bist:CCC?to=2026-03-11", `"close":"1"`, `"currency":"USD"`)
			w.shows("/v1/candles/bist:CCC", `"close":"2"`, `"close":"3"`, `"currency":"TRY"`, `"meaning_changed":{"what":"currency"`)
			w.shows("/v1/candles/bist:AAA", `"successor":["bist:CCC"]`)
			w.said(w.send(first, second)) // again
		}
		w.said(w.send(instrument("bist:BBB", lira+`,"predecessor":"bist:CCC","renamed_on":"2026-03-17"`)), "circle")
		w.verified()
	})
}

// An id that is withdrawn and comes again is another instrument, which inherits nothing.
func TestIDOfAnotherInstrument(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		const id = "bist:TWO"
		w := newWorld(t, url)
		w.said(w.send(append([]string{instrument(id, lira)}, everything(id)...)...))
		w.said(w.send(`{"record":"ipo","id":"of-two","company":"Two","currency":"TRY","instrument_id":"bist:TWO","first_trade_date":"2024-01-10"}`))
		byCode := offering("by-code", "TWO", "2024-01-10")
		w.said(w.send(byCode))
		w.shows("/v1/ipo/by-code", `"instrument_id":"bist:TWO"`)
		w.shows("/v1/ipo/of-two", `"instrument_id":"bist:TWO"`)
		for path, text := range asksOf(id) {
			w.shows(path, text)
		}
		again := []string{withdrawn(id), instrument(id, lira+`,"coverage_from":"2026-03-16"`), bar(id, "2026-03-16", "80.00"),
			bar(id, "2026-03-17", "88.00")}
		w.said(w.send(again...))
		for path, text := range asksOf(id) {
			w.shows(path, "!"+text)
		}
		w.shows("/v1/ipo/of-two", `"instrument_id":null`, `"first_trade_date":"2024-01-10"`)
		w.shows("/v1/ipo/by-code", `"instrument_id":null`)
		w.said(w.send(byCode, offering("newcomer", "TWO", "2026-03-16")))
		w.shows("/v1/ipo/by-code", `"instrument_id":null`)
		w.shows("/v1/ipo/newcomer", `"instrument_id":"bist:TWO"`)
		w.shows("/v1/candles/"+id, "80.00", "88.00")
		w.answers(`{ instrument(id: "bist:TWO") { holders { weightPct } quote { last } } }`, "!4.5", `"quote":null`)
		w.shows("/v1/dividends?from=2026-01-01&to=2026-12-31", "!1.0817")
		for _, hidden := range []string{"bist:TWO%231", "bist:TWO#1"} {
			w.shows("/v1/instruments/"+hidden, "!Name of TWO")
		}
		w.verified()

		for _, kind := range w.Store.CountedBySubject() {
			if counts, err := w.Store.CountSubjects(t.Context(), kind, []string{"bist:TWO#1"}); err != nil || len(counts) > 0 {
				t.Errorf("%s: %+v, %v", kind, counts, err)
			}
		}
		whole, err := w.Store.CountWhole(t.Context())
		for _, c := range whole {
			if err != nil || c.Kind == "quote" && c.Subject == id {
				t.Errorf("%+v, %v", c, err)
			}
		}

		w.said(w.send(instrument(id, lira+`,"isin":"US0378331005","predecessor":"bist:TWO"`)), "bist:TWO is of another instrument")

		// A withdrawal by mistake.
		w.said(w.send(withdrawn(id), instrument(id, lira+`,"predecessor":"bist:TWO"`)))
		w.shows("/v1/candles/"+id, "80.00", "88.00")
		w.shows("/v1/instruments/"+id, "!predecessor")
		w.said(w.send(withdrawn(id), instrument(id, `,"currency":"USD","predecessor":"bist:TWO"`)), "valid_from: is missing")
		// And another one.
		w.said(w.send(instrument(id, lira)))
		w.shows("/v1/candles/"+id, "!80.00", "!88.00")
		w.verified()
	})
}

// An instrument keeps its places in sectors and indices when another comes under its former id,
// which has those that are stated from then on.
func TestPlacesOfFormerIDs(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		lists := []string{
			`{"record":"index","code":"XKN","name":"X","verified":true,"synced_at":"2026-02-01T00:00:00Z","members":[{"symbol":"IXX"}]}`,
			`{"record":"sector","code":"sx","name":"SX","members":["bist:IXX"]}`,
		}
		w := newWorld(t, url)
		w.said(w.send(append([]string{instrument("bist:IXX", lira)}, lists...)...))
		w.said(w.send(instrument("bist:IYY", lira+`,"predecessor":"bist:IXX","renamed_on":"2026-03-12"`)))
		shown := func(in ...string) {
			w.shows("/v1/indices/XKN/constituents", in...)
			w.shows("/v1/sectors/sx/constituents", in...)
		}
		places := `{ instrument(id: "@") { sector indices { code } } }`
		shown("bist:IYY")
		w.answers(strings.ReplaceAll(places, "@", "bist:IYY"), `"SX"`, `"XKN"`)
		w.said(w.send(withdrawn("bist:IXX"), instrument("bist:IXX", lira)))
		shown("bist:IYY", "!bist:IXX")
		w.answers(strings.ReplaceAll(places, "@", "bist:IYY"), `"SX"`, `"XKN"`)
		w.answers(strings.ReplaceAll(places, "@", "bist:IXX"), `"sector":null`, `"indices":[]`)
		w.said(w.send(strings.Replace(lists[0], "02-01", "03-16", 1), lists[1]))
		shown("bist:IXX", "!bist:IYY")
		// Withdrawn without a rename, its places in lists belong to no instrument.
		w.said(w.send(withdrawn("bist:IXX"), instrument("bist:IXX", lira)))
		shown("!bist:IXX", "!bist:IYY", "!#")
		w.shows("/v1/indices/XKN/constituents", `"unresolved_symbols":["IXX"]`)
		// Lists before the withdrawal in one file are of the instrument of then.
		w.said(w.send(strings.Replace(lists[0], "2026-02-01", "2026-03-17", 1), lists[1], withdrawn("bist:IXX"),
			instrument("bist:IXX", lira)))
		shown("!bist:IXX")
		w.verified()
	})
}

// The disclosures and the company of an instrument are found by its former code.
func TestRelationsOfRenamed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		w.said(w.send(instrument("bist:ODD", lira), `{"record":"company","company_id":"KOD","codes":["ODD"],"identity":{"title":"t"}}`,
			`{"record":"disclosure","disclosure_index":7001,"type":"ODA","class":"ODA","symbols":["ODD"],"filer_codes":["ODD"],`+
				`"company_id":"KOD","published_at":"2026-02-10T10:00:00Z","reason":"NEW"}`))
		const list = "/v1/kap-feed/disclosures?symbol=NDD"
		w.shows(list, "!7001")
		w.said(w.send(instrument("bist:NDD", lira+`,"predecessor":"bist:ODD","renamed_on":"2026-03-16"`)))
		w.shows(list, "7001")
		w.shows("/v1/kap-feed/companies/NDD", `"symbol":"ODD"`)
		w.answers(`{ instrument(id: "bist:NDD") { disclosures { disclosureIndex } company { symbol } } }`, "7001", `"symbol":"ODD"`)
	})
}

// The next bars decide whether a history is adjusted, once none of the former ones is left.
func TestAdjustmentIsDecidedAnew(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		const id = "bist:SWCH"
		w := newWorld(t, url)
		of := func(day, closing, adjustment string) string {
			return strings.TrimSuffix(bar(id, day, closing), "}") + `,"adjustment":"` + adjustment + `"}`
		}
		gone := func(day string) string { return strings.TrimSuffix(bar(id, day, "1"), "}") + `,"withdrawn":true}` }
		w.said(w.send(instrument(id, lira), of("2026-03-13", "400", "unadjusted"), of("2026-03-16", "40", "unadjusted")))
		w.said(w.send(of("2026-03-17", "41", "adjusted")), "must be unadjusted", "withdraw all its loaded bars first")
		w.said(w.send(gone("2026-03-13"), of("2026-03-13", "40", "adjusted")), "must be unadjusted")
		w.shows("/v1/instruments/"+id, `"adjustment":"unadjusted"`)
		w.said(w.send(gone("2026-03-16"), of("2026-03-13", "40", "adjusted"), of("2026-03-16", "40", "adjusted")))
		w.shows("/v1/instruments/"+id, `"adjustment":"adjusted"`)
		w.shows("/v1/candles/"+id, `"count":2`, "!400")
		// As another instrument.
		w.said(w.send(withdrawn(id), instrument(id, lira), of("2026-03-17", "39", "unadjusted")))
		w.shows("/v1/instruments/"+id, `"adjustment":"unadjusted"`)
		w.shows("/v1/candles/"+id, `"count":1`)
	})
}

// A coin's number stays when its name, ticker and slug change.
func TestCoinRebrand(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		coin := func(number, ticker, slug string) string {
			return `{"record":"instrument","instrument_id":"crypto:` + number + `","symbol":"` + number + `","ticker":"` + ticker +
				`","name":"Coin","market":"crypto","asset_type":"CRYPTO","currency":"USD","cmc_id":` + number + `,"slug":"` + slug + `"}`
		}
		w.said(w.send(coin("6892", "OLDT", "old-name"), quote("crypto:6892", "2026-03-18T11:59:00Z", "10", "")))
		w.shows("/v1/quotes/crypto:OLDT", `"last":"10"`)
		w.said(w.send(coin("6892", "NEWT", "new-name"), coin("6893", "SLG", "old-name")))
		w.shows("/v1/quotes/crypto:NEWT", `"last":"10"`, `"ticker":"NEWT"`)
		w.shows("/v1/quotes/crypto:OLDT", "not-found")
		w.shows("/v1/instruments?search=old-name", "crypto:6893", "!crypto:6892")
		w.shows("/v1/instruments/crypto:6892", `"slug":"new-name"`)
	})
}

// An ISIN is checked, shown and found.
func TestISIN(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		w.said(w.send(instrument("bist:ISN", lira+`,"isin":"US0378331005"`)))
		w.shows("/v1/instruments/bist:ISN", `"isin":"US0378331005"`)
		w.shows("/v1/instruments?search=us03783", "bist:ISN")
		w.shows("/v1/instruments/us0378331005/parse", `"instrument_id":"bist:ISN"`)
		w.shows("/v1/quotes/US0378331005", "not-found")
		w.answers(`{ parseInstrument(id: "US0378331005") { instrumentId instrument { isin } } }`, `"bist:ISN"`, `"isin":"US0378331005"`)
		w.said(w.send(instrument("us:ISN", `,"currency":"USD","isin":"US0378331005"`)))
		w.shows("/v1/instruments/US0378331005/parse", "ambiguous-ticker", "bist:ISN", "us:ISN")
		for _, wrong := range []string{"US0378331004", "US037833100", "U10378331005", "us0378331005", "US03783310O5"} {
			w.said(w.send(instrument("bist:BAD", lira+`,"isin":"`+wrong+`"`)), "isin: must be")
		}
	})
}

// A disclosure leads to the actions that name it, and to no others.
func TestActionsOfDisclosures(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		const id = "bist:SPLT"
		announcement := func(index string) string {
			return `{"record":"disclosure","disclosure_index":` + index + `,"type":"CA","class":"CA","symbols":["SPLT"],"filer_codes":["SPLT"],` +
				`"published_at":"2026-03-02T15:00:00Z"}`
		}
		split := func(day, index string) string {
			return `{"record":"corporate_action","instrument_id":"` + id + `","action_id":"one","kind":"split","ex_date":"` + day +
				`","new":"10","old":"1","disclosure_index":` + index + `}`
		}
		w := newWorld(t, url)
		w.said(w.send(instrument(id, lira), announcement("7"), announcement("8")))
		w.shows("/v1/kap-feed/disclosures/7", "!corporate_actions")
		w.said(w.send(split("2026-03-10", "7")))
		w.shows("/v1/kap-feed/disclosures/7", `"corporate_actions":[{"instrument_id":"bist:SPLT"`, `"ex_date":"2026-03-10"`)
		w.shows("/v1/kap-feed/disclosures/8", "!corporate_actions")
		w.answers(`{ disclosures { items { disclosureIndex corporateActions { kind exDate disclosure { disclosureIndex } } } }
			disclosure(index: 7) { corporateActions { factor instrument { name } } } }`,
			`"disclosureIndex":8,"corporateActions":[]`, `"disclosureIndex":7,"corporateActions":[{"kind":"SPLIT","exDate":"2026-03-10",`+
				`"disclosure":{"disclosureIndex":7}}]`, `"factor":"0.1"`)
		// A correction that names another announcement, and a withdrawal.
		w.said(w.send(split("2026-03-11", "8")))
		w.shows("/v1/kap-feed/disclosures/7", "!corporate_actions")
		w.shows("/v1/kap-feed/disclosures/8", `"ex_date":"2026-03-11"`)
		w.said(w.send(`{"record":"corporate_action","instrument_id":"` + id + `","action_id":"one","withdrawn":true}`))
		w.shows("/v1/kap-feed/disclosures/8", "!corporate_actions")
	})
}

// Figures follow a corrected price of a rights issue, whose boundary stays, and the price of a
// spin-off that was not known at first.
func TestCorrectedPricesOfActions(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		const id = "bist:RGHT"
		action := func(kind, price string) string {
			return `{"record":"corporate_action","instrument_id":"` + id + `","action_id":"one","kind":"` + kind + `","ex_date":"2026-03-11"` + price + `}`
		}
		w := newWorld(t, url)
		w.said(w.send(instrument(id, lira), unadjusted(id, "2026-03-03", "24.50"), unadjusted(id, "2026-03-10", "24.50"),
			unadjusted(id, "2026-03-11", "20.00"), action("rights_issue", `,"new":"3","old":"2","price":"12.00","currency":"TRY"`)))
		w.shows("/v1/periodic/"+id, `"factor":"0.829931972789"`)
		w.shows("/v1/stocks/"+id+"/indicators", `"factor":"0.829931972789"`)
		w.said(w.send(action("rights_issue", `,"new":"3","old":"2","price":"10.00","currency":"TRY"`)))
		w.shows("/v1/periodic/"+id, `"factor":"0.802721088435"`, "!0.829931972789")
		w.shows("/v1/stocks/"+id+"/indicators", `"factor":"0.802721088435"`, "!0.829931972789")
		w.said(w.send(action("spin_off", "")))
		w.shows("/v1/periodic/"+id, `"null_reason":"meaning_changed"`)
		w.said(w.send(action("spin_off", `,"price":"4.90","currency":"TRY"`)))
		w.shows("/v1/periodic/"+id, `"factor":"0.8"`, "!meaning_changed")
	})
}

// Five-minute bars have the factors of daily closes, in indicators as in candles.
func TestFactorsOfFiveMinutes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		const id = "bist:FIVE"
		five := func(at, closing string) string {
			return `{"record":"bar","instrument_id":"` + id + `","resolution":"5m","t":"` + at + `","close":"` + closing + `","adjustment":"unadjusted"}`
		}
		w := newWorld(t, url)
		w.said(w.send(instrument(id, lira), unadjusted(id, "2026-03-13", "48.00"), five("2026-03-13T09:00:00Z", "47.20"),
			five("2026-03-16T09:00:00Z", "46.00"), five("2026-03-16T09:05:00Z", "46.10"),
			`{"record":"dividend","instrument_id":"`+id+`","ex_date":"2026-03-16","gross_per_share":"1.50","currency":"TRY"}`))
		w.shows("/v1/candles/"+id+"?resolution=5m&adjust=all&from=2026-03-13", `"factor":"0.96875"`)
		w.shows("/v1/stocks/"+id+"/indicators?resolution=5m&adjust=all&indicators=sma&periods=3", `"factor":"0.96875"`, `!"0.968220`)
	})
}

// Sizes are in lira: two billion dollars are no small company.
func TestSizeOfACompanyInDollars(t *testing.T) {
	w := newWorld(t, "")
	for id, currency := range map[string]string{"bist:LIRA": "TRY", "bist:DOLL": "USD"} {
		w.said(w.send(instrument(id, `,"currency":"`+currency+`"`), `{"record":"market_metrics","instrument_id":"`+id+
			`","date":"2026-03-13","market_cap":"2000000000","as_of":"2026-03-13T15:00:00Z"}`))
	}
	w.shows("/v1/stocks/bist:LIRA/valuation", `"category":"small"`)
	w.shows("/v1/stocks/bist:DOLL/valuation", `"value":"2000000000"`, `"category":null`)
	w.shows("/v1/stocks/bist:DOLL/valuation?currency=USD", `"category":null`)
}

// offering is the public offering of a share that it names by its code alone.
func offering(id, code, firstTrade string) string {
	return `{"record":"ipo","id":"` + id + `","company":"C","currency":"TRY","symbol":"` + code + `","first_trade_date":"` + firstTrade + `"}`
}
