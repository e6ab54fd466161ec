package jsonhttp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"piyasa/collect"
)

// Bounds of the known members of answers.
const (
	mostPlaces  = 200
	vanishAfter = 7 // days without a member in answers that had its neighbours
	mostDrift   = 5 // members named in a message
)

// places are the members of answers, such as .items[].price, with their type and the day on
// which they were last seen, as in "number 2031-06-04".
type places map[string]string

// shape returns the types of the members of a value. Several types of a member are joined; null
// is not counted.
func shape(v any) map[string]string {
	types := map[string]map[string]bool{}
	var look func(place string, v any)
	look = func(place string, v any) {
		if len(types) >= mostPlaces && types[place] == nil || len(place) > mostItem {
			return
		}
		is := ""
		switch v := v.(type) {
		case map[string]any:
			is = "object"
			for name, member := range v {
				look(place+"."+name, member)
			}
		case []any:
			is = "list"
			for _, one := range v {
				look(place+"[]", one)
			}
		case string:
			is = "text"
		case json.Number:
			is = "number"
		case bool:
			is = "boolean"
		}
		if is != "" {
			if types[place] == nil {
				types[place] = map[string]bool{}
			}
			types[place][is] = true
		}
	}
	look("", v)
	delete(types, "")
	all := make(map[string]string, len(types))
	for place, of := range types {
		all[place] = strings.Join(slices.Sorted(maps.Keys(of)), " or ")
	}
	return all
}

// shapeOf reads a shape from a worker.
func shapeOf(values []any) map[string]string {
	all := map[string]string{}
	if len(values) == 1 {
		members, _ := values[0].(map[string]any)
		for place, v := range members {
			all[place], _ = v.(string)
		}
	}
	return all
}

// drift records the members of an answer, and returns which have appeared, vanished or changed
// type compared with earlier ones. The first answer has no changes.
func (p *places) drift(seen map[string]string, at time.Time) (told []string) {
	today, first := at.UTC().Format(time.DateOnly), len(*p) == 0
	if first {
		*p = places{}
	}
	for _, place := range slices.Sorted(maps.Keys(seen)) {
		was, _, known := strings.Cut((*p)[place], " 2")
		switch is := seen[place]; {
		case !known && !first && len(*p) < mostPlaces:
			told = append(told, fmt.Sprintf("%s is new (%s)", place, is))
		case known && was != is && !strings.Contains(was, is):
			told = append(told, fmt.Sprintf("%s was %s and is %s", place, was, is))
		}
		if _, is := (*p)[place]; is || len(*p) < mostPlaces {
			(*p)[place] = seen[place] + " " + today
		}
	}
	for _, place := range slices.Sorted(maps.Keys(*p)) {
		is, text, _ := strings.Cut((*p)[place], " 2")
		last, err := time.Parse(time.DateOnly, "2"+text)
		if err == nil && couldHave(seen, place) && at.Sub(last) > vanishAfter*24*time.Hour {
			told = append(told, fmt.Sprintf("%s (%s) was there last on %s", place, is, last.Format(time.DateOnly)))
			delete(*p, place)
		}
	}
	if more := len(told) - mostDrift; more > 0 {
		told = append(told[:mostDrift], fmt.Sprintf("and %d more", more))
	}
	return told
}

// couldHave reports whether an answer has the parent of a member: an empty list has no members
// of items.
func couldHave(seen map[string]string, place string) bool {
	above := place[:max(strings.LastIndexAny(place, ".["), 0)]
	return above == "" || seen[above] != ""
}

// pinned returns an error if an answer lacks a required member or type.
func (s *source) pinned(seen map[string]string) error {
	for _, place := range slices.Sorted(maps.Keys(s.Pin)) {
		if is := seen[place]; is != s.Pin[place] && (is != "" || couldHave(seen, place)) {
			if is == "" {
				is = "missing"
			}
			return &collect.Trouble{What: fmt.Sprintf("%s must be %s, as pinned, and is %s", place, s.Pin[place], is)}
		}
	}
	return nil
}
