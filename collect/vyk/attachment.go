package vyk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"net/url"
	"regexp"
	"strings"

	"piyasa/collect"
)

// attachmentID is the form of the ids of attachments.
var attachmentID = regexp.MustCompile(`^[0-9a-f]{32}$`)

// isAttachmentID reports whether a text is the id of an attachment: 32 hexadecimal digits in
// lower case.
func isAttachmentID(text string) bool { return attachmentID.MatchString(text) }

// attachmentIn returns the id at the end of an address's path. The host does not matter.
func attachmentIn(address string) (id string, ok bool) {
	u, err := url.Parse(address)
	if err != nil {
		return "", false
	}
	id = strings.ToLower(u.Path[strings.LastIndex(u.Path, "/")+1:])
	return id, isAttachmentID(id)
}

// locationOf returns the location of an attachment in records.
func locationOf(id string) string { return "vyk/" + id }

// frame is the start of an attachment that Java wrote as a byte array; the length follows.
var frame = []byte("\xac\xed\x00\x05ur\x00\x02[B\xac\xf3\x17\xf8\x06\x08T\xe0\x02\x00\x00xp")

// readAttachment returns the file in an answer, and whether it is cut: whether the answer ends
// within the frame or, without a frame, too early for the file's format. A frame of another
// length is an error, and so is a page instead of the file.
func readAttachment(body []byte) (file []byte, isCut bool, err error) {
	rest, framed := bytes.CutPrefix(body, frame)
	if framed {
		if len(rest) < 4 || uint64(binary.BigEndian.Uint32(rest)) != uint64(len(rest)-4) {
			return nil, false, errors.New("the file is not as long as its frame says")
		}
		rest = rest[4:]
	}
	if collect.IsPage(rest) {
		return nil, false, errors.New("it is a page instead of a file")
	}
	return rest, cut(body), nil
}

// Marks at the end of files: a PDF has one in the last 1,024 bytes, a ZIP a directory before
// its comment.
const (
	pdfEnd   = 1024
	zipLeast = 22
	zipEnd   = zipLeast + 1<<16
)

// cut reports whether a file ends too early.
func cut(body []byte) bool {
	tail := func(n int) []byte { return body[max(0, len(body)-n):] }
	switch {
	case bytes.HasPrefix(frame, body):
		return true
	case bytes.HasPrefix(body, []byte("%PDF-")):
		return !bytes.Contains(tail(pdfEnd), []byte("%%EOF"))
	case bytes.HasPrefix(body, []byte("PK\x03\x04")):
		end := tail(zipEnd)
		at := bytes.LastIndex(end, []byte("PK\x05\x06"))
		return at < 0 || len(end)-at < zipLeast
	}
	return false
}
