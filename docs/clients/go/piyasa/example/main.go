// Command example prints quotes, what is refused, and the first disclosures: example [ID…].
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log"
	"net/url"
	"os"
	"strings"

	"example.org/piyasa"
)

func main() {
	ids := os.Args[1:]
	if len(ids) == 0 {
		ids = []string{"bist:DMOST", "fx:USDTRY"}
	}
	ctx := context.Background()
	market := piyasa.Client{URL: cmp.Or(os.Getenv("PIYASA_URL"), "http://127.0.0.1:8080"), Key: os.Getenv("PIYASA_KEY")}
	var answer struct {
		Quotes []struct {
			ID       string `json:"instrument_id"`
			Last     string `json:"last"`
			Currency string `json:"currency"`
		}
	}
	if err := market.Get(ctx, "/v1/quotes", url.Values{"ids": {strings.Join(ids, ",")}}, &answer); err != nil {
		log.Fatal(err)
	}
	for _, q := range answer.Quotes {
		fmt.Println(q.ID, q.Last, q.Currency)
	}
	refused := []error{market.Get(ctx, "/v1/eod/bist:NOPE", nil, &answer)}
	for _, err := range market.FollowDisclosures(ctx, "", "nope") {
		refused = append(refused, err)
	}
	for _, err := range refused {
		var problem *piyasa.Problem
		if !errors.As(err, &problem) {
			log.Fatal(err)
		}
		fmt.Println(problem.Kind(), problem)
	}
	left := 30
	for d, err := range market.FollowDisclosures(ctx, piyasa.FromStart, "all") {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(d.Index, d.Type)
		if left--; left == 0 {
			break
		}
	}
}
