package command_test

import (
	"net/http/httptest"
	"testing"

	"piyasa/command"
)

// Who states no origin is no page; the server's own pages may, others only when
// they are listed, exactly.
func TestOrigins(t *testing.T) {
	for _, c := range []struct {
		list, origin string
		allowed      bool
	}{
		{"", "", true}, {"", "http://api.example.com", true}, {"", "https://API.example.com", true},
		{"", "https://api.example.com:8443", false},
		{"", "https://evil.test", false}, {"", "null", false}, {"", "https://api.example.com.evil.test", false},
		{"", "https://evil.test/api.example.com", false},
		{"", "https://api.example.com@evil.test", false}, {"", "https://evil.test#api.example.com", false}, {"", "api.example.com", false},
		{"", "file://", false}, {"", "%", false}, {"", "://", false},
		{"https://app.example.com", "https://app.example.com", true},
		{" HTTPS://App.Example.com , http://localhost:5173,", "https://APP.example.com", true},
		{"https://app.example.com,http://localhost:5173", "http://localhost:5173", true},
		{"http://localhost:5173", "http://localhost", false}, {"https://app.example.com", "http://app.example.com", false},
		{"https://app.example.com", "https://app.example.com.evil.test", false},
		{"https://app.example.com", "https://api.example.com", true}, {"https://app.example.com", "null", false},
		{"*", "https://evil.test", true}, {"*", "null", true}, {"https://a.test,*", "https://b.test", true},
		{"local", "http://localhost:5173", true}, {"Local,https://a.test", "https://a.test", true}, {"local", "https://evil.test", false},
		{"local", "http://localhost.evil.test", false}, {"local", "null", false},
	} {
		r := httptest.NewRequest("GET", "http://api.example.com/v1/ws", nil)
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		if got, err := command.Allowed(c.list, r); err != nil || got != c.allowed {
			t.Errorf("%q for %q: %v, %v", c.list, c.origin, got, err)
		}
	}
}

// A list that says something else than origins is reported.
func TestNoOrigins(t *testing.T) {
	r := httptest.NewRequest("GET", "/", nil)
	for _, list := range []string{"app.example.com", "https://", "https://app.example.com/", "https://app.example.com/path",
		"https://a.test?x=1", "https://a.test#x", "https://u@a.test", "//a.test", "null", "https://a.test;https://b.test",
		"https://*.a.test", "**", "https://a.test b", "https://a.test,x"} {
		if _, err := command.Allowed(list, r); err == nil {
			t.Errorf("%q is taken", list)
		}
	}
}
