package soak

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// asker asks one question after the other, over REST or GraphQL.
type asker struct {
	world  *soaked
	name   string
	key    *key
	random *rand.Rand
	client *http.Client
}

var paths = []string{
	"/v1/quotes/fx:USDTRY", "/v1/quotes?ids=fx:USDTRY,fx:EURTRY", "/v1/kap-feed/disclosures?limit=20",
	"/v1/kap-feed/disclosures?symbol=AAA&limit=5",
	"/v1/candles/fx:USDTRY?resolution=5m", "/v1/instruments?market=fx", "/v1/kap-feed/disclosures/%d",
}

var queries = []string{
	`{ quote(id: "fx:USDTRY") { last asOf } }`,
	`{ watchlist(ids: ["fx:USDTRY", "fx:EURTRY"]) { name quote { last } candles(resolution: M5) { bars { t close } } } }`,
	`{ disclosures(symbol: "BBB", limit: 10) { items { disclosureIndex type subject { tr } } } }`,
	`{ disclosure(index: %d) { disclosureIndex symbols } quotes(ids: ["fx:USDTRY"]) { quotes { last } } }`,
}

// run asks until ctx ends.
func (a *asker) run(ctx context.Context, graphQL bool) {
	for ctx.Err() == nil {
		var err error
		if graphQL {
			err = a.query(queries[a.random.IntN(len(queries))])
		} else {
			err = a.get(paths[a.random.IntN(len(paths))])
		}
		if err != nil {
			a.world.fault("%s: %v", a.name, err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(20+a.random.IntN(200)) * time.Millisecond): // a client has something to do between questions
		}
	}
}

// filled returns a question about a disclosure that is there, if it is about one.
func (a *asker) filled(question string) string {
	if strings.Contains(question, "%d") {
		return fmt.Sprintf(question, 1+a.random.IntN(10))
	}
	return question
}

func (a *asker) get(path string) error {
	r, err := http.NewRequest(http.MethodGet, "http://"+a.world.address+a.filled(path), nil)
	if err != nil {
		return err
	}
	answer, _, err := a.ask(r)
	if err != nil {
		return err
	}
	if answer.StatusCode == http.StatusServiceUnavailable && answer.Header.Get("X-Usage-Units") == "" { // keys cannot be checked
		return nil
	}
	units, err := strconv.ParseInt(answer.Header.Get("X-Usage-Units"), 10, 64)
	a.key.units.Add(units)
	return err
}

func (a *asker) query(text string) error {
	body, err := json.Marshal(map[string]string{"query": a.filled(text)})
	if err != nil {
		return err
	}
	r, err := http.NewRequest(http.MethodPost, "http://"+a.world.address+"/graphql", bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	_, text2, err := a.ask(r)
	if err != nil {
		return err
	}
	var said struct {
		Errors []struct {
			Message    string
			Extensions struct{ Code string }
		}
		Extensions struct {
			Units int64 `json:"usage_units"`
		}
	}
	if err := json.Unmarshal(text2, &said); err != nil {
		return err
	}
	a.key.units.Add(said.Extensions.Units)
	for _, e := range said.Errors {
		if !a.world.mayLack(e.Extensions.Code) {
			return errors.New(e.Message)
		}
	}
	return nil
}

// ask sends a request and returns an answer that is right at this time.
func (a *asker) ask(r *http.Request) (*http.Response, []byte, error) {
	r.Header.Set("X-API-Key", a.key.secret)
	answer, err := a.client.Do(r)
	if err != nil {
		return nil, nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	a.world.answers.Add(1)
	if err == nil && answer.StatusCode != http.StatusOK {
		var problem struct{ Type string }
		_ = json.Unmarshal(text, &problem) // else it is none that may be
		if _, kind, _ := strings.Cut(problem.Type, "/problems/"); !a.world.mayLack(kind) {
			err = fmt.Errorf("%s: status %d: %s", r.URL, answer.StatusCode, text)
		}
	}
	return answer, text, err
}
