package rest

import (
	"reflect"
	"strconv"

	"piyasa/internal/value"
)

// gapsIn returns a function that finds the missing reasons in a body, each as a header states it:
// a token with parameters (RFC 8941).
func gapsIn(body reflect.Type) func(reflect.Value) []string {
	if body == reflect.TypeFor[candlesBatch]() {
		return func(v reflect.Value) (all []string) {
			for _, s := range v.Addr().Interface().(*candlesBatch).Series {
				if s.MissingReason != nil {
					all = append(all, gap(s.MissingReason)+"; id="+strconv.Quote(s.InstrumentID.String()))
				}
			}
			return all
		}
	}
	f, ok := body.FieldByName("MissingReason")
	if !ok {
		return func(reflect.Value) []string { return nil }
	}
	return func(v reflect.Value) []string {
		if m, _ := v.FieldByIndex(f.Index).Interface().(*value.MissingReason); m != nil {
			return []string{gap(m)}
		}
		return nil
	}
}

func gap(m *value.MissingReason) string {
	if m.AvailableFrom.IsNull() {
		return m.Reason
	}
	return m.Reason + "; available_from=" + strconv.Quote(m.AvailableFrom.String())
}
