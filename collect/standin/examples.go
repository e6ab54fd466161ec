package standin

import (
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"piyasa/collect/connectors"
)

// Example is an example of the settings of a source that asks a stand-in.
type Example struct {
	Settings string            // the connector's settings, a JSON object; empty: none
	Env      map[string]string // the credentials that the settings name, as the stand-in expects them
}

// Examples make the example of a day, by the name of the connector. Connectors without settings may
// be missing.
var Examples = map[string]func(now time.Time) Example{
	"bist-bulletin": func(now time.Time) Example {
		return Example{Settings: fmt.Sprintf(`{"licensed": true, "instruments": true, "from": "%s"}`,
			now.AddDate(0, 0, -10).Format(time.DateOnly))}
	},
	"bist-indices": func(time.Time) Example { return Example{Settings: `{"licensed": true, "verified": "all"}`} },
	"bist-limits": func(now time.Time) Example {
		return Example{Settings: fmt.Sprintf(`{"licensed": true, "limit_up": "TAVAN FIYAT", "limit_down": "TABAN FIYAT", "from": "%s"}`,
			now.AddDate(0, 0, -10).Format(time.DateOnly))}
	},
	"cmc": func(time.Time) Example {
		return Example{Settings: `{"key": {"env": "CMC_KEY"}, "ids": [1, 2, 3, 4, 5, 6, 7, 11, 450], "schedule": {"every": "6h"}}`,
			Env: map[string]string{"CMC_KEY": CMCKey}}
	},
	"ecb": func(now time.Time) Example {
		return Example{Settings: fmt.Sprintf(`{"from": "%s"}`, now.AddDate(0, 0, -20).Format(time.DateOnly))}
	},
	"evds": func(time.Time) Example {
		return Example{Settings: `{"key": {"env": "EVDS_KEY"}}`, Env: map[string]string{"EVDS_KEY": EVDSKey}}
	},
	"json": func(now time.Time) Example {
		return Example{
			Settings: fmt.Sprintf(`{
				"request": {"path": "v1/prices", "query": {"since": "${since}", "page": "${page}"}, "headers": {"X-Api-Key": {"env": "JSON_KEY"}}},
				"paging": {"by": "page", "first": 1, "size": %d, "items": ".items | length"},
				"start": {"since": "%s"},
				"fails": "if .status == \"ok\" then null else .message // \"no status\" end",
				"records": ".items[] | {record: \"bar\", instrument_id: (\"bist:\" + .code), resolution: \"1d\", t: .begins, close: .price, volume: .volume}",
				"keep": "{since: ([.items[].day] | max // $kept.since)}"
			}`, JSONPage, now.AddDate(0, 0, -10).Format(time.DateOnly)),
			Env: map[string]string{"JSON_KEY": JSONKey},
		}
	},
	"tcmb": func(now time.Time) Example {
		return Example{Settings: fmt.Sprintf(`{"from": "%s", "currencies": ["USD", "EUR", "GBP", "JPY", "RON", "XDR"]}`,
			now.AddDate(0, 0, -10).Format(time.DateOnly))}
	},
	"vyk": func(now time.Time) Example {
		return Example{
			Settings: fmt.Sprintf(`{"key": {"env": "VYK_KEY"}, "from": %d, "companies": true, "funds": true, "schedule": {"every": "30m"}}`,
				VYKNewest(now)-60),
			Env: map[string]string{"VYK_KEY": VYKKey},
		}
	},
}

// TemplateEnv holds the credentials that templates name.
var TemplateEnv = map[string]string{"FRED_KEY": FREDKey}

// ExampleOf returns settings that ask the stand-in of a connector or a template for ten days, and
// the name of the connector.
func ExampleOf(name string, now time.Time) (connector string, e Example, err error) {
	for _, t := range connectors.Templates() {
		if t.Name != name {
			continue
		}
		var file struct {
			Sources map[string]map[string]any `json:"sources"`
		}
		if err := json.Unmarshal([]byte(t.Text), &file); err != nil {
			return "", e, err
		}
		settings := file.Sources[name]
		connector, _ = settings["connector"].(string)
		maps.DeleteFunc(settings, func(member string, _ any) bool { return member == "connector" || member == "base" || member == "off" })
		settings["start"] = map[string]string{"since": now.AddDate(0, 0, -10).Format(time.DateOnly)}
		text, err := json.Marshal(settings)
		return connector, Example{Settings: string(text), Env: TemplateEnv}, err
	}
	if of := Examples[name]; of != nil {
		e = of(now)
	}
	return name, e, nil
}
