package server

import (
	"bytes"
	"net/http"
	"strings"

	"piyasa/account/access"
	"piyasa/account/cost"
	"piyasa/account/usage"
	"piyasa/rest"
	"piyasa/serve/admission"
	"piyasa/serve/answer"
	"piyasa/services"
)

// rest runs a route and writes its body or its problem. An answer costs what its operations
// charged; a problem costs nothing.
func (s *Server) rest(route rest.Route) http.Handler {
	plain, known := services.ReadsOf("Query."+route.Counterpart, false)
	converted, _ := services.ReadsOf("Query."+route.Counterpart, true)
	known = known && route.Body != nil // other bodies have their own tags
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if route.Body != nil {
			w.Header().Add("Vary", "Accept")
		}
		if !route.Strict {
			answer.WarnOfUnknown(w.Header(), r.URL.RawQuery, route.Known)
		}
		media := negotiated(route, r.Header["Accept"])
		if admission.CostOnly(r) {
			w.Header().Set("X-Usage-Units", "0")
			answer.JSON(w, http.StatusOK, map[string]any{"cost": s.door.Cost(r.Context(), route.Cost(s.costs, route.Prepare(r, media)))})
			return
		}
		if err := usage.Raise(r.Context(), route.Charge.Most(r.URL.RawQuery)); err != nil {
			w.Header().Set("X-Usage-Units", "0")
			s.problems.Write(w, r, err)
			return
		}
		reads := plain
		if strings.ContainsAny(r.URL.RawQuery, "c%") { // there may be a parameter currency, perhaps escaped
			reads = converted
		}
		stamp, follows := s.services.Stamp(reads)
		if !known || !follows {
			if kept := s.run(w, r, route, media); kept != nil {
				s.show(w, r, kept)
			}
			return
		}
		key := append(access.CallOf(r.Context()).Key.AppendRights(make([]byte, 0, 256)), media...)
		key = append(append(key, ' '), r.RequestURI...)
		s.kept.Serve(r, string(key), stamp, func() *answer.Kept {
			return s.run(w, r, route, media)
		}, func(kept *answer.Kept) { s.show(w, r, kept) })
	})
}

// negotiated returns the media type of the answer for an Accept header: JSON if it wants JSON
// and CSV alike, and the route's first type if none fits. For a client that accepts CSV but
// not JSON it returns CSV, so that the route can say that it has none.
func negotiated(route rest.Route, accept []string) string {
	header := strings.Join(accept, ",")
	if media := answer.Negotiate(accept, route.Media...); media == rest.CSV {
		if json := answer.PreferenceFor(header, rest.JSON); json.Closeness == answer.Named &&
			json.Q == answer.PreferenceFor(header, media).Q {
			return rest.JSON
		}
		return media
	} else if media != "" {
		return media
	}
	if route.Body != nil && answer.PreferenceFor(header, rest.CSV).Q > 0 {
		return rest.CSV
	}
	return route.Media[0]
}

// given runs a route in its turn, once the request has paid. It returns an answer that can be
// given again, or one with its own tag.
func (s *Server) given(r *http.Request, route rest.Route, accepted string) (*answer.Kept, *rest.Answer, error) {
	request := route.Prepare(r, accepted)
	if err := s.door.Pay(r.Context(), route.Cost(s.costs, request), 0); err != nil {
		return nil, nil, err
	}
	ctx, done, err := s.door.Turn(r.Context())
	if err != nil {
		return nil, nil, err
	}
	defer done()
	if ctx != r.Context() {
		r = r.WithContext(ctx)
	}
	given, err := request.Answer(ctx)
	if err != nil || given.Keep != nil {
		return nil, given, err
	}
	kept := keptOf(r, given)
	kept.Pack(r)
	return kept, nil, nil
}

// run runs a route. It returns nil if it has written an answer that cannot be given again: a
// problem, or an answer with its own tag.
func (s *Server) run(w http.ResponseWriter, r *http.Request, route rest.Route, accepted string) *answer.Kept {
	kept, tagged, err := s.given(r, route, accepted)
	switch {
	case err != nil:
		w.Header().Set("X-Usage-Units", "0")
		s.problems.Write(w, r, err)
	case tagged != nil:
		s.keepable(w, r, tagged)
	}
	return kept
}

// keptOf encodes an answer.
func keptOf(r *http.Request, given *rest.Answer) *answer.Kept {
	pieces, isEncoded := given.Body.([][]byte)
	if !isEncoded {
		pieces = [][]byte{answer.Encoded(given.Body)}
	}
	return &answer.Kept{Media: given.Media, Body: bytes.Join(pieces, nil), Used: access.CallOf(r.Context()).Used(), Missing: given.Missing,
		Next: given.Next, Gaps: given.Gaps, Stale: given.Stale, File: given.File}
}

// show writes an answer that may have been made for another request.
func (s *Server) show(w http.ResponseWriter, r *http.Request, kept *answer.Kept) {
	if access.CallOf(r.Context()).Cost.Asked == 0 { // the answer was made for another request
		s.door.PayAgain(r.Context(), cost.Again(kept.Sent(r)))
	}
	setRESTHeaders(w.Header(), r, kept)
	kept.Write(w, r)
}
