package stream

import (
	"piyasa/account/access"
	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/internal/value"
)

// Description describes one kind of WebSocket. The AsyncAPI document is generated from it,
// and tests compare the documentation with it.
type Description struct {
	Name    string // in documents
	Path    string
	Legacy  string // an older path of the same socket, deprecated; empty: none
	Title   string
	About   string
	Scope   access.Scope // that a key needs to connect
	Actions []Action
	Events  []Message // what the server sends on its own
	Limits  []Limit
}

// Action is a message of the client, with the server's possible answers.
type Action struct {
	Message
	Answers []Message
}

// Message is one kind of message. Messages of different kinds have different
// names.
type Message struct {
	Name     string
	About    string
	Examples []any // all of its Go type, from which the schema is made
}

// Limit is a bound of the protocol.
type Limit struct {
	Name  string `json:"name"`
	Value int    `json:"value"`
	About string `json:"about"`
}

// Close is one way in which the server ends a connection.
type Close struct {
	Code   int    `json:"code"`
	Reason string `json:"reason"`
	When   string `json:"when"`
	Client string `json:"client"` // what a client should do
}

// Advice to clients.
const (
	resume  = "Reconnect and resume."
	later   = "Reconnect with exponential backoff and resume."
	correct = "Fix the client: sending the same message again fails the same way."
	newKey  = "Do not reconnect until you have another key."
)

// Closes lists all ways in which the server ends a connection.
func Closes() []Close {
	list := []struct {
		Closing
		when, client string
	}{
		{GoingAway, "The server is shutting down. It sent the queued messages first, for at most 5 s.", resume},
		{invalidUTF8, "A text frame is not UTF-8.", correct},
		{invalidDeflate, "A compressed message is not a valid deflate stream.", correct},
		{Closing{1009, ""}, "A message is too large; of a compressed one, what it becomes counts.", correct},
		{serverError, "The connection failed unexpectedly.", later},
		{unavailable, "The server cannot reach its database.", later},
		{quotaUsedUp, "The key has used up the request units of its month; an error frame comes before.",
			"Come back when the next month begins."},
		{keysTooMany, "The key has as many connections open as its plan allows; an error frame comes before.", later},
		{tooMany, "The server has reached its limit of connections.", later},
		{TooManyOfAddress, "The client's address has as many connections as the server allows one address.",
			"Use fewer connections, or wait until one is closed."},
		{badMessages, "The client sent three bad messages.", correct},
		{authTimeout, "No first frame within 10 s.", correct},
		{authRequired, "The first frame was not a valid auth message.", correct},
		{invalidKey, "The key is unknown or has been revoked, possibly during the connection.", newKey},
		{missingScope, "The key lacks the scope that this socket needs.", newKey},
		{slowConsumer, "The client reads too slowly: it received nothing for 3 s while 512 events waited for it, or " +
			"nothing for 30 s of what " +
			"waited, or more than 16 MiB followed on that.", resume},
	}
	closes := make([]Close, len(list))
	for i, c := range list {
		closes[i] = Close{c.Code, c.Reason, c.when, c.client}
	}
	return closes
}

// The messages of clients; parseMessage reads them.
type (
	authMessage struct {
		Action string `json:"action" const:"auth"`
		APIKey string `json:"api_key,omitempty" description:"An API key, or a stream token."`
		Token  string `json:"token,omitempty" description:"A stream token, if there is no api_key. Neither is needed when the address has the token."`
	}
	subscribeMessage struct {
		Action        string   `json:"action" const:"subscribe"`
		IDs           []string `json:"ids" nullable:"false" minItems:"1" maxItems:"100" description:"Topics: all, type:<TYPE> or symbol:<CODE>."`
		LastSeenIndex *int64   `json:"last_seen_index,omitempty" minimum:"0" description:"Number of the last disclosure processed; disclosures numbered above it are replayed first. Null means no replay."`
	}
	subscribeQuotesMessage struct {
		Action string   `json:"action" const:"subscribe"`
		IDs    []string `json:"ids" nullable:"false" minItems:"1" maxItems:"100" description:"Instrument ids in any accepted form."`
		Batch  *bool    `json:"batch,omitempty" description:"Whether quotes of this connection that are due at the same moment come as one message, quotes, from the answer on. Null means as before, false at first."`
	}
	unsubscribeMessage struct {
		Action string   `json:"action" const:"unsubscribe"`
		IDs    []string `json:"ids" nullable:"false" minItems:"1" maxItems:"100" description:"As in subscribe."`
	}
	pingMessage struct {
		Action string `json:"action" const:"ping"`
	}
)

// exampleKey is a placeholder.
const exampleKey = "piyasa_live_0000000000000000000000000000000000000000"

// Messages of every socket.
var (
	authAction = Action{
		Message{"auth", "Must be the first frame, within 10 s, unless the address has a stream token.",
			[]any{authMessage{"auth", exampleKey, ""}}},
		[]Message{{"authOk", "The key is valid. Otherwise the server closes the connection.", []any{authFrame{"auth_ok", "pro"}}}},
	}
	pingAction = Action{
		Message{"ping", "Send it every 30 s: networks cut silent connections.", []any{pingMessage{"ping"}}},
		[]Message{{"pong", "Sent at once, even during a replay.", []any{pongFrame{"pong"}}}},
	}
	unsubscribeAction = Action{
		Message{"unsubscribe", "Removes ids. After unsubscribed, the server sends nothing for them.", []any{
			unsubscribeMessage{"unsubscribe", []string{"type:ODA"}},
			unsubscribeMessage{"unsubscribe", []string{"crypto:BTC"}},
		}},
		[]Message{{"unsubscribed", "The ids that were removed.", []any{
			unsubscribedFrame{"unsubscribed", []string{"type:ODA"}},
			unsubscribedFrame{"unsubscribed", []string{"crypto:1"}},
		}}, errorMessage},
	}
	subscribedMessage = Message{"subscribed", "Answers subscribe. Invalid ids do not affect the others.", []any{
		subscribedFrame{"subscribed", []string{"all"}, []string{}, nil},
		subscribedFrame{"subscribed", []string{"bist:DMALTF", "crypto:1"}, []string{"foo:BAR"}, nil},
	}}
	errorMessage = Message{"error", "The connection stays open. bad_message: nothing changed; the third one closes the connection. " +
		"subscription_limit: nothing was added. connection_limit, quota_exceeded: the connection is closed. " +
		"server_error: a replay failed; " +
		"replay_done follows.", []any{
		errorFrame{"error", "bad_message", "ids must be a list of 1 to 100 strings"},
		limitError, replayError,
	}}
	commonLimits = []Limit{
		{"topics_per_message", maxTopicsPerMessage, "ids in one message"},
		{"topics_per_connection", maxTopics, "ids followed on one connection"},
		{"bad_messages", maxBadMessages, "bad messages until the server closes the connection; the count never resets"},
		{"message_bytes", maxMessage, "bytes in a client's message, inflated"},
		{"auth_seconds", int(AuthWait.Seconds()), "seconds within which the first frame must arrive"},
		{"waiting_frames", maxWaiting, "events that may wait for a client that has stopped reading"},
		{"stopped_seconds", int(StoppedWait.Seconds()),
			"seconds without receiving anything until a client counts as one that has stopped reading"},
		{"write_seconds", int(WriteWait.Seconds()), "seconds within which a client must read something of what waits for it"},
		{"close_seconds", int(CloseWait.Seconds()), "seconds that a close frame waits for a client that has stopped reading"},
	}
)

// DescribeDisclosures describes the WebSocket of disclosures.
func DescribeDisclosures() Description {
	return Description{
		Name: "disclosures", Path: "/v1/kap-feed/stream", Legacy: "/v1/kap/stream", Scope: access.KAP,
		Title: "Disclosures as they are stored",
		About: "Delivery is at least once: deduplicate by disclosure_index. Every loss shows as a close, an error or truncated.",
		Actions: []Action{
			authAction,
			{Message{"subscribe",
				"Adds topics. With last_seen_index, the server first replays the stored disclosures of these topics numbered above it, " +
					"lowest first, and then sends replay_done. Disclosures stored during the replay follow it, before the next " +
					"message is answered.", []any{
					subscribeMessage{"subscribe", []string{"all"}, new(int64(1600706))},
					subscribeMessage{"subscribe", []string{"type:FR", "symbol:DMOST"}, nil},
				}}, []Message{subscribedMessage, errorMessage}},
			unsubscribeAction, pingAction,
		},
		Events: []Message{
			{"disclosure", "A disclosure of a followed topic; sent once, even if it matches several topics.",
				[]any{disclosureFrame{"disclosure", false, exampleDisclosure()}}},
			{"replayDone", "The end of a replay; live disclosures follow.",
				[]any{replayDoneFrame{"replay_done", 1600707, false}, replayDoneFrame{"replay_done", 1601706, true}}},
			{"storeWentBack", "The database lost disclosures that were sent, as after a failover without the last commits. " +
				"The stream goes on.", []any{
				newWentBackFrame([]int{1600706, 1600707}),
			}},
			errorMessage,
		},
		Limits: append([]Limit{
			{"replay", maxReplay, "disclosures in one replay"},
			{"queue_bytes", maxBacklog, "bytes of disclosures that may follow on one that waits for a connection"},
		}, commonLimits...),
	}
}

// DescribePrices describes the WebSocket of quotes.
func DescribePrices() Description {
	return Description{
		Name: "prices", Path: "/v1/ws", Scope: access.Live,
		Title: "Quotes as they change",
		About: "Every id needs the quotes scope of its market; without it the id is invalid. A slow client gets only the newest quote of " +
			"each instrument. There is no resume and no conversion.",
		Actions: []Action{
			authAction,
			{Message{"subscribeQuotes", "Adds instruments. The server first sends the current quote of each, or why there is none.", []any{
				subscribeQuotesMessage{"subscribe", []string{"bist:DMALT", "crypto:BTC", "foo:BAR"}, nil},
				subscribeQuotesMessage{"subscribe", []string{"bist:DMALT", "crypto:BTC"}, new(true)},
			}}, []Message{subscribedMessage, errorMessage}},
			unsubscribeAction, pingAction,
		},
		Events: []Message{
			{"quote", "The quote of an instrument whose as_of or last changed, as /v1/quotes returns it.",
				[]any{quoteFrame{"quote", exampleQuote()}}},
			{"noQuote", "Sent instead of a quote: the source has withdrawn the quote or the instrument, or there is no " +
				"quote yet. A quote " +
				"follows when there is one.", []any{
				noQuoteFrame{"no_quote", &NoQuote{InstrumentID: "cmdty:XAU", NullReason: market.NoHonestValue,
					AsOf: value.MustInstant("2026-03-18T11:59:10Z")}},
				noQuoteFrame{"no_quote", &NoQuote{InstrumentID: "bist:DMALTF", NullReason: market.NotPriced}},
			}},
			{"quotes", "In place of quote and no_quote where the client has asked for batches: all that are due at the same moment, " +
				"in several messages if one would be too long.", []any{
				quotesFrame{"quotes", []batchedFrame{
					{quoteFrame{"quote", exampleQuote()}},
					{noQuoteFrame{"no_quote", &NoQuote{InstrumentID: "bist:DMALTF", NullReason: market.NotPriced}}},
				}},
			}},
			errorMessage,
		},
		Limits: append([]Limit{{"batch_bytes", maxBatch, "bytes in a batch of quotes"}}, commonLimits...),
	}
}

func exampleDisclosure() *kap.Disclosure {
	return &kap.Disclosure{
		DisclosureIndex: 1600707, Type: kap.ODA, Class: "ODA", Symbols: []string{"DMOST"}, FilerCodes: []string{"DMOST"},
		FilerTitle: new("Demo Otomotiv Sanayi A.Ş."), PublishedAt: value.MustInstant("2026-03-18T12:10:22Z"), Reason: new(kap.New),
		Subject: &kap.Localized{TR: new("Özel Durum Açıklaması"), EN: new("Material Event")}, AttachmentCount: 1,
	}
}

func exampleQuote() *market.Quote {
	d := value.MustDecimal
	return &market.Quote{
		InstrumentID: "crypto:1", Symbol: "1", Ticker: new("BTC"), Market: market.Crypto, Currency: "USD",
		Last: d("68250.12"), Change: d("-1249.88"), ChangePct: d("-1.80"), Turnover: d("31250000000.5"), MarketCap: d("1351234567890.12"),
		AsOf: value.MustInstant("2026-03-18T11:59:10Z"),
	}
}
