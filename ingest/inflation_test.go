package ingest_test

import (
	"testing"
)

// level returns a line about a month of a price index.
func level(value string) string {
	return `{"record":"inflation_point","series_id":"TUFE","month":"2026-02","value":` + value + `}`
}

func TestInflationPointsThatCannotBe(t *testing.T) {
	refuse(t, []refusal{
		{"a level of nothing", level(`"0.00"`), "value", "must be above 0"},
		{"a level below nothing", level(`"-1"`), "value", "must be above 0"},
		{"a price index of 0", `{"record":"inflation_point","series_id":"YI_UFE","month":"2026-02","value":"0"}`, "value",
			"must be above 0"},
		{"a month that is none", `{"record":"inflation_point","series_id":"YI_UFE","month":"2026-13"}`, "month", "YYYY-MM"},
		{"a series that is none", `{"record":"inflation_point","series_id":"YIUFE","month":"2026-02"}`, "series_id", "one of YI_UFE, TUFE"},
	})
}

// A month that the source skipped may be published later.
func TestInflationPointsAgain(t *testing.T) {
	again(t, level("null"), level(`"3012.45"`))
}
