package connectors_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"piyasa/collect"
	"piyasa/collect/collecttest"
	"piyasa/collect/connectors"
	"piyasa/collect/standin"
)

// Each template is a file of sources as it is, and stores what its upstream has, digit for digit, when it has
// it: the newest day, the one of a holiday, and what came late.
func TestTemplates(t *testing.T) {
	quiet(t)
	for variable, secret := range standin.TemplateEnv {
		t.Setenv(variable, secret)
	}
	cases := map[string]struct{ has, hasNot []string }{
		"tefas": {[]string{ // Friday's figures came on Monday at 10:30; one fund has no investors, one is suspended
			`"code":"DMA","currency":"TRY","investor_count":1663,"name":"DEMO DMA PORTFÖY FONU","portfolio_size":"90000863.25","price":"1.966863",` +
				`"price_date":"2031-05-30","record":"fund","share_count":"4063000"}`,
			`"code":"DMC","currency":"TRY","name":"DEMO DMC PORTFÖY FONU","portfolio_size":"90000863.25","price":"3.900589"`,
			`"name":"DEMO DMS PORTFÖY FONU","portfolio_size":"90000863.25","record":"fund","share_count":"4063000"}`,
			`{"close":"1.206400","instrument_id":"fund:DMA","record":"bar","resolution":"1d","t":"2031-05-29T00:00:00Z"}`,
		}, []string{`"close":"0"`, `"instrument_id":"fund:DMS","record":"bar","resolution":"1d","t":"2031-05-30`, "2031-06-01T"}},
		"fred-indices": {[]string{ // the second series has no 28th, the first no 27th
			`{"asset_type":"INDEX","currency":"JPY","instrument_id":"index:NIKKEI225","market":"index","name":"Nikkei 225","record":"instrument"`,
			`{"close":"5034.34","instrument_id":"index:SP500","record":"bar","resolution":"1d","t":"2031-05-28T00:00:00Z"}`,
			`{"close":"6132.32","instrument_id":"index:NASDAQCOM","record":"bar","resolution":"1d","t":"2031-05-27T00:00:00Z"}`,
		}, []string{`"close":"."`, standin.FREDKey}},
		"lbma-metals": {[]string{ // there is 0 for gold of the 28th
			`"currency":"USD","instrument_id":"cmdty:XAG","market":"cmdty","name":"Silver","record":"instrument"`,
			`{"close":"6363.63","instrument_id":"cmdty:XAU","record":"bar","resolution":"1d","t":"2031-05-30T00:00:00Z"}`,
			`{"close":"5034.34","instrument_id":"cmdty:XAG","record":"bar","resolution":"1d","t":"2031-05-28T00:00:00Z"}`,
		}, []string{`"instrument_id":"cmdty:XAU","record":"bar","resolution":"1d","t":"2031-05-28`, "2031-05-20T"}},
		"bist-index-values": {[]string{
			`{"close":"5363.63","code":"XU100","date":"2031-05-30","record":"index_bar"}`,
			`{"close":"8034.34","code":"XUSIN","date":"2031-05-28","record":"index_bar"}`,
		}, []string{`"date":"2031-05-22"`}},
	}
	for _, of := range connectors.Templates() {
		c, known := cases[of.Name]
		if !known {
			t.Errorf("%s has no case", of.Name)
		}
		config, err := collect.Read([]byte(of.Text), connectors.Makers)
		if err != nil || len(config.Sources)+len(config.Off) != 1 || !strings.HasSuffix(of.About, ".") {
			t.Fatalf("%s: %+v, %v", of.Name, config, err)
		}
		synctest.Test(t, func(t *testing.T) {
			until(istanbul(6, 2, 0).Add(11 * time.Hour)) // a Monday
			store := collecttest.NewStore()
			m := mirror{T: t, connector: of.Name}
			one := &collect.Collector{
				Config: source(t, "json", m.settings(time.Now())), Store: store, Emit: store.Emit, Holder: "one", Agent: "piyasa/test",
				Now: time.Now, Patience: 10 * time.Minute,
				Transport: collecttest.NewNetwork(t, map[string]http.Handler{host: standin.Makers[of.Name](time.Now)}),
			}
			if o := one.Once(t.Context())[0]; o.Err != nil || o.Warning != nil {
				t.Fatalf("%s: %+v", of.Name, o)
			}
			all := store.All()
			for _, text := range c.has {
				if !strings.Contains(all, text) {
					t.Errorf("%s: there is no %s in\n%s", of.Name, text, all)
				}
			}
			for _, text := range c.hasNot {
				if strings.Contains(all, text) {
					t.Errorf("%s: there is %s in\n%s", of.Name, text, all)
				}
			}
		})
	}
}
