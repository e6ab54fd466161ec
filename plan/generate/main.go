// Command generate writes what gqlgen's generator writes, and beside it the
// tables of the same schema for package plan. It is given configurations of
// gqlgen, by their paths.
package main

import (
	"fmt"
	"os"

	"github.com/99designs/gqlgen/api"
	"github.com/99designs/gqlgen/codegen/config"
)

func main() {
	for _, path := range os.Args[1:] {
		if err := generate(path); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", path, err)
			os.Exit(1)
		}
	}
}

func generate(path string) error {
	cfg, err := config.LoadConfig(path)
	if err != nil {
		return err
	}
	return api.Generate(cfg, api.AddPlugin(&tables{}))
}
