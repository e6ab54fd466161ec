package kap

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"piyasa/account/access"
	"piyasa/internal/epoch"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// Webhook is an address to which disclosures are posted as they are stored. It belongs to the
// key that registered it.
type Webhook struct {
	ID        string        `json:"id"`
	URL       string        `json:"url"`
	Topics    []string      `json:"topics"` // as of streams
	CreatedAt value.Instant `json:"created_at"`
	Position  string        `json:"position"`   // up to which everything was delivered
	Backlog   int64         `json:"backlog"`    // disclosures after the position, an upper bound: some may be of other topics
	Delivered int64         `json:"delivered"`  // events
	Failures  int           `json:"failures"`   // in a row; 0: the last delivery worked
	LastError *string       `json:"last_error"` // of the last delivery that failed
	Waiting   *string       `json:"waiting"`    // why nothing is delivered now without a failure
	Disabled  *string       `json:"disabled"`   // why delivery has ended
}

// Registered is a new webhook, with the secret that signs its events.
type Registered struct {
	Secret  string   `json:"secret"` // is not shown again
	Webhook *Webhook `json:"webhook"`
}

// StoredWebhook is a webhook as the store keeps it.
type StoredWebhook struct {
	ID        string
	KeyID     string
	URL       string
	Topics    []string
	Begins    string // the position after which it begins
	CreatedAt int64  // Unix seconds
	State     string // of the process that delivers it, JSON; empty: not begun
}

// WebhookStore stores the webhooks of keys.
type WebhookStore interface {
	// Look returns the last number of every feed, and the epochs.
	Look(context.Context) (epoch.Moment, error)
	// AddWebhook stores a webhook, unless its key already has most of them.
	AddWebhook(ctx context.Context, w *StoredWebhook, most int) (added bool, err error)
	// WebhooksOf returns the webhooks of a key, oldest first, with a resolution of seconds.
	WebhooksOf(ctx context.Context, key string) ([]*StoredWebhook, error)
	// DeleteWebhook deletes a webhook of a key, and reports whether the key had one with this
	// id.
	DeleteWebhook(ctx context.Context, key, id string) (bool, error)
	// DeliversWebhooks reports whether a process delivers webhooks of keys now.
	DeliversWebhooks(context.Context) (bool, error)
}

// Webhooks registers, lists and deletes the webhooks of keys. Package deliver delivers them.
type Webhooks struct {
	Store  WebhookStore
	Signer access.Signer
	Plan   func(*access.Key) access.Plan
	Now    value.Clock
}

// feedOfWebhooks is the feed of disclosures in the log.
const feedOfWebhooks = "disclosures"

// Bounds of a webhook.
const (
	mostURL           = 2000 // bytes
	mostWebhookTopics = 100
)

// WebhookSecret returns the secret of a webhook: whsec_ and 32 bytes in base64. It is derived
// from the signing key of the servers, so that it is stored nowhere.
func WebhookSecret(s access.Signer, key, id string) string {
	return "whsec_" + base64.StdEncoding.EncodeToString(append(s.Sign("webhook", key, id, 1), s.Sign("webhook", key, id, 2)...))
}

// Register registers a webhook for the key of the call. The webhook follows topics, by default
// all, and begins after from: now (the default), start, or a position. Needs kap. Problems:
// invalid-parameter, too-many-values, not-in-plan, position-gone, position-ahead,
// store-unavailable.
func (h *Webhooks) Register(ctx context.Context, address string, topics []string, from *string) (*Registered, error) {
	if err := access.Enter(ctx, access.KAP); err != nil {
		return nil, err
	}
	key := access.CallOf(ctx).Key
	most := h.Plan(key).Webhooks
	if most == 0 {
		return nil, problem.New(problem.NotInPlan, "The plan of this key allows no webhooks.")
	}
	if err := checkWebhookURL(address); err != nil {
		return nil, problem.Parameter("url", address, err.Error())
	}
	followed, err := webhookTopics(topics)
	if err != nil {
		return nil, err
	}
	moment, err := h.Store.Look(ctx)
	if err != nil {
		return nil, problem.StoreFailed(err)
	}
	begins, err := beginsAt(moment, value.Or(from, "now"))
	if err != nil {
		return nil, err
	}
	w := &StoredWebhook{ID: "wh_" + strings.ToLower(rand.Text()), KeyID: key.ID, URL: address, Topics: followed, Begins: begins.String(),
		CreatedAt: h.Now().Time().Unix()}
	added, err := h.Store.AddWebhook(ctx, w, most)
	if err != nil {
		return nil, problem.StoreFailed(err)
	}
	if !added {
		e := problem.New(problem.TooManyValues, "The plan of this key allows %d webhooks, and it has them; delete one first.", most)
		e.Members.Limit = &most
		return nil, e
	}
	shown, err := h.shown(ctx, moment, w)
	if err != nil {
		return nil, err
	}
	return &Registered{WebhookSecret(h.Signer, key.ID, w.ID), shown[0]}, nil
}

// checkWebhookURL returns an error that says what an address must be, or nil. The host that its
// name resolves to is checked when it is dialled.
func checkWebhookURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "https" || u.User != nil || u.Fragment != "" || len(text) > mostURL {
		return fmt.Errorf("https://, with a host, without user, password and fragment, of at most %d bytes", mostURL)
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && (!ip.Unmap().IsGlobalUnicast() || ip.Unmap().IsPrivate()) {
		return errors.New("of a host that everybody can reach")
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return errors.New("of a port from 1 to 65535")
		}
	}
	return nil
}

func webhookTopics(texts []string) ([]string, error) {
	if len(texts) == 0 {
		return []string{string(All)}, nil
	}
	if len(texts) > mostWebhookTopics {
		e := problem.New(problem.TooManyValues, "A webhook follows at most %d topics; got %d.", mostWebhookTopics, len(texts))
		e.Members.Limit = new(mostWebhookTopics)
		return nil, e
	}
	topics := make([]string, len(texts))
	for i, text := range texts {
		topic, ok := ParseTopic(text)
		if !ok {
			return nil, problem.Parameter("topics", text, "of all, type:<TYPE> such as type:ODA, and symbol:<CODE> such as symbol:THYAO")
		}
		topics[i] = string(topic)
	}
	return topics, nil
}

// beginsAt returns the position after which a webhook begins.
func beginsAt(m epoch.Moment, from string) (epoch.Position, error) {
	switch from {
	case "now":
		return m.Epochs.Position(feedOfWebhooks, m.Heads[feedOfWebhooks]), nil
	case "start":
		return m.Epochs.Position(feedOfWebhooks, 0), nil
	}
	p, err := epoch.ParsePosition(from)
	if err != nil {
		return p, problem.Parameter("from", from, "now, start, or a position that an event stated")
	}
	switch _, verdict := m.Resolve(feedOfWebhooks, p); verdict {
	case epoch.Known:
		return m.Epochs.Position(feedOfWebhooks, p.Seq), nil
	case epoch.Ahead:
		return p, problem.New(problem.PositionAhead, "The store has disclosures up to %s.",
			m.Epochs.Position(feedOfWebhooks, m.Heads[feedOfWebhooks])).About("from", from)
	default:
		e := problem.New(problem.PositionGone, "The store does not have everything up to this position; begin at another, or at the start.")
		return p, e.About("from", from)
	}
}

// List returns the webhooks of the key of the call, oldest first. Needs kap; costs nothing.
// Problems: store-unavailable.
func (h *Webhooks) List(ctx context.Context) (*WebhookList, error) {
	if err := access.Enter(ctx, access.KAP); err != nil {
		return nil, err
	}
	stored, err := h.Store.WebhooksOf(ctx, access.CallOf(ctx).Key.ID)
	if err != nil {
		return nil, problem.StoreFailed(err)
	}
	if len(stored) == 0 {
		return &WebhookList{[]*Webhook{}}, nil
	}
	moment, err := h.Store.Look(ctx)
	if err != nil {
		return nil, problem.StoreFailed(err)
	}
	shown, err := h.shown(ctx, moment, stored...)
	if err != nil {
		return nil, err
	}
	return &WebhookList{shown}, nil
}

// WebhookList is the webhooks of a key.
type WebhookList struct {
	Webhooks []*Webhook `json:"webhooks"`
}

// Delete deletes a webhook of the key of the call, and returns its id. Deliveries stop within
// seconds. Needs kap. Problems: not-found, store-unavailable.
func (h *Webhooks) Delete(ctx context.Context, id string) (string, error) {
	if err := access.Enter(ctx, access.KAP); err != nil {
		return "", err
	}
	deleted, err := h.Store.DeleteWebhook(ctx, access.CallOf(ctx).Key.ID, id)
	if err != nil {
		return "", problem.StoreFailed(err)
	}
	if !deleted {
		return "", problem.New(problem.NotFound, "This key has no webhook %s.", problem.Shown(id))
	}
	return id, nil
}

// shown returns webhooks as answers show them.
func (h *Webhooks) shown(ctx context.Context, m epoch.Moment, stored ...*StoredWebhook) ([]*Webhook, error) {
	delivers, err := h.Store.DeliversWebhooks(ctx)
	if err != nil {
		return nil, problem.StoreFailed(err)
	}
	all := make([]*Webhook, len(stored))
	for i, w := range stored {
		at, err := epoch.ParsePosition(w.Begins)
		if err != nil {
			return nil, problem.Wrap(err)
		}
		var state webhookState
		if w.State != "" {
			if err := json.Unmarshal([]byte(w.State), &state); err != nil {
				return nil, problem.Wrap(err)
			}
		}
		if p, moved := state.Feeds[feedOfWebhooks]; moved {
			at = epoch.Position{Epoch: p.Epoch, Seq: p.Number}
		}
		switch {
		case state.Disabled != "":
			state.Waiting = ""
		case !delivers:
			state.Waiting = "no process delivers webhooks of keys now"
		}
		all[i] = &Webhook{
			ID: w.ID, URL: w.URL, Topics: w.Topics, CreatedAt: value.At(time.Unix(w.CreatedAt, 0)), Position: at.String(),
			Backlog: m.After(feedOfWebhooks, at.Seq), Delivered: state.Delivered, Failures: state.Failures,
			LastError: value.NonEmpty(&state.Error), Waiting: value.NonEmpty(&state.Waiting), Disabled: value.NonEmpty(&state.Disabled),
		}
	}
	return all, nil
}

// webhookState is the part of package deliver's state that the owner sees.
type webhookState struct {
	Feeds map[string]struct {
		Epoch  string
		Number int64
	}
	Delivered int64
	Failures  int
	Error     string
	Waiting   string
	Disabled  string
}
