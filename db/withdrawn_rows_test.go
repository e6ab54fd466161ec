package db_test

import (
	"strings"
	"testing"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture/need"
)

// withdraw takes records back in one batch and returns what became of each.
func withdraw(t *testing.T, s *db.Store, records ...any) []db.Outcome {
	t.Helper()
	b, out := new(db.Batch), make([]db.Outcome, len(records))
	for i, r := range records {
		db.WithdrawAny(b, r, &out[i])
	}
	need.NoError(t, s.Store(background, b))
	return out
}

// A loaded bar stands over the recorder's; once it is withdrawn the recorder's
// stands again, or a hole where observations make none. Bars of the recorder are
// not withdrawn: they would come again.
func TestWithdrawnBarsAndTheRecorder(t *testing.T) {
	at, d := value.MustInstant, value.MustDecimal
	observed := func(id market.ID, when, last string) *market.Observation {
		return &market.Observation{InstrumentID: id, AsOf: at(when), Last: d(last)}
	}
	loaded := func(id market.ID, resolution market.Resolution, t, price string) *market.Bar {
		return &market.Bar{InstrumentID: id, Resolution: resolution, T: at(t), Close: d(price)}
	}
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		put(t, s, observed("fx:USDTRY", "2026-03-18T08:01:00Z", "41.10"), observed("fx:USDTRY", "2026-03-18T08:03:00Z", "41.20"),
			observed("fx:USDTRY", "2026-03-18T09:00:00Z", "41.30"),
			observed("bist:DMOST", "2026-03-18T08:01:00Z", "300"))
		bars := func(id market.ID, resolution market.Resolution) (told string) {
			t.Helper()
			found := must[[][]*market.Bar](t)(barsIn(s.Bars(background, resolution,
				[]market.Span{{ID: id, First: at("2026-03-17T00:00:00Z"), Last: at("2026-03-19T00:00:00Z")}})))
			for _, b := range found[0] {
				told += b.T.String()[11:16] + " " + b.Open.String() + "-" + b.Close.String() + " "
			}
			return strings.TrimSpace(told)
		}
		recorded := bars("fx:USDTRY", market.FiveMinutes)
		daily := bars("fx:USDTRY", market.Day)
		same(t, "recorded", []string{recorded, daily}, []string{"08:00 41.10-41.20 09:00 41.30-41.30", "21:00 41.10-41.30"})

		loadedBars := []any{
			loaded("fx:USDTRY", market.FiveMinutes, "2026-03-18T08:00:00Z", "7"),
			loaded("fx:USDTRY", market.FiveMinutes, "2026-03-18T08:30:00Z", "8"),
			loaded("fx:USDTRY", market.Day, "2026-03-17T21:00:00Z", "9"), loaded("bist:DMOST", market.Day, "2026-03-17T21:00:00Z", "10"),
		}
		want(t, put(t, s, loadedBars...), db.Stored, db.Stored, db.Stored, db.Stored)
		same(t, "loaded", []string{bars("fx:USDTRY", market.FiveMinutes), bars("fx:USDTRY", market.Day)},
			[]string{"08:00 -7 08:30 -8 09:00 41.30-41.30", "21:00 -9"})
		seq := heads(t, s)[db.FeedBars]
		want(t, withdraw(t, s, loadedBars...), db.Stored, db.Stored, db.Stored, db.Stored)
		same(t, "withdrawn", []string{bars("fx:USDTRY", market.FiveMinutes), bars("fx:USDTRY", market.Day), bars("bist:DMOST", market.Day)},
			[]string{recorded, daily, ""})
		same(t, "whose daily bars changed", dailyChanges(t, s, seq), []string{"bist:DMOST", "fx:USDTRY"})

		seq = heads(t, s)[db.FeedBars]
		out := withdraw(t, s, loaded("fx:USDTRY", market.FiveMinutes, "2026-03-18T08:00:00Z", "1"), loadedBars[1])
		want(t, out, db.Refused, db.Unchanged)
		if !strings.Contains(out[0].Why.Must, "made of quotes") {
			t.Errorf("%+v", out[0])
		}
		same(t, "the head", heads(t, s)[db.FeedBars], seq)
		// The recorder goes on where it was.
		put(t, s, observed("fx:USDTRY", "2026-03-18T09:04:00Z", "41.50"))
		same(t, "goes on", bars("fx:USDTRY", market.Day), "21:00 41.10-41.50")

		// What is left of a day whose observations are gone does not make its bars.
		put(t, s, loadedBars[0])
		need.NoError(t, s.Prune(background, map[market.Market]value.Instant{market.FX: at("2026-03-18T21:00:00Z")}))
		want(t, withdraw(t, s, loadedBars[0]), db.Stored)
		same(t, "a hole", bars("fx:USDTRY", market.FiveMinutes), "09:00 41.30-41.50")
	})
}

// A company that is withdrawn is found by no code, and its former codes are
// known again once it comes back.
func TestWithdrawnCompanies(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		put(t, s, &kap.CompanyRecord{CompanyID: "K1", Codes: []string{"A1"}}, &kap.CompanyRecord{CompanyID: "K1", Codes: []string{"A2"}},
			&kap.CompanyRecord{CompanyID: "K2", Codes: []string{"B1"}})
		known := func(code string) []string {
			live := kap.NewLive()
			live.PutCompanies(must[[]*kap.CompanyRecord](t)(s.Companies(background)), must[[]kap.CodeHeld](t)(s.CodesHeld(background))...)
			r, err := live.Resolve("symbol", code)
			need.NoError(t, err)
			return r.Codes()
		}
		same(t, "known", known("A1"), []string{"A1", "A2"})
		want(t, withdraw(t, s, &kap.CompanyRecord{CompanyID: "K1"}), db.Stored)
		same(t, "withdrawn", known("A1"), []string{"A1"})
		want(t, withdraw(t, s, &kap.CompanyRecord{CompanyID: "K1"}), db.Unchanged)
		put(t, s, &kap.CompanyRecord{CompanyID: "K1", Codes: []string{"A3"}})
		same(t, "back", known("A3"), []string{"A1", "A2", "A3"})
	})
}
