package collecttest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"testing"
	"time"

	"piyasa/collect"
)

// exchange is a question, and an answer that was understood.
type exchange struct {
	kept    json.RawMessage
	request *collect.Request
	got     *collect.Answer
}

// recorder is a source whose exchanges are recorded. It reports a Parse that changes what
// it is given, or does not say the same again.
type recorder struct {
	collect.Source
	t         testing.TB
	exchanges []exchange
}

// Parse implements collect.Source.
func (r *recorder) Parse(kept json.RawMessage, request *collect.Request, got *collect.Answer) (*collect.Result, error) {
	e := exchange{slices.Clone(kept), request, got}
	before := e.told()
	result, err := r.Source.Parse(kept, request, got)
	if !bytes.Equal(kept, e.kept) || !bytes.Equal(e.told(), before) {
		r.t.Errorf("Parse has changed what it was given for %s", request.Path)
	}
	again, errAgain := r.Source.Parse(e.kept, request, got)
	if (err == nil) != (errAgain == nil) || err != nil && err.Error() != errAgain.Error() || !bytes.Equal(told(result), told(again)) {
		r.t.Errorf("Parse does not say the same again for %s: %v, %v", request.Path, err, errAgain)
	}
	if err == nil {
		r.exchanges = append(r.exchanges, e)
	}
	return result, err
}

// told returns everything of the question and of the answer.
func (e exchange) told() []byte { return told(e.request, e.request.Header, e.got, e.got.Body) }

func told(all ...any) []byte {
	text, err := json.Marshal(all)
	if err != nil {
		return []byte(err.Error())
	}
	return text
}

// record returns a source that is what source is, and records.
func record(t testing.TB, source collect.Source) (*recorder, collect.Source) {
	r := &recorder{Source: source, t: t}
	login, isLogin := source.(collect.Login)
	finisher, isFinisher := source.(collect.Finisher)
	extras, hasExtras := source.(collect.Extras)
	switch {
	case hasExtras && isFinisher:
		t.Fatal("no source has been both so far")
	case hasExtras && isLogin:
		return r, struct {
			recordedLogin
			hasMore
		}{recordedLogin{r, login}, hasMore{extras}}
	case hasExtras:
		return r, struct {
			*recorder
			hasMore
		}{r, hasMore{extras}}
	case isLogin && isFinisher:
		return r, struct {
			recordedLogin
			finishes
		}{recordedLogin{r, login}, finishes{finisher}}
	case isLogin:
		return r, recordedLogin{r, login}
	case isFinisher:
		return r, struct {
			*recorder
			finishes
		}{r, finishes{finisher}}
	}
	return r, r
}

// hasMore is what a collect.Extras has beside a source.
type hasMore struct{ extras collect.Extras }

// Extra implements collect.Extras.
func (h hasMore) Extra(kept json.RawMessage, now time.Time) (*collect.Request, error) {
	return h.extras.Extra(kept, now)
}

// finishes is what a collect.Finisher has beside a source.
type finishes struct{ finisher collect.Finisher }

// Refused implements collect.Finisher.
func (f finishes) Refused(request *collect.Request, got *collect.Answer, refused []collect.Refusal) error {
	return f.finisher.Refused(request, got, refused)
}

// Finish implements collect.Finisher.
func (f finishes) Finish(request *collect.Request, got *collect.Answer) error {
	return f.finisher.Finish(request, got)
}

// recordedLogin is a recorder of a collect.Login.
type recordedLogin struct {
	*recorder
	login collect.Login
}

// Login implements collect.Login.
func (r recordedLogin) Login() *collect.Request { return r.login.Login() }

// Credential implements collect.Login.
func (r recordedLogin) Credential(got *collect.Answer) (http.Header, time.Time, error) {
	return r.login.Credential(got)
}

// Expired implements collect.Login.
func (r recordedLogin) Expired(got *collect.Answer) bool { return r.login.Expired(got) }
