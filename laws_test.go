package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// The laws of the house: who may import whom. Each list names packages of
// piyasa, domain all of the domains; a package without a list may import any
// but server and command.
var mayImport = map[string][]string{
	"problem":                {},
	"value":                  {"problem"},
	"value/valuetest":        {"value"},
	"epoch":                  {},
	"cache":                  {},
	"spans":                  {"problem"},
	"spans/export":           {},
	"access":                 {"problem", "epoch", "value"},
	"attachment":             {"problem", "value", "access"},
	"usage":                  {"problem", "value", "access"},
	"domain/market":          {"problem", "value", "access", "cache"},
	"domain/macro":           {"problem", "value", "access", "domain/market"},
	"domain/fundamentals":    {"problem", "value", "access", "cache", "epoch", "domain/market"},
	"domain/analytics":       {"problem", "value", "access", "domain/market", "domain/fundamentals"},
	"domain/funds":           {"problem", "value", "access", "domain/market"},
	"domain/kap":             {"problem", "value", "access", "attachment", "cache", "epoch", "domain/market", "domain/macro"},
	"domain/ipo":             {"problem", "value", "access", "attachment", "domain/market"},
	"domain/coverage":        {"problem", "value", "access", "epoch", "domain/market", "domain/macro"},
	"domain/news":            {"problem", "value", "access", "epoch", "domain/market", "domain/kap"},
	"stream":                 {"problem", "spans", "value", "access", "usage", "epoch", "domain/market", "domain/kap"},
	"filelock":               {},
	"db":                     {"filelock", "problem", "spans", "value", "access", "attachment", "usage", "epoch", "domain"},
	"ingest":                 {"value", "db", "domain", "problem", "spans"},
	"collect":                {"spans"},
	"collect/connectors":     {"collect", "collect/bist/bulletin", "collect/bist/indices", "collect/bist/limits", "collect/cmc", "collect/ecb", "collect/evds", "collect/files", "collect/jsonhttp", "collect/spk", "collect/tcmb", "collect/tuik", "collect/vyk"},
	"collect/collecttest":    {"collect", "collect/standin", "db", "ingest", "value"},
	"collect/cmc":            {"collect", "collect/cmc/answer"},
	"collect/cmc/answer":     {"collect"},
	"collect/bist":           {"collect"},
	"collect/bist/bulletin":  {"collect", "collect/bist"},
	"collect/bist/indices":   {"collect", "collect/bist"},
	"collect/bist/limits":    {"collect", "collect/bist", "value"},
	"collect/ecb":            {"collect"},
	"collect/evds":           {"collect"},
	"collect/files":          {"collect"},
	"collect/jsonhttp":       {"collect"},
	"collect/spk":            {"collect"},
	"collect/standin":        {},
	"collect/tcmb":           {"collect"},
	"collect/tuik":           {"collect"},
	"collect/vyk":            {"collect"},
	"content":                {"problem"},
	"loaders":                {},
	"plan":                   {"cache", "loaders"},
	"plan/generate":          {},
	"graph":                  {"value", "access", "usage", "attachment", "domain", "stream", "loaders", "plan"},
	"services":               {"value", "access", "attachment", "cache", "usage", "db", "domain", "epoch", "stream"},
	"resolvers":              {"value", "access", "usage", "domain", "graph", "stream", "services"},
	"rest":                   {"value", "usage", "access", "domain", "graph", "price", "problem"},
	"price":                  {"value", "access", "document", "domain", "graph"},
	"asyncapi":               {"rest", "stream"},
	"document":               {"cache"},
	"web":                    {},
	"manual":                 {},
	"docs":                   {},
	"book":                   {},
	"reference":              {"book", "problem"},
	"demo":                   {"reference", "value", "access", "attachment", "db", "domain", "ingest", "web"},
	"db/dbtest":              {"db", "fixture/ports"},
	"answer":                 {"access", "cache", "problem", "value"},
	"admission":              {"access", "answer", "problem", "usage", "value"},
	"graphqlhttp":            {"access", "admission", "answer", "cache", "document", "domain", "epoch", "graph", "plan", "price", "problem", "services", "spans", "stream", "usage", "value"},
	"mcp":                    {"access", "answer", "domain/market", "graphqlhttp", "problem", "value"},
	"fixture":                {"value", "access", "usage", "attachment", "db", "domain", "epoch", "fixture/calls", "graph", "resolvers", "rest", "server", "services", "stream"},
	"fixture/calls":          {"problem", "access"},
	"fixture/ports":          {},
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
	"github.com/shopspring/decimal": {"value", "domain/market", "demo"}, // elsewhere a Decimal would lose its digits
	"github.com/uptrace/bun":        {"db"},
	"piyasa/server":                 {"command", "fixture"},
	"piyasa/services":               {"command", "fixture", "graphqlhttp", "resolvers", "server"},
	"piyasa/collect/collecttest":    {}, // of tests only
	"piyasa/fixture":                {}, // of tests only
	"piyasa/fixture/calls":          {"fixture"},
	"piyasa/command":                {""},
}

func TestImportLaws(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=ImportPath,Imports,Deps,Module", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
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
			if isOurs && listed && !slices.Contains(allowed, ours) && (!strings.HasPrefix(ours, "domain/") || !slices.Contains(allowed, "domain")) {
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
