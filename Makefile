SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build
.DELETE_ON_ERROR:

FUZZTIME ?= 10s
TORTURE ?= 10m
SOAK ?= 20m

version = $(shell git describe --always --dirty 2>/dev/null || echo dev)
go_tool = go tool -modfile=tools/go.mod
with_postgres = go run ./db/dbtest/withpostgres
# Where real data lies beside the repository, the tests that look at it do not skip themselves.
real_data = $(if $(wildcard ../shared/data),PIYASA_REAL_DATA=$(or $(realpath ../shared/data/real),$(error ../shared/data has no folder real)))
# SQLite is C made into Go: nothing is slower under the race detector, and its races would not be ours.
race = -race -gcflags='modernc.org/...=-race=false'
# Shows what a command said, but only when it failed.
quietly = @said=$$($(1) 2>&1) || { echo "$$said" >&2; exit 1; }

# One step of a test, in a shell.
step = printf '\n== make %s\n' $$step; $(MAKE) --no-print-directory $$step

# What a shell runs after it gives way to everything else.
yielding = renice -n 10 $$$$ >/dev/null

# Where generated code lies; with the schema of the tests.
generated = graph plan/plantest/world

# What the pages are made of; folders are among it so that a deleted file counts too.
web_sources := $(shell find web -mindepth 1 \( -name node_modules -o -name dist -o -name test -o -name '*.go' -o -name '.git*' \) -prune -o -print)

# Where what is released is built.
dist = out/dist

.PHONY: dist test-dist build run generate rooms check-generated lint vulnerabilities licences setup test examine test-go test-torture test-contract contract torture soak test-bench test-browser pictures test-conformance bench bench-peers bench-growth bench-overload fuzz clean

build: web/dist/site/manifest.json
	# bin/piyasa, without what only a debugger reads; stacks and profiles name lines all the same
	$(call quietly,go build -ldflags "-s -w -X main.version=$(version)" -o bin/piyasa .)

run: build
	bin/piyasa demo

web/dist/site/manifest.json: web/node_modules/.package-lock.json $(web_sources)
	# the pages in web/dist
	$(call quietly,cd web && npm run build --silent)

web/node_modules/.package-lock.json: web/package.json web/package-lock.json
	# the npm packages of web/
	$(call quietly,cd web && npm ci --no-audit --no-fund --loglevel=error)
	@touch $@

generate:
	go run ./plan/generate gqlgen.yml plan/plantest/world/gqlgen.yml
	gofmt -w $(generated)

# The picture of the packages in docs/architecture.md.
rooms:
	go run ./scripts/rooms

# Compares with the files as they are, committed or not.
check-generated:
	@before=$$(sha256sum $(generated:=/*)); $(MAKE) --silent generate; [[ $$(sha256sum $(generated:=/*)) == "$$before" ]] || \
		{ echo 'generated code was out of date; it has been generated again' >&2; exit 1; }

lint:
	@unformatted=$$(find . -name node_modules -prune -o -name '*.go' -exec gofmt -l {} +); \
		[[ -z $$unformatted ]] || { printf 'not formatted (gofmt):\n%s\n' "$$unformatted" >&2; exit 1; }
	go vet ./...
	$(go_tool) staticcheck ./...
	$(go_tool) revive -config revive.toml -set_exit_status ./...
	go mod tidy -diff
	@for module in torture bench packaging contract; do (cd $$module; go vet ./...; go tool -modfile=../tools/go.mod staticcheck ./...; \
		go tool -modfile=../tools/go.mod revive -config ../revive.toml -set_exit_status ./...; go mod tidy -diff); done

# Known vulnerabilities of the modules, from vuln.go.dev or the copy that tools/vulndb/go.mod pins.
vulnerabilities:
	go run ./scripts/vulnerabilities

# The list of what bin/piyasa is made of, in docs/licences.md.
licences: build
	go run ./scripts/licences

setup:
	@scripts/setup

# What waits most of its time runs beside what only computes, which gives way to it.
test:
	@for step in setup build; do $(step); done
	@$(MAKE) --no-print-directory -j2 -Otarget test-conformance examine
	@for step in test-go test-torture test-contract test-bench test-browser; do $(step); done

# Everything that looks at the code and does not run it; and the packages of test-go are compiled.
examine:
	+@$(yielding); for step in check-generated lint vulnerabilities; do $(step); done
	$(yielding); go list -export -deps -test $(race) ./... >/dev/null

# graphql-js, which tests compare the answers of queries with.
graphqljs = plan/plantest/graphqljs/node_modules/.package-lock.json

$(graphqljs): plan/plantest/graphqljs/package.json plan/plantest/graphqljs/package-lock.json
	# the npm packages of plan/plantest/graphqljs/
	$(call quietly,cd plan/plantest/graphqljs && npm ci --no-audit --no-fund --loglevel=error)
	@touch $@

# The conformance suite of the Model Context Protocol, with the Node that it needs.
mcp_suite = mcp/conformance/node_modules/.package-lock.json

$(mcp_suite): mcp/conformance/package.json mcp/conformance/package-lock.json
	# the npm packages of mcp/conformance/
	$(call quietly,cd mcp/conformance && npm ci --no-audit --no-fund --loglevel=error)
	@touch $@

# What the examples of clients in JavaScript use.
examples = docs/clients/javascript/node_modules/.package-lock.json

$(examples): docs/clients/javascript/package.json docs/clients/javascript/package-lock.json
	# the npm packages of docs/clients/javascript/
	$(call quietly,cd docs/clients/javascript && npm ci --no-audit --no-fund --loglevel=error)
	@touch $@

# lint has vetted all of it.
test-go: $(graphqljs) $(mcp_suite) $(examples)
	$(real_data) $(with_postgres) go test $(race) -vet=off -shuffle=on -timeout 25m ./...

# Real processes under real faults, each test in its short form; the go command does not see when piyasa has changed.
test-torture:
	cd torture && go test -count=1 ./...

# What is promised to clients, beside what the last release promised.
test-contract: $(graphqljs)
	cd contract && go test -count=1 ./...

# At a release: what it promises, for the next one to be compared with.
contract: $(graphqljs)
	cd contract && go test -count=1 -run TestContract -update .

# The tests of torture, each for as long as TORTURE says.
torture:
	cd torture && TORTURE=$(TORTURE) go test -count=1 -timeout 0 -v ./world ./powercut
	TORTURE=$(TORTURE) go test -count=1 -timeout 0 -run TestSoak ./collect/connectors

# A gateway at work for as long as SOAK says, with 2,000 followers; test-torture has its short form.
soak:
	cd torture && SOAK=$(SOAK) go test -count=1 -timeout 0 -v -run TestSoak ./soak

# The comparison with peers, for moments and without those that npm installs.
test-bench:
	cd bench && go test -count=1 ./...

# What is released: programs, packages, an image, checksums; two runs on one commit make the same bytes.
dist: web/dist/site/manifest.json
	cd packaging && go run . -to ../$(dist) $(DIST)

# The package for Debian in its short form: made twice, examined, and started. DIST_CLEAN=1 also installs it in a clean
# Debian, which needs a mirror of Debian; DIST_FULL=1 makes everything, too.
test-dist: web/dist/site/manifest.json
	cd packaging && go test -count=1 -timeout 3h ./...

test-browser: build
	@scripts/browser-test

# The pictures of pages in docs/, light and dark.
pictures: build
	@scripts/pictures

test-conformance: build
	@scripts/conformance

bench:
	$(with_postgres) go test -run '^$$' -bench . -benchmem ./...

# The comparison with peers, about half an hour on a machine that nobody else uses; BENCH=-help shows its flags.
bench-peers: build bench/peers/js/node_modules/.package-lock.json
	cd bench && go run . -report ../docs/benchmarks-peers.md $(BENCH)

# piyasa with ten times as much stored, about six minutes; a hundred times (BENCH='-grow 1,10,100') takes an hour and 40 GB.
bench-growth: build
	cd bench && go run . -grow 1,10 -report ../docs/growth.md $(BENCH)

# Twice and five times as many heavy requests as piyasa can answer, beside light ones, about a minute.
bench-overload: build
	cd bench && go run . -overload $(BENCH)

bench/peers/js/node_modules/.package-lock.json: bench/peers/js/package.json bench/peers/js/package-lock.json
	# the npm packages of bench/peers/js/
	$(call quietly,cd bench/peers/js && npm ci --no-audit --no-fund --loglevel=error)
	@touch $@

# go test fuzzes one target at a time.
fuzz: $(graphqljs)
	@{ grep -rHo --include='*_test.go' --exclude-dir=node_modules '^func Fuzz[A-Za-z0-9_]*' . || true; } | \
	while IFS=: read -r file target; do \
		(cd "$${file%/*}"; go test -run '^$$' -fuzz "^$${target#func }\$$" -fuzztime $(FUZZTIME) . </dev/null); \
	done

clean:
	rm -rf bin out web/dist/site web/node_modules bench/peers/js/node_modules plan/plantest/graphqljs/node_modules mcp/conformance/node_modules docs/clients/javascript/node_modules
