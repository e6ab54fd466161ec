package kap_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"piyasa/domain/kap"
	"piyasa/internal/problem"
)

// companies know one filer with three codes and one with one.
func companies(t testing.TB) *kap.Live {
	t.Helper()
	live := kap.NewLive()
	live.PutCompanies([]*kap.CompanyRecord{
		{CompanyID: "K1", Codes: []string{"DMOST", "DMOSTA", "OTOM"}},
		{CompanyID: "K2", Codes: []string{"DMBNK"}},
	})
	return live
}

// A code is bare or behind bist: or fund:, in any case; any code of a company
// stands for all of them, and nobody's code for itself.
func TestResolveCodes(t *testing.T) {
	c := companies(t)
	for written, want := range map[string]string{
		"DMBNK":                          "DMBNK",
		"dmbnk":                          "DMBNK",
		"bist:DmBnK":                     "DMBNK",
		"fund:dmbnk":                     "DMBNK",
		"OTOM":                           "DMOST DMOSTA OTOM",
		"bist:DMOST,DMOST,dmosta,ZZ":     "DMOST DMOSTA OTOM ZZ",
		"ZZZZZ,ZZZZZ":                    "ZZZZZ",
		"DMALT":                          "DMALT", // an alias of the catalog is nobody's code here
		"12":                             "12",
		"ABCDEFGHIJ":                     "ABCDEFGHIJ",
		"DMBNK,bist:dmbnk,fund:DMOST,A1": "A1 DMBNK DMOST DMOSTA OTOM",
	} {
		got, err := c.Resolve("symbols", strings.Split(written, ",")...)
		if err != nil || strings.Join(got.Codes(), " ") != want {
			t.Errorf("%s: %v, %v; want %s", written, got, err, want)
		}
	}
}

// Anything else is malformed, and named as it was written.
func TestMalformedCodes(t *testing.T) {
	c := companies(t)
	for _, code := range []string{
		"", "A", "ABCDEFGHIJK", "D-M!", "DMALT.F", "DM OST", " DMOST", "DMOST ", "dmöst", "DMÖST", "DMıST", "DMİST", "ſABC", "ＤＭＯＳＴ",
		"DMOST\n", "DMOST\x00",
		"us:DMOST", "crypto:DMOST", "bist:", "fund:", "bist:bist:DMOST", "bist:fund:DMOST", ":DMOST", "symbol:DMOST", "bist:A",
		"bist DMOST", "%",
	} {
		got, err := c.Resolve("symbols", "DMBNK", code)
		e, ok := errors.AsType[*problem.Error](err)
		if !ok || e.Kind != problem.MalformedCode || e.Members.Value == nil || *e.Members.Value != code ||
			e.Members.Parameter != "symbols" {
			t.Errorf("%q: %v, %v", code, got, err)
		}
	}
}

// What Resolve gives does not depend on order or repetition, and resolves to
// itself.
func FuzzResolve(f *testing.F) {
	for _, seed := range []string{"DMOST", "bist:otom,fund:DMA", "D-M!", "dmöst", ",", "BIST:DMOST"} {
		f.Add(seed)
	}
	c := companies(f)
	f.Fuzz(func(t *testing.T, written string) {
		texts := strings.Split(written, ",")
		reach, err := c.Resolve("symbols", texts...)
		if err != nil {
			return
		}
		codes := reach.Codes()
		slices.Reverse(texts)
		backwards, err := c.Resolve("symbols", append(texts, texts...)...)
		again, againErr := c.Resolve("symbols", codes...)
		if err != nil || againErr != nil || !reflect.DeepEqual(reach, backwards) || !reflect.DeepEqual(reach.Origins, again.Origins) {
			t.Errorf("%q: %v, then %v (%v) and %v (%v)", written, reach, backwards, err, again, againErr)
		}
		for _, code := range codes {
			if len(code) < 2 || len(code) > 10 || strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" {
				t.Errorf("%q became the code %q", written, code)
			}
		}
	})
}
