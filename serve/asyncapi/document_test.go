package asyncapi_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"piyasa/serve/asyncapi"
	"piyasa/test/fixture/need"
)

type object = map[string]any

// document returns the document under test, as a program reads it.
func document(t *testing.T) object {
	t.Helper()
	return read(t, asyncapi.Document("https://api.example.test/market", "test"))
}

func read(t *testing.T, text []byte) object {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v.(object)
}

// compile compiles the schema at a pointer into doc.
func compile(t *testing.T, doc object, pointer string) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	need.NoError(t, c.AddResource("doc.json", doc))
	s, err := c.Compile("doc.json#" + pointer)
	need.NoError(t, err)
	return s
}

// The official schema of the format accepts the document.
func TestDocumentIsAsyncAPI(t *testing.T) {
	file, err := os.Open("testdata/asyncapi-3.0.0.json.gz")
	need.NoError(t, err)
	defer file.Close()
	packed, err := gzip.NewReader(file)
	need.NoError(t, err)
	official, err := jsonschema.UnmarshalJSON(packed)
	need.NoError(t, err)
	s := compile(t, official.(object), "")
	if err := s.Validate(any(document(t))); err != nil {
		t.Error(err)
	}
	for _, spoil := range []func(object){
		func(d object) { delete(d, "info") },
		func(d object) { d["asyncapi"] = "2.6.0" },
		func(d object) { d["operations"].(object)["pricesPing"].(object)["action"] = "publish" },
		func(d object) { d["channels"].(object)["prices"].(object)["adress"] = "/v1/ws" },
	} {
		doc := document(t)
		spoil(doc)
		if s.Validate(any(doc)) == nil {
			t.Error("the official schema accepts anything")
		}
	}
}

// Every reference leads somewhere, and operations name messages of their own
// channel.
func TestReferences(t *testing.T) {
	doc := document(t)
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case []any:
			for i, e := range v {
				walk(fmt.Sprint(at, "/", i), e)
			}
		case object:
			if to, ok := v["$ref"].(string); ok {
				if resolve(doc, to) == nil {
					t.Errorf("%s refers to %s, which is not there", at, to)
				}
			}
			for name, e := range v {
				walk(at+"/"+name, e)
			}
		}
	}
	walk("#", doc)
	for name, op := range doc["operations"].(object) {
		channel := op.(object)["channel"].(object)["$ref"].(string)
		replies, _ := op.(object)["reply"].(object)
		for _, messages := range []any{op.(object)["messages"], replies["messages"]} {
			list, _ := messages.([]any)
			for _, m := range list {
				if ref := m.(object)["$ref"].(string); !strings.HasPrefix(ref, channel+"/messages/") {
					t.Errorf("%s on %s names %s", name, channel, ref)
				}
			}
		}
	}
}

// resolve returns the part of doc that a reference leads to.
func resolve(doc object, ref string) any {
	var at any = doc
	for name := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		o, ok := at.(object)
		if !ok {
			return nil
		}
		at = o[name]
	}
	return at
}

func TestServer(t *testing.T) {
	for base, want := range map[string]string{
		"https://api.example.test/market": `{"host":"api.example.test","pathname":"/market","protocol":"wss"}`,
		"http://127.0.0.1:8080":           `{"host":"127.0.0.1:8080","protocol":"ws"}`,
	} {
		server := read(t, asyncapi.Document(base, "test"))["servers"].(object)["server"].(object)
		delete(server, "security")
		if got, _ := json.Marshal(server); string(got) != want {
			t.Errorf("%s: %s", base, got)
		}
	}
}

// Every example is what its message says, and a spoiled one is not.
func TestExamples(t *testing.T) {
	doc := document(t)
	for name, m := range doc["components"].(object)["messages"].(object) {
		s := compile(t, doc, "/components/messages/"+name+"/payload")
		examples := m.(object)["examples"].([]any)
		if len(examples) == 0 {
			t.Errorf("%s has no example", name)
		}
		for _, e := range examples {
			payload := e.(object)["payload"].(object)
			if err := s.Validate(payload); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			for member, value := range payload {
				delete(payload, member)
				optional := name == "subscribe" && member == "last_seen_index" || member == "batch"
				elsewhere := name == "auth" && member == "api_key" // in the address, or as a token
				if (s.Validate(payload) == nil) != (optional || elsewhere) {
					t.Errorf("%s without %s: valid is %t", name, member, !optional)
				}
				payload[member] = nil
				if (s.Validate(payload) == nil) != optional {
					t.Errorf("%s: %s may be null: %t", name, member, !optional)
				}
				payload[member] = value
			}
		}
	}
}
