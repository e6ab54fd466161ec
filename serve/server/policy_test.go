package server_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"piyasa/resolvers"
	"piyasa/rest"
	"piyasa/serve/server"
	"piyasa/test/fixture"
)

// policyOf reads a Content-Security-Policy: its directives with their sources.
func policyOf(header string) map[string][]string {
	policy := map[string][]string{}
	for directive := range strings.SplitSeq(header, ";") {
		if words := strings.Fields(directive); len(words) > 0 {
			policy[words[0]] = words[1:]
		}
	}
	return policy
}

// lax says what a policy lets a page do that no page may; empty: nothing.
func lax(header string) string {
	policy := policyOf(header)
	if policy["default-src"] == nil {
		return "no default"
	}
	if !slices.Equal(policy["frame-ancestors"], []string{"'none'"}) {
		return "others may frame it"
	}
	for name, sources := range policy {
		for _, source := range sources {
			host := !strings.HasPrefix(source, "'") && source != "data:" && source != "blob:"
			switch {
			case source == "'unsafe-eval'", source == "*", host, source == "'unsafe-inline'" && name != "style-src":
				return name + " " + source
			case strings.HasPrefix(name, "script-src") && source != "'self'":
				return name + " " + source
			}
		}
	}
	return ""
}

// Whatever a server answers, a browser lets it run nothing but scripts of our own, and
// nobody frame it: every pattern, with and without a key, wrong methods and paths.
func TestEveryAnswerHasAPolicy(t *testing.T) {
	a := fixture.New(t)
	patterns := server.Patterns(a.Server)
	for _, route := range rest.Routes(resolvers.New(nil)) {
		patterns = append(patterns, route.Pattern)
	}
	patterns = append(patterns, "/nothing/of/the/kind", "/graphiql/assets/none.js", "//", "/problems/none", "/problems/not-found")
	pages := map[string]bool{}
	filled := regexp.MustCompile(`\{[^}]*\}`)
	for _, pattern := range patterns {
		for _, method := range []string{"GET", "POST", "TRACE"} {
			for _, key := range []string{"", fixture.All} {
				path := filled.ReplaceAllString(strings.ReplaceAll(pattern, "{$}", ""), "bist:DMOST")
				res := a.Send(method, path, key, "", "Accept", "text/html, */*;q=0.1")
				policy := res.Header.Get("Content-Security-Policy")
				if wrong := lax(policy); wrong != "" || res.Header.Get("X-Content-Type-Options") != "nosniff" {
					t.Errorf("%s %s: %d %s: %s: %q, %q", method, path, res.StatusCode, res.Header.Get("Content-Type"), wrong, policy,
						res.Header.Get("X-Content-Type-Options"))
				}
				if strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") {
					pages[path] = true
				} else if strings.Contains(policy, "unsafe") || policyOf(policy)["script-src"] != nil &&
					!strings.HasPrefix(path, "/graphiql") {
					t.Errorf("%s %s: %s with %q", method, path, res.Header.Get("Content-Type"), policy)
				}
			}
		}
	}
	for _, page := range []string{"/", "/docs", "/graphiql", "/graphiql/", "/problems/not-found"} {
		if !pages[page] {
			t.Errorf("%s is no page", page)
		}
	}
}

func TestLaxPolicies(t *testing.T) {
	const rest = "default-src 'self'; frame-ancestors 'none'; "
	for policy, want := range map[string]bool{
		"": true, "frame-ancestors 'none'": true, "default-src 'none'": true, rest: false, rest + "script-src 'self'": false, rest +
			"style-src 'unsafe-inline'": false,
		rest + "script-src 'unsafe-inline'": true, rest + "script-src 'self' 'unsafe-eval'": true, rest +
			"script-src https://example.org": true, rest + "script-src data:": true,
		"default-src 'self' 'unsafe-inline'; frame-ancestors 'none'": true, "default-src *; frame-ancestors 'none'": true, rest +
			"worker-src 'self' blob:": false,
	} {
		if got := lax(policy) != ""; got != want {
			t.Errorf("%q: %t", policy, got)
		}
	}
}
