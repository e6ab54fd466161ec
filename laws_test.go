package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"piyasa/test/fixture/need"
)

// The laws of the house: who may import whom. Each list names packages of
// piyasa, domain all of the domains; a package without a list may import any
// but server and command.
var mayImport = map[string][]string{
	"internal/problem":         {},
	"internal/value":           {"internal/problem"},
	"internal/value/valuetest": {"internal/value"},
	"internal/epoch":           {},
	"internal/cache":           {},
	"internal/spans":           {"internal/problem"},
	"account/access":           {"internal/problem", "internal/epoch", "internal/value"},
	"internal/attachment":      {"internal/problem", "internal/value", "account/access"},
	"account/usage":            {"internal/problem", "internal/value", "account/access"},
	"domain/segment":           {"internal/value"},
	"domain/market": {"internal/problem", "internal/value", "account/access", "internal/cache", "internal/epoch",
		"domain/segment"},
	"domain/macro": {"internal/problem", "internal/value", "account/access", "domain/market", "domain/segment"},
	"domain/fundamentals": {"internal/problem", "internal/value", "account/access", "internal/cache", "internal/epoch",
		"domain/market", "domain/segment"},
	"domain/analytics": {"internal/problem", "internal/value", "account/access", "domain/market", "domain/fundamentals",
		"domain/segment"},
	"domain/funds": {"internal/problem", "internal/value", "account/access", "domain/market"},
	"domain/kap": {"internal/problem", "internal/value", "account/access", "internal/attachment", "internal/cache",
		"internal/epoch", "domain/market", "domain/macro", "domain/segment"},
	"domain/ipo":      {"internal/problem", "internal/value", "account/access", "internal/attachment", "domain/market"},
	"domain/coverage": {"internal/problem", "internal/value", "account/access", "internal/epoch", "domain/market", "domain/macro"},
	"domain/news":     {"internal/problem", "internal/value", "account/access", "internal/epoch", "domain/market", "domain/kap"},
	"serve/stream": {"internal/problem", "internal/spans", "internal/value", "account/access", "account/usage",
		"internal/epoch", "domain/market", "domain/kap"},
	"internal/filelock": {},
	"db": {"internal/filelock", "internal/problem", "internal/spans", "internal/value", "account/access",
		"internal/attachment", "account/usage", "internal/epoch", "domain"},
	"serve/bulk": {"account/access", "internal/epoch", "internal/problem", "internal/value", "db", "domain", "ingest"},
	"serve/deliver": {"account/access", "account/usage", "internal/epoch", "internal/problem", "internal/value", "collect", "db",
		"domain", "serve/bulk"},
	"ingest":  {"internal/value", "db", "domain", "internal/problem", "internal/spans"},
	"collect": {"internal/spans"},
	"collect/connectors": {"collect", "collect/bist", "collect/cmc", "collect/ecb", "collect/evds", "collect/files",
		"collect/jsonhttp", "collect/spk", "collect/tcmb", "collect/tuik", "collect/vyk"},
	"collect/collecttest":      {"test/fixture/need", "collect", "collect/standin", "db", "ingest", "internal/value"},
	"collect/cmc":              {"collect"},
	"collect/bist":             {"collect", "internal/value"},
	"collect/ecb":              {"collect"},
	"collect/evds":             {"collect"},
	"collect/files":            {"collect"},
	"collect/jsonhttp":         {"collect"},
	"collect/spk":              {"collect"},
	"collect/standin":          {"collect/connectors"},
	"collect/tcmb":             {"collect"},
	"collect/tuik":             {"collect"},
	"collect/vyk":              {"collect"},
	"internal/content":         {"internal/problem"},
	"loaders":                  {},
	"serve/queryplan":          {"internal/cache", "loaders"},
	"serve/queryplan/generate": {},
	"graph": {"internal/value", "account/access", "account/usage", "internal/attachment", "domain", "serve/stream",
		"loaders", "serve/queryplan"},
	"services": {"internal/problem", "internal/value", "account/access", "internal/attachment", "internal/cache", "account/usage",
		"db", "domain",
		"internal/epoch", "serve/bulk", "serve/stream"},
	"resolvers":      {"internal/value", "account/access", "account/usage", "domain", "graph", "serve/bulk", "serve/stream", "services"},
	"rest":           {"internal/value", "account/usage", "account/access", "domain", "graph", "account/cost", "internal/problem"},
	"account/cost":   {"internal/value", "account/access", "serve/document", "domain", "graph"},
	"serve/asyncapi": {"rest", "serve/stream"},
	"serve/document": {"internal/cache"},
	"site/web":       {},
	"command/cli":    {},
	"docs":           {},
	"site/book":      {},
	"site/reference": {"site/book", "internal/problem"},
	"demo": {"site/reference", "internal/value", "account/access", "internal/attachment", "db", "domain",
		"ingest", "site/web"},
	"db/dbtest":       {"db", "test/fixture/need"},
	"serve/answer":    {"account/access", "internal/cache", "internal/problem", "internal/value"},
	"serve/admission": {"account/access", "serve/answer", "internal/problem", "account/usage", "internal/value"},
	"serve/graphqlhttp": {"account/access", "serve/admission", "serve/answer", "internal/cache", "serve/document", "domain",
		"internal/epoch", "graph", "serve/queryplan", "account/cost", "internal/problem", "services", "internal/spans", "serve/stream",
		"account/usage", "internal/value"},
	"serve/mcp": {"account/access", "serve/answer", "domain/market", "serve/graphqlhttp", "internal/problem",
		"internal/value"},
	"test/fixture": {"internal/value", "account/access", "account/usage", "internal/attachment", "db", "domain", "internal/epoch",
		"test/fixture/calls", "test/fixture/need", "graph", "resolvers", "rest", "serve/server", "services", "serve/stream"},
	"test/fixture/calls":     {"internal/problem", "account/access"},
	"test/fixture/need":      {},
	"":                       {"command"},
	"db/dbtest/withpostgres": {"db/dbtest"},
}

// neverBelow lists what a package must not reach, however indirectly.
var neverBelow = map[string][]string{
	"domain/": {"net/http", "database/sql", "github.com/uptrace/bun", "github.com/99designs/gqlgen/graphql"},
	"rest":    {"github.com/uptrace/bun", "piyasa/resolvers", "piyasa/db"},
}

// onlyIn names the packages that may import a library directly.
var onlyIn = map[string][]string{
	"github.com/shopspring/decimal": {"internal/value", "domain/market", "demo"}, // elsewhere a Decimal would lose its digits
	"github.com/uptrace/bun":        {"db"},
	"piyasa/serve/server":           {"command", "test/fixture"},
	"piyasa/services":               {"command", "test/fixture", "serve/graphqlhttp", "resolvers", "serve/server"},
	"piyasa/collect/collecttest":    {}, // of tests only
	"piyasa/test/fixture":           {}, // of tests only
	"piyasa/test/fixture/calls":     {"test/fixture"},
	"piyasa/command":                {""},
}

func TestImportLaws(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=ImportPath,Imports,Deps,Module", "./...").Output()
	need.NoError(t, err)
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath    string
			Imports, Deps []string
			Module        *struct{ Path string }
		}
		if err := dec.Decode(&p); err == io.EOF {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		if p.Module == nil || p.Module.Path != "piyasa" {
			continue
		}
		name := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, "piyasa"), "/")
		allowed, listed := mayImport[name]
		for _, imported := range p.Imports {
			ours, isOurs := strings.CutPrefix(imported, "piyasa/")
			if isOurs && listed && !slices.Contains(allowed, ours) &&
				(!strings.HasPrefix(ours, "domain/") || !slices.Contains(allowed, "domain")) {
				t.Errorf("%s imports %s; it may import %v", name, ours, allowed)
			}
			if in, limited := onlyIn[imported]; limited && !slices.Contains(in, name) {
				t.Errorf("%s imports %s; only %v may", name, imported, in)
			}
		}
		for prefix, forbidden := range neverBelow {
			for _, dep := range forbidden {
				if strings.HasPrefix(name, prefix) && slices.Contains(p.Deps, dep) {
					t.Errorf("%s reaches %s", name, dep)
				}
			}
		}
	}
}
