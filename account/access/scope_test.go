package access_test

import (
	"slices"
	"strings"
	"testing"

	"piyasa/account/access"
)

// G-13: the scopes there are.
func TestScopes(t *testing.T) {
	want := "assets:logos calendar:read fx history ipo:read kap live news quotes:bist quotes:cmdty quotes:crypto quotes:fund " +
		"quotes:index quotes:us"
	if got := text(access.ParseScopes("all")); got != want {
		t.Errorf("got %s", got)
	}
	for _, s := range access.Grantable {
		if !s.Known() {
			t.Errorf("%s is unknown", s)
		}
	}
	for _, s := range []access.Scope{"", "all", "quotes", "quotes:*", "QUOTES:BIST", "fx "} {
		if s.Known() {
			t.Errorf("%q grants something", s)
		}
	}
}

func text(scopes []access.Scope) string {
	var words []string
	for _, s := range scopes {
		words = append(words, string(s))
	}
	return strings.Join(words, " ")
}

func TestParseScopes(t *testing.T) {
	all := text(access.ParseScopes("all"))
	for list, want := range map[string]string{
		"":                           "",
		" , ,,":                      "",
		"kap":                        "kap",
		"kap,fx":                     "fx kap",
		" kap , fx ,":                "fx kap",
		"fx,fx, fx":                  "fx",
		"future:thing,fx":            "future:thing fx", // kept, and grants nothing
		"all,fx":                     all,
		"fx,all,all":                 all,
		"all,zzz":                    all + " zzz",
		"ALL":                        "ALL",
		"all,operate":                all[:strings.Index(all, "quotes:")] + "operate " + all[strings.Index(all, "quotes:"):],
		"quotes:bist\n,\tquotes:us ": "quotes:bist quotes:us",
	} {
		if got := text(access.ParseScopes(list)); got != want {
			t.Errorf("%q: %q, want %q", list, got, want)
		}
	}
	// The list that comes out is its own.
	before := slices.Clone(access.Scopes)
	mine := access.ParseScopes("all")
	mine[0] = "changed"
	if !slices.Equal(before, access.Scopes) {
		t.Error("the list of scopes was changed")
	}
}

func TestKeyHasItsScopes(t *testing.T) {
	k := access.Key{Scopes: access.ParseScopes("fx,future:thing,quotes:bist")}
	for scope, want := range map[access.Scope]bool{access.FX: true, access.QuotesBIST: true, "future:thing": true,
		access.QuotesCrypto: false, access.Live: false, "": false, "quotes": false} {
		if k.Has(scope) != want {
			t.Errorf("%q: %v", scope, !want)
		}
	}
}
