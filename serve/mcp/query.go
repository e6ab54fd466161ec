package mcp

import (
	"context"
	"net/url"

	"piyasa/serve/answer"
	"piyasa/serve/graphqlhttp"
)

// maxLink is the longest address that an answer names, in bytes.
const maxLink = 500

func (h *Handler) graphQL(ctx context.Context, in arguments) (out string, err error) {
	variables, _ := in["variables"].(map[string]any)
	q := graphqlhttp.Question{Query: in.text("query"), OperationName: in.text("operation_name"), Variables: variables}
	rest := "Ask for fewer rows (first, limit, from, to, cursor), ids or fields. All of it: POST " + h.config.BaseURL + graphqlhttp.Path +
		" with the same query and the header X-API-Key."
	if link := h.config.BaseURL + graphqlhttp.Path + "?query=" + url.QueryEscape(q.Query); len(link) <= maxLink && variables == nil {
		rest = "Ask for fewer rows (first, limit, from, to, cursor), ids or fields. All of it, with the header X-API-Key: " + link
	}
	question := h.question(ctx, q, func(reply graphqlhttp.Reply) {
		if reply.Data == nil {
			err = refusal(reply.Errors)
			return
		}
		var data *node
		if data, err = parse(reply.Data); err != nil {
			return
		}
		response := obj(member{"data", data})
		if len(reply.Errors) > 0 {
			var failed *node
			if failed, err = parse(answer.Encoded(reply.Errors)); err != nil {
				return
			}
			response.members = append([]member{{"errors", failed}}, response.members...)
		}
		out, err = fit(response, rest)
	})
	if question != nil {
		err = question
	}
	return out, err
}
