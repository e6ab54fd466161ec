package vyk

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"piyasa/collect"
)

// without goes on without a disclosure or an attachment that is larger than it may be, and
// without an attachment that does not come, or in whose place something else does. Anything else
// that is wrong ends the run.
func (k *kept) without(r *collect.Result, asked *collect.Request, got *collect.Answer) error {
	service, last, _ := strings.Cut(strings.TrimPrefix(asked.Path, "vyk/"), "/")
	e, name := entry{File: last, Since: got.At}, "attachment "+location(last)
	if service != "downloadAttachment" {
		n, err := strconv.ParseInt(last, 10, 64)
		if err != nil {
			return got.Trouble
		}
		e, name = entry{N: n}, "disclosure "+last
	}
	is := func(l entry) bool { return l.N == e.N && l.File == e.File }
	late := slices.IndexFunc(k.Late, is)
	away := e.File != "" && (got.Status == 0 || got.Status == http.StatusOK) // else the service refuses
	switch {
	case got.Trouble.TooLarge:
		k.Late = slices.DeleteFunc(k.Late, is)
		r.Warning = fmt.Sprintf("%s stays at the service: %s", name, got.Trouble.What)
	case away && late >= 0:
		r.Warning = fmt.Sprintf("%s does not come: %s", name, got.Trouble.What)
		if k.again(late, got.At) {
			r.Warning += "; after 30 days it is given up"
		}
	case away && k.full() == "":
		k.leave(e, got.At)
		r.Warning = fmt.Sprintf("%s does not come, and is asked for again later: %s", name, got.Trouble.What)
	default:
		return got.Trouble
	}
	if len(k.Queue) > 0 && is(k.Queue[0]) {
		k.Queue, k.Since = k.Queue[1:], time.Time{}
	}
	k.Files = slices.DeleteFunc(k.Files, func(file string) bool { return file == e.File })
	return nil
}
