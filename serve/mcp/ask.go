package mcp

import (
	"context"
	"net/url"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"piyasa/internal/problem"
	"piyasa/serve/answer"
	"piyasa/serve/graphqlhttp"
)

// queryError holds the errors of a failed query as text.
type queryError struct{ text string }

// Error implements error.
func (e *queryError) Error() string { return e.text }

// refusal returns the errors of a query as an error of a tool: a problem as REST gives it,
// or the errors as GraphQL does.
func refusal(errs gqlerror.List) error {
	if len(errs) == 0 {
		return problem.Wrap(nil)
	}
	var shown any = map[string]any{"errors": errs}
	if of, ok := errs[0].Extensions["problem"]; ok && len(errs) == 1 {
		shown = of
	}
	read, err := parse(answer.Encoded(shown))
	if err != nil {
		return err
	}
	text, err := fit(read, "Mend these errors first.")
	if err != nil {
		return err
	}
	return &queryError{text}
}

// ask runs a query of a tool's own and returns its data. It returns an error if any field failed.
func (h *Handler) ask(ctx context.Context, query string, variables map[string]any) (*node, error) {
	data, failed, err := h.askWhatMayFail(ctx, query, variables)
	if err == nil && len(failed) > 0 {
		return nil, refusal(failed)
	}
	return data, err
}

// askWhatMayFail is ask for queries with fields that may fail: it returns their errors beside the
// data.
func (h *Handler) askWhatMayFail(ctx context.Context, query string, variables map[string]any) (data *node,
	failed gqlerror.List, err error) {
	question := h.question(ctx, graphqlhttp.Question{Query: query, Variables: variables, Own: true}, func(reply graphqlhttp.Reply) {
		if failed = reply.Errors; reply.Data == nil {
			err = refusal(failed)
			return
		}
		data, err = parse(reply.Data)
	})
	if question != nil {
		err = question
	}
	return data, failed, err
}

// question runs a query and passes the reply to use. Problem: overloaded, if there is no reply
// within callTime.
func (h *Handler) question(ctx context.Context, q graphqlhttp.Question, use func(graphqlhttp.Reply)) error {
	replied := false
	h.config.Ask(ctx, q, func(reply graphqlhttp.Reply) {
		replied = true
		use(reply)
	})
	if replied {
		return nil
	}
	e := problem.New(problem.Overloaded, "The answer takes longer than %s, so it was given up; ask for less at once.", callTime)
	e.RetryAfter = 1
	return e
}

// address returns the address of a route of REST, with the parameters that are not empty.
func (h *Handler) address(path string, parameters ...[2]string) string {
	query := ""
	for _, p := range parameters {
		if p[1] != "" {
			query += "&" + p[0] + "=" + url.QueryEscape(p[1])
		}
	}
	if query != "" {
		query = "?" + query[1:]
	}
	return h.config.BaseURL + path + query
}
