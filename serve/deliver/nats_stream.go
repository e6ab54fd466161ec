package deliver

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"piyasa/collect"
)

// natsSettings are the settings of a sink of NATS. The limits are for the stream that it creates.
type natsSettings struct {
	Servers  []string       `json:"servers"` // nats:// or tls://
	User     string         `json:"user"`
	Password collect.Secret `json:"password"`
	Token    collect.Secret `json:"token"`
	Creds    string         `json:"creds"` // a file
	NKey     string         `json:"nkey"`  // a file with a seed
	CA       string         `json:"ca"`    // a file with the certificates of the CA of the servers
	Stream   string         `json:"stream"`
	Subjects string         `json:"subjects"` // the prefix of every subject
	Create   bool           `json:"create"`
	Replicas int            `json:"replicas"`
	MaxAge   string         `json:"max_age"`
	MaxBytes int64          `json:"max_bytes"`

	maxAge time.Duration
}

// natsPlan is the default plan of a sink of NATS.
var natsPlan = Plan{Timeout: time.Minute, Most: 10_000}

func init() {
	makers["nats"] = func(name string, text json.RawMessage) (Sink, Plan, error) {
		n := &natsSink{name: name}
		var err error
		if n.natsSettings, err = collect.Settings[natsSettings](text); err == nil {
			err = n.complete()
		}
		return n, natsPlan, err
	}
}

// plain reports whether words have only letters, digits, - and _, and are not too long.
func plain(words ...string) bool {
	return !slices.ContainsFunc(words, func(word string) bool {
		return word == "" || len(word) > 100 ||
			strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != ""
	})
}

// complete checks the settings and makes the connection options.
func (n *natsSink) complete() error {
	if len(n.Servers) == 0 || len(n.Servers) > 100 {
		return errors.New(`"servers" must list from 1 to 100 addresses such as "nats://host:4222"`)
	}
	for _, server := range n.Servers {
		if u, err := url.Parse(server); err != nil || u.Host == "" || u.Scheme != "nats" && u.Scheme != "tls" || u.User != nil {
			return errors.New(`"servers" must be addresses such as "nats://host:4222" or "tls://host:4222", without credentials`)
		}
	}
	n.Stream, n.Subjects, n.Replicas = cmp.Or(n.Stream, "PIYASA"), cmp.Or(n.Subjects, "piyasa"), cmp.Or(n.Replicas, 1)
	switch {
	case !plain(n.Stream):
		return fmt.Errorf(`"stream" must be at most 100 letters, digits, - and _; got %q`, n.Stream)
	case !plain(strings.Split(n.Subjects, ".")...) || len(n.Subjects) > 200:
		return fmt.Errorf(`"subjects" must be words of letters, digits, - and _ with points between them, at most 200; got %q`, n.Subjects)
	case n.Replicas < 1 || n.Replicas > 5:
		return fmt.Errorf(`"replicas" must be from 1 to 5; got %d`, n.Replicas)
	case n.MaxBytes < 0:
		return fmt.Errorf(`"max_bytes" must not be negative; got %d`, n.MaxBytes)
	}
	if err := duration("max_age", n.MaxAge, time.Hour, 100*365*24*time.Hour, &n.maxAge); err != nil {
		return err
	}
	n.options = []nats.Option{nats.Name("piyasa deliver " + n.name), nats.NoReconnect()} // Resume reconnects
	if n.CA != "" {
		n.options = append(n.options, nats.RootCAs(n.CA))
	}
	return n.authenticate()
}

// authenticate adds the credentials to the options.
func (n *natsSink) authenticate() error {
	ways := 0
	add := func(stated bool, option nats.Option) {
		if stated {
			ways++
			n.options = append(n.options, option)
		}
	}
	add(n.Token.Reveal() != "", nats.Token(n.Token.Reveal()))
	add(n.User != "", nats.UserInfo(n.User, n.Password.Reveal()))
	add(n.Creds != "", nats.UserCredentials(n.Creds))
	if n.NKey != "" {
		option, err := nats.NkeyOptionFromSeed(n.NKey)
		if err != nil {
			return fmt.Errorf(`"nkey": %w`, err)
		}
		add(true, option)
	}
	if ways > 1 || (n.User == "") != (n.Password.Reveal() == "") {
		return errors.New(`state one of "token", "user" with "password", "creds" and "nkey"`)
	}
	return nil
}

// open reconnects and returns the stream; if there is none and create is set, it creates it.
func (n *natsSink) open(ctx context.Context, create bool) (*jetstream.StreamInfo, error) {
	if err := n.Close(); err != nil {
		return nil, err
	}
	closed := make(chan struct{})
	options := slices.Concat(n.options, []nats.Option{nats.ClosedHandler(func(*nats.Conn) { close(closed) })})
	o := nats.GetDefaultOptions()
	o.Servers = n.Servers
	for _, option := range options {
		if err := option(&o); err != nil {
			return nil, err
		}
	}
	conn, err := o.Connect()
	if err != nil {
		return nil, fmt.Errorf("connect to %v: %w", n.Servers, err)
	}
	n.conn, n.closed = conn, closed
	ctx, cancel := context.WithTimeoutCause(ctx, ackTime, errNoAnswer)
	defer cancel()
	if n.js, err = jetstream.New(conn); err != nil {
		return nil, err
	}
	stream, err := n.js.Stream(ctx, n.Stream)
	if create && errors.Is(err, jetstream.ErrStreamNotFound) {
		stream, err = n.js.CreateStream(ctx, jetstream.StreamConfig{Name: n.Stream, Subjects: []string{n.Subjects + ".>"},
			Description: "written by piyasa deliver alone", Replicas: n.Replicas, MaxAge: n.maxAge, MaxBytes: n.MaxBytes})
	}
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound):
		return nil, fmt.Errorf("there is no stream %s: create it with `%s`, or let the sink do so with \"create\": true: %w", n.Stream,
			n.command(), err)
	case err != nil:
		return nil, fmt.Errorf("the stream %s: %w", n.Stream, cmp.Or(context.Cause(ctx), err))
	}
	info := stream.CachedInfo()
	n.created, n.limit = info.Created, conn.MaxPayload()
	if most := int64(info.Config.MaxMsgSize); most > 0 {
		n.limit = min(n.limit, most)
	}
	return info, n.suits(&info.Config)
}

// command returns the NATS command line that creates the stream.
func (n *natsSink) command() string {
	text := fmt.Sprintf("nats stream add %s --subjects '%s.>' --storage file --replicas %d --retention limits --discard old", n.Stream,
		n.Subjects, n.Replicas)
	if n.maxAge > 0 {
		text += " --max-age " + n.MaxAge
	}
	if n.MaxBytes > 0 {
		text += fmt.Sprint(" --max-bytes ", n.MaxBytes)
	}
	return text + " --defaults"
}

// suits returns an error if the configuration of a stream does not fit the sink.
func (n *natsSink) suits(c *jetstream.StreamConfig) error {
	wrong := ""
	switch own := n.Subjects + ".>"; {
	case !slices.Equal(c.Subjects, []string{own}) || c.Mirror != nil || len(c.Sources) > 0 || c.SubjectTransform != nil:
		wrong = fmt.Sprintf("must be of the sink alone: its subjects %s, and no mirror, source or transform; its subjects are %v", own,
			c.Subjects)
	case c.Retention != jetstream.LimitsPolicy:
		wrong = fmt.Sprintf("must keep messages until its limits (--retention limits), for the sink reads its last ones; it has %s",
			c.Retention)
	case c.NoAck:
		wrong = "must acknowledge messages (--ack)"
	case n.limit < leastMessageLimit:
		wrong = fmt.Sprintf("must take messages of %d bytes; max_payload of the server or --max-msg-size of the stream is %d",
			leastMessageLimit, n.limit)
	default:
		return nil
	}
	return fmt.Errorf("the stream %s %s", n.Stream, wrong)
}
