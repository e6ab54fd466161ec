package vyk

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"piyasa/collect"
)

// Bounds of what is kept, and times.
const (
	mostNumber  = 1<<31 - 1
	mostListed  = 1000 // rows of a list
	mostLate    = 200
	mostFiles   = 500
	mostBlocked = 5000
	mostUnseen  = 50   // numbers that were announced and are in no list
	stride      = 5000 // numbers that an empty page stands for

	askLate    = 5 * time.Minute
	dropLate   = 24 * time.Hour
	askBlocked = time.Hour
	askMembers = 24 * time.Hour
)

// kept is how far the disclosures have been read.
type kept struct {
	Last    int64     `json:"last"`             // the newest number that is known
	Next    int64     `json:"next"`             // the first one that has not been listed; 0: nothing has been asked
	Queue   []entry   `json:"queue,omitempty"`  // listed, to be read
	Since   time.Time `json:"since,omitzero"`   // when what comes next was first missing
	Late    []entry   `json:"late,omitempty"`   // left out, and asked for again
	Files   []string  `json:"files,omitempty"`  // attachments to be downloaded
	FileAt  time.Time `json:"file_at,omitzero"` // when the first of them was first missing
	Blocked []int64   `json:"blocked,omitempty"`
	BlockAt time.Time `json:"block_at,omitzero"`
	Members time.Time `json:"members,omitzero"`
}

// entry is a disclosure that is still to be read.
type entry struct {
	N     int64     `json:"n"`
	HTML  bool      `json:"html,omitempty"` // it has no data
	Since time.Time `json:"since,omitzero"`
	Asked time.Time `json:"asked,omitzero"`
}

func readKept(text json.RawMessage) (k kept, err error) {
	if len(text) == 0 || string(text) == "null" {
		return k, nil
	}
	err = json.Unmarshal(text, &k)
	return k, err
}

// Ask implements collect.Source: what is listed is read before more is listed, and a run
// ends when the service has no newer number.
func (s *source) Ask(text json.RawMessage, now time.Time) (*collect.Request, error) {
	k, err := readKept(text)
	if err != nil {
		return nil, err
	}
	if now.Sub(k.BlockAt) >= askBlocked {
		return s.request("blockedDisclosures", nil, collect.JSON), nil
	}
	if len(k.Files) >= mostFiles {
		return s.request("downloadAttachment/"+k.Files[0], nil, collect.Bytes), nil
	}
	if len(k.Queue) > 0 && !(len(k.Files) > 0 && !k.Since.IsZero()) {
		return s.detail(k.Queue[0]), nil
	}
	if len(k.Files) > 0 {
		return s.request("downloadAttachment/"+k.Files[0], nil, collect.Bytes), nil
	}
	if k.Next > 0 && k.Next <= k.Last {
		return s.request("disclosures", url.Values{"disclosureIndex": {strconv.FormatInt(k.Next, 10)}}, collect.JSON), nil
	}
	for _, e := range k.Late {
		if now.Sub(e.Asked) >= askLate {
			return s.detail(e), nil
		}
	}
	if s.companies && now.Sub(k.Members) >= askMembers {
		return s.request("members", nil, collect.JSON), nil
	}
	return s.request("lastDisclosureIndex", nil, collect.JSON), nil
}

// detail asks for a disclosure.
func (s *source) detail(e entry) *collect.Request {
	kind := "data"
	if e.HTML {
		kind = "html"
	}
	return s.request(fmt.Sprint("disclosureDetail/", e.N), url.Values{"fileType": {kind}}, collect.JSON)
}

// missing notes that the first of the queue is not there, and reports whether to wait for it.
// After a while the others go on without it.
func (s *source) missing(k *kept, at time.Time) (waits bool) {
	if k.Since.IsZero() {
		k.Since = at
	}
	if at.Sub(k.Since) < s.hold {
		return true
	}
	first := k.Queue[0]
	first.Since, first.Asked = k.Since, at
	k.Queue, k.Since = k.Queue[1:], time.Time{}
	k.leave(first)
	return false
}

// leave adds to those that are late; the oldest give way.
func (k *kept) leave(e entry) {
	k.Late = append(k.Late, e)
	k.Late = k.Late[max(0, len(k.Late)-mostLate):]
}

// unlisted notes that a list from Next on is empty.
func (s *source) unlisted(k *kept, at time.Time) (waits bool) {
	if k.Next+stride <= k.Last {
		k.Next += stride
		return false
	}
	// The last number was announced, so its row is late: stepping over it would lose it.
	if k.Since.IsZero() {
		k.Since = at
	}
	if at.Sub(k.Since) < s.hold {
		return true
	}
	for n := max(k.Next, k.Last-mostUnseen+1); n <= k.Last; n++ {
		k.leave(entry{N: n, Since: k.Since, Asked: at})
	}
	k.Next, k.Since = k.Last+1, time.Time{}
	return false
}

// number returns what a path ends with.
func number(path string) (int64, error) {
	return strconv.ParseInt(path[strings.LastIndex(path, "/")+1:], 10, 64)
}
