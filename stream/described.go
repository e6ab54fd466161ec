package stream

import (
	"piyasa/access"
	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/value"
)

// Description is what there is to say about one kind of socket. The documents
// for programs and for people are made of it or compared with it.
type Description struct {
	Name    string // in documents
	Path    string
	Legacy  string // an older path of the same socket, deprecated; empty: none
	Title   string
	About   string
	Scope   access.Scope // what a key must have to connect
	Actions []Action
	Events  []Message // what the server says unasked
	Limits  []Limit
}

// Action is a message of the client and what the server may answer.
type Action struct {
	Message
	Answers []Message
}

// Message is one kind of message. Messages of different kinds have different
// names.
type Message struct {
	Name     string
	About    string
	Examples []any // all of its Go type, which says the rest
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
	resume  = "Connect again and resume."
	later   = "Connect again with growing pauses, and resume."
	correct = "Correct the client; the same again ends the same."
	newKey  = "Give up until the key is another."
)

// Closes are all ways in which the server ends a connection.
func Closes() []Close {
	list := []struct {
		Closing
		when, client string
	}{
		{GoingAway, "The server goes down. What waited for this connection was sent first, for at most 5 s.", resume},
		{invalidUTF8, "A text frame is not UTF-8.", correct},
		{Closing{1009, ""}, "A frame is too large.", correct},
		{serverError, "This connection failed in an unexpected way.", later},
		{unavailable, "The server has lost sight of its database.", later},
		{tooMany, "The server has as many connections as it takes.", later},
		{badMessages, "The third bad message on this connection.", correct},
		{authTimeout, "No first frame within 10 s.", correct},
		{authRequired, "The first frame was not a well-formed auth.", correct},
		{invalidKey, "The key is unknown or revoked, now or during the connection.", newKey},
		{missingScope, "The key lacks the scope of this socket.", newKey},
		{slowConsumer, "The client reads too slowly: its queue was full, or it left a message untaken for 30 s.", resume},
	}
	closes := make([]Close, len(list))
	for i, c := range list {
		closes[i] = Close{c.Code, c.Reason, c.when, c.client}
	}
	return closes
}

// What clients say; parseMessage reads it.
type (
	authMessage struct {
		Action string `json:"action" const:"auth"`
		APIKey string `json:"api_key" description:"An API key."`
	}
	subscribeMessage struct {
		Action        string   `json:"action" const:"subscribe"`
		IDs           []string `json:"ids" nullable:"false" minItems:"1" maxItems:"100" description:"Topics: all, type:<TYPE> or symbol:<CODE>."`
		LastSeenIndex *int64   `json:"last_seen_index,omitempty" minimum:"0" description:"Number of the last disclosure processed: what is numbered above comes again first. Null is the same as none."`
	}
	subscribeQuotesMessage struct {
		Action string   `json:"action" const:"subscribe"`
		IDs    []string `json:"ids" nullable:"false" minItems:"1" maxItems:"100" description:"Instrument ids in any accepted spelling."`
	}
	unsubscribeMessage struct {
		Action string   `json:"action" const:"unsubscribe"`
		IDs    []string `json:"ids" nullable:"false" minItems:"1" maxItems:"100" description:"As in subscribe."`
	}
	pingMessage struct {
		Action string `json:"action" const:"ping"`
	}
)

// exampleKey is nobody's.
const exampleKey = "piyasa_live_0000000000000000000000000000000000000000"

// Messages of every socket.
var (
	authAction = Action{
		Message{"auth", "Must be the first frame, within 10 s.", []any{authMessage{"auth", exampleKey}}},
		[]Message{{"authOk", "The key is good. Anything else closes the connection.", []any{authFrame{"auth_ok", "pro"}}}},
	}
	pingAction = Action{
		Message{"ping", "Say it every 30 s: the network cuts connections that are silent for long.", []any{pingMessage{"ping"}}},
		[]Message{{"pong", "At once, also during a replay.", []any{pongFrame{"pong"}}}},
	}
	unsubscribeAction = Action{
		Message{"unsubscribe", "Removes what is followed; nothing comes because of it after unsubscribed.", []any{
			unsubscribeMessage{"unsubscribe", []string{"type:ODA"}},
			unsubscribeMessage{"unsubscribe", []string{"crypto:BTC"}},
		}},
		[]Message{{"unsubscribed", "What was really removed.", []any{
			unsubscribedFrame{"unsubscribed", []string{"type:ODA"}},
			unsubscribedFrame{"unsubscribed", []string{"crypto:1"}},
		}}, errorMessage},
	}
	subscribedMessage = Message{"subscribed", "Follows subscribe. What is invalid does not stop the rest.", []any{
		subscribedFrame{"subscribed", []string{"all"}, []string{}},
		subscribedFrame{"subscribed", []string{"bist:DMALTF", "crypto:1"}, []string{"foo:BAR"}},
	}}
	errorMessage = Message{"error", "The connection stays open: bad_message, which changed nothing and of which the third closes; " +
		"subscription_limit, nothing was added; server_error, a replay failed and replay_done follows.", []any{
		errorFrame{"error", "bad_message", "ids must be a list of 1 to 100 strings"},
		limitError, replayError,
	}}
	commonLimits = []Limit{
		{"topics_per_message", maxTopicsPerMessage, "ids in one message"},
		{"topics_per_connection", maxTopics, "ids followed at once on one connection"},
		{"bad_messages", maxStrikes, "bad messages until the connection is closed; the count never resets"},
		{"message_bytes", maxMessage, "bytes of a client's frame"},
		{"auth_seconds", int(AuthWait.Seconds()), "seconds until the first frame must be there"},
		{"write_seconds", int(WriteWait.Seconds()), "seconds that a client may leave a message untaken"},
		{"close_seconds", int(CloseWait.Seconds()), "seconds that a close frame waits for a client that does not read"},
	}
)

// DescribeDisclosures describes the socket of disclosures.
func DescribeDisclosures() Description {
	return Description{
		Name: "disclosures", Path: "/v1/kap-feed/stream", Legacy: "/v1/kap/stream", Scope: access.KAP,
		Title: "Disclosures as they are stored",
		About: "At least once: deduplicate by disclosure_index. Nothing is dropped without a close, an error or truncated.",
		Actions: []Action{
			authAction,
			{Message{"subscribe", "Adds topics. With last_seen_index, stored disclosures of these topics numbered above it come again first, " +
				"oldest first, and replay_done ends them; what is stored meanwhile waits and follows, before the next message is answered.", []any{
				subscribeMessage{"subscribe", []string{"all"}, new(int64(1600706))},
				subscribeMessage{"subscribe", []string{"type:FR", "symbol:DMOST"}, nil},
			}}, []Message{subscribedMessage, errorMessage}},
			unsubscribeAction, pingAction,
		},
		Events: []Message{
			{"disclosure", "A disclosure of a topic that is followed, once however many topics it matches.", []any{disclosureFrame{"disclosure", false, exampleDisclosure()}}},
			{"replayDone", "The end of a replay; live disclosures follow.", []any{replayDoneFrame{"replay_done", 1600707, false}, replayDoneFrame{"replay_done", 1601706, true}}},
			errorMessage,
		},
		Limits: append([]Limit{
			{"replay", maxReplay, "disclosures in one replay"},
			{"queue", queueLimit, "disclosures that may wait for one connection"},
		}, commonLimits...),
	}
}

// DescribePrices describes the socket of prices.
func DescribePrices() Description {
	return Description{
		Name: "prices", Path: "/v1/ws", Scope: access.Live,
		Title: "Quotes as they change",
		About: "Every id needs the quotes scope of its market; ids without it are invalid. A slow reader gets the newest quote of each instrument. There is no resume and no conversion.",
		Actions: []Action{
			authAction,
			{Message{"subscribeQuotes", "Adds instruments; the current quote of each comes first, or why there is none.", []any{
				subscribeQuotesMessage{"subscribe", []string{"bist:DMALT", "crypto:BTC", "foo:BAR"}},
			}}, []Message{subscribedMessage, errorMessage}},
			unsubscribeAction, pingAction,
		},
		Events: []Message{
			{"quote", "The quote of an instrument whose as_of or last has changed, the same as /v1/quotes gives.", []any{quoteFrame{"quote", exampleQuote()}}},
			{"noQuote", "Instead of a quote: the source has withdrawn it or the instrument, or there was none yet. A quote follows once there is one.", []any{
				noQuoteFrame{"no_quote", &NoQuote{InstrumentID: "cmdty:XAU", NullReason: market.NoHonestValue, AsOf: value.MustInstant("2026-03-18T11:59:10Z")}},
				noQuoteFrame{"no_quote", &NoQuote{InstrumentID: "bist:DMALTF", NullReason: market.NotPriced}},
			}},
			errorMessage,
		},
		Limits: commonLimits,
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
