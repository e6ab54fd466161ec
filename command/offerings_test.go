package command_test

import (
	"strings"
	"testing"

	"piyasa/db/dbtest"
)

// An offering whose source never says when the share first traded is completed
// once another process stores a bar of the share.
func TestServeSeesSharesTrade(t *testing.T) {
	t.Parallel()
	records := strings.Join([]string{
		`{"record":"instrument","instrument_id":"bist:DMGDA","symbol":"DMGDA","name":"Demo Gıda","market":"bist","asset_type":"STOCK","currency":"TRY"}`,
		`{"record":"ipo","id":"gida","company":"Demo Gıda A.Ş.","symbol":"DMGDA","currency":"TRY","demand_start":"2025-03-03","demand_end":"2025-03-05"}`,
		`{"record":"bar","instrument_id":"bist:DMGDA","resolution":"1d","t":"2025-03-04T21:00:00Z","close":"1"}`,
	}, "\n")
	const bars = `{"record":"bar","instrument_id":"bist:DMGDA","resolution":"1d","t":"2025-03-11T21:00:00Z","close":"46.20"}
{"record":"bar","instrument_id":"bist:DMGDA","resolution":"1d","t":"2025-03-12T21:00:00Z","close":"50.80"}`
	dbtest.Each(t, func(t *testing.T, url string) {
		key, _ := newKey(t, url, "--scopes", "ipo:read")
		ingest := func(lines string) {
			t.Helper()
			if res := run(t, url, lines, nil, "ingest", "-"); res.status != 0 {
				t.Fatalf("%d %s %s", res.status, res.stdout, res.err)
			}
		}
		ingest(records)
		s := start(t, url)
		if _, one := s.get("/v1/ipo/gida", key); one["state"] != "active" || one["first_trade_date"] != nil ||
			one["instrument_id"] != nil || one["note"] != nil {
			t.Fatalf("before the share trades: %v", one)
		}
		ingest(bars)
		var one map[string]any
		s.eventually(deadline, "the offering is completed", func() bool {
			_, one = s.get("/v1/ipo/gida", key)
			return one["state"] == "completed"
		})
		note, _ := one["note"].(string)
		if one["first_trade_date"] != "2025-03-12" || one["instrument_id"] != "bist:DMGDA" || !strings.Contains(note, "bist:DMGDA") {
			t.Errorf("after: %v", one)
		}
		if _, list := s.get("/v1/ipo?state=completed&from=2025-03-12&to=2025-03-12", key); list["total"] != 1.0 {
			t.Errorf("the list: %v", list)
		}
	})
}
