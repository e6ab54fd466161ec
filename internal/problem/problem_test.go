package problem_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"piyasa/internal/problem"
	"piyasa/test/fixture/need"
)

func TestEveryKindHasStatusTitleAndCode(t *testing.T) {
	for _, k := range problem.Kinds() {
		if s := k.Status(); s < 400 || s > 599 {
			t.Errorf("%s: status %d", k, s)
		}
		if k.Title() == "" {
			t.Errorf("%s: no title", k)
		}
		if !regexp.MustCompile(`^[A-Z_]+$`).MatchString(k.Code()) {
			t.Errorf("%s: code %q", k, k.Code())
		}
	}
	for k, want := range map[problem.Kind]string{
		problem.NotFound: "NOT_FOUND", problem.MissingScope: "FORBIDDEN", problem.TestPlan: "FORBIDDEN",
		problem.FXRateUnavailable: "FX_RATE_UNAVAILABLE",
	} {
		if got := k.Code(); got != want {
			t.Errorf("code of %s: %s, want %s", k, got, want)
		}
	}
}

func TestDocumentMembersAndOrder(t *testing.T) {
	e := problem.New(problem.MissingScope, "This key lacks the scope quotes:crypto.")
	e.Members.MissingScopes = []string{"quotes:crypto"}
	got, err := json.Marshal(e.Document("https://api.example.test", "/v1/quotes/crypto:1", "0b7c6f0e-2f3a-4d0e-9a51-6c1d5a0f9a10"))
	need.NoError(t, err)
	want := `{"type":"https://api.example.test/problems/missing-scope","title":"Missing scope","status":403,` +
		`"detail":"This key lacks the scope quotes:crypto.","instance":"/v1/quotes/crypto:1",` +
		`"request_id":"0b7c6f0e-2f3a-4d0e-9a51-6c1d5a0f9a10","missing_scopes":["quotes:crypto"]}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestFromHidesUnknownCauses(t *testing.T) {
	secret := errors.New("dial postgres://user:hunter2@db")
	e := problem.From(fmt.Errorf("read: %w", secret))
	if e.Kind != problem.Internal || strings.Contains(e.Detail, "hunter2") {
		t.Errorf("shown: %s %q", e.Kind, e.Detail)
	}
	if !errors.Is(e, secret) {
		t.Error("the cause is lost to the log")
	}
	known := problem.New(problem.NotFound, "x")
	if problem.From(fmt.Errorf("read: %w", known)) != known {
		t.Error("a known problem does not pass through")
	}
}
