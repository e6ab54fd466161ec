package attachment

import (
	"crypto/hmac"
	"encoding/base64"
	"fmt"
	"strconv"
	"time"

	"piyasa/account/access"
	"piyasa/internal/problem"
	"piyasa/internal/value"
)

// Links makes and checks signed links to documents. Opening one needs no key.
type Links struct {
	Signer  access.Signer
	Now     value.Clock
	BaseURL string
}

// linkLife is how long a link works.
const linkLife = 15 * time.Minute

// To returns links to the documents under a path: the nth document, counted from 1, is at path/n.
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

// signature returns the signature of a link that expires at the time at, in milliseconds.
func (l Links) signature(path string, n int, at int64) string {
	return base64.RawURLEncoding.EncodeToString(l.Signer.Sign("document", path, n, at))
}

// Check verifies the signature and the expiry of a link. Problem: not-found.
func (l Links) Check(path string, n int, expires, signature string) error {
	at, err := strconv.ParseInt(expires, 10, 64)
	// text, since base64 has several encodings of the same bytes
	if err != nil || !hmac.Equal([]byte(signature), []byte(l.signature(path, n, at))) {
		return problem.New(problem.NotFound, "This link is not valid.")
	}
	if !l.Now().Before(value.At(time.UnixMilli(at))) {
		return problem.New(problem.NotFound, "This link has expired; request the disclosure or IPO again for a new one.")
	}
	return nil
}
