package jsonhttp

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"piyasa/collect"
)

// paging is how one question is split into several answers.
type paging struct {
	By     string `json:"by"`
	First  *int   `json:"first"`
	Size   int    `json:"size"`
	Items  string `json:"items"`
	Total  string `json:"total"`
	Cursor string `json:"cursor"`
	Next   string `json:"next"`
	Stop   string `json:"stop"`
	Ends   []int  `json:"ends"` // statuses that end the pages, from the second one on

	Repeats bool `json:"repeats"` // the upstream marks the end by repeating its last page
}

// Ways of paging.
const (
	byPage   = "page"
	byOffset = "offset"
	byCursor = "cursor"
	byNext   = "next"
	byLink   = "link"
)

// expiredStatuses are the statuses of a cursor or link that has expired.
var expiredStatuses = []int{http.StatusBadRequest, http.StatusNotFound, http.StatusGone}

// programs returns the programs that the way of paging needs.
func (p *paging) programs() map[string]string {
	return map[string]string{byPage: p.Items, byOffset: p.Items, byCursor: p.Cursor, byNext: p.Next, byLink: "."}
}

// program returns the program of its own way; empty: none.
func (p *paging) program() string {
	if p == nil || p.By == byLink {
		return ""
	}
	return p.programs()[p.By]
}

// counted reports whether pages are addressed by number or offset.
func (p *paging) counted() bool { return p.By == byPage || p.By == byOffset }

// checkPaging reports an invalid paging.
func (s *source) checkPaging() error {
	p := s.Paging
	if p == nil {
		return nil
	}
	if p.First == nil {
		p.First = new(int)
		if p.By == byPage {
			*p.First = 1
		}
	}
	program, known := p.programs()[p.By]
	switch {
	case p.Size < 0 || *p.First < 0:
		return fmt.Errorf(`"paging.first" must be at least 0, and "paging.size" at least 1; got %d and %d`, *p.First, p.Size)
	case p.By == byOffset && p.Size == 0:
		return errors.New(`"paging.size" must say how many items a full answer has, such as 100: paging by offset needs it`)
	case !known || program == "":
		return fmt.Errorf(`"paging" must be {"by": "page", "items": JQ}, {"by": "offset", "size": N, "items": JQ}, `+
			`{"by": "cursor", "cursor": JQ}, {"by": "next", "next": JQ} or {"by": "link"}; got by %q`, p.By)
	}
	for _, status := range p.Ends {
		if status <= 200 || status > 499 || status == http.StatusUnauthorized || status == http.StatusTooManyRequests {
			return fmt.Errorf(`"paging.ends" must have statuses from 201 to 499 that say that there are no more pages, such as 404; got %d`, status)
		}
	}
	if p.Ends == nil && p.counted() {
		p.Ends = []int{http.StatusNotFound, http.StatusRequestedRangeNotSatisfiable}
	}
	return nil
}

// statuses returns the accepted statuses besides 200.
func (s *source) statuses(k *kept) []int {
	all := []int{http.StatusNoContent}
	switch {
	case len(k.Items) > 0:
		all = append(all, http.StatusNotFound, http.StatusGone)
	case k.Pages > 0:
		all = append(all, s.Paging.Ends...)
		if !s.Paging.counted() {
			all = append(all, expiredStatuses...)
		}
	}
	return all
}

// expired reports whether an answer rejects the cursor or link of the last page.
func (s *source) expired(k *kept, status int) bool {
	return k.Pages > 0 && !s.Paging.counted() && slices.Contains(expiredStatuses, status) && !slices.Contains(s.Paging.Ends, status)
}

// again begins the question again after its cursor has expired: repeated records change
// nothing. If it expires once more before the last page, the run fails.
func (k *kept) again(status int) (*collect.Result, error) {
	what := fmt.Sprintf("the upstream does not go on after page %d (status %d), so the question begins again", k.Pages, status)
	next := kept{Variables: k.Variables, Again: k.Again + 1, Places: k.Places}
	text, err := json.Marshal(next)
	result := &collect.Result{Keep: text, More: true, Warning: what}
	if next.Again > 1 {
		result.Warning, result.Failed = "", &collect.Trouble{What: fmt.Sprintf("%s, %d times in a row", what, next.Again)}
	}
	return result, err
}

// turn moves to the next page, and reports whether there is one.
func (s *source) turn(found outputs, from *collect.Request, got *collect.Answer, k *kept) (more bool, err error) {
	p := s.Paging
	if p == nil {
		return false, nil
	}
	if k.Pages++; k.Pages > mostPages {
		return false, fmt.Errorf("there are more than %d pages", mostPages)
	}
	if stops := found["stop"]; len(stops) > 0 && stops[0] != nil && stops[0] != false {
		return false, nil
	}
	if p.By == byLink {
		return s.follow(nextLink(got.Header["link"]), from, k)
	}
	values := found["paging"]
	if len(values) != 1 {
		return false, fmt.Errorf("the program must give one value; it gives %d", len(values))
	}
	if !p.counted() {
		return s.follow(values[0], from, k)
	}
	n, err := whole(values[0])
	if err != nil || n < 0 {
		return false, fmt.Errorf(`"items" must give how many items the answer has; got %v`, values[0])
	}
	before := k.Before
	if k.Read += n; p.By == byOffset {
		k.At += n
	} else if k.At++; p.Stop == "" && k.counts(n, p.Size) { // pages that begin with the newest item do not grow at the end
		k.At, k.Read, k.Last, k.Items = k.At-2, k.Read-n-before, "", nil
		return true, nil
	}
	if totals := found["total"]; len(totals) == 1 && totals[0] != nil {
		total, err := strconv.Atoi(fmt.Sprint(totals[0])) // numbers in answers are text
		if err != nil {
			return false, fmt.Errorf(`"total" must give how many items there are; got %v`, totals[0])
		}
		k.Total = total
		return n > 0 && k.Read < total, nil
	}
	return n > 0 && n >= p.Size, nil
}

// counts records how many items a page has, and reports whether to ask for the previous page
// again: if it was short, or the size of a full page is not known yet, and another page
// follows, the upstream may have added items to it in the meantime. Once it is full, the walk
// continues from there.
func (k *kept) counts(n, size int) (back bool) {
	switch before := k.Before; {
	case k.Back:
		k.Full = n
	case k.Pages > 1:
		back = n > 0 && before > 0 && (k.Full == 0 || before < k.Full)
	case n > max(k.Full, size): // the page size of the upstream has changed
		k.Full = 0
	default:
		k.Full = max(k.Full, size)
	}
	k.Before, k.Back = n, back
	return back
}

// follow continues at the cursor or link in an answer. A cursor equal to the last one means the
// end, as with some upstreams.
func (s *source) follow(v any, from *collect.Request, k *kept) (more bool, err error) {
	if v == nil || v == "" || v == false {
		return false, nil
	}
	text, ok := v.(string)
	if n, err := whole(v); err == nil {
		text, ok = fmt.Sprint(n), true
	}
	if !ok {
		return false, fmt.Errorf("the program must give text or null; got %v", v)
	}
	if text == k.Cursor {
		return false, nil
	}
	k.Cursor = text
	if s.Paging.By == byCursor {
		return true, nil
	}
	k.Path, k.Query, err = s.below(text, from)
	return err == nil, err
}

// below returns the path and query of a link in an answer, which must be below the base.
func (s *source) below(link string, from *collect.Request) (string, url.Values, error) {
	base, err := url.Parse(strings.TrimSuffix(s.base, "/") + "/")
	if err != nil {
		return "", nil, err
	}
	page := *base
	page.Path += strings.TrimPrefix(from.Path, "/")
	to, err := page.Parse(link)
	if err != nil {
		return "", nil, fmt.Errorf("the next link is none: %w", err)
	}
	path, ok := strings.CutPrefix(to.Path, base.Path)
	if to.Scheme != base.Scheme || to.Host != base.Host || to.User != nil || !ok || strings.Contains(path, "..") {
		return "", nil, fmt.Errorf("the next link leads away from the base: %q", link)
	}
	query, err := url.ParseQuery(to.RawQuery)
	for name := range from.Secret { // links repeat these, and requests have them anyway
		query.Del(name)
	}
	return path, query, err
}

// links matches the parts of the header Link of RFC 8288.
var links = regexp.MustCompile(`<([^<>]*)>([^<]*)`)

// relation matches the relation of a link.
var relation = regexp.MustCompile(`(?i);\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))`)

// nextLink returns the link with the relation next; nil: none.
func nextLink(header string) any {
	for _, m := range links.FindAllStringSubmatch(header, -1) {
		if rel := relation.FindStringSubmatch(m[2]); rel != nil && slices.Contains(strings.Fields(strings.ToLower(rel[1]+rel[2])), "next") {
			return m[1]
		}
	}
	return nil
}
