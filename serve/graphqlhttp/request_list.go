package graphqlhttp

import (
	"context"
	"fmt"

	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"piyasa/graph"
	"piyasa/internal/problem"
	"piyasa/serve/document"
)

// The error codes for unknown documents. Hive has the first two, Apollo's router the last.
const (
	codeNotFound     = "PERSISTED_DOCUMENT_NOT_FOUND"
	codeRequired     = "PERSISTED_DOCUMENT_REQUIRED"
	codeNotSupported = "PERSISTED_DOCUMENTS_NOT_SUPPORTED"
	codeNotInList    = "PERSISTED_QUERY_NOT_IN_LIST"
)

// ListOf returns the list of the documents in files. The error says which of them the schema or
// the limits reject.
func ListOf(files *document.Files) (*document.List, error) {
	return files.List(document.NewReader(graph.NewExecutableSchema(graph.Config{}).Schema(), 0))
}

// with returns d with a fixed list.
func (d *documents) with(list *document.List) *documents {
	if list == nil { // d has no list
		return d
	}
	same := *d
	same.list = func() *document.List { return list }
	return &same
}

// without returns d without a list.
func (d *documents) without() *documents {
	free := *d
	free.list = func() *document.List { return nil }
	return &free
}

// find fills in the text of a request, if the document may run.
func (d *documents) find(ctx context.Context, in asked) *gqlerror.Error {
	list, hashed := d.list(), in.Extensions["persistedQuery"] != nil
	if members, ok := in.Extensions["persistedQuery"].(map[string]any); ok {
		for name := range members { // gqlgen would ignore the letter case of names
			if name != "version" && name != "sha256Hash" {
				return coded(problem.InvalidParameter.Code(),
					"extensions.persistedQuery has no member %.100q; its members are version and sha256Hash", name)
			}
		}
	}
	switch {
	case in.documentID != nil:
		if in.Query != "" || hashed {
			return coded(problem.ConflictingParameters.Code(),
				"a request names its document once: by documentId, by query or by extensions.persistedQuery")
		}
		if list == nil {
			return coded(codeNotSupported, "this server has no list of documents, so documentId names none; send the document as query")
		}
		text, ok := list.Named(*in.documentID)
		if !ok {
			return coded(codeNotFound, "no document in the list of this server has the id %.100q", *in.documentID)
		}
		in.Query = text
		return nil
	case list == nil:
		return d.persisted.MutateOperationParameters(ctx, in.RawParams)
	case in.Query != "" && !list.Has(in.Query), in.Query == "" && !hashed:
		return coded(codeRequired,
			"this server runs only the documents in its list; name one by documentId, or send its exact text as query")
	}
	err := extension.AutomaticPersistedQuery{Cache: listed{list}}.MutateOperationParameters(ctx, in.RawParams)
	if err != nil && err.Extensions["code"] == "PERSISTED_QUERY_NOT_FOUND" { // that code would make clients register the text
		return coded(codeNotInList,
			"no document in the list of this server has the hash of extensions.persistedQuery, and others cannot be registered")
	}
	return err
}

func coded(code, format string, args ...any) *gqlerror.Error {
	e := &gqlerror.Error{Message: fmt.Sprintf(format, args...)}
	errcode.Set(e, code)
	return e
}

// listed is the cache in which gqlgen finds the documents of a list by their ids, which clients
// with manifests send as hashes.
type listed struct{ list *document.List }

// Get implements graphql.Cache.
func (l listed) Get(_ context.Context, hash string) (string, bool) { return l.list.Named(hash) }

// Add implements graphql.Cache.
func (listed) Add(context.Context, string, string) {}
