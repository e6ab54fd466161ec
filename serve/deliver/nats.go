package deliver

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"piyasa/db"
	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/internal/epoch"
	"piyasa/serve/bulk"
)

// ackTime is the timeout for one answer of a server: a leader that is gone never answers.
const ackTime = 5 * time.Second

var errNoAnswer = fmt.Errorf("there was no answer within %s", ackTime)

// Bounds of messages that are published but not acknowledged yet, far below those of a server.
const (
	mostInFlight      = 1000
	mostBytesInFlight = 8 << 20
	leastMessageLimit = 4 << 10 // least limit of a server or a stream: the key of a change must fit
)

// Headers of messages, beside those of NATS.
const (
	headerSink      = "Piyasa-Sink"
	headerKind      = "Piyasa-Kind"
	headerPosition  = "Piyasa-Position" // of the change
	headerReading   = "Piyasa-Reading"  // where to continue, as JSON, if the position does not say it
	headerKnownFrom = "Piyasa-Known-From"
	headerWithdrawn = "Piyasa-Withdrawn"
	headerTooLarge  = "Piyasa-Too-Large" // bytes of a record that was left out
)

// natsSink publishes changes to a stream of JetStream that only this sink may write. Each message
// states the message of the stream that it follows, and the stream rejects it anywhere else. So no
// message overtakes another or is stored twice, even while a process that has lost the sink still
// writes. A message counts as delivered when the stream has it.
type natsSink struct {
	natsSettings
	name     string
	options  []nats.Option
	conn     *nats.Conn
	js       jetstream.JetStream
	closed   chan struct{} // closed when conn is
	limit    int64         // most bytes of a message with its headers
	last     uint64        // the number in the stream of the last message published
	lastID   string        // its id; empty: it was published before Resume
	round    int           // how often an operator has rewound the sink
	run      string        // unique for the messages published since Resume
	created  time.Time     // when the stream was
	pending  []inFlight
	inFlight int // bytes of pending
}

// inFlight is a published message that is not acknowledged yet.
type inFlight struct {
	jetstream.PubAckFuture
	subject string
	number  uint64
	bytes   int
}

// natsKept is what the store keeps: how far the stream is known.
type natsKept struct {
	Created time.Time `json:"created"` // when the stream was
	Last    uint64    `json:"last"`
	Round   int       `json:"round,omitempty"`
}

// Resume implements Sink. Messages that the stream received since the last commit are delivered.
// If the stream is another one now, or has lost its end, exactly the messages that it has are.
func (n *natsSink) Resume(ctx context.Context, s *State) error {
	info, err := n.open(ctx, n.Create)
	if err != nil {
		return err
	}
	var kept natsKept
	if s.Kept != nil {
		if err := json.Unmarshal(s.Kept, &kept); err != nil {
			return err
		}
	}
	n.last, n.lastID, n.round, n.run = info.State.LastSeq, "", kept.Round, strings.ToLower(rand.Text()[:12])
	since := kept.Last
	switch {
	case s.Rewound:
		n.round++
		since = 0
	case !kept.Created.Equal(info.Created) || n.last < kept.Last:
		if !kept.Created.IsZero() {
			slog.Warn("a stream is another one or has lost messages; a sink goes on after those that it has", "sink", n.name,
				"stream", n.Stream, "last", n.last, "was", kept.Last)
		}
		s.Feeds, since = map[string]Position{}, 0
	}
	if n.last <= since {
		return nil
	}
	return n.moveTo(ctx, s, since)
}

// moveTo moves the state to the newest messages that the stream has above the number since.
func (n *natsSink) moveTo(ctx context.Context, s *State, since uint64) error {
	newest, least := map[string]uint64{}, n.round
	for _, kind := range db.FollowedKinds() {
		feed := db.FeedOf(kind)
		for _, subject := range []string{kind + ".>", wentBackTo + feed} {
			m, err := n.lastMessage(ctx, n.Subjects+"."+subject)
			if err != nil {
				return err
			}
			if m == nil || m.Seq <= max(since, newest[feed]) || s.Rewound && m.round() < least {
				continue
			}
			if sink := m.Header.Get(headerSink); sink != n.name {
				return fmt.Errorf("the stream %s has messages of the sink %q; each sink needs a stream of its own", n.Stream, sink)
			}
			at, err := m.position()
			if err != nil {
				return fmt.Errorf("message %d of the stream %s: %w", m.Seq, n.Stream, err)
			}
			newest[feed], s.Feeds[feed], n.round = m.Seq, at, max(n.round, m.round())
		}
	}
	return nil
}

// stored is a message that the stream has.
type stored struct {
	Seq    uint64 `json:"seq"`
	Hdrs   []byte `json:"hdrs"`
	Header nats.Header
}

// lastMessage returns the last message of a subject, or nil. It asks the leader: other replicas,
// which answer direct reads, may be behind.
func (n *natsSink) lastMessage(ctx context.Context, subject string) (*stored, error) {
	ask, err := json.Marshal(map[string]string{"last_by_subj": subject})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, ackTime, errNoAnswer)
	defer cancel()
	reply, err := n.conn.RequestWithContext(ctx, jetstream.DefaultAPIPrefix+"STREAM.MSG.GET."+n.Stream, ask)
	if err != nil {
		return nil, fmt.Errorf("read the last message of %s: %w", subject, cmp.Or(context.Cause(ctx), err))
	}
	var found struct {
		Message *stored             `json:"message"`
		Error   *jetstream.APIError `json:"error"`
	}
	if err := json.Unmarshal(reply.Data, &found); err != nil {
		return nil, err
	}
	m := found.Message
	switch {
	case found.Error != nil && found.Error.ErrorCode == jetstream.JSErrCodeMessageNotFound:
		return nil, nil
	case found.Error != nil:
		return nil, fmt.Errorf("read the last message of %s: %w", subject, found.Error)
	case m == nil:
		return nil, fmt.Errorf("read the last message of %s: the answer has none", subject)
	}
	if m.Header = (nats.Header{}); len(m.Hdrs) > 0 {
		m.Header, err = nats.DecodeHeadersMsg(m.Hdrs)
	}
	return m, err
}

// position returns the position to continue from after a message.
func (m *stored) position() (p Position, err error) {
	if reading := m.Header.Get(headerReading); reading != "" {
		return p, json.Unmarshal([]byte(reading), &p)
	}
	at, err := epoch.ParsePosition(m.Header.Get(headerPosition))
	return Position{at.Epoch, db.Cursor{Number: at.Seq}}, err
}

// round returns the round in which the message was published.
func (m *stored) round() int {
	id := m.Header.Get(nats.MsgIdHdr)
	round, _, _ := strings.Cut(id[strings.LastIndex(id, "~")+1:], ".")
	number, _ := strconv.Atoi(round)
	return number
}

// id returns the id of a message: that of its content, the round and the run, which is unique. If
// another process could publish the same id, messages after a rejected one might be stored after
// the message of that process.
func (n *natsSink) id(of string) string { return fmt.Sprintf("%s~%d.%s", of, n.round, n.run) }

// Deliver implements Sink.
func (n *natsSink) Deliver(ctx context.Context, b *Batch) error {
	for i := range b.Changes {
		c := &b.Changes[i]
		line, err := bulk.AppendLine(nil, c)
		if err != nil {
			return fmt.Errorf("write %s %d: %w", c.Kind, c.Number, err)
		}
		m := &nats.Msg{Subject: n.Subjects + "." + topicOf(c), Data: line, Header: nats.Header{}}
		if to := b.Through(c); to.To != 0 {
			reading, err := json.Marshal(to)
			if err != nil {
				return err
			}
			m.Header.Set(headerReading, string(reading))
		}
		m.Header.Set(nats.MsgIdHdr, n.id(b.ID(c)))
		m.Header.Set(headerKind, c.Kind)
		m.Header.Set(headerPosition, b.Epochs.Position(b.Feed, c.Number).String())
		if !c.KnownFrom.IsNull() {
			m.Header.Set(headerKnownFrom, c.KnownFrom.String())
		}
		if c.Record == nil {
			m.Header.Set(headerWithdrawn, "true")
		}
		if err := n.publish(ctx, m, func() error { return n.leaveOut(m, c) }); err != nil {
			return err
		}
	}
	return nil
}

// leaveOut removes the record of a change from its message, which then says where to get it.
func (n *natsSink) leaveOut(m *nats.Msg, c *db.Change) error {
	slog.Warn("a change is too large for a message, which only refers to it", "sink", n.name, "id", m.Header.Get(nats.MsgIdHdr),
		"bytes", len(m.Data), "limit", n.limit)
	rest := fmt.Sprintf(`"too_large":%d`, len(m.Data))
	if at, ok := pathOf[c.Kind]; ok && len(c.Key) > 0 && c.Key[0].Value != "" {
		rest += fmt.Sprintf(`,"path":%q`, at+url.PathEscape(c.Key[0].Value))
	}
	m.Header.Set(headerTooLarge, strconv.Itoa(len(m.Data)))
	key, err := bulk.AppendLine(nil, &db.Change{Kind: c.Kind, Key: c.Key})
	m.Data = bytes.Replace(key, []byte(`"withdrawn":true`), []byte(rest), 1)
	return err
}

// pathOf holds the REST routes that serve a record by its key, for kinds that may be large.
var pathOf = map[string]string{"disclosure": "/v1/kap-feed/disclosures/", "logo": "/v1/logos/", "news": "/v1/kap/"}

// wentBackTo and the name of a feed are the subject of messages that the store has gone back.
const wentBackTo = "log.went_back."

// WentBack implements Sink.
func (n *natsSink) WentBack(ctx context.Context, b Back, s *State) error {
	from := s.Feeds[b.Feed].String()
	text, err := json.Marshal(map[string]string{"feed": b.Feed, "was": b.Was.String(), "from": from})
	if err != nil {
		return err
	}
	m := &nats.Msg{Subject: n.Subjects + "." + wentBackTo + b.Feed, Data: text, Header: nats.Header{}}
	m.Header.Set(nats.MsgIdHdr, n.id("went_back:"+b.Feed+":"+from))
	m.Header.Set(headerPosition, from)
	if err := n.publish(ctx, m, nil); err != nil {
		return err
	}
	return n.acknowledged(ctx, 0, 0)
}

// publish sends a message after all others, once mostInFlight and mostBytesInFlight allow it.
func (n *natsSink) publish(ctx context.Context, m *nats.Msg, shorten func() error) error {
	m.Header.Set(headerSink, n.name)
	m.Header.Set(nats.ExpectedStreamHdr, n.Stream)
	m.Header.Set(nats.ExpectedLastSeqHdr, strconv.FormatUint(n.last, 10))
	if n.lastID != "" { // another process's message may have the number
		m.Header.Set(nats.ExpectedLastMsgIdHdr, n.lastID)
	}
	size := sizeOf(m)
	if size > int(n.limit) && shorten != nil {
		if err := shorten(); err != nil {
			return err
		}
		size = sizeOf(m)
	}
	if err := n.acknowledged(ctx, mostInFlight-1, max(0, mostBytesInFlight-size)); err != nil {
		return err
	}
	sent, err := n.js.PublishMsgAsync(m)
	if err != nil {
		return fmt.Errorf("publish to %s: %w", m.Subject, err)
	}
	n.last, n.lastID = n.last+1, m.Header.Get(nats.MsgIdHdr)
	n.inFlight += size
	n.pending = append(n.pending, inFlight{sent, m.Subject, n.last, size})
	return nil
}

// sizeOf returns the bytes of a message as the limits of servers and streams count them.
func sizeOf(m *nats.Msg) int {
	size := len("NATS/1.0\r\n\r\n") + len(m.Data)
	for name, values := range m.Header {
		size += len(name) + len(": \r\n") + len(values[0])
	}
	return size
}

// acknowledged waits until at most so many messages and bytes are in flight.
func (n *natsSink) acknowledged(ctx context.Context, messages, size int) error {
	for len(n.pending) > messages || n.inFlight > size {
		first := &n.pending[0]
		if err := n.acknowledge(ctx, first); err != nil {
			return fmt.Errorf("message %d of the stream %s, to %s: %w", first.number, n.Stream, first.subject, err)
		}
		n.inFlight -= first.bytes
		n.pending = n.pending[1:]
	}
	return nil
}

// acknowledge waits for the acknowledgement of one message.
func (n *natsSink) acknowledge(ctx context.Context, m *inFlight) error {
	ctx, cancel := context.WithTimeoutCause(ctx, ackTime, errNoAnswer)
	defer cancel()
	var got *jetstream.PubAck
	select {
	case got = <-m.Ok():
		if got.Duplicate || got.Sequence != m.number {
			return errElsewhere
		}
		return nil
	case err := <-m.Err():
		wrong := new(jetstream.APIError)
		if errors.As(err, &wrong) && (wrong.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || wrong.ErrorCode == wrongLastID) {
			return fmt.Errorf("%w: %w", errElsewhere, err)
		}
		return err
	case <-n.closed:
		return cmp.Or(n.conn.LastError(), nats.ErrConnectionClosed)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// errElsewhere reports that a message was not stored, or not at its place.
var errElsewhere = errors.New("the stream has got something else meanwhile; the sink goes on after what it has")

// wrongLastID is the code with which a stream rejects a message that does not follow its last id.
const wrongLastID jetstream.ErrorCode = 10070

// Commit implements Sink.
func (n *natsSink) Commit(ctx context.Context, s *State, _ bool) error {
	if err := n.acknowledged(ctx, 0, 0); err != nil {
		return err
	}
	var err error
	s.Kept, err = json.Marshal(natsKept{n.created, n.last, n.round})
	return err
}

// Check implements Sink.
func (n *natsSink) Check(ctx context.Context) error {
	_, err := n.open(ctx, false)
	if n.Create && errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil
	}
	return err
}

// Close implements Sink.
func (n *natsSink) Close() error {
	if n.conn != nil {
		n.conn.Close()
	}
	n.pending, n.inFlight = nil, 0
	return nil
}

// topicOf returns the subject of a change below that of the sink.
func topicOf(c *db.Change) string {
	words := []string{c.Kind}
	if c.Kind == "disclosure" {
		kind, symbol := "", ""
		if r, ok := c.Record.(*kap.Record); ok {
			kind = string(r.Type)
			if len(r.Symbols) == 1 {
				symbol = r.Symbols[0]
			} else if len(r.Symbols) > 1 {
				return strings.Join([]string{c.Kind, token(kind), severalSymbols}, ".")
			}
		}
		return strings.Join([]string{c.Kind, token(kind), token(symbol)}, ".")
	}
	for _, m := range c.Key {
		switch {
		case m.Name == "resolution":
			words = append(words, token(m.Value))
		case len(words) > 1 || !slices.Contains(topicMembers, m.Name):
		case m.Name == "instrument_id":
			id := market.ID(m.Value)
			words = append(words, token(string(id.Market())), token(id.Symbol()))
		default:
			words = append(words, token(m.Value))
		}
	}
	if len(words) == 1 {
		words = append(words, token(""))
	}
	return strings.Join(words, ".")
}

// severalSymbols is the symbol in the subject of a disclosure that has more than one.
const severalSymbols = "_several"

// topicMembers are the members of keys that subjects include. Other members have a different value
// in nearly every record, and a server keeps every subject in memory.
var topicMembers = []string{"instrument_id", "market", "code", "fund_code", "series_id", "company_id", "event_id", "id"}

// token returns a text as one token of a subject: letters, digits and - unchanged, other bytes
// escaped as in addresses (%2E), and an empty text as _.
func token(text string) string {
	if text == "" {
		return "_"
	}
	return tokenEscapes.Replace(url.QueryEscape(text))
}

var tokenEscapes = strings.NewReplacer("+", "%20", ".", "%2E", "_", "%5F", "~", "%7E")
