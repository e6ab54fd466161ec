package stream_test

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"piyasa/serve/stream"
)

// ids returns a JSON list of n topics.
func ids(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`"symbol:S%d"`, i)
	}
	return "[" + strings.Join(list, ",") + "]"
}

// The frames that are no messages; each is a strike.
var badFrames = []string{
	"", " ", "{", "{broken", "null", "true", "5", `"ping"`, "[]", `[{"action":"ping"}]`, `{"action":"ping"} x`,
	`{"action":"ping"}{"action":"ping"}`, "\ufeff" + `{"action":"ping"}`,
	`{}`, `{"Action":"ping"}`, `{"action":null}`, `{"action":5}`, `{"action":["ping"]}`, `{"action":""}`, `{"action":"PING"}`,
	`{"action":"dance"}`, `{"action":" ping"}`,
	`{"action":"subscribe"}`, `{"action":"subscribe","ids":null}`, `{"action":"subscribe","ids":"all"}`, `{"action":"subscribe","ids":{}}`,
	`{"action":"subscribe","ids":[]}`,
	`{"action":"subscribe","ids":["all",5]}`, `{"action":"subscribe","ids":["all",null]}`, `{"action":"subscribe","ids":[["all"]]}`,
	`{"action":"subscribe","ids":` + ids(101) + `}`,
	`{"action":"subscribe","ids":["all"],"last_seen_index":-1}`, `{"action":"subscribe","ids":["all"],"last_seen_index":"5"}`,
	`{"action":"subscribe","ids":["all"],"last_seen_index":1.5}`,
	`{"action":"subscribe","ids":["all"],"last_seen_index":9223372036854775808}`,
	`{"action":"subscribe","ids":["all"],"last_seen_index":1e3}`,
	`{"action":"subscribe","ids":["all"],"last_seen_index":-9223372036854775809}`,
	`{"action":"ping","action":"ping"}`, `{"action":"ping","action":"subscribe","ids":["all"]}`,
	`{"action":"subscribe","ids":["all"],"ids":["all"]}`,
	`{"action":"subscribe","ids":["all"],"last_seen_index":5,"last_seen_index":6}`,
	`{"action":"subscribe","ids":["all"],"last_seen_index":null,"last_seen_index":6}`,
	`{"action":"subscribe","ids":["all"],"last_seen_index":true}`, `{"action":"subscribe","ids":["all"],"last_seen_index":[5]}`,
	`{"action":"subscribe","ids":["symbol:\ud83d"]}`,
	`{"action":"unsubscribe"}`, `{"action":"unsubscribe","ids":[]}`, `{"action":"unsubscribe","ids":` + ids(101) + `}`,
	`{"action":"unsubscribe","ids":"all"}`,
}

func TestBadMessages(t *testing.T) {
	for _, frame := range append([]string{"{\"action\":\"subscribe\",\"ids\":[\"symbol:\xff\"]}"}, badFrames...) {
		if m, err := stream.ParseMessage([]byte(frame)); err == nil {
			t.Errorf("%.80s is %+v", frame, m)
		}
	}
}

func TestMessages(t *testing.T) {
	hundred, _ := stream.ParseMessage([]byte(`{"action":"unsubscribe","ids":` + ids(100) + `}`))
	if len(hundred.IDs) != 100 {
		t.Errorf("a hundred ids are %d", len(hundred.IDs))
	}
	for frame, want := range map[string]stream.Said{
		`{"action":"ping"}`:                                            {Action: "ping"},
		" \t\r\n{ \"action\" : \"ping\" } \n":                          {Action: "ping"},
		`{"action":"ping","ids":5,"last_seen_index":"x","ids":[]}`:     {Action: "ping"}, // members of others do not matter
		`{"action":"auth","api_key":"k"}`:                              {Action: "auth", APIKey: "k"},
		`{"action":"auth"}`:                                            {Action: "auth"},
		`{"action":"auth","api_key":"k","api_key":"l"}`:                {Action: "auth"}, // whose key is neither
		`{"action":"auth","api_key":null}`:                             {Action: "auth"},
		`{"action":"auth","api_key":5}`:                                {Action: "auth"},
		`{"action":"subscribe","ids":["all"]}`:                         {Action: "subscribe", IDs: []string{"all"}},
		`{"x":{"y":[1]},"ids":["","\u00d6"],"action":"subscribe"}`:     {Action: "subscribe", IDs: []string{"", "Ö"}},
		`{"action":"unsubscribe","ids":["all"],"last_seen_index":"x"}`: {Action: "unsubscribe", IDs: []string{"all"}},
		`{"action":"subscribe","ids":["all"],"last_seen_index":0}`: {Action: "subscribe", IDs: []string{"all"},
			After: new(int64(0))},
		`{"action":"subscribe","ids":["all"],"last_seen_index": 1501 }`: {Action: "subscribe", IDs: []string{"all"},
			After: new(int64(1501))},
		`{"action":"subscribe","ids":["all"],"last_seen_index":null}`: {Action: "subscribe", IDs: []string{"all"}},
		`{"action":"subscribe","ids":["a"],"last_seen_index":-0}`: {Action: "subscribe", IDs: []string{"a"},
			After: new(int64(0))},
		`{"action":"subscribe","ids":["a"],"last_seen_index":9223372036854775807}`: {Action: "subscribe", IDs: []string{"a"},
			After: new(int64(math.MaxInt64))},
	} {
		if got, err := stream.ParseMessage([]byte(frame)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", frame, got, err)
		}
	}
}

// Whatever passes is an object with a known action, and what it asks for is
// within the limits.
func FuzzMessage(f *testing.F) {
	for _, seed := range append([]string{`{"action":"subscribe","ids":["all"],"last_seen_index":5}`, `{"action":"auth","api_key":"k"}`,
		`{"action":"ping"}`}, badFrames...) {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		m, err := stream.ParseMessage(frame)
		if err != nil {
			return
		}
		var object map[string]any
		if json.Unmarshal(frame, &object) != nil || object["action"] != m.Action {
			t.Fatalf("%q is %+v", frame, m)
		}
		switch m.Action {
		case "auth", "ping":
		case "subscribe", "unsubscribe":
			list, _ := object["ids"].([]any)
			if len(m.IDs) < 1 || len(m.IDs) > 100 || len(list) != len(m.IDs) {
				t.Errorf("%q: %d ids", frame, len(m.IDs))
			}
			if asked := object["last_seen_index"] != nil; (m.After != nil) != (asked && m.Action == "subscribe") || m.After != nil &&
				*m.After < 0 {
				t.Errorf("%q: after %v", frame, m.After)
			}
		default:
			t.Errorf("%q: action %q", frame, m.Action)
		}
	})
}
