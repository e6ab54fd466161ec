package collect

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Trouble is why an upstream gave no usable answer.
type Trouble struct {
	What     string        `json:"what"`
	Wait     time.Duration `json:"wait,omitempty"`      // the pause that the upstream or the configuration asks for; 0: none
	Asked    time.Duration `json:"-"`                   // the part of Wait that the upstream itself asks for
	Final    bool          `json:"final,omitempty"`     // asking again will not help
	TooLarge bool          `json:"too_large,omitempty"` // the answer is larger than allowed
	Err      error         `json:"-"`                   // may be nil
}

// Error implements error.
func (t *Trouble) Error() string {
	if t.Err != nil {
		return t.What + ": " + t.Err.Error()
	}
	return t.What
}

// Unwrap returns the cause.
func (t *Trouble) Unwrap() error { return t.Err }

// Bounds of requests.
const (
	requestTime    = 60 * time.Second
	renewBefore    = time.Minute // before a credential expires
	defaultMaxBody = 16 << 20
	shownBody      = 200 // bytes of a wrong answer shown in a message
)

// fetcher sends requests to one upstream, one at a time and no faster than its plan allows. It
// signs in if the source says how, obeys the limits that the upstream states, bounds answers in
// time and size, and keeps credentials out of messages.
type fetcher struct {
	client *http.Client
	agent  string
	source Source
	plan   Plan
	last   time.Time // when it last sent a request
	rests  time.Time // until when the upstream accepts no more requests
	now    func() time.Time

	credential http.Header // of a Login
	until      time.Time   // when it expires; zero: unknown

	secrets, passing []string // credentials of the settings, and those of requests and logins
	hidden           hidden   // in messages
}

// newFetcher returns a fetcher that does not follow redirects, because they could lead a
// credential elsewhere.
func newFetcher(source Named, agent string, transport http.RoundTripper, now func() time.Time) *fetcher {
	return &fetcher{
		client: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}},
		agent: agent, source: source.Source, plan: source.Own, now: now, secrets: source.secrets, hidden: hiding(source.secrets...),
	}
}

// fetch returns the answer to a request if it looks as requested; otherwise it returns the
// wrong answer with the error. The error is a *Trouble, or that of ctx.
func (f *fetcher) fetch(ctx context.Context, request *Request, known *seen) (*Answer, error) {
	if own, ok := f.source.(Fetcher); ok {
		got, err := own.Fetch(ctx, request)
		if got != nil {
			got.At = f.now()
		}
		return got, err
	}
	login, ok := f.source.(Login)
	if !ok || request.Second {
		return f.ask(ctx, request, known)
	}
	fresh := false
	if f.credential == nil || !f.until.IsZero() && f.now().Add(renewBefore).After(f.until) {
		if err := f.login(ctx, login); err != nil {
			return nil, err
		}
		fresh = true
	}
	got, err := f.ask(ctx, request, known)
	if got == nil || fresh || !login.Expired(got) {
		return got, err
	}
	if err := f.login(ctx, login); err != nil {
		return nil, err
	}
	return f.ask(ctx, request, known)
}

// login asks for the credential of a Login.
func (f *fetcher) login(ctx context.Context, l Login) error {
	f.credential, f.until = http.Header{}, time.Time{}
	request := l.Login()
	if request == nil {
		return nil
	}
	request.signsIn = true
	for _, values := range request.Query {
		for _, v := range values {
			f.pass(v)
		}
	}
	f.renewHidden()
	got, err := f.ask(ctx, request, nil)
	if err == nil {
		if f.credential, f.until, err = l.Credential(got); err != nil && f.blind(got) != nil {
			err = errRepeats
		}
		f.confide(f.credential)
	}
	if err != nil {
		f.credential = nil
		return &Trouble{What: "no credential could be had", Err: err}
	}
	return nil
}

// ask sends one request.
func (f *fetcher) ask(ctx context.Context, request *Request, known *seen) (*Answer, error) {
	if err := f.turn(ctx); err != nil {
		return nil, err
	}
	f.last = time.Now()
	bounded, cancel := context.WithTimeout(ctx, cmp.Or(request.Within, requestTime))
	defer cancel()
	address, err := f.address(request)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(bounded, cmp.Or(request.Method, http.MethodGet), address, bytes.NewReader(request.Body))
	if err != nil {
		return nil, &Trouble{What: "the address is none", Final: true, Err: err}
	}
	own, credential := request.Header, f.credential
	if request.Second && !request.signsIn {
		own, credential = public(request.Header), nil
	}
	f.confide(own, credential)
	for _, all := range []http.Header{own, credential, known.conditions()} {
		for name, values := range all {
			r.Header[name] = values
		}
	}
	r.Header.Set("User-Agent", f.agent)
	res, err := f.client.Do(r)
	if err != nil {
		return nil, f.unreachable(ctx, err)
	}
	defer res.Body.Close()
	limit := cmp.Or(request.MaxBytes, f.plan.MaxBytes, defaultMaxBody)
	body, err := io.ReadAll(io.LimitReader(res.Body, limit+1))
	if err != nil {
		return nil, f.unreachable(ctx, err)
	}
	if int64(len(body)) > limit {
		return nil, &Trouble{What: fmt.Sprintf("the answer is larger than %d bytes", limit), Final: true, TooLarge: true}
	}
	a := &Answer{Status: res.StatusCode, At: f.now(), Body: body, header: res.Header}
	for _, name := range request.Wants {
		if values := res.Header.Values(name); len(values) > 0 {
			if a.Header == nil {
				a.Header = map[string]string{}
			}
			a.Header[strings.ToLower(name)] = strings.Join(values, ", ")
		}
	}
	f.heed(a)
	if known.unchanged(a) {
		return a, nil
	}
	err = check(request, a)
	if err != nil {
		if blind := f.blind(a); blind != nil {
			err = cmp.Or(check(request, blind), err) // otherwise its message may have half a credential
		}
	}
	if trouble, ok := errors.AsType[*Trouble](err); ok && a.Status >= 400 {
		trouble.Asked = max(retryAfter(a.header, a.At), usedUp(a.header, a.At))
		trouble.Wait = cmp.Or(trouble.Asked, f.plan.Retry[a.Status])
		if asked := retryAfter(a.header, a.At).Round(time.Second); asked > 0 && asksToWait(a.Status) {
			trouble.What += " for " + asked.String()
		}
	}
	return a, err
}

// spared returns the answer to a Spare request that failed, with the reason in it.
func (f *fetcher) spared(request *Request, got *Answer, err error) (*Answer, error) {
	trouble, ok := errors.AsType[*Trouble](err)
	if !ok || !request.Spare {
		return got, err
	}
	all := Answer{At: f.now(), Body: []byte{}}
	if got != nil {
		all = *got
	}
	all.Trouble = &Trouble{What: f.hidden.in(trouble.Error()), Wait: trouble.Wait, Final: trouble.Final, TooLarge: trouble.TooLarge}
	return &all, nil
}

// address returns the address of a request: always below the base, or below the second one.
func (f *fetcher) address(request *Request) (string, error) {
	root := f.plan.Base
	if request.Second {
		root = f.plan.Second
	}
	base, err := url.Parse(root)
	if err != nil {
		return "", &Trouble{What: "the base is no address", Final: true, Err: err}
	}
	if strings.Contains(request.Path, "..") {
		return "", &Trouble{What: "the path leaves the base: " + request.Path, Final: true}
	}
	base.Path = strings.TrimSuffix(base.Path, "/") + "/" + strings.TrimPrefix(request.Path, "/")
	query := maps.Clone(request.Query)
	if query == nil {
		query = url.Values{}
	}
	maps.Copy(query, request.Secret)
	base.RawQuery = query.Encode()
	return base.String(), nil
}

// unreachable returns a network error as a Trouble. The error's own text may have an address
// with a credential.
func (f *fetcher) unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if of, ok := errors.AsType[*url.Error](err); ok {
		err = of.Err
	}
	return &Trouble{What: "the upstream cannot be reached", Err: err}
}

// The start and end of a PNG: its signature, and the chunk IEND with its checksum.
const (
	pngStart = "\x89PNG\r\n\x1a\n"
	pngEnd   = "\x00\x00\x00\x00IEND\xaeB`\x82"
)

// asksToWait reports whether a status only asks the client to wait.
func asksToWait(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
}

// check returns what is wrong with an answer. It checks the status first, then the first bytes;
// the content type proves nothing.
func check(request *Request, a *Answer) error {
	start := bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(a.Body), []byte("\xef\xbb\xbf"))) // a byte order mark
	switch {
	case slices.Contains(request.Also, a.Status):
		return nil
	case asksToWait(a.Status):
		return &Trouble{What: fmt.Sprintf("the upstream asks to wait (status %d)", a.Status)}
	case a.Status >= 300 && a.Status < 400:
		return &Trouble{What: moved(a), Final: true}
	case a.Status == http.StatusRequestTimeout, a.Status >= 500:
		return &Trouble{What: fmt.Sprintf("the upstream failed (status %d): %s", a.Status, shown(start))}
	case a.Status != http.StatusOK:
		return &Trouble{What: fmt.Sprintf("the upstream refused (status %d): %s", a.Status, shown(start)), Final: true}
	case request.Blank && (len(start) == 0 || string(start) == "null"):
		return nil
	case len(start) == 0:
		return &Trouble{What: "the answer is empty"}
	case request.Expect == Bytes:
		return nil
	case IsPage(start):
		return &Trouble{What: fmt.Sprintf("the answer is a page instead of %s: %s", request.Expect, shown(start))}
	case request.Expect == JSON && start[0] != '{' && start[0] != '[', request.Expect == XML && start[0] != '<', request.Expect == ZIP &&
		!bytes.HasPrefix(a.Body, []byte("PK")),
		request.Expect == PNG && !bytes.HasPrefix(a.Body, []byte(pngStart)):
		return &Trouble{What: fmt.Sprintf("the answer is not %s: %s", request.Expect, shown(start))}
	case request.Expect == PNG && !bytes.HasSuffix(a.Body, []byte(pngEnd)):
		return &Trouble{What: "the answer is a PNG without its end"}
	case request.Expect == JSON:
		if err := CheckJSON(start); err != nil {
			return &Trouble{What: "the answer is not JSON as it should be" + declared(a), Err: err}
		}
	}
	return nil
}

// moved says where an upstream has moved, without the query, which may have a credential.
func moved(a *Answer) string {
	to, err := url.Parse(a.header.Get("Location"))
	if err != nil || to.String() == "" {
		return fmt.Sprintf("the upstream has moved (status %d)", a.Status)
	}
	to.RawQuery, to.User, to.Fragment = "", nil, ""
	return fmt.Sprintf("the upstream has moved to %.200s (status %d); redirects are not followed, set \"base\" instead", to, a.Status)
}

// declared returns the encoding that an answer declares, if JSON cannot have it.
func declared(a *Answer) string {
	_, of, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	if name := of["charset"]; err == nil && name != "" && !strings.EqualFold(name, "utf-8") {
		return fmt.Sprintf(" (it says that it is %.40q)", name)
	}
	return ""
}

// IsPage reports whether an answer is a page of HTML, as firewalls send instead of the expected
// answer.
func IsPage(body []byte) bool {
	head := bytes.ToLower(bytes.TrimSpace(body[:min(len(body), 200)]))
	return bytes.HasPrefix(head, []byte("<!doctype html")) || bytes.HasPrefix(head, []byte("<html")) ||
		bytes.Contains(head, []byte("<html "))
}

// shown returns the beginning of an answer, on one line, for a message.
func shown(body []byte) string {
	if len(body) == 0 {
		return "(empty)"
	}
	return strconv.QuoteToASCII(string(body[:min(len(body), shownBody)]))
}
