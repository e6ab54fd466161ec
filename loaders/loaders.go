// Package loaders batches the relations of the graph for gqlgen's executor: the
// siblings of one list ask one by one, and their answers come from one call.
//
// A batch goes out when the last sibling has asked; siblings are all parents at
// one place of the document, in whatever lists. How many there are is known,
// because the lists above them are resolved already; a short wait is only the
// fallback for siblings that turn out not to ask, and for lists that turn out
// to be empty. Loaders live as long as one response. Package plan, which runs
// nearly all operations, needs none.
package loaders

import (
	"context"
	"sync"
	"time"
)

// set holds the loaders of one response.
type set struct {
	mu     sync.Mutex // of the levels, too
	levels map[place]any
}

type setKey struct{}

// With returns a context that carries new loaders.
func With(ctx context.Context) context.Context {
	return context.WithValue(ctx, setKey{}, &set{levels: map[place]any{}})
}

// wait is how long a batch waits for siblings that never ask. A busy machine is
// slow to let a hundred of them ask, and each batch costs statements.
const wait = 25 * time.Millisecond
