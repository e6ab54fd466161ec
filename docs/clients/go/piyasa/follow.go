package piyasa

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"
)

const (
	silence  = time.Minute            // after which a stream is dead: a living one gives a sign every 15 s
	minPause = 250 * time.Millisecond // before a connection that was lost is replaced
	maxPause = 10 * time.Second
	maxLine  = 16 << 20 // bytes of an event
)

// Disclosure is a disclosure of a stream; REST has its details.
type Disclosure struct {
	Position   string   `json:"-"` // store it when you are done with the disclosure
	Index      int64    `json:"disclosureIndex"`
	Type       string   `json:"type"`
	Symbols    []string `json:"symbols"`
	FilerTitle *string  `json:"filerTitle"`
	Subject    *struct {
		TR, EN *string
	} `json:"subject"`
	PublishedAt *time.Time `json:"publishedAt"`
	Link        *string    `json:"link"`
}

const follow = `subscription ($topics: [String!]!, $after: String, $seq: Long) { disclosureStream(topics: $topics, after: $after, afterSeq: $seq) {
  __typename
  ... on Subscribed { invalid }
  ... on DisclosureEvent { data { disclosureIndex type symbols filerTitle publishedAt subject { tr en } link } }
  ... on ReplayDone { truncated }
  ... on StreamError { code message } } }`

// FromStart is the position before everything that is stored.
const FromStart = "0"

// FollowDisclosures yields disclosures without loss, whatever breaks, until ctx ends, the loop does, or an error that
// trying again does not help against. It begins after a position; empty: with what is stored from now on.
func (c *Client) FollowDisclosures(ctx context.Context, position string, topics ...string) iter.Seq2[Disclosure, error] {
	return func(yield func(Disclosure, error) bool) {
		if len(topics) == 0 {
			topics = []string{"all"}
		}
		pause, going := minPause, true
		handle := func(d Disclosure) bool {
			going = yield(d, nil)
			return going
		}
		for {
			before := position
			err := c.stream(ctx, &position, topics, handle)
			if !going {
				return
			}
			if position != before {
				pause = minPause
			}
			refused := new(Problem)
			if errors.As(err, &refused) && !passes(refused.Status) {
				yield(Disclosure{}, err)
				return
			}
			if end := sleep(ctx, pause/2+rand.N(pause)); end != nil {
				yield(Disclosure{}, errors.Join(end, err))
				return
			}
			pause = min(2*pause, maxPause)
		}
	}
}

// stream follows on one connection until it ends, and moves the position.
func (c *Client) stream(ctx context.Context, position *string, topics []string, handle func(Disclosure) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	dead := time.AfterFunc(silence, cancel)
	defer dead.Stop()
	variables := map[string]any{"topics": topics, "after": *position}
	switch *position {
	case "":
		delete(variables, "after")
	case FromStart:
		variables = map[string]any{"topics": topics, "seq": 0}
	}
	body, err := json.Marshal(map[string]any{"query": follow, "variables": variables})
	if err != nil {
		return err
	}
	res, err := c.send(ctx, http.MethodPost, "/graphql/stream", "text/event-stream", body)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return refusal(res)
	}
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, maxLine)
	var id, data string
	for lines.Scan() {
		dead.Reset(silence)
		switch name, value, _ := strings.Cut(lines.Text(), ":"); name {
		case "id":
			id = strings.TrimPrefix(value, " ")
		case "data":
			data = strings.TrimPrefix(value, " ")
		case "":
			if lines.Text() != "" || data == "" { // a comment, or nothing
				continue
			}
			if id != "" {
				*position = id
			}
			more, err := take(data, *position, handle)
			if err != nil || !more {
				return err
			}
			data = ""
		}
	}
	return lines.Err()
}

// take handles one event, and reports whether the connection goes on.
func take(data, position string, handle func(Disclosure) bool) (more bool, err error) {
	var answer answered
	if err := json.Unmarshal([]byte(data), &answer); err != nil {
		return false, &Problem{Status: http.StatusOK, Detail: err.Error(), Text: []byte(data)}
	}
	var got struct {
		DisclosureStream struct {
			Type          string `json:"__typename"`
			Data          Disclosure
			Truncated     bool
			Invalid       []string
			Code, Message string
		}
	}
	if err := answer.decode(&got); err != nil {
		return false, err
	}
	switch of := got.DisclosureStream; {
	case of.Type == "DisclosureEvent":
		of.Data.Position = position
		return handle(of.Data), nil
	case len(of.Invalid) > 0:
		return false, &Problem{Status: http.StatusOK, Type: "invalid-parameter", Detail: "no topics: " + strings.Join(of.Invalid, ", ")}
	case of.Type == "StreamError" && of.Code != "SLOW_CONSUMER":
		return false, &Problem{Status: http.StatusOK, Type: of.Code, Detail: of.Message}
	default:
		return !of.Truncated, nil // more is stored than a replay holds: the next one goes on from here
	}
}
