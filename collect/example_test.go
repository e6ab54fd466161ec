package collect_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"time"

	"piyasa/collect"
)

// tea is a connector: an exchange of tea publishes the prices of one day at a time, as
//
//	{"day": "2031-06-02", "prices": [{"code": "RIZE", "price": 31.50}]}
//
// and with null for the prices as long as the day is not over.
type tea struct{ key *collect.Secret }

// newTea reads the settings of a source; those that all connectors have are not among them.
func newTea(text json.RawMessage) (collect.Source, error) {
	in, err := collect.Settings[struct {
		Key *collect.Secret `json:"key"` // {"env": "TEA_KEY"} or {"file": "/run/secrets/tea"}
	}](text)
	if err == nil && in.Key == nil {
		err = errors.New(`"key" must be the key of the exchange, such as {"env": "TEA_KEY"}`)
	}
	return &tea{in.Key}, err
}

// Plan implements collect.Source: the exchange closes at 17:00.
func (*tea) Plan() collect.Plan {
	return collect.Plan{
		Base: "https://tea.example/v1/", Pace: time.Second,
		Schedule: collect.Schedule{At: []collect.Clock{collect.At(17, 5), collect.At(18, 0)}, Workdays: true},
	}
}

// kept is what this connector keeps of an answer.
type kept struct {
	Day string `json:"day"` // the newest that is complete
}

// Ask implements collect.Source: the day after the newest one, until today.
func (s *tea) Ask(text json.RawMessage, now time.Time) (*collect.Request, error) {
	today := now.In(collect.Istanbul)
	k := kept{Day: today.AddDate(0, 0, -3).Format(time.DateOnly)} // where history begins
	if len(text) > 0 {
		if err := json.Unmarshal(text, &k); err != nil {
			return nil, err
		}
	}
	day, err := time.Parse(time.DateOnly, k.Day)
	if err != nil {
		return nil, err
	}
	next := day.AddDate(0, 0, 1).Format(time.DateOnly)
	if next > today.Format(time.DateOnly) {
		return nil, nil
	}
	return &collect.Request{
		Path: "prices", Query: url.Values{"day": {next}}, Expect: collect.JSON,
		Header: http.Header{"X-Key": {s.key.Reveal()}}, // kept nowhere, and masked in messages
	}, nil
}

// Parse implements collect.Source.
func (*tea) Parse(text json.RawMessage, asked *collect.Request, got *collect.Answer) (*collect.Result, error) {
	var answer struct {
		Day    string
		Prices []struct {
			Code  string
			Price json.Number // its digits, and never a float
		}
	}
	if err := json.Unmarshal(got.Body, &answer); err != nil {
		return nil, err
	}
	day := asked.Query.Get("day")
	switch {
	case answer.Day != day:
		return nil, fmt.Errorf("the answer for %s is of %q", day, answer.Day)
	case answer.Prices == nil:
		return &collect.Result{Keep: text}, nil // asked again at the next time of the schedule
	}
	keep, err := json.Marshal(kept{Day: day})
	if err != nil {
		return nil, err
	}
	out := &collect.Result{Keep: keep, More: true}
	for _, p := range answer.Prices {
		price, err := collect.Plain(p.Price.String())
		if err != nil {
			return nil, fmt.Errorf("the price of %q %w", p.Code, err)
		}
		out.Records = append(out.Records, collect.Record{Kind: "bar", Fields: map[string]any{
			"instrument_id": "cmdty:" + p.Code, "resolution": "1d", "t": day + "T00:00:00Z", "close": price,
		}})
	}
	return out, nil
}

// A whole connector, and its records from an upstream that has the prices of two days.
func Example() {
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch day := r.URL.Query().Get("day"); day {
		case "2031-05-31", "2031-06-01":
			fmt.Fprintf(w, `{"day": %q, "prices": [{"code": "RIZE", "price": 31.50}]}`, day)
		default:
			fmt.Fprintf(w, `{"day": %q, "prices": null}`, day)
		}
	}))
	defer upstream.Close()
	config, err := collect.Read([]byte(`{"sources": {"tea": {"connector": "tea", "base": "`+upstream.URL+
		`/", "pace": "1ms", "key": {"env": "HOME"}}}}`), collect.Makers{"tea": newTea})
	if err != nil {
		fmt.Println(err)
		return
	}
	m := newMemory() // in piyasa this is the database, and ingest
	collector := &collect.Collector{Config: config, Store: m, Emit: m.emit, Holder: "one", Now: func() time.Time {
		return time.Date(2031, 6, 2, 15, 0, 0, 0, time.UTC)
	}}
	for _, o := range collector.Once(context.Background()) {
		fmt.Println(o.Source, o.Answers, "answers,", o.Records, "records, error:", o.Err)
	}
	for _, line := range m.lines {
		if line["record"] == "bar" {
			fmt.Println(line["instrument_id"], line["t"], line["close"])
		}
	}
	// Output:
	// tea 3 answers, 2 records, error: <nil>
	// cmdty:RIZE 2031-05-31T00:00:00Z 31.50
	// cmdty:RIZE 2031-06-01T00:00:00Z 31.50
}
