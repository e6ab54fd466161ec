package command_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"io"
	"net/http"
	"testing"

	"piyasa/db/dbtest"
	"piyasa/test/fixture/need"
)

// A logo that another process stores shows at the instrument, and the address
// there gives the very bytes to who brings the key in the query.
func TestServeSeesLogos(t *testing.T) {
	var picture bytes.Buffer
	need.NoError(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 3, 3))))
	const fund = `{"record":"instrument","instrument_id":"fund:DMF","symbol":"DMF","name":"Demo Fon","market":"fund","asset_type":"FUND","currency":"TRY","founder":"Demo Portföy"}` + "\n"
	logo := `{"record":"logo","founder":"Demo Portföy","png":"` + base64.StdEncoding.EncodeToString(picture.Bytes()) + `"}` + "\n"
	dbtest.Each(t, func(t *testing.T, url string) {
		key, _ := newKey(t, url, "--scopes", "assets:logos")
		ingest := func(line string) {
			if res := run(t, url, line, nil, "ingest", "-"); res.status != 0 {
				t.Fatalf("%d %s %s", res.status, res.stdout, res.err)
			}
		}
		ingest(fund)
		s := start(t, url)
		if _, record := s.get("/v1/instruments/fund:DMF", key); record["logo_url"] != nil || record["founder"] == nil {
			t.Fatalf("before there is a logo: %v", record)
		}
		ingest(logo)
		address := ""
		s.eventually(deadline, "the logo shows", func() bool {
			_, record := s.get("/v1/instruments/fund:DMF", key)
			address, _ = record["logo_url"].(string)
			return address != ""
		})
		if address != s.base+"/v1/logos/fund:DMF" {
			t.Errorf("logo_url is %s", address)
		}
		r, err := http.NewRequestWithContext(t.Context(), "GET", address+"?api_key="+key, nil)
		need.NoError(t, err)
		res, err := http.DefaultClient.Do(r)
		need.NoError(t, err)
		defer res.Body.Close()
		if body, err := io.ReadAll(res.Body); err != nil || res.StatusCode != http.StatusOK || !bytes.Equal(body, picture.Bytes()) {
			t.Errorf("%d, %d bytes, %v", res.StatusCode, len(body), err)
		}
	})
}
