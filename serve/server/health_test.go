package server_test

import (
	"bytes"
	"errors"
	"log/slog"
	"piyasa/test/fixture"
	"strings"
	"testing"
)

func TestHealth(t *testing.T) {
	a := fixture.New(t)
	res := a.Get("/healthz", "")
	if res.StatusCode != 200 || res.JSON["now"] != fixture.Now.String() {
		t.Errorf("healthz %d %s: not the clock of the service", res.StatusCode, res.Text)
	}
	if res := a.Get("/readyz", ""); res.StatusCode != 200 {
		t.Errorf("readyz %d", res.StatusCode)
	}
	a.Unready = errors.New("the catalog is empty")
	if res := a.Get("/readyz", ""); res.StatusCode != 503 || res.JSON["reason"] != "the catalog is empty" {
		t.Errorf("readyz %d %s", res.StatusCode, res.Text)
	}
}

// Whether the server is ready is logged when it changes, however often somebody
// asks.
func TestReadinessIsLoggedWhenItChanges(t *testing.T) {
	var said bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&said, nil)))
	defer slog.SetDefault(before)
	a := fixture.New(t)
	for _, why := range []error{nil, errors.New("one"), errors.New("two"), nil, nil} {
		a.Unready = why
		for range 20 {
			a.Get("/readyz", "")
		}
	}
	if lines := strings.Count(said.String(), "ready"); lines != 3 {
		t.Errorf("%d lines:\n%s", lines, said.String())
	}
}
