package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/vektah/gqlparser/v2/validator"

	"piyasa/account/cost"
	"piyasa/internal/value"
	"piyasa/serve/document"
)

type costCommand struct {
	File      string `arg:"" help:"A file with a GraphQL document; - for standard input." placeholder:"FILE"`
	Variables string `help:"The variables of its operations, a JSON object." default:"{}" placeholder:"JSON"`
}

// Run prints the cost and the depth of each operation of a document.
func (c *costCommand) Run(ctx context.Context, s streams) error {
	var variables map[string]any
	if err := json.Unmarshal([]byte(c.Variables), &variables); err != nil || variables == nil {
		return usageError{fmt.Errorf("--variables must be a JSON object; got %q", c.Variables)}
	}
	text, err := c.read(s.in)
	if err != nil {
		return err
	}
	costs := cost.New(value.SystemClock)
	doc, errs := document.NewReader(costs.Schema(), 0).Read(string(text))
	if len(errs) > 0 {
		return fmt.Errorf("%s: %s", c.File, strings.TrimSpace(errs.Error()))
	}
	table := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "operation\tcost\tdepth")
	for _, o := range doc.Operations {
		given, err := validator.VariableValues(costs.Schema(), o, variables)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", c.File, o.Name, err)
		}
		fmt.Fprintf(table, "%s\t%d\t%d\n", o.Name, costs.Operation(ctx, o, given), document.Depth(o))
	}
	return table.Flush()
}

// maxDocument is larger than any document in a request.
const maxDocument = 1 << 20

func (c *costCommand) read(in io.Reader) ([]byte, error) {
	if c.File != "-" {
		file, err := os.Open(c.File)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		in = file
	}
	text, err := io.ReadAll(io.LimitReader(in, maxDocument+1))
	if err == nil && len(text) > maxDocument {
		err = errors.New("the document is larger than a MiB")
	}
	return text, err
}
