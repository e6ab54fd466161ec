// Command prices prints quotes and the newest close with the standard library alone:
// prices ID…. Figures stay the text that was sent; math/big computes with them exactly.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"math/big"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// problem says what was wrong and what is allowed.
type problem struct {
	Detail string `json:"detail"`
}

var client = http.Client{Timeout: 30 * time.Second}

// get decodes the answer of a route.
func get(path string, parameters url.Values, into any) error {
	r, err := http.NewRequest(http.MethodGet, os.Getenv("PIYASA_URL")+path+"?"+parameters.Encode(), nil)
	if err != nil {
		return err
	}
	r.Header.Set("X-API-Key", os.Getenv("PIYASA_KEY"))
	res, err := client.Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		var p problem
		if err := json.NewDecoder(res.Body).Decode(&p); err != nil {
			return fmt.Errorf("%s: %w", res.Status, err)
		}
		return fmt.Errorf("%s: %s", res.Status, p.Detail)
	}
	return json.NewDecoder(res.Body).Decode(into)
}

func main() {
	ids := os.Args[1:]
	if len(ids) == 0 {
		ids = []string{"bist:DMOST", "fx:USDTRY"}
	}
	var answer struct {
		Quotes []struct {
			ID     string    `json:"instrument_id"`
			Last   string    `json:"last"`
			Before *string   `json:"prev_close"` // null: unknown
			AsOf   time.Time `json:"as_of"`
		} `json:"quotes"`
		NotFound []string `json:"not_found"`
	}
	if err := get("/v1/quotes", url.Values{"ids": {strings.Join(ids, ",")}}, &answer); err != nil {
		log.Fatal(err)
	}
	for _, q := range answer.Quotes {
		change := "unknown"
		if last, ok := new(big.Rat).SetString(q.Last); ok && q.Before != nil {
			if before, ok := new(big.Rat).SetString(*q.Before); ok && before.Sign() != 0 {
				of := last.Quo(last.Sub(last, before), before)
				change = of.Mul(of, big.NewRat(100, 1)).FloatString(2) + "%"
			}
		}
		fmt.Println(q.ID, q.Last, change, q.AsOf.Format(time.RFC3339))
	}
	for _, id := range answer.NotFound {
		fmt.Println(id, "is unknown")
	}
}
