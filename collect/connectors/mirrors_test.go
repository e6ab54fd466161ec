package connectors_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"piyasa/collect"
	"piyasa/collect/collecttest"
	"piyasa/collect/standin"
	"piyasa/test/fixture/need"
)

// mirror is a connector that is compared with another collector of it that nothing happens to.
type mirror struct {
	*testing.T
	connector string
	quiet     *collecttest.Store
	versions  map[string]map[string]bool // of records, as the quiet one emitted them, by what they are of
	read      int                        // lines of the quiet one that versions have
}

// mirrors are the connectors without a subject of their own.
func mirrors() (all []func(*testing.T) subject) {
	for _, name := range slices.Sorted(maps.Keys(standin.Makers)) {
		if name == "vyk" || slices.ContainsFunc(banks, func(b bank) bool { return b.connector == name }) {
			continue
		}
		all = append(all, func(t *testing.T) subject {
			withSecrets(t, name)
			return &mirror{t, name, collecttest.NewStore(), map[string]map[string]bool{}, 0}
		})
	}
	return all
}

// withSecrets puts the credentials of an example into the environment.
func withSecrets(t *testing.T, name string) {
	t.Helper()
	_, example, err := standin.ExampleOf(name, time.Now())
	need.NoError(t, err)
	for variable, secret := range example.Env {
		t.Setenv(variable, secret)
	}
}

func (m *mirror) name() string { return m.connector }

func (m *mirror) settings(from time.Time) map[string]any {
	in := map[string]any{}
	connector, example, err := standin.ExampleOf(m.connector, from)
	if err == nil && example.Settings != "" {
		err = json.Unmarshal([]byte(example.Settings), &in)
	}
	need.NoError(m, err)
	in["connector"] = connector
	return in
}

// accompany runs the quiet collector until ctx ends.
func (m *mirror) accompany(ctx context.Context, from time.Time) {
	c := &collect.Collector{
		Config: source(m.T, m.connector, m.settings(from)), Store: m.quiet, Emit: m.quiet.Emit, Holder: "quiet", Agent: "piyasa/test",
		Now:       time.Now,
		Transport: collecttest.NewNetwork(m.T, map[string]http.Handler{host: standin.Makers[m.connector](time.Now)}),
	}
	c.Run(ctx)
}

// identity returns what a record is of.
func identity(l collecttest.Line) string {
	text := l.Kind
	for _, member := range []string{"instrument_id", "resolution", "t", "code", "id", "event_id", "series_id", "month", "disclosure_index",
		"company_id", "date", "time"} {
		if v := l.Fields[member]; v != nil { // numbers, too
			text += fmt.Sprint(" ", v)
		}
	}
	if l.Kind == "quote" {
		text += " " + l.Get("as_of")
	}
	return text
}

// content returns what a record says, but for when it was asked.
func content(l collecttest.Line) string {
	fields := maps.Clone(l.Fields)
	for _, member := range []string{"synced_at", "fetched_at"} {
		delete(fields, member)
	}
	if l.Kind != "quote" {
		delete(fields, "as_of")
	}
	text, err := json.Marshal(fields)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// known reads what the quiet collector has emitted since the last call.
func (m *mirror) known() {
	lines := m.quiet.Lines()
	for _, l := range lines[m.read:] {
		id := identity(l)
		if m.versions[id] == nil {
			m.versions[id] = map[string]bool{}
		}
		m.versions[id][content(l)] = true
	}
	m.read = len(lines)
}

// wrong returns what is wrong with a record: a quote of a moment of which the quiet collector
// has none is of a price that was.
func (m *mirror) wrong(l collecttest.Line) string {
	m.known()
	versions := m.versions[identity(l)]
	if l.Kind == "quote" && versions == nil || versions[content(l)] || l.Kind == "logo" && isLogo(l) {
		return ""
	}
	return fmt.Sprintf("the upstream never said it, but %.300s:", strings.Join(slices.Sorted(maps.Keys(versions)), " or "))
}

// isLogo reports whether a coin has had the logo, by any clock that may be a day wrong. The quiet
// collector need not have asked for it then.
func isLogo(l collecttest.Line) bool {
	id, err := strconv.Atoi(strings.TrimPrefix(l.Get("instrument_id"), "crypto:"))
	for day := -1; day <= 1 && err == nil; day++ {
		if logo, _ := standin.CMCLogo(id, l.At.AddDate(0, 0, day)); logo != nil && base64.StdEncoding.EncodeToString(logo) == l.Get("png") {
			return true
		}
	}
	return false
}

// missing compares what is stored last with what the quiet collector has stored last.
func (m *mirror) missing(s *collecttest.Store, _, _ time.Time) (all []string) {
	stored := map[string]string{}
	last := func(l collecttest.Line) string {
		if l.Kind == "quote" {
			return "quote " + l.Get("instrument_id")
		}
		return identity(l)
	}
	says := func(l collecttest.Line) string {
		if l.Kind == "quote" {
			return "" // of another moment
		}
		return content(l)
	}
	for _, l := range s.Lines() {
		stored[last(l)] = says(l)
	}
	want := map[string]string{}
	for _, l := range m.quiet.Lines() {
		want[last(l)] = says(l)
	}
	if len(want) == 0 {
		return []string{"the quiet collector has nothing"}
	}
	for of, text := range want {
		if strings.HasPrefix(of, "logo ") { // it is asked for again after a week or a month
			continue
		}
		if got, there := stored[of]; !there || got != text {
			all = append(all, fmt.Sprintf("%s: it has %.300s instead of %.300s", of, got, text))
		}
	}
	return all
}
