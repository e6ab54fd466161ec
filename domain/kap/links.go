package kap

import (
	"crypto/hmac"
	"encoding/base64"
	"fmt"
	"strconv"
	"time"

	"piyasa/access"
	"piyasa/problem"
	"piyasa/value"
)

// Links makes and checks the signed addresses of documents, which need no key
// for as long as they work.
type Links struct {
	Signer  access.Signer
	Now     value.Clock
	BaseURL string
}

// linkLife is how long a link works, to the second.
const linkLife = 15 * time.Minute

// To are links to the documents under a path, the nth at path/n, counted from
// 1.
func (l Links) To(path string, documents []Document) []*Attachment {
	links := make([]*Attachment, len(documents))
	expires := l.Now().Add(linkLife).WholeSecond()
	at := expires.Time().UnixMilli()
	for i, d := range documents {
		url := fmt.Sprintf("%s%s/%d?expires=%d&signature=%s", l.BaseURL, path, i+1, at, l.signature(path, i+1, at))
		links[i] = &Attachment{d.Name, d.ContentType, d.SizeBytes, url, expires}
	}
	return links
}

// signature is the text that vouches for a link.
func (l Links) signature(path string, n int, at int64) string {
	return base64.RawURLEncoding.EncodeToString(l.Signer.Sign("document", path, n, at))
}

// Check lets a link through that was made here and still works; else it is the
// problem not-found.
func (l Links) Check(path string, n int, expires, signature string) error {
	at, err := strconv.ParseInt(expires, 10, 64)
	if err != nil || !hmac.Equal([]byte(signature), []byte(l.signature(path, n, at))) { // text, since base64 has several spellings
		return problem.New(problem.NotFound, "This link is not valid.")
	}
	if !l.Now().Before(value.At(time.UnixMilli(at))) {
		return problem.New(problem.NotFound, "This link has expired; request the disclosure or IPO again for a new one.")
	}
	return nil
}
