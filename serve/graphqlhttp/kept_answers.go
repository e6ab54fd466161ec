package graphqlhttp

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"piyasa/account/access"
	"piyasa/account/cost"
	"piyasa/serve/admission"
	"piyasa/serve/answer"
	"piyasa/serve/document"
	"piyasa/serve/queryplan"
	"piyasa/services"
)

// again gives kept answers to equal requests, until something that they read has changed. A nil
// one keeps no answers.
type again struct {
	schema *queryplan.Schema
	memory *answer.Memory[services.Stamp]
	stamp  func(services.Reads) (services.Stamp, bool)
	ran    func(by string)
	door   admission.Door
}

// keyOf returns the cache key of a request: everything that decides its answer, including the
// plan, which may reject its document. list is the list of documents that may run, or nil.
func keyOf(r *http.Request, allowed access.Plan, media string, list *document.List, text []byte) string {
	b := make([]byte, 0, 256+len(text))
	b = access.CallOf(r.Context()).Key.AppendRights(b)
	b = append(strconv.AppendInt(b, int64(allowed.Depth), 10), ' ')
	b = append(strconv.AppendInt(b, int64(allowed.CostPerDocument), 10), ' ')
	b = append(b, media...)
	if r.Method == http.MethodPost {
		b = append(b, " POST"...)
	}
	if list != nil {
		b = append(append(b, ' '), list.Version()...)
	}
	return string(append(append(b, '\n'), text...))
}

// find returns the kept answer to a request if it is still current, or nil.
func (a *again) find(key string) *answer.Kept {
	if a == nil {
		return nil
	}
	kept, stamp, ok := a.memory.Peek(key)
	if !ok {
		return nil
	}
	if now, follows := a.stamp(kept.Of.(services.Reads)); !follows || now != stamp {
		return nil
	}
	a.memory.Again()
	a.ran("memory")
	return kept
}

// reads returns which data an operation reads; ok is false if that is not known.
func (a *again) reads(o operation) (all services.Reads, ok bool) {
	fields, planned := a.schema.Asked(o.request)
	if !planned {
		return all, false
	}
	for _, f := range fields {
		reads, known := services.ReadsOf(f.Field, slices.Contains(f.Arguments, "currency"))
		if !known {
			return all, false
		}
		all = all.And(reads)
	}
	return all, true
}

// answer answers a request with run, or with the answer of an equal request that is running.
func (a *again) answer(w http.ResponseWriter, r *http.Request, key string, o operation, run runner) {
	reads, known := a.reads(o)
	stamp, follows := a.stamp(reads)
	if !known || !follows {
		run.once(w, r, o.warnings)
		return
	}
	a.memory.Serve(r, key, stamp, func() (kept *answer.Kept) {
		whole := run(func(media string, response *graphql.Response) *answer.Kept {
			if response.Data == nil || len(response.Errors) > 0 {
				return whole(r, media, response, o.warnings)
			}
			text := slices.Concat([]byte(`{"data":`), response.Data)
			queryplan.Free(response.Data)
			// a clone: the name is a part of the whole document's text, which it would keep in
			// memory
			kept = &answer.Kept{Media: media, Body: text, End: endWith(o.warnings), Used: access.CallOf(r.Context()).Used(),
				Name: strings.Clone(o.request.Operation.Name), Of: reads}
			return kept
		})
		if whole != nil && kept == nil {
			show(w, r, whole)
		}
		return kept
	}, func(kept *answer.Kept) { a.show(w, r, kept) })
}

// show writes an answer that may have been made for another request, which has paid for it.
func (a *again) show(w http.ResponseWriter, r *http.Request, kept *answer.Kept) {
	if access.CallOf(r.Context()).Cost.Asked == 0 {
		a.door.PayAgain(r.Context(), cost.Again(kept.Sent(r)))
	}
	show(w, r, kept)
}

func show(w http.ResponseWriter, r *http.Request, kept *answer.Kept) {
	w.Header().Add("Vary", "Accept")
	kept.Write(w, r)
}
