package collecttest

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// damage is what is wrong with one place of an answer that is right otherwise. A careless reader
// makes up for it.
type damage struct {
	json, xml string // what stands before the first member, and before the last attribute; %: its text
	says      string // what the error has
}

var damages = map[string]damage{
	"a member twice":                  {`%"other",`, ` %`, "uplicate|twice"},
	"the same name, escaped":          {`"x":0,"\u0078":0,`, ` x="0" x="0"`, "uplicate|twice"},
	"bytes that are not UTF-8":        {"\"x\xde\":0,", " x=\"\xde\"", "UTF-8"},
	"half of a pair of surrogates":    {`"x\ud800":0,`, ` x="&#xD800;"`, "surrogate|is none"},
	"halves that do not belong there": {`"x\udc00\ud800":0,`, ` x="&#55296;&#56320;"`, "surrogate|is none"},
}

// Where damage goes.
var (
	firstMember = regexp.MustCompile(`"[^"\\]*"\s*:`)
	attributes  = regexp.MustCompile(` ([A-Za-z_]+=["'][^"']*["'])\s*/?>`)
)

// of returns an answer with the damage; ok is false where it has no place for it.
func (d damage) of(body []byte) (_ []byte, ok bool) {
	place, text := firstMember.FindIndex(body), d.json
	if start := bytes.TrimSpace(body); bytes.HasPrefix(start, []byte("<")) {
		place, text = nil, d.xml
		if all := attributes.FindAllSubmatchIndex(body, -1); all != nil {
			last := all[len(all)-1]
			place = []int{last[0], last[3]}
		}
		if strings.Contains(text, "\xde") && !utf8Declared.Match(body) {
			return body, false // it is a letter there
		}
	} else if !bytes.HasPrefix(start, []byte("{")) && !bytes.HasPrefix(start, []byte("[")) {
		place = nil
	}
	if place == nil {
		return body, false
	}
	text = strings.ReplaceAll(text, "%", strings.TrimSpace(string(body[place[0]:place[1]])))
	return bytes.Join([][]byte{body[:place[0]], []byte(text), body[place[0]:]}, nil), true
}

var utf8Declared = regexp.MustCompile(`(?i)^[^>]*encoding="utf-8"`)

// member is one of JSON whose value is text or a number, and twin what shout adds to it.
var (
	member = regexp.MustCompile(`"([a-z][A-Za-z0-9_]*)"\s*:\s*("(?:[^"\\]|\\.)*"|-?[0-9.eE+-]+)`)
	twin   = regexp.MustCompile(`,"[A-Z0-9_]+":"other"|"[A-Z0-9_]+":"other",`)
)

// shout adds to each member of JSON one of the same name in capitals, which is another one.
func shout(body []byte) []byte {
	if start := bytes.TrimSpace(body); !bytes.HasPrefix(start, []byte("{")) && !bytes.HasPrefix(start, []byte("[")) {
		return body
	}
	return member.ReplaceAllFunc(body, func(one []byte) []byte {
		name, _, _ := bytes.Cut(one, []byte(":"))
		return slices.Concat(one, []byte(","), bytes.ToUpper(bytes.TrimSpace(name)), []byte(`:"other"`))
	})
}

// shouts collects while the answers have more names: what is stored is the same, unless names that
// are not known are an error.
func (c Case) shouts(t *testing.T, d days) {
	time.Sleep(time.Until(c.Start))
	upstream := c.StandIn(time.Now)
	network, store := NewNetwork(t, map[string]http.Handler{Host: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		upstream.ServeHTTP(answer, r)
		w.WriteHeader(answer.Code)
		_, _ = w.Write(shout(answer.Body.Bytes()))
	})}), NewStore()
	o := collector(c.config(t, ""), store, network).Once(t.Context())[0]
	if o.Err == nil && o.Records != d.first {
		t.Errorf("%+v; want %d records", o, d.first)
	}
	var got strings.Builder
	for _, l := range store.Lines() {
		got.WriteString(twin.ReplaceAllString(l.Text, "")) // a disclosure is stored with all that it has
	}
	if !strings.HasPrefix(d.emitted, got.String()) {
		t.Errorf("%s\nand without the names\n%s", got.String(), d.emitted)
	}
}

// damaged collects while all answers have a damage: the error says which, and nothing is stored.
func (c Case) damaged(t *testing.T, d damage) {
	time.Sleep(time.Until(c.Start))
	upstream, damaged := c.StandIn(time.Now), false
	network, store := NewNetwork(t, map[string]http.Handler{Host: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		upstream.ServeHTTP(answer, r)
		body, ok := d.of(answer.Body.Bytes())
		damaged = damaged || ok
		w.WriteHeader(answer.Code)
		_, _ = w.Write(body)
	})}), NewStore()
	o := collector(c.config(t, ""), store, network).Once(t.Context())[0]
	if !damaged {
		t.Skip("the first answers have no place for it")
	}
	if trouble := o.Err; trouble == nil || len(store.Lines()) > 0 || !regexp.MustCompile(d.says).MatchString(trouble.Error()) {
		t.Errorf("%+v\n%s", o, store.All())
	}
}
