package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// PostGraphile makes its schema from the database, so it is asked for the same
// values by other names; a work without a query is none of its kind.
var postgraphileQueries = map[string]string{
	"W1": `query($id: String!) { quoteByInstrumentId(instrumentId: $id) { instrumentId symbol market currency last prevClose change changePct open high low bid ask volume asOf } }`,

	"W2": `query($ids: [String!]!) { watchlistList(ids: $ids) {
  quoteByInstrumentId { last change changePct open high low volume asOf }
  valuationByInstrumentId { marketCap peRatio pbRatio netDebt ev }
  newestList(first: 5) { disclosureIndex type publishedAt filerTitle subjectTr subjectEn }
} }`,

	"W3": `query($id: String!, $from: Date!, $to: Date!) { candlesList(id: $id, firstDay: $from, lastDay: $to) { t open high low close volume turnover } }`,

	"W4": `query($symbol: String!) { disclosuresOf(code: $symbol, first: 25) {
  nodes { disclosureIndex type class symbols filerTitle publishedAt reason relatedIndex subjectTr subjectEn summaryTr summaryEn link attachmentCount }
  pageInfo { endCursor }
} }`,
}

// askPostGraphile makes the requests of a work with PostGraphile's own query.
func askPostGraphile(w work) func(context.Context, *server) ([]ask, error) {
	query, found := postgraphileQueries[strings.TrimSuffix(w.name, "-fresh")]
	if !found {
		return nil
	}
	return func(ctx context.Context, s *server) ([]ask, error) {
		asks, err := w.asks(ctx, s)
		if err != nil {
			return nil, err
		}
		for i, a := range asks {
			var answer struct{ Variables vars }
			if err := json.Unmarshal(a.body, &answer); err != nil {
				return nil, err
			}
			asks[i] = graphQL(query, answer.Variables)
		}
		return asks, nil
	}
}

// sameValues compares the values of two answers in their order, whatever they are
// called and however they are nested.
func sameValues(a, b []byte) error {
	left, err := values(a)
	if err != nil {
		return err
	}
	right, err := values(b)
	if err != nil {
		return err
	}
	if len(left) == 0 {
		return fmt.Errorf("nothing: %.300s", a)
	}
	for i := range min(len(left), len(right)) {
		if left[i] != right[i] {
			return fmt.Errorf("value %d is %q instead of %q", i+1, left[i], right[i])
		}
	}
	if len(left) != len(right) {
		return fmt.Errorf("%d values instead of %d", len(left), len(right))
	}
	return nil
}

// values lists what the data of an answer states, but for cursors.
func values(body []byte) (found []string, err error) {
	var answer struct{ Data, Errors json.RawMessage }
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, err
	}
	if answer.Errors != nil {
		return nil, fmt.Errorf("errors: %.500s", answer.Errors)
	}
	tokens := json.NewDecoder(bytes.NewReader(answer.Data))
	tokens.UseNumber()
	var inObject []bool // of the nesting
	name, isName := "", false
	for {
		token, err := tokens.Token()
		if err != nil {
			return found, nil // the end: it was JSON above
		}
		within := len(inObject) > 0 && inObject[len(inObject)-1]
		switch t := token.(type) {
		case json.Delim:
			if t == '{' || t == '[' {
				inObject = append(inObject, t == '{')
				isName = t == '{'
				continue
			}
			inObject = inObject[:len(inObject)-1]
		case string:
			if within && isName {
				name, isName = t, false
				continue
			}
			if !slices.Contains([]string{"nextCursor", "endCursor"}, name) {
				found = append(found, plain(t))
			}
		case json.Number:
			found = append(found, t.String())
		case bool:
			found = append(found, fmt.Sprint(t))
		}
		isName = len(inObject) > 0 && inObject[len(inObject)-1]
	}
}

// plain brings instants to one form and the names of enums, which are letters of
// one case here and of the other there.
func plain(text string) string {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		text = at.UTC().Format(time.RFC3339)
	}
	return strings.ToLower(text)
}
