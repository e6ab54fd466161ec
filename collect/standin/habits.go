package standin

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// habit is an awkward habit of ordinary JSON APIs.
type habit struct {
	settings string // of the connector json, with SINCE in place of the day
	answer   func(h *habits, w http.ResponseWriter, r *http.Request)
}

// Credentials and bounds of the stand-in of habits.
const (
	HabitsClient   = "habits-client"
	HabitsPassword = "habits+pass%word"
	habitsToken    = 30 * time.Minute // lifetime of a token
	habitsCursor   = 10 * time.Minute // lifetime of a cursor
	habitsPerMin   = 20               // requests that the limited API accepts
	habitsWindow   = 7                // days in an answer of the API with windows
)

const habitsRecord = `"records": ".items[] | {record: \"bar\", instrument_id: (\"bist:\" + .code), resolution: \"1d\", t: .begins, ` +
	`close: .price, volume: .volume}", "start": {"since": "SINCE"}`

const (
	habitsKeep  = `, "keep": "{since: ([.items[]?.day, $kept.since] | max)}"`
	habitsPages = `"request": {"path": "prices", "query": {"since": "${since}", "page": "${page}"}}, ` + habitsRecord + habitsKeep
	habitsCount = `, "paging": {"by": "page", "size": 4, "items": ".items | length"}`
)

// habitsOf are the habits by their names, which are the first part of their paths.
var habitsOf = map[string]habit{
	"ends-404":   {habitsPages + habitsCount, endsWith(http.StatusNotFound, `{"error":"no such page"}`)},
	"ends-204":   {habitsPages + habitsCount, endsWith(http.StatusNoContent, "")},
	"ends-416":   {habitsPages + habitsCount, endsWith(http.StatusRequestedRangeNotSatisfiable, "no such range")},
	"ends-422":   {habitsPages + `, "paging": {"by": "page", "items": ".items | length", "ends": [422]}`, endsWith(http.StatusUnprocessableEntity, "")},
	"ends-empty": {habitsPages + habitsCount, endsWith(http.StatusOK, "")},
	"ends-null":  {habitsPages + habitsCount, endsWith(http.StatusOK, "null")},
	"ends-short": {habitsPages + `, "paging": {"by": "page", "items": ".items | length", "total": ".total"}`, endsWith(http.StatusOK, "")},
	"ends-list":  {habitsPages + habitsCount, endsWith(http.StatusOK, "[]")},
	"repeats":    {habitsPages + habitsCount, repeatsLast},
	"total":      {habitsPages + `, "paging": {"by": "page", "items": ".items | length", "total": ".total"}`, endsWith(http.StatusBadRequest, "")},
	"link":       {`"request": {"path": "prices", "query": {"since": "${since}"}}, "paging": {"by": "link"}, ` + habitsRecord + habitsKeep, links},
	"cursor": {`"request": {"path": "prices", "query": {"since": "${since}", "after": "${cursor}"}}, "paging": {"by": "cursor", "cursor": ".next"}, ` +
		habitsRecord + habitsKeep, cursors},
	"newest": {`"request": {"path": "prices", "query": {"page": "${page}"}}, "paging": {"by": "page", "items": ".items | length",
		"stop": "any(.items[]; .day < $kept.since)"}, ` + habitsRecord + habitsKeep, newestFirst},
	"windows": {`"request": {"path": "prices", "query": {"from": "${window_from}", "to": "${window_to}"}}, "windows": {"from": "since", "days": 7}, ` +
		habitsRecord, windowed},
	"detail": {`"request": {"path": "days", "query": {"since": "${since}"}}, "records": "empty", "start": {"since": "SINCE"},
		"keep": "{since: ([.days[].day, $kept.since] | max)}", "detail": {"items": ".days[].id", "path": "days/${item}",
		"records": ".items[] | {record: \"bar\", instrument_id: (\"bist:\" + .code), resolution: \"1d\", t: .begins, close: .price, volume: .volume}"}`, details},
	"posts": {`"request": {"path": "prices", "method": "POST", "form": {"since": "${since}", "page": "${page}", "key": {"env": "HABITS_KEY"}}}, ` +
		habitsRecord + habitsKeep + habitsCount, posts},
	"key": {`"request": {"path": "prices", "query": {"since": "${since}", "page": "${page}", "apikey": {"env": "HABITS_KEY"}}}, ` +
		habitsRecord + habitsKeep + habitsCount, keyed},
	"basic": {`"basic": {"user": {"env": "HABITS_CLIENT"}, "password": {"env": "HABITS_PASSWORD"}}, ` + habitsPages + habitsCount, basicOnly},
	"oauth2": {`"oauth2": {"path": "token", "client_id": {"env": "HABITS_CLIENT"}, "client_secret": {"env": "HABITS_PASSWORD"}}, ` +
		habitsPages + habitsCount, tokens},
	"limits": {`"retry": {"500": "30s"}, ` + habitsPages + habitsCount, limits},
	"headers": {`"answer_headers": ["X-Total-Count"], "request": {"path": "prices", "query": {"since": "${since}", "page": "${page}"}}, ` +
		habitsRecord + habitsKeep + `, "paging": {"by": "page", "items": ".items | length", "total": "$headers.\"x-total-count\""}`, headers},
}

// HabitNames returns the names of all habits, sorted.
func HabitNames() []string { return slices.Sorted(maps.Keys(habitsOf)) }

// HabitExample returns the settings of the connector json for a habit, from a day on; base is the
// address of the stand-in of habits.
func HabitExample(name, base string, from time.Time) Example {
	text := fmt.Sprintf(`{"base": %q, "pace": "200ms", %s}`, strings.TrimSuffix(base, "/")+"/"+name+"/", habitsOf[name].settings)
	return Example{Settings: strings.ReplaceAll(text, "SINCE", from.Format(time.DateOnly)),
		Env: map[string]string{"HABITS_KEY": JSONKey, "HABITS_CLIENT": HabitsClient, "HABITS_PASSWORD": HabitsPassword}}
}

// habits is the stand-in of all of them.
type habits struct {
	now func() time.Time

	mu       sync.Mutex
	requests []time.Time // accepted by the limited API in the last minute
	refused  int
}

// Habits returns a stand-in of JSON APIs, one for each habit under a path of its name. They serve
// the prices of the stand-in JSON.
func Habits(now func() time.Time) http.Handler {
	h := &habits{now: now}
	mux := http.NewServeMux()
	for name, of := range habitsOf {
		mux.HandleFunc("/"+name+"/", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			r.URL.Path = strings.TrimPrefix(r.URL.Path, "/"+name)
			of.answer(h, w, r)
		})
	}
	return mux
}

// prices returns the prices from a day on, oldest first.
func (h *habits) prices(since string) (all []JSONPrice) {
	day, err := time.ParseInLocation(time.DateOnly, since, evdsZone)
	for ; err == nil && !day.Add(19*time.Hour).After(h.now()); day = day.AddDate(0, 0, 1) {
		all = append(all, JSONPrices(day)...)
	}
	return all
}

// write writes an answer with prices and more members.
func (h *habits) write(w http.ResponseWriter, prices []JSONPrice, members string) {
	items := make([]string, len(prices))
	for i, p := range prices {
		items[i] = fmt.Sprintf(`{"code":%q,"day":%q,"begins":%q,"price":%s,"volume":%s}`, p.Code, p.Day, p.Begins, p.Price, p.Volume)
	}
	fmt.Fprintf(w, `{"items":[%s]%s}`, strings.Join(items, ","), members)
}

// page returns the requested page and all prices.
func (h *habits) page(values url.Values) (page, all []JSONPrice) {
	n, _ := strconv.Atoi(values.Get("page"))
	all = h.prices(values.Get("since"))
	from := min(max(0, (n-1)*JSONPage), len(all))
	return all[from:min(from+JSONPage, len(all))], all
}

// endsWith answers a page past the end with a status and a body.
func endsWith(status int, body string) func(*habits, http.ResponseWriter, *http.Request) {
	return func(h *habits, w http.ResponseWriter, r *http.Request) {
		page, all := h.page(r.URL.Query())
		if len(page) == 0 && r.URL.Query().Get("page") != "1" {
			w.WriteHeader(status)
			fmt.Fprint(w, body)
			return
		}
		h.write(w, page, fmt.Sprintf(`,"total":%d`, len(all)))
	}
}

// repeatsLast answers a page past the end with the last page.
func repeatsLast(h *habits, w http.ResponseWriter, r *http.Request) {
	page, all := h.page(r.URL.Query())
	if len(page) == 0 {
		page = all[max(0, len(all)-JSONPage):]
	}
	h.write(w, page, fmt.Sprintf(`,"page":%q`, r.URL.Query().Get("page")))
}

// links names the next page in the header Link.
func links(h *habits, w http.ResponseWriter, r *http.Request) {
	values := r.URL.Query()
	n, _ := strconv.Atoi(values.Get("page"))
	values.Set("page", strconv.Itoa(max(n, 1)))
	page, all := h.page(values)
	if max(n, 1)*JSONPage < len(all) {
		values.Set("page", strconv.Itoa(max(n, 1)+1))
		w.Header().Set("Link", fmt.Sprintf(`<prices?page=1>; rel="first", <?%s>; title="a, b"; rel="Next"`, values.Encode()))
	}
	h.write(w, page, "")
}

// cursors gives cursors that expire, and answers an expired one with one of three statuses.
func cursors(h *habits, w http.ResponseWriter, r *http.Request) {
	at, since := 0, r.URL.Query().Get("since")
	if cursor := r.URL.Query().Get("after"); cursor != "" {
		text, _ := base64.URLEncoding.DecodeString(cursor)
		var given int64
		_, _ = fmt.Sscanf(string(text), "%d %d %s", &at, &given, &since)
		if h.now().Sub(time.Unix(given, 0)) > habitsCursor {
			w.WriteHeader([]int{http.StatusBadRequest, http.StatusNotFound, http.StatusGone}[given%3])
			fmt.Fprint(w, `{"error":"cursor expired"}`)
			return
		}
	}
	all := h.prices(since)
	at = min(at, len(all))
	to, next := min(at+JSONPage, len(all)), "null"
	if to < len(all) {
		next = fmt.Sprintf("%q", base64.URLEncoding.EncodeToString(fmt.Appendf(nil, "%d %d %s", to, h.now().Unix(), since)))
	}
	h.write(w, all[at:to], `,"next":`+next)
}

// newestFirst answers with pages of all prices, the newest first.
func newestFirst(h *habits, w http.ResponseWriter, r *http.Request) {
	all := h.prices(h.now().AddDate(0, -2, 0).Format(time.DateOnly))
	slices.Reverse(all)
	n, _ := strconv.Atoi(r.URL.Query().Get("page"))
	from := min(max(0, (n-1)*JSONPage), len(all))
	h.write(w, all[from:min(from+JSONPage, len(all))], "")
}

// windowed answers only for a few days at once.
func windowed(h *habits, w http.ResponseWriter, r *http.Request) {
	from, err := time.Parse(time.DateOnly, r.URL.Query().Get("from"))
	to, wrong := time.Parse(time.DateOnly, r.URL.Query().Get("to"))
	if err != nil || wrong != nil || to.Before(from) || to.Sub(from) >= habitsWindow*24*time.Hour {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"error":"at most %d days"}`, habitsWindow)
		return
	}
	all := slices.DeleteFunc(h.prices(r.URL.Query().Get("from")), func(p JSONPrice) bool { return p.Day > r.URL.Query().Get("to") })
	h.write(w, all, "")
}

// details lists days, and answers about each.
func details(h *habits, w http.ResponseWriter, r *http.Request) {
	if id, one := strings.CutPrefix(r.URL.Path, "/days/"); one {
		all := slices.DeleteFunc(h.prices(id), func(p JSONPrice) bool { return p.Day != id })
		if len(all) == 0 { // a Sunday is listed, too
			http.NotFound(w, r)
			return
		}
		h.write(w, all, "")
		return
	}
	var days []string
	for day, err := time.ParseInLocation(time.DateOnly, r.URL.Query().Get("since"), evdsZone); err == nil &&
		!day.Add(19*time.Hour).After(h.now()); day = day.AddDate(0, 0, 1) {
		days = append(days, fmt.Sprintf(`{"id":%q,"day":%[1]q}`, day.Format(time.DateOnly)))
	}
	fmt.Fprintf(w, `{"days":[%s]}`, strings.Join(days, ","))
}

// posts accepts only forms.
func posts(h *habits, w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil || r.Method != http.MethodPost || r.PostForm.Get("key") != JSONKey {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	page, _ := h.page(r.PostForm)
	h.write(w, page, "")
}

// keyed expects a key in the query.
func keyed(h *habits, w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("apikey") != JSONKey {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error":"no key in %s"}`, r.URL)
		return
	}
	endsWith(http.StatusNotFound, "")(h, w, r)
}

func basicOnly(h *habits, w http.ResponseWriter, r *http.Request) {
	if user, password, ok := r.BasicAuth(); !ok || user != HabitsClient || password != HabitsPassword {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	endsWith(http.StatusOK, `{"items":[]}`)(h, w, r)
}

// tokens gives tokens that expire early.
func tokens(h *habits, w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/token" {
		id, secret, _ := r.BasicAuth()
		id, _ = url.QueryUnescape(id)
		secret, _ = url.QueryUnescape(secret)
		if r.FormValue("grant_type") != "client_credentials" || id != HabitsClient || secret != HabitsPassword {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"error":"invalid_client"}`)
			return
		}
		fmt.Fprintf(w, `{"access_token":"t%d","token_type":"bearer","expires_in":%d}`, h.now().Unix(), int(habitsToken.Seconds()))
		return
	}
	given, err := strconv.ParseInt(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer t"), 10, 64)
	if age := h.now().Sub(time.Unix(given, 0)); err != nil || age > habitsToken || age > 5*time.Minute && given%3 == 0 {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	endsWith(http.StatusOK, "null")(h, w, r)
}

// limits accepts habitsPerMin requests a minute, and says in several ways when it accepts more.
func limits(h *habits, w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.now()
	h.requests = slices.DeleteFunc(h.requests, func(at time.Time) bool { return now.Sub(at) >= time.Minute })
	if len(h.requests) < habitsPerMin {
		if h.requests = append(h.requests, now); len(h.requests) == habitsPerMin && now.Unix()%2 == 0 {
			w.Header().Set("RateLimit", `"minute";r=0;t=60`)
		}
		endsWith(http.StatusOK, "null")(h, w, r)
		return
	}
	wait := time.Minute - now.Sub(h.requests[0])
	h.refused++
	status := http.StatusTooManyRequests
	switch h.refused % 6 {
	case 0:
		w.Header().Set("Retry-After", fmt.Sprintf("%.3f", wait.Seconds()+0.001))
	case 1:
		w.Header().Set("Retry-After", now.Add(wait+time.Second).UTC().Format(http.TimeFormat))
	case 2:
		status = http.StatusForbidden
		w.Header().Set("X-RateLimit-Remaining", "0")
		w.Header().Set("X-RateLimit-Reset", strconv.FormatInt(now.Add(wait).Unix()+1, 10))
	case 3:
		w.Header().Set("RateLimit-Remaining", "0")
		w.Header().Set("RateLimit-Reset", strconv.Itoa(int(wait.Seconds())+1))
	case 4:
		w.Header().Set("RateLimit", fmt.Sprintf("limit=%d, remaining=0, reset=%d", habitsPerMin, int(wait.Seconds())+1))
	default:
		status = http.StatusInternalServerError
	}
	w.WriteHeader(status)
	fmt.Fprint(w, `{"error":"too many requests"}`)
}

// headers states the number of items in a header.
func headers(h *habits, w http.ResponseWriter, r *http.Request) {
	page, all := h.page(r.URL.Query())
	if len(page) == 0 && len(all) > 0 {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	w.Header().Set("X-Total-Count", strconv.Itoa(len(all)))
	h.write(w, page, "")
}
