package db_test

import (
	"encoding/json"
	"testing"

	"piyasa/db/dbtest"
	"piyasa/domain/kap"
	"piyasa/test/fixture/need"
)

// A body that cannot be reached now is another matter than one that is not
// there: it is worth asking again.
func TestBodyWhileTheStoreIsAway(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := open(t, url)
		r := disclosure(1, "", "A1")
		r.Body = &kap.Content{SourceFormat: "flatData", FileType: "data", Content: json.RawMessage(`[]`)}
		putDisclosures(t, s, false, r)
		service := disclosureService(s, 0)
		if _, err := service.Body(asking(), 1, nil); err != nil {
			t.Fatal(err)
		}
		need.NoError(t, s.Close())
		if _, err := service.Body(asking(), 1, nil); problemOf(err) != "store-unavailable" {
			t.Errorf("got %v", err)
		}
	})
}
