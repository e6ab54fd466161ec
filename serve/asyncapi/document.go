// Package asyncapi describes the sockets as an AsyncAPI 3.0 document. The messages come from
// package stream; the describer of OpenAPI, too, describes their data.
package asyncapi

import (
	"encoding/json"
	"maps"
	"net/url"
	"reflect"
	"strings"

	"github.com/swaggest/jsonschema-go"

	"piyasa/rest"
	"piyasa/serve/stream"
)

// object is a JSON object; encoding sorts its members.
type object = map[string]any

// Document returns the description of the sockets of the server at baseURL.
func Document(baseURL, version string) []byte {
	b := builder{channels: object{}, operations: object{}, messages: object{}, schemas: object{}}
	b.reflector.DefaultOptions = []func(*jsonschema.ReflectContext){
		jsonschema.DefinitionsPrefix("#/components/schemas/"),
		jsonschema.CollectDefinitions(func(name string, s jsonschema.Schema) { b.schemas[name] = s }),
	}
	rest.Describe(&b.reflector)
	for _, d := range []stream.Description{stream.DescribeDisclosures(), stream.DescribePrices()} {
		b.add(d)
	}
	doc, err := json.MarshalIndent(object{
		"asyncapi": "3.0.0",
		"info": object{
			"title": "piyasa", "version": version,
			"description": "Streams of the market-data API: JSON text frames over WebSockets. Decimals are text; an " +
				"unknown figure is null. " +
				"The client's first frame must be auth, unless the address has a stream token (?token=). Send and receive are from the " +
				"server's view. Each channel lists its close codes in x-close-codes.",
		},
		"defaultContentType": "application/json",
		"servers":            object{"server": server(baseURL)},
		"channels":           b.channels,
		"operations":         b.operations,
		"components": object{
			"messages": b.messages,
			"schemas":  b.schemas,
			"securitySchemes": object{"key": object{
				"type": "apiKey", "in": "user",
				"description": "An API key, as api_key in the first frame; the server ignores keys in headers and " +
					"addresses. `piyasa keys " +
					"create` creates one. A stream token replaces it for a minute, as token in the first frame or in the address.",
			}},
		},
	}, "", "  ")
	must(err)
	return doc
}

// must panics if the sockets cannot be described, which the tests would show: they build the
// document.
func must(err error) {
	if err != nil {
		panic("asyncapi: describe the sockets: " + err.Error())
	}
}

func server(baseURL string) object {
	u, err := url.Parse(baseURL)
	must(err)
	s := object{"host": u.Host, "protocol": strings.Replace(u.Scheme, "http", "ws", 1),
		"security": []object{ref("components/securitySchemes", "key")}}
	if u.Path != "" {
		s["pathname"] = u.Path
	}
	return s
}

// ref refers to a part of the document.
func ref(place, name string) object { return object{"$ref": "#/" + place + "/" + name} }

type builder struct {
	reflector                               jsonschema.Reflector
	channels, operations, messages, schemas object
}

// add describes one kind of socket.
func (b *builder) add(d stream.Description) {
	inChannel := object{}
	refs := func(messages ...stream.Message) []object {
		out := make([]object, len(messages))
		for i, m := range messages {
			b.messages[m.Name] = b.message(m)
			inChannel[m.Name] = ref("components/messages", m.Name)
			out[i] = ref("channels/"+d.Name+"/messages", m.Name)
		}
		return out
	}
	here := ref("channels", d.Name)
	for _, a := range d.Actions {
		b.operations[d.Name+strings.ToUpper(a.Name[:1])+a.Name[1:]] = object{
			"action": "receive", "channel": here, "summary": a.About, "messages": refs(a.Message),
			"reply": object{"channel": here, "messages": refs(a.Answers...)},
		}
	}
	b.operations[d.Name+"Events"] = object{"action": "send", "channel": here, "summary": d.Title + ".", "messages": refs(d.Events...)}
	channel := object{
		"address": d.Path, "title": d.Title, "description": d.About + " Scope: " + string(d.Scope) + ".", "messages": inChannel,
		"servers": []object{ref("servers", "server")}, "bindings": object{"ws": object{"method": "GET"}},
		"x-close-codes": stream.Closes(), "x-limits": d.Limits, "x-scope": d.Scope,
	}
	b.channels[d.Name] = channel
	if d.Legacy != "" {
		legacy := maps.Clone(channel)
		legacy["address"], legacy["description"], legacy["x-deprecated"] = d.Legacy, "Deprecated: the same as "+d.Path+".", true
		b.channels[d.Name+"Legacy"] = legacy
	}
}

// message describes one kind of message; its Go type says what its members are.
func (b *builder) message(m stream.Message) object {
	schema, err := b.reflector.Reflect(m.Examples[0])
	must(err)
	examples := make([]object, len(m.Examples))
	for i, e := range m.Examples {
		examples[i] = object{"payload": e}
	}
	word := reflect.TypeOf(m.Examples[0]).Field(0).Tag.Get("const") // the constant value of action or type
	return object{"name": word, "summary": m.About, "payload": schema, "examples": examples}
}
