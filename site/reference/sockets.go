package reference

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"piyasa/site/book"
)

// asyncAPI holds the parts of an AsyncAPI document that the pages show.
type asyncAPI struct {
	Info       struct{ Description string }
	Servers    map[string]struct{ Host, Pathname, Protocol string }
	Channels   map[string]channel
	Operations map[string]socketOperation
	Components struct {
		Messages map[string]message
		Schemas  map[string]*schema
	}
}

type reference struct {
	Ref string `json:"$ref"`
}

// name returns the last part of the reference.
func (r reference) name() string { return r.Ref[strings.LastIndexByte(r.Ref, '/')+1:] }

type channel struct {
	Address, Title, Description string
	Deprecated                  bool `json:"x-deprecated"`
	Closes                      []struct {
		Code                 int
		Reason, When, Client string
	} `json:"x-close-codes"`
	Limits []struct {
		Name  string
		Value int
		About string
	} `json:"x-limits"`
}

type socketOperation struct {
	Action, Summary string
	Channel         reference
	Messages        []reference
	Reply           struct{ Messages []reference }
}

type message struct {
	Name, Summary string
	Payload       *schema
	Examples      []struct{ Payload json.RawMessage }
}

// Sockets returns the pages of an AsyncAPI document: one that lists the channels, and below it one
// for each. samples has, by channel name, what to subscribe to (see Samples.Messages).
func Sockets(document []byte, samples map[string]string) (book.Source, error) {
	var d asyncAPI
	if err := json.Unmarshal(document, &d); err != nil {
		return book.Source{}, fmt.Errorf("reference: the AsyncAPI document: %w", err)
	}
	home := book.Source{File: "sockets/README.md", Title: "WebSockets",
		About: "each WebSocket with its messages, limits and closes, and a form to try it"}
	var text strings.Builder
	fmt.Fprintf(&text, "# WebSockets, message by message\n\n%s This is [asyncapi.json](/asyncapi.json) for people; "+
		"[Streams](../streams.md) "+
		"explains how to resume without loss, "+
		"and has clients that do.\n\n| socket | content |\n| --- | --- |\n", d.Info.Description)
	for _, name := range slices.Sorted(maps.Keys(d.Channels)) {
		c := d.Channels[name]
		if c.Deprecated {
			continue
		}
		fmt.Fprintf(&text, "| [`%s`](%s.md) | %s |\n", c.Address, name, c.Title)
		home.Below = append(home.Below, book.Source{
			File: "sockets/" + name + ".md", Title: c.Address, About: c.Title, Text: d.page(name, samples[name]),
			Panel: book.Panel{HTML: trial{Path: c.Address, Keyed: true, Socket: true, Body: d.subscription(name, samples[name])}.html(),
				Before: "the-client-sends"},
		})
	}
	home.Text = text.String()
	return home, nil
}

// subscription returns a message that subscribes.
func (d *asyncAPI) subscription(name, sample string) string {
	if sample != "" {
		return sample
	}
	for _, id := range slices.Sorted(maps.Keys(d.Operations)) {
		op := d.Operations[id]
		if op.Channel.name() != name {
			continue
		}
		for _, m := range op.Messages {
			if message := d.Components.Messages[m.name()]; message.Name == "subscribe" && len(message.Examples) > 0 {
				return compact(message.Examples[0].Payload)
			}
		}
	}
	return ""
}

// page returns the page of a channel.
func (d *asyncAPI) page(name, sample string) string {
	c := d.Channels[name]
	var s, sends strings.Builder
	fmt.Fprintf(&s, "# %s\n\n%s. %s\n", c.Address, strings.TrimSuffix(c.Title, "."), c.Description)
	for _, path := range slices.Sorted(maps.Keys(d.Channels)) {
		if former := d.Channels[path]; former.Deprecated && strings.HasPrefix(path, name) {
			fmt.Fprintf(&s, "The older address `%s` is deprecated.\n", former.Address)
		}
	}
	s.WriteString("\n## Example\n\n" + socketSnippets(d.address(c), d.subscription(name, sample)))
	s.WriteString("\n## The client sends\n")
	shown := map[string]bool{}
	var replies []string
	for _, id := range slices.Sorted(maps.Keys(d.Operations)) {
		op := d.Operations[id]
		if op.Channel.name() != name {
			continue
		}
		if op.Action == "send" {
			for _, m := range op.Messages {
				d.message(&sends, m.name(), shown)
			}
			continue
		}
		for _, m := range op.Messages {
			d.message(&s, m.name(), shown)
		}
		var answers []string
		for _, m := range op.Reply.Messages {
			answers = append(answers, "`"+d.Components.Messages[m.name()].Name+"`")
			replies = append(replies, m.name())
		}
		fmt.Fprintf(&s, "\nAnswered with %s.\n", strings.Join(answers, " or "))
	}
	s.WriteString("\n## The server sends\n" + sends.String())
	for _, m := range replies {
		d.message(&s, m, shown)
	}
	s.WriteString("\n## Limits\n\n| limit | value | of what |\n| --- | ---: | --- |\n")
	for _, l := range c.Limits {
		fmt.Fprintf(&s, "| `%s` | %d | %s |\n", l.Name, l.Value, cell(l.About))
	}
	s.WriteString("\n## How connections end\n\n| code | reason | when | what to do |\n| ---: | --- | --- | --- |\n")
	for _, x := range c.Closes {
		reason := ""
		if x.Reason != "" {
			reason = "`" + x.Reason + "`"
		}
		fmt.Fprintf(&s, "| %d | %s | %s | %s |\n", x.Code, reason, cell(x.When), cell(x.Client))
	}
	return s.String()
}

// message describes a message, once.
func (d *asyncAPI) message(s *strings.Builder, id string, shown map[string]bool) {
	if shown[id] {
		return
	}
	shown[id] = true
	m := d.Components.Messages[id]
	fmt.Fprintf(s, "\n### %s\n\n%s\n\n```json\n", m.Name, m.Summary)
	for _, e := range m.Examples {
		s.WriteString(compact(e.Payload) + "\n")
	}
	s.WriteString("```\n\n")
	memberTable(s, members(d.Components.Schemas, m.Payload))
}

// compact returns JSON in one line; numbers keep their digits.
func compact(text json.RawMessage) string {
	var line bytes.Buffer
	if json.Compact(&line, text) != nil {
		return string(text)
	}
	return line.String()
}

// address returns the address of a channel.
func (d *asyncAPI) address(c channel) string {
	for _, server := range d.Servers {
		return server.Protocol + "://" + server.Host + server.Pathname + c.Address
	}
	return c.Address
}

// socketSnippets returns code that connects, subscribes and prints messages, as consecutive blocks.
func socketSnippets(address, subscribe string) string {
	return strings.NewReplacer("ADDRESS", address, "SUBSCRIBE", subscribe, "''", "`").Replace(socketCode)
}

// socketCode has two single quotes for a backquote.
const socketCode = `''''''js
const socket = new WebSocket('ADDRESS');
socket.addEventListener('open', () => {
  socket.send(JSON.stringify({ action: 'auth', api_key: process.env.KEY }));
  socket.send('SUBSCRIBE');
});
socket.addEventListener('message', ({ data }) => console.log(data));
socket.addEventListener('close', ({ code, reason }) => console.log(code, reason));
setInterval(() => socket.readyState === WebSocket.OPEN && socket.send('{"action": "ping"}'), 30_000).unref?.();
''''''
''''''python
import asyncio, json, os
import websockets

async def follow():
    async with websockets.connect("ADDRESS") as socket:
        await socket.send(json.dumps({"action": "auth", "api_key": os.environ["KEY"]}))
        await socket.send('SUBSCRIBE')
        async for message in socket:
            print(message)

asyncio.run(follow())
''''''
''''''go
package main

import (
	"fmt"
	"log"
	"os"
	"time"

	"github.com/gorilla/websocket"
)

func main() {
	socket, _, err := websocket.DefaultDialer.Dial("ADDRESS", nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := socket.WriteJSON(map[string]string{"action": "auth", "api_key": os.Getenv("KEY")}); err != nil {
		log.Fatal(err)
	}
	if err := socket.WriteMessage(websocket.TextMessage, []byte(''SUBSCRIBE'')); err != nil {
		log.Fatal(err)
	}
	go func() {
		for range time.Tick(30 * time.Second) {
			_ = socket.WriteControl(websocket.PingMessage, nil, time.Now().Add(10*time.Second))
		}
	}()
	for {
		_, message, err := socket.ReadMessage()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(string(message))
	}
}
''''''
`
