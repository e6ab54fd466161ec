package answer

import (
	"net/http"
	"strconv"
	"strings"

	"piyasa/account/access"
)

// Serve answers a request as Of does, and charges the cost of the answer. A GET whose client
// already has the answer costs one unit, and no answer is made. show writes an answer.
func (m *Memory[S]) Serve(r *http.Request, key string, stamp S, answer func() *Kept, show func(*Kept)) {
	if tag := ""; r.Header["If-None-Match"] != nil && r.Method != http.MethodPost && !asksForAny(r) {
		if tag = m.Tag(key, stamp); Matches(r.Header["If-None-Match"], tag) {
			m.Again()
			kept := &Kept{Tag: tag}
			kept.Charge(r)
			show(kept)
			return
		}
	}
	own := false
	kept, err := m.Of(r.Context(), key, stamp, func() *Kept {
		own = true
		return answer()
	})
	if err != nil || kept == nil { // the client has left, or has its answer
		return
	}
	if !own {
		kept.Charge(r)
	}
	show(kept)
}

// Charge charges a request that is answered with the kept k: the cost of k, or a unit if the
// client already has k.
func (k *Kept) Charge(r *http.Request) {
	if k.isKnown(r) {
		access.Charge(r.Context(), access.Unit)
		return
	}
	access.CallOf(r.Context()).ChargeAgain(k.Used)
}

// Units returns the cost of k in request units.
func (k *Kept) Units() (units int64) {
	for _, u := range k.Used {
		units += u.Units
	}
	return units
}

// Sent returns how many bytes of k a request is sent: none if its client already has k.
func (k *Kept) Sent(r *http.Request) int {
	if k.isKnown(r) {
		return 0
	}
	return len(k.Body)
}

// isKnown reports whether the client already has k.
func (k *Kept) isKnown(r *http.Request) bool {
	tags := r.Header["If-None-Match"]
	return k.Tag != "" && r.Method != http.MethodPost && tags != nil && Matches(tags, k.Tag)
}

// asksForAny reports whether If-None-Match is only *, which matches any answer.
func asksForAny(r *http.Request) bool {
	tags := r.Header["If-None-Match"]
	return len(tags) == 1 && strings.TrimSpace(tags[0]) == "*"
}

// Write writes the answer, or 304 if the client has an answer with its tag. It sends no tag for
// a POST, which no cache would revalidate.
func (k *Kept) Write(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	if k.Tag == "" || r.Method == http.MethodPost {
		h["Cache-Control"] = uncached
	} else {
		h["Cache-Control"] = revalidated
		h["Vary"] = append(h["Vary"], "X-API-Key")
		SetHeaders(h, Header{"Etag", k.Tag})
		if k.isKnown(r) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	var end []byte
	if k.End != nil {
		end = k.End(make([]byte, 0, 128), access.CallOf(r.Context()))
	}
	body := k.Body
	if p := k.packedFor(r); p != nil {
		body, end = p.blocks, p.end(end)
		h["Content-Encoding"] = gzipped
	}
	SetHeaders(h, Header{"Content-Type", k.Media}, Header{"Content-Length", strconv.Itoa(len(body) + len(end))})
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(body)
	if len(end) > 0 {
		_, _ = w.Write(end)
	}
}

// Values of headers that never change.
var (
	uncached    = []string{"private, no-store"}
	revalidated = []string{"private, no-cache"}
	gzipped     = []string{"gzip"}
)

// Matches reports whether If-None-Match names etag: as any version (*), or in a list. It takes
// weak and strong tags alike, and also a tag as Apache changes it when it compresses an answer.
// The list ends at the first item that is not an entity tag.
func Matches(header []string, etag string) bool {
	etag = strings.TrimPrefix(etag, "W/")
	list := strings.TrimSpace(strings.Join(header, ","))
	if list == "*" {
		return true
	}
	for {
		list = strings.TrimPrefix(strings.TrimLeft(list, ", \t"), "W/")
		if !strings.HasPrefix(list, `"`) {
			return false
		}
		tag, rest, closed := strings.Cut(list[1:], `"`)
		if !closed {
			return false
		}
		if `"`+tag+`"` == etag || `"`+strings.TrimSuffix(strings.TrimSuffix(tag, "-gzip"), "-br")+`"` == etag {
			return true
		}
		list = rest
	}
}
