package graphqlhttp

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"piyasa/access"
	"piyasa/document"
	"piyasa/price"
)

// documents reads the documents of requests, or finds them by their hashes.
type documents struct {
	reader    *document.Reader
	persisted extension.AutomaticPersistedQuery
	prices    *price.Prices
	gate      *access.Gate
}

// read returns the document of a request, whose text it completes.
func (d *documents) read(ctx context.Context, params *graphql.RawParams) (*ast.QueryDocument, gqlerror.List) {
	if err := d.persisted.MutateOperationParameters(ctx, params); err != nil {
		return nil, gqlerror.List{err}
	}
	return d.reader.Read(params.Query)
}

type documentKey struct{}

// alreadyRead is the cache in which gqlgen finds the document of a request: it
// was read before gqlgen, which would take more than linear time, is asked.
type alreadyRead struct{}

// Get implements graphql.Cache.
func (alreadyRead) Get(ctx context.Context, _ string) (*ast.QueryDocument, bool) {
	doc, ok := ctx.Value(documentKey{}).(*ast.QueryDocument)
	return doc, ok
}

// Add implements graphql.Cache.
func (alreadyRead) Add(context.Context, string, *ast.QueryDocument) {}
