package db_test

import (
	"strings"
	"sync"
	"testing"

	"piyasa/db"
	"piyasa/db/dbtest"
	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/test/fixture"
)

// Through a pooler of transactions everything works but notifications. It keeps no
// settings, so those of the role must be right.
func TestPoolerOfTransactions(t *testing.T) {
	direct := dbtest.HostileURL(t)
	address := dbtest.PgBouncerURL(t, direct, 3)
	raw := dbtest.Raw(t, direct)
	_, err := db.Open(t.Context(), address, db.PooledBy(db.PoolTransactions))
	if err == nil || !strings.Contains(err.Error(), "ALTER ROLE") {
		t.Errorf("wrong settings: %v", err)
	}
	for setting, is := range map[string]string{
		"array_nulls": "on", "bytea_output": "hex", "transform_null_equals": "off", "default_transaction_isolation": "read committed",
		"lock_timeout": "0", "synchronous_commit": "on",
	} {
		if _, err := raw.Exec("DO $$ BEGIN EXECUTE 'ALTER DATABASE ' || current_database() || ' SET " + setting + " = ''" + is +
			"'''; END $$"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := raw.Exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid " +
		"<> pg_backend_pid()"); err != nil {
		t.Fatal(err)
	}
	fixture.Eventually(t, "the pooler has dropped its connections", func() bool {
		s, err := db.Open(t.Context(), address, db.PooledBy(db.PoolTransactions))
		if err == nil {
			_ = s.Close()
		}
		return err == nil
	})

	var stores [3]*db.Store
	var all sync.WaitGroup
	for i := range stores {
		all.Go(func() {
			s, err := db.Open(t.Context(), address, db.PooledBy(db.PoolTransactions))
			if err != nil {
				t.Error(err)
				return
			}
			t.Cleanup(func() { _ = s.Close() })
			stores[i] = s
		})
	}
	all.Wait()
	if t.Failed() {
		return
	}
	go stores[0].Listen(t.Context())
	for i, last := range []string{"1.10", "2.0000000000000000000000001", "3"} {
		put(t, stores[i], price("bist:THYAO", t1, last))
		for _, s := range stores {
			shows(t, s, int64(i+1))
			got := quotesAfter(t, s, int64(i))
			if len(got) != 1 || got[0].Last.String() != last {
				t.Errorf("%d quotes", len(got))
			}
		}
	}
	day := value.MustInstant("2026-03-16T00:00:00Z")
	bar := &market.Bar{InstrumentID: "us:A", Resolution: market.Day, T: day, Close: value.MustDecimal("1.50"), TradeCount: new(7)}
	disclosed := &kap.Record{Disclosure: kap.Disclosure{DisclosureIndex: 1, Type: kap.ODA, Class: "ODA", Symbols: []string{"THYAO"},
		PublishedAt: day}}
	put(t, stores[0], bar, disclosed)
	for _, s := range stores { // what is prepared elsewhere
		span := []market.Span{{ID: "us:NOPE", First: day, Last: day}, {ID: bar.InstrumentID, First: day, Last: day}}
		same(t, "bars", must[[][]*market.Bar](t)(barsIn(s.Bars(t.Context(), market.Day, span))), [][]*market.Bar{nil, {bar}})
		page := must[[]*kap.Stored](t)(s.Disclosures(t.Context(),
			kap.Query{Limit: 26, Of: &kap.Reach{Origins: []kap.Origin{{Code: "THYAO"}}}, To: day}))
		one := must[map[int]*kap.Stored](t)(s.DisclosuresByNumber(t.Context(), []int{1, 2}))
		if len(page) != 1 || page[0].DisclosureIndex != 1 || len(one) != 1 || one[1] == nil {
			t.Errorf("a page of %d, %d by number", len(page), len(one))
		}
	}
	for range 30 { // more than there are connections
		all.Go(func() {
			if _, err := stores[0].Look(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	listens := openToRead(t, address, db.PooledBy(db.PoolTransactions), db.WriteTo(direct, db.PoolSessions))
	go listens.Listen(t.Context())
	woken(t, listens, patience)
	put(t, stores[1], price("bist:THYAO", t1, "4"))
	woken(t, listens, patience)
}
