package connectors_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"piyasa/collect"
	"piyasa/collect/collecttest"
	"piyasa/collect/standin"
	"piyasa/test/fixture/need"
)

// habit is the connector json against an API with a habit.
type habit struct {
	*testing.T
	habit string
}

func (h habit) name() string { return "json" }

func (h habit) settings(from time.Time) map[string]any {
	var in map[string]any
	need.NoError(h, json.Unmarshal([]byte(standin.HabitExample(h.habit, "http://"+host, from).Settings), &in))
	return in
}

func (h habit) missing(s *collecttest.Store, from, to time.Time) (all []string) {
	n := 0
	for day := from; !time.Date(day.Year(), day.Month(), day.Day(), 19, 0, 0, 0, collect.Istanbul).After(to); day = day.AddDate(0, 0, 1) {
		for _, p := range standin.JSONPrices(day) {
			begins, _ := time.Parse(time.RFC3339, p.Begins)
			bar, ok := s.Bar("bist:"+p.Code, "1d", begins)
			price, _ := collect.Plain(p.Price)
			if n++; !ok || bar.Get("close") != price {
				all = append(all, fmt.Sprintf("%+v: %s", p, bar.Text))
			}
		}
	}
	if n == 0 {
		all = append(all, "nothing was published")
	}
	return all
}

func (h habit) wrong(l collecttest.Line) string {
	day, err := time.Parse(time.RFC3339, l.Get("t"))
	for _, p := range standin.JSONPrices(day.In(collect.Istanbul)) {
		price, _ := collect.Plain(p.Price)
		volume, _ := collect.Plain(p.Volume)
		if err == nil && l.Get("instrument_id") == "bist:"+p.Code && l.Get("close") == price && l.Get("volume") == volume {
			return ""
		}
	}
	return "the upstream never said it:"
}

// Every habit brings everything, once nothing is wrong, and also in a week of faults and kills.
func TestHabits(t *testing.T) {
	quiet(t)
	for _, name := range standin.HabitNames() {
		for variable, secret := range standin.HabitExample(name, "", time.Now()).Env {
			t.Setenv(variable, secret)
		}
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				of := habit{t, name}
				until(istanbul(5, 12, 0).Add(20 * time.Hour))
				from := time.Now().AddDate(0, 0, -14)
				store := collecttest.NewStore()
				c := &collect.Collector{
					Config: source(t, "json", of.settings(from)), Store: store, Emit: store.Emit, Holder: "one", Agent: "piyasa/test",
					Now: time.Now, Patience: 10 * time.Minute,
					Transport: collecttest.NewNetwork(t, map[string]http.Handler{host: standin.Habits(time.Now)}),
				}
				for range 2 { // the second run finds nothing new
					if o := c.Once(t.Context())[0]; o.Err != nil {
						t.Error(o.Err)
					}
					if all := of.missing(store, from, time.Now()); len(all) > 0 {
						t.Errorf("there is missing %s", strings.Join(all, "\n"))
					}
					time.Sleep(time.Hour)
				}
				if text := store.All(); strings.Contains(text, standin.JSONKey) || strings.Contains(text, standin.HabitsPassword) {
					t.Errorf("it shows a credential: %s", text)
				}
			})
			synctest.Test(t, func(t *testing.T) {
				newSoak(t, habit{t, name}, 1).run()
			})
		})
	}
}
