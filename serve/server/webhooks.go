package server

import (
	"context"
	"net/http"

	"github.com/go-json-experiment/json"

	"piyasa/account/cost"
	"piyasa/graph"
	"piyasa/internal/problem"
	"piyasa/serve/answer"
)

// The routes that register, list and delete webhooks of a key.
const (
	webhooksPath   = "/v1/webhooks"
	webhookPattern = webhooksPath + "/{id}"
	maxWebhookBody = 64 << 10 // bytes
)

// changing returns a handler that changes something of the call's key.
func (s *Server) changing(change func(context.Context, http.ResponseWriter, *http.Request) (any, error)) http.Handler {
	return s.door.AdmitFree(s.door.HeaderKey, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Usage-Units", "0")
		err := s.door.Pay(r.Context(), cost.Change, 0)
		var made any
		if err == nil {
			made, err = change(r.Context(), w, r)
		}
		if err != nil {
			s.problems.Write(w, r, err)
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		answer.JSON(w, http.StatusOK, made)
	}))
}

// webhooks returns the handlers of all webhooks, where list answers reads, and of one webhook.
func (s *Server) webhooks(root graph.MutationResolver, list http.Handler) (all, one http.Handler) {
	register := s.changing(func(ctx context.Context, w http.ResponseWriter, r *http.Request) (any, error) {
		var in struct {
			URL    string   `json:"url"`
			Topics []string `json:"topics"`
			From   *string  `json:"from"`
		}
		body, err := answer.RequestBody(w, r, maxWebhookBody)
		if err == nil {
			err = json.Unmarshal(body, &in, json.RejectUnknownMembers(true))
		}
		if err != nil {
			return nil, problem.New(problem.InvalidParameter, `The body must be a JSON object such as `+
				`{"url": "https://example.com/hook", "topics": ["type:ODA", "symbol:THYAO"], "from": "now"}.`)
		}
		return root.RegisterWebhook(ctx, in.URL, in.Topics, in.From)
	})
	all = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			register.ServeHTTP(w, r)
			return
		}
		list.ServeHTTP(w, r)
	})
	one = s.changing(func(ctx context.Context, _ http.ResponseWriter, r *http.Request) (any, error) {
		id, err := root.DeleteWebhook(ctx, r.PathValue("id"))
		return map[string]any{"deleted": id}, err
	})
	return s.problems.Methods("GET, HEAD, POST", all), s.problems.Methods("DELETE", one)
}
