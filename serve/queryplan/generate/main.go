// Command generate writes what gqlgen's generator writes for a configuration, and beside it
// the tables of the same schema for package queryplan. It leaves out gqlgen's executor, which
// plans replace, unless -oracle is set: tests compare plans with the executor.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/99designs/gqlgen/api"
	"github.com/99designs/gqlgen/codegen/config"
)

func main() {
	oracle := flag.Bool("oracle", false, "with gqlgen's executor")
	costs := flag.String("costs", "", "the `file` of Go that gives fields a cost")
	flag.Parse()
	if err := generate(flag.Arg(0), *oracle, *costs); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", flag.Arg(0), err)
		os.Exit(1)
	}
}

func generate(path string, oracle bool, costs string) error {
	log.SetOutput(io.Discard) // gqlgen's messages about resolvers in other places
	cfg, err := config.LoadConfig(path)
	if err != nil {
		return err
	}
	if err := api.Generate(cfg, api.AddPlugin(&tables{oracle: oracle}), api.AddPlugin(enums{})); err != nil {
		return err
	}
	priced := map[string]bool{}
	if costs != "" {
		if priced, err = pricedIn(costs); err != nil {
			return err
		}
	}
	return prune(cfg.Exec.Filename, priced, !oracle)
}
