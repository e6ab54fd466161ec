package deliver

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"piyasa/collect"
	"piyasa/db"
	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/internal/value"
	"piyasa/serve/bulk"
)

// Bounds of the answers and the waits of a receiver.
const (
	mostAnswer      = 16 << 10 // bytes of its headers, and of its body
	answerTime      = time.Second
	mostRetryAfter  = time.Hour
	defaultMostSize = 1 << 20
)

// webhookSettings are the settings of a webhook.
type webhookSettings struct {
	URL          string         `json:"url"`
	Secret       collect.Secret `json:"secret"`
	FormerSecret collect.Secret `json:"former_secret"` // also signs, while receivers still use it
	AllowPrivate bool           `json:"allow_private"` // addresses, and http
	Types        []kap.Type     `json:"types"`         // of disclosures; empty: all
	IDs          []market.ID    `json:"ids"`           // of instruments; empty: all
	QuotesEvery  string         `json:"quotes_every"`
	GiveUp       string         `json:"give_up"`
	From         string         `json:"from"`       // where a new sink begins: start or now
	MostBytes    int            `json:"most_bytes"` // of a record; the event of a longer one is sent without it
}

// webhook posts each change as an event, as the Standard Webhooks specification requires.
type webhook struct {
	webhookSettings
	signers []*webhooks.Webhook
	dialer  *net.Dialer
	client  *http.Client

	from       map[string]Position // positions of the last commit
	had        map[string]bool     // ids acknowledged since then
	before     map[string]Position // from and had before that commit, which the store may not have taken
	hadBefore  map[string]bool
	rewound    bool // whether the last state said so
	progressed bool // whether any was acknowledged since the last failure
}

// public allows only public addresses: none of a private network, of this machine, or of the cloud
// that it runs in. Azure's metadata service has an otherwise public address.
var public = ssrf.New(ssrf.WithAnyPort(), ssrf.WithDeniedV4Prefixes(netip.MustParsePrefix("168.63.129.16/32")))

func init() {
	makers["webhook"] = func(_ string, text json.RawMessage) (Sink, Plan, error) {
		in, err := collect.Settings[webhookSettings](text)
		if err != nil {
			return nil, Plan{}, err
		}
		return newWebhook(in)
	}
}

func newWebhook(in webhookSettings) (_ *webhook, p Plan, err error) {
	if err := checkURL(in.URL, in.AllowPrivate); err != nil {
		return nil, p, fmt.Errorf(`"url" %w`, err)
	}
	w := &webhook{webhookSettings: in, had: map[string]bool{}}
	for _, secret := range []struct{ name, text string }{{"secret", in.Secret.Reveal()}, {"former_secret", in.FormerSecret.Reveal()}} {
		if secret.text == "" && secret.name == "former_secret" {
			continue
		}
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret.text, "whsec_"))
		if err != nil || !strings.HasPrefix(secret.text, "whsec_") || len(key) < 24 || len(key) > 64 {
			return nil, p, fmt.Errorf(`%q must be whsec_ followed by 24 to 64 bytes in base64, such as "whsec_$(openssl rand -base64 32)" makes`, secret.name)
		}
		signer, err := webhooks.NewWebhookRaw(key)
		if err != nil {
			return nil, p, err
		}
		w.signers = append(w.signers, signer)
	}
	if w.MostBytes = cmp.Or(in.MostBytes, defaultMostSize); w.MostBytes < 1000 || w.MostBytes > 100_000_000 {
		return nil, p, fmt.Errorf(`"most_bytes" must be from 1000 to 100000000; got %d`, in.MostBytes)
	}
	if err := value.OneOf(cmp.Or(in.From, "now"), []string{"start", "now"}); err != nil {
		return nil, p, fmt.Errorf(`"from" %w; got %q`, err, in.From)
	}
	p = Plan{FromNow: in.From != "start", Timeout: 20 * time.Second, Most: 200, Page: 200, OneByOne: true, GiveUp: 5 * 24 * time.Hour}
	if err := duration("give_up", in.GiveUp, 0, 30*24*time.Hour, &p.GiveUp); err != nil {
		return nil, p, err
	}
	var pace time.Duration
	if err := duration("quotes_every", in.QuotesEvery, time.Second, 24*time.Hour, &pace); err != nil {
		return nil, p, err
	}
	p.Pace = map[string]time.Duration{db.FeedQuotes: pace} // the log has only the newest quote of each instrument
	var control func(network, address string, c syscall.RawConn) error
	if !w.AllowPrivate {
		control = func(network, address string, c syscall.RawConn) error {
			if err := public.Safe(network, address, c); err != nil {
				return fmt.Errorf(`%w; "allow_private": true allows addresses of your own network`, err)
			}
			return nil
		}
	}
	w.dialer, w.client = newClient(control)
	return w, p, nil
}

// checkURL checks where events go.
func checkURL(text string, private bool) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return errors.New(`must be an address such as "https://example.com/hook"`)
	case u.Scheme == "http" && !private:
		return errors.New(`must be https; http is for addresses of your own, with "allow_private": true`)
	case u.User != nil || u.Fragment != "":
		return errors.New("must have no user, password or fragment; the signature tells the receiver who sends")
	}
	return nil
}

// newClient makes an HTTP client. control checks the address that is dialled, not one that a name
// resolved to earlier; the client uses no proxy and follows no redirects.
func newClient(control func(network, address string, c syscall.RawConn) error) (*net.Dialer, *http.Client) {
	dialer := &net.Dialer{Timeout: 10 * time.Second, Control: control}
	return dialer, &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext: dialer.DialContext, ForceAttemptHTTP2: true, DisableCompression: true,
			TLSHandshakeTimeout: 10 * time.Second, IdleConnTimeout: time.Minute, MaxResponseHeaderBytes: mostAnswer,
		},
	}
}

// event is the body of a request to a receiver.
type event struct {
	Type      string `json:"type"`
	Timestamp string `json:"timestamp"` // when it was recorded, or, if that is not stored, when it is sent
	Data      any    `json:"data"`
}

// changed is the data of a change.
type changed struct {
	Position  string            `json:"position"`
	Number    int64             `json:"number"`
	Kind      string            `json:"kind"`
	Key       map[string]string `json:"key"`
	Withdrawn bool              `json:"withdrawn"`
	KnownFrom *value.Instant    `json:"known_from"`
	Record    json.RawMessage   `json:"record"` // the line of ingest; null: too long
}

// wentBack is the data of the event that the store went back: everything after From comes again.
type wentBack struct {
	Feed string `json:"feed"`
	Was  string `json:"was"`
	From string `json:"from"`
}

// wants reports whether the receiver wants a change. Records without an instrument, and withdrawals
// that do not state one, reach every receiver.
func (w *webhook) wants(c *db.Change) bool {
	if d, ok := c.Record.(*kap.Record); ok {
		return (len(w.Types) == 0 || slices.Contains(w.Types, d.Type)) &&
			(len(w.IDs) == 0 || len(d.Symbols) == 0 || slices.ContainsFunc(w.IDs, func(id market.ID) bool {
				return id.Market() == market.BIST && slices.Contains(d.Symbols, id.Symbol())
			}))
	}
	id := bulk.IDOf(c)
	return len(w.IDs) == 0 || id == "" || slices.Contains(w.IDs, id.Stated())
}

// Deliver implements Sink.
func (w *webhook) Deliver(ctx context.Context, b *Batch) error {
	for i := range b.Changes {
		c := &b.Changes[i]
		id := strings.ReplaceAll(b.ID(c), ".", "%2E") // the signed text has points between its parts
		if w.had[id] || !w.wants(c) {
			continue
		}
		line, err := bulk.AppendLine(nil, c)
		if err != nil {
			return err
		}
		data := changed{Position: b.Epochs.Position(b.Feed, c.Number).String(), Number: c.Number, Kind: c.Kind,
			Key: map[string]string{}, Withdrawn: c.Record == nil, Record: line}
		if len(line) > w.MostBytes {
			data.Record = nil
		}
		for _, m := range c.Members() {
			data.Key[m.Name] = m.Value
		}
		e := event{Type: c.Kind + ".stored", Timestamp: value.At(time.Now()).String(), Data: &data}
		if data.Withdrawn {
			e.Type = c.Kind + ".withdrawn"
		}
		if !c.KnownFrom.IsNull() {
			e.Timestamp, data.KnownFrom = c.KnownFrom.String(), &c.KnownFrom
		}
		if err := w.post(ctx, id, &e); err != nil {
			return err
		}
	}
	return nil
}

// Commit implements Sink. Deliver has already waited for all acknowledgements.
func (w *webhook) Commit(_ context.Context, s *State, _ bool) error {
	w.before, w.hadBefore = w.from, w.had
	w.from, w.had = maps.Clone(s.Feeds), map[string]bool{}
	return nil
}

// Resume implements Sink. What was acknowledged is not sent again, neither after a failure nor if
// the store did not take the last position, unless the sink was rewound.
func (w *webhook) Resume(_ context.Context, s *State) error {
	rewound := s.Rewound && (!w.rewound || s.Failures == 0 && s.Waiting == "")
	w.rewound = s.Rewound
	switch {
	case rewound || w.had == nil:
	case maps.Equal(s.Feeds, w.from):
		return nil
	case w.before != nil && maps.Equal(s.Feeds, w.before):
		maps.Copy(w.had, w.hadBefore)
		w.from, w.before, w.hadBefore = w.before, nil, nil
		return nil
	}
	w.from, w.had, w.before, w.hadBefore = maps.Clone(s.Feeds), map[string]bool{}, nil, nil
	return nil
}

// WentBack implements Sink.
func (w *webhook) WentBack(ctx context.Context, b Back, s *State) error {
	data := wentBack{b.Feed, b.Was.String(), s.Feeds[b.Feed].String()}
	id := fmt.Sprintf("went_back:%s:%s:%s", data.Feed, data.Was, data.From)
	if w.had[id] {
		return nil
	}
	return w.post(ctx, id, &event{Type: "log.went_back", Timestamp: value.At(time.Now()).String(), Data: data})
}

// post sends an event, and returns when the receiver has acknowledged it.
func (w *webhook) post(ctx context.Context, id string, e *event) error {
	body, err := value.AppendJSON(nil, e)
	if err != nil {
		return err
	}
	return w.send(ctx, id, body)
}

// send sends the body of an event as post does.
func (w *webhook) send(ctx context.Context, id string, body []byte) error {
	refused := w.ask(ctx, id, body)
	if refused == nil {
		w.had[id], w.progressed = true, true
		return nil
	}
	refused.error = fmt.Errorf("event %s: %w", id, refused.error)
	refused.progressed, w.progressed = w.progressed, false
	return refused
}

func (w *webhook) ask(ctx context.Context, id string, body []byte) *refusal {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL, bytes.NewReader(body))
	if err != nil {
		return &refusal{error: err}
	}
	now := time.Now()
	signatures := make([]string, len(w.signers))
	for i, signer := range w.signers {
		if signatures[i], err = signer.Sign(id, now, body); err != nil {
			return &refusal{error: err}
		}
	}
	for name, text := range map[string]string{
		"Content-Type": "application/json", "User-Agent": "piyasa", webhooks.HeaderWebhookID: id,
		webhooks.HeaderWebhookTimestamp: strconv.FormatInt(now.Unix(), 10), webhooks.HeaderWebhookSignature: strings.Join(signatures, " "),
	} {
		r.Header.Set(name, text)
	}
	answer, err := w.client.Do(r)
	if err != nil {
		if of, ok := errors.AsType[*url.Error](err); ok {
			err = of.Err // without the address, which may contain a secret
		}
		return &refusal{error: err}
	}
	defer answer.Body.Close()
	defer time.AfterFunc(answerTime, cancel).Stop() // the status has arrived, and only that counts
	text, _ := io.ReadAll(io.LimitReader(answer.Body, mostAnswer))
	return refusalOf(answer, text)
}

// refusalOf returns the refusal that an answer means; nil: it acknowledges the event.
func refusalOf(answer *http.Response, text []byte) *refusal {
	status := fmt.Sprintf("the receiver answers %d %s", answer.StatusCode, http.StatusText(answer.StatusCode))
	switch {
	case answer.StatusCode/100 == 2:
		return nil
	case answer.StatusCode/100 == 3:
		return &refusal{error: fmt.Errorf(`%s, and redirects are not followed: "url" must be where it leads, %.200q`, status,
			answer.Header.Get("Location"))}
	}
	r := &refusal{error: fmt.Errorf("%s: %.100q", status, text), gone: answer.StatusCode == http.StatusGone}
	asked := answer.Header.Get("Retry-After")
	if seconds, err := strconv.Atoi(asked); err == nil {
		r.after = time.Duration(min(max(seconds, 0), int(mostRetryAfter.Seconds()))) * time.Second
	} else if at, err := http.ParseTime(asked); err == nil {
		r.after = min(max(time.Until(at), 0), mostRetryAfter)
	}
	return r
}

// Check implements Sink. It connects as for an event.
func (w *webhook) Check(ctx context.Context) error {
	u, err := url.Parse(w.URL)
	if err != nil {
		return err
	}
	address := net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), u.Scheme))
	transport := w.client.Transport.(*http.Transport)
	dial := w.dialer.DialContext
	if u.Scheme == "https" {
		dial = (&tls.Dialer{NetDialer: w.dialer, Config: transport.TLSClientConfig}).DialContext
	}
	conn, err := dial(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return conn.Close()
}

// Close implements Sink.
func (w *webhook) Close() error {
	w.client.CloseIdleConnections()
	return nil
}
