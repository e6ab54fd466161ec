package standin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// CMCKey is the only key that the stand-in of CoinMarketCap accepts.
const CMCKey = "cmc-stand-in-key"

// CMCLimits are the limits of a plan of the service; 0: no limit.
type CMCLimits struct {
	Minute, Address int // calls a minute, by key and by address
	Day, Month      int // credits
}

// cmcFree are the limits of the free plan.
var cmcFree = CMCLimits{Minute: 30, Address: 60, Day: 333, Month: 10_000}

// cmc is the stand-in of CoinMarketCap.
type cmc struct {
	now    func() time.Time
	limits CMCLimits

	mu      sync.Mutex
	calls   []time.Time    // of the last minute, with the key
	callers []time.Time    // the same, from the address
	used    map[string]int // credits by day and by month
}

// CMC returns a stand-in of CoinMarketCap: coins 1 to 450, in the versions 1 to 3 of its lists.
// Coins 3 and 4 share a symbol, 5 changes its symbol on the third day of a month, 6 has no price, 7
// has the price 0, and every eleventh price is tiny. Prices are those of the last whole minute. The
// stand-in also serves the logos, which the service has on another host. It has the limits of the
// free plan.
func CMC(now func() time.Time) http.Handler { return CMCLimited(now, cmcFree) }

// CMCLimited returns a stand-in of CoinMarketCap with the limits of another plan.
func CMCLimited(now func() time.Time, limits CMCLimits) http.Handler {
	return &cmc{now: now, limits: limits, used: map[string]int{}}
}

// limited returns the error code of the limit that a call exceeds, such as 1008; 0: none. It counts
// a call that costs credits.
func (c *cmc) limited(at time.Time, credits int) (code int, message string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	over := func(calls *[]time.Time, most int) bool {
		*calls = slices.DeleteFunc(*calls, func(t time.Time) bool { return at.Sub(t) >= time.Minute })
		if most > 0 && len(*calls) >= most {
			return true
		}
		*calls = append(*calls, at)
		return false
	}
	day, month := at.Format(time.DateOnly), at.Format("2006-01")
	switch {
	case over(&c.callers, c.limits.Address):
		return 1011, "You've hit an IP rate limit."
	case over(&c.calls, c.limits.Minute):
		return 1008, "You've exceeded your API Key's HTTP request rate limit. Rate limits reset every minute."
	case c.limits.Day > 0 && c.used[day]+credits > c.limits.Day:
		return 1009, "You've exceeded your API Key's daily rate limit."
	case c.limits.Month > 0 && c.used[month]+credits > c.limits.Month:
		return 1010, "You've exceeded your API Key's monthly rate limit."
	}
	if c.used[month] == 0 {
		clear(c.used)
	}
	c.used[day] += credits
	c.used[month] += credits
	return 0, ""
}

// ServeHTTP implements http.Handler.
func (c *cmc) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	version, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if name, ok := strings.CutPrefix(r.URL.Path, cmcLogos); ok {
		cmcLogo(w, r, name, c.now())
		return
	}
	old := version != "v3"
	at := c.now().UTC()
	fail := func(status, code int, message string) { cmcAnswer(w, at, old, status, code, message, 0, nil) }
	switch key := r.Header.Get("X-CMC_PRO_API_KEY"); {
	case key == "":
		fail(401, 1002, "API key missing.")
		return
	case key != CMCKey:
		fail(401, 1001, "This API Key is invalid.")
		return
	case !slices.Contains([]string{"v1", "v2", "v3"}, version):
		http.NotFound(w, r)
		return
	}
	answer := func(coins []map[string]any, each int, data any) {
		credits := (len(coins) + each - 1) / each
		if code, message := c.limited(at, credits); code > 0 {
			fail(429, code, message)
			return
		}
		cmcAnswer(w, at, old, 200, 0, "", credits, data)
	}
	q := r.URL.Query()
	switch path {
	case "cryptocurrency/listings/latest":
		start, wrong := strconv.Atoi(q.Get("start"))
		limit, wrongToo := strconv.Atoi(q.Get("limit"))
		if wrong != nil || wrongToo != nil || start < 1 || limit < 1 || limit > 5000 {
			fail(400, 400, `"limit" must be less than or equal to 5000`)
			return
		}
		coins := []map[string]any{}
		for id := start; id < start+limit && id <= cmcLast; id++ {
			coins = append(coins, cmcCoin(id, at, old, true))
		}
		answer(coins, 200, coins)
	case "cryptocurrency/quotes/latest":
		coins, by := []map[string]any{}, map[string]any{}
		for text := range strings.SplitSeq(q.Get("id"), ",") {
			id, err := strconv.Atoi(text)
			if err != nil || id < 1 || id > cmcLast {
				if q.Get("skip_invalid") == "true" {
					continue
				}
				fail(400, 400, `Invalid value for "id": "`+text+`"`)
				return
			}
			one := cmcCoin(id, at, old, false)
			coins, by[text] = append(coins, one), one
		}
		if old {
			answer(coins, 100, by)
			return
		}
		answer(coins, 100, coins)
	default:
		http.NotFound(w, r)
	}
}

// cmcLast is the number of the last coin.
const cmcLast = 450

// cmcAnswer writes an answer.
func cmcAnswer(w http.ResponseWriter, at time.Time, old bool, status, code int, message string, credits int, data any) {
	in := map[string]any{
		"timestamp": at.Format("2006-01-02T15:04:05.000Z"), "error_code": any(strconv.Itoa(code)), "error_message": message, "elapsed": 12,
		"credit_count": credits, "notice": nil,
	}
	if old {
		in["error_code"] = code
	}
	all := map[string]any{"status": in}
	if data != nil {
		all["data"] = data
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(all)
}

// cmcCoin returns a coin as it is at a moment.
func cmcCoin(id int, at time.Time, old, listed bool) map[string]any {
	minute := at.Truncate(time.Minute)
	noise := evdsNoise(minute.Add(time.Duration(id) * time.Hour))
	name := fmt.Sprintf("Ornek %d", id)
	symbol := fmt.Sprintf("ORN%d", id)
	price := json.Number(fmt.Sprintf("%d.%017d", noise%90_000+1, noise))
	switch {
	case id == 4:
		symbol = "ORN3"
	case id == 5 && at.Day() >= 3:
		name, symbol = "Ornek Yeni", "YENI"
	case id == 7:
		price = "0"
	case id%11 == 0:
		price = json.Number(fmt.Sprintf("%d.%de-08", noise%9+1, noise%1000))
	}
	quote := map[string]any{
		"price": price, "volume_24h": json.Number(fmt.Sprintf("1.%de10", noise%1000)), "volume_change_24h": -1.5,
		"percent_change_24h": json.Number(fmt.Sprintf("-0.%08d", noise%100_000_000)),
		"market_cap":         json.Number(fmt.Sprintf("%d.4", noise)), "fully_diluted_market_cap": nil, "tvl": nil,
		"last_updated": minute.Format("2006-01-02T15:04:05.000Z"),
	}
	if id == 6 {
		quote["price"], quote["market_cap"], quote["percent_change_24h"] = nil, nil, nil
	}
	coin := map[string]any{
		"id": id, "name": name, "symbol": symbol, "slug": fmt.Sprintf("ornek-%d", id), "cmc_rank": id, "max_supply": nil, "platform": nil,
		"last_updated": quote["last_updated"], "tags": []map[string]any{{"slug": "mineable", "name": "Mineable", "category": "OTHERS"}},
	}
	if listed {
		coin["tags"] = []string{"mineable"}
	}
	if old {
		coin["quote"] = map[string]any{"USD": quote}
		return coin
	}
	quote["id"], quote["symbol"] = 2781, "USD"
	coin["quote"] = []any{quote}
	return coin
}
