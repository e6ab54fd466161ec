package admission

import (
	"net/http"
	"strconv"

	"piyasa/account/access"
	"piyasa/internal/problem"
	"piyasa/serve/answer"
)

// setRate states in the headers how many requests a key may send now.
func setRate(h http.Header, a access.Allowance) {
	answer.SetHeaders(h,
		answer.Header{Name: "X-Ratelimit-Limit", Value: strconv.Itoa(a.Limit)},
		answer.Header{Name: "X-Ratelimit-Remaining", Value: strconv.Itoa(a.Remaining)},
		answer.Header{Name: "X-Ratelimit-Reset", Value: strconv.Itoa(a.Reset)},
	)
}

// RateLimited returns the problem of a request for which no token was left.
func RateLimited(a access.Allowance) error {
	if a.TooCostly {
		e := problem.New(problem.RateLimited,
			"Earlier answers to this key have cost all the work that it may ask for at once; try again in %d s.", a.RetryAfter)
		e.RetryAfter = a.RetryAfter
		return e
	}
	e := problem.New(problem.RateLimited, "This key may send %d requests at once; try again in %d s.", a.Limit, a.RetryAfter)
	e.RetryAfter = a.RetryAfter
	return e
}
